/** What help shows can be typed as it stands: each example is run on the example trace. */
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { writeJobFolder } from '../test-kit/job-folder.ts';
import { type Ended, runBuilt } from '../test-kit/run-built.ts';
import { runIn } from '../test-kit/run-in-process.ts';
import { EXAMPLES, exampleLines } from './examples.ts';
import { LIMITS } from './limits.ts';

const TRACE = fileURLToPath(new URL('../../examples/three-steps.json.gz', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'longpole-examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
copyFileSync(TRACE, join(folder, 'trace.json.gz'));

beforeAll(async () => {
  await writeJobFolder(join(folder, 'job'), dataParallel({ ranks: 2, steps: 3, layers: 2 }));
  await run(['map', 'job', '--out', 'summaries']);
});

const COMMANDS = [...Object.keys(LIMITS), 'export', 'map'] as (keyof typeof EXAMPLES)[];
const LINES = COMMANDS.flatMap((command) => EXAMPLES[command].map(({ line }) => line));

/** The words of a line as a shell splits it; of quotes, the simple ones of the examples. */
const wordsOf = (line: string): string[] =>
  Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, bare = '']) => quoted ?? bare).slice(1);

/** The page's script lies beside the built program. */
const run = (args: readonly string[]): Promise<Ended> =>
  args.includes('--html') ? runBuilt(folder, args) : runIn(folder, args);

describe('an example', () => {
  test.each(LINES)('%s', async (line) => {
    const args = wordsOf(line);
    const { code, stdout, stderr } = await run(args);
    expect({ code, stderr: stderr.replace(/^(wrote .*|.*: \d ranks? mapped.*)\n$/, '') }).toEqual({
      code: 0,
      stderr: '',
    });
    expect(stdout).not.toMatch(/\b(NaN|undefined|Infinity)\b/);
    const file = args[args.findIndex((arg) => ['--out', '--html', '--overlay'].includes(arg)) + 1] ?? '';
    const isWritten = stderr.startsWith(`wrote ${file}`);
    const isFile = isWritten || args[0] === 'map';
    expect(isFile ? statSync(join(folder, file)).size : stdout.length).toBeGreaterThan(50);
  });
});

describe('help', () => {
  test.each(COMMANDS)('of %s shows its two examples and their flags', async (command) => {
    const { code, stdout, stderr } = await run([command, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(exampleLines(EXAMPLES[command]));
    expect(new Set(EXAMPLES[command].map(({ line }) => line)).size).toBe(2);
    for (const { line } of EXAMPLES[command]) {
      for (const [flag] of line.matchAll(/--[a-z-]+/g)) expect(stdout).toMatch(RegExp(`^  ${flag} `, 'm'));
    }
    for (const text of stdout.split('\n')) expect(text.length).toBeLessThanOrEqual(100);
  });

  const WINDOW = ['--step <', '--annotation', '--range'];
  const GRAPH = ['--exact', '--rules', '--legacy-default-stream'];
  test.each([
    ['info', ['--json', '--diagnostics'], [...WINDOW, ...GRAPH, '--full-names', '--data-loading']],
    ['sync', GRAPH, [...WINDOW, '--data-loading']],
    ['explain', [...GRAPH, 'e-123', '--full-names'], [...WINDOW, '--data-loading']],
    ['what-if', [...GRAPH, '--step <', '--data-loading', '--remove'], ['--range']],
    ['counters', [...WINDOW, ...GRAPH], ['--full-names']],
    ['export', [...WINDOW, ...GRAPH, '--weight'], ['--json', '--limit', '--full-names']],
    ['demo', ['--json', '--program', '--debug'], [...WINDOW, ...GRAPH, '--max-bytes', 'Arguments', 'PATH']],
    ['report', [...WINDOW, ...GRAPH, '--markdown', '--html'], ['--overlay']],
  ] as const)('of %s has the flags that make sense there', async (command, flags, others) => {
    const { stdout } = await run([command, '--help']);
    for (const flag of flags) expect(stdout).toContain(flag);
    for (const flag of others) expect(stdout).not.toContain(flag);
  });
});
