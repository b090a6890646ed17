/** `communication`, `launches`, `counters` and `export --format chrome` on the command line. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { jsonOf } from '../test-kit/draw.ts';
import { runIn } from '../test-kit/run-in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-counters-'));
afterAll(() => rmSync(folder, { recursive: true }));

const longpole = (...args: readonly string[]) => runIn(folder, args);

const DRAWN = `
  cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@4+60
  gpu 0.7  | gemm#1@10+30
  gpu 0.20 | ncclDevKernel_AllReduce#2@200+20
`;
writeFileSync(join(folder, 'trace.json'), jsonOf(DRAWN));
writeFileSync(join(folder, 'host.json'), jsonOf('cpu 1 | mm@0+5'));

test('--json has every launch, and every step of a counter, cut by --limit', async () => {
  const launches = JSON.parse((await longpole('launches', 'trace.json', '--json')).stdout) as object;
  expect(launches).toMatchObject({
    schema: 'longpole.launches/1',
    launches: [
      { callNs: 2_000, delayNs: 8_000 },
      { callNs: 60_000, delayNs: 136_000 },
    ],
  });
  const counters = JSON.parse((await longpole('counters', 'trace.json', '--json', '--limit', '1')).stdout) as object;
  expect(counters).toMatchObject({ schema: 'longpole.counters/1', points: [{ timeNs: 0, value: 1 }], pointsTotal: 5 });
});

test('what is listed follows --min-call and --min-delay', async () => {
  expect((await longpole('launches', 'trace.json')).stdout).toContain('1 call longer than 50.0 µs (--min-call)');
  const { stdout } = await longpole('launches', 'trace.json', '--min-call', '1us', '--min-delay', '200us');
  expect(stdout).toContain('2 calls longer than 1.000 µs');
  expect(stdout).not.toContain('(--min-delay)');
});

test.each([
  [['launches', 'trace.json', '--min-call', '50'], "--min-call '50' is no length of time with its unit"],
  [['launches', 'trace.json', '--full-queue', 'many'], "--full-queue 'many' is no whole number"],
  [
    ['export', 'trace.json', '--format', 'chrome', '--out', 'x.json'],
    'say which: for example --format chrome --counters',
  ],
  [['export', 'trace.json', '--format', 'chrome', '--counters'], 'needs a file'],
  [['export', 'trace.json', '--format', 'chrome', '--counters', '--out', 'trace.json'], 'must not be overwritten'],
])('usage: %j', async (args, message) => {
  const { code, stderr } = await longpole(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('export --format chrome --counters writes the trace with counters, and nothing beside the trace', async () => {
  const before = readFileSync(join(folder, 'trace.json'), 'utf8');
  const { code, stderr } = await longpole(
    'export',
    'trace.json',
    '--format',
    'chrome',
    '--counters',
    '--out',
    'out.json',
  );
  expect([code, stderr]).toEqual([0, 'wrote out.json: the trace, and 5 rows of 2 counters\n']);
  expect(readFileSync(join(folder, 'trace.json'), 'utf8')).toBe(before);
  const { traceEvents } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as {
    traceEvents: { ph: string }[];
  };
  expect(traceEvents.filter(({ ph }) => ph === 'C')).toHaveLength(5);
});

test('without device rows there is nothing to add', async () => {
  const { code, stderr } = await longpole(
    'export',
    'host.json',
    '--format',
    'chrome',
    '--counters',
    '--out',
    'host-out.json',
  );
  expect([code, stderr]).toEqual([3, expect.stringContaining('export does not apply: the trace has no device rows')]);
  expect(existsSync(join(folder, 'host-out.json'))).toBe(false);
});

test.each(['communication', 'launches', 'counters'])('%s of a trace without any ends with 3', async (command) => {
  expect(await longpole(command, 'host.json')).toMatchObject({ code: 3, stdout: '' });
});
