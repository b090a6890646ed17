/** The files that the program writes, and what they may take the place of. The built one is asked about pipes: `npm test` builds it first. */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../test-kit/draw.ts';
import { runBuilt } from '../test-kit/run-built.ts';
import { runIn } from '../test-kit/run-in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-target-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const TRACE = jsonOf('cpu 1 | aten::mm@0+20 cudaLaunchKernel#1@5+10\ngpu 0.7 | gemm#1@30+40');
writeFileSync(join(folder, 'trace.json'), TRACE);

const longpole = (...args: readonly string[]) => runIn(folder, args);
/** As a process. */
const built = (...args: readonly string[]) => runBuilt(folder, args);

/** Commands that write a file; its name is to follow. */
const WRITERS = [
  ['export', 'trace.json', '--format', 'folded', '--out'],
  ['export', 'trace.json', '--format', 'chrome', '--counters', '--out'],
  ['critical-path', 'trace.json', '--overlay'],
  ['what-if', 'trace.json', '--remove', '/gemm/', '--overlay'],
  ['report', 'trace.json', '--html'],
  ['demo', '--out'],
] as const;

describe.skipIf(process.platform === 'win32')('what is there already', () => {
  test.each(WRITERS.map((args) => ({ args })))('$args: a pipe is written into, and stays one', async ({ args }) => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const read = new Promise<string>((resolve) => {
      execFile('cat', [pipe], { maxBuffer: 1 << 26, timeout: 30_000 }, (_, stdout) => resolve(stdout));
    });
    const [isFolded, isPage] = [args.some((arg) => arg === 'folded'), args.some((arg) => arg === '--html')];
    const { code } = await built(...args, 'pipe');
    const isPipe = lstatSync(pipe).isFIFO();
    rmSync(pipe);
    expect([code, isPipe, readdirSync(folder)]).toEqual([0, true, ['trace.json']]);
    expect(await read).toMatch(isFolded ? /^aten::mm 10000\n/ : isPage ? /^<!doctype/i : /^\{/);
  });

  test.each(WRITERS.map((args) => ({ args })))('$args: a file without write permission is kept', async ({ args }) => {
    const path = join(folder, 'kept');
    writeFileSync(path, 'kept');
    chmodSync(path, 0o444);
    const { code, stdout, stderr } = await longpole(...args, 'kept');
    const text = readFileSync(path, 'utf8');
    rmSync(path, { force: true });
    expect([code, stdout, stderr, text]).toEqual([
      2,
      '',
      `longpole: ${args.at(-1)} kept is read-only; name another file\n`,
      'kept',
    ]);
  });

  test('standard output by its name', async () => {
    const { code, stdout } = await built(...WRITERS[0], '/proc/self/fd/1');
    expect([code, stdout]).toEqual([0, 'aten::mm 10000\naten::mm;cudaLaunchKernel 10000\n']);
    const overlay = await built(...WRITERS[2], '/proc/self/fd/1');
    expect([overlay.code, overlay.stdout, overlay.stderr]).toEqual([
      2,
      '',
      'longpole: --overlay needs a file; standard output is for the answer\n',
    ]);
  });

  test('a trace in a pipe cannot be read twice', async () => {
    execFileSync('mkfifo', [join(folder, 'trace.pipe')]);
    for (const [what, ...args] of [
      ['--format chrome', 'export', 'trace.pipe', '--format', 'chrome', '--counters', '--out', 'out.json'],
      ['--overlay', 'critical-path', 'trace.pipe', '--overlay', 'out.json'],
    ]) {
      const { code, stdout, stderr } = await longpole(...args);
      expect([code, stdout, stderr]).toEqual([
        2,
        '',
        `longpole: ${what} reads the trace a second time, which trace.pipe cannot give; save it to a file first\n`,
      ]);
    }
    rmSync(join(folder, 'trace.pipe'));
    expect(readdirSync(folder)).toEqual(['trace.json']);
  });
});

test.each([WRITERS[1], WRITERS[2]])(
  '%s: damage behind the JSON is left out, and damage in it told',
  async (...args) => {
    const [command, , ...rest] = args;
    writeFileSync(join(folder, 'behind.json'), `${TRACE}\n{"x":1}garbage`);
    const behind = await longpole(String(command), 'behind.json', ...rest.map(String), 'out.json');
    expect(behind.code).toBe(0);
    expect(behind.stderr).not.toContain('copied');
    expect(() => JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'))).not.toThrow();
    writeFileSync(join(folder, 'inside.json'), TRACE.replace('"aten::mm"', '"aten::\u0001mm"'));
    const inside = await longpole(String(command), 'inside.json', ...rest.map(String), 'out.json');
    expect([inside.code, inside.stderr]).toEqual([
      0,
      expect.stringContaining('note: the damage of the trace was copied with it: other programs may refuse the file\n'),
    ]);
    for (const name of ['behind.json', 'inside.json', 'out.json']) rmSync(join(folder, name));
  },
);
