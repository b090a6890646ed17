import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { type DrawOptions, jsonOf } from '../../test-kit/draw.ts';
import { ZERO_UNIX_NS } from '../../test-kit/kineto.ts';
import { openSession } from '../session.ts';
import { writeCounters } from './write-counters.ts';

interface Row {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly ts: number;
  readonly args: Readonly<Record<string, number>>;
}

const folder = mkdtempSync(join(tmpdir(), 'longpole-counters-'));
afterAll(() => rmSync(folder, { recursive: true }));

function parse(file: string): Row[] {
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
  return (JSON.parse(text) as { traceEvents: Row[] }).traceEvents;
}

const DRAWN = `
  cpu 1    | cudaLaunchKernel#1@0+2 cudaMemcpyAsync#2@4+2
  gpu 0.7  | gemm#1@10+30
  gpu 3.20 | Memcpy HtoD (Pinned -> Device)#2@20+20{bytes=40000}
`;

/** Rows before, rows added, and how many the writer says. */
async function counted(
  name: string,
  drawn: DrawOptions = {},
  endNs = Number.MAX_SAFE_INTEGER,
): Promise<{ before: Row[]; kept: Row[]; added: Row[]; count: number }> {
  const from = join(folder, 'trace.json');
  writeFileSync(from, jsonOf(DRAWN, drawn));
  const opened = await openSession(from, {});
  if (!opened.ok) throw new Error(opened.error.message);
  const outcome = opened.value.run('counters', { window: { kind: 'range', startNs: 0, endNs }, points: true });
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  const to = join(folder, name);
  const count = await writeCounters(opened.value.trace, outcome.result, { from, to });
  const before = parse(from);
  const after = parse(to);
  return { before, kept: after.slice(0, before.length), added: after.slice(before.length), count };
}

/** `queue depth s-0.7 of 0: 0=1 10=0`, times in µs of the drawing. */
function linesOf(added: readonly Row[], zeroUs: number): string[] {
  const lines = new Map<string, string>();
  for (const { ph, name, pid, ts, args } of added) {
    const [value] = Object.values(args);
    const line = lines.get(name) ?? `${ph} ${name} of ${pid}:`;
    lines.set(name, `${line} ${Math.round((ts - zeroUs) * 1000) / 1000}=${value}`);
  }
  return [...lines.values()].sort();
}

const WHOLE = [
  'C Memcpy HtoD GB/s of device 3 of 3: 0=0 20=2 40=0',
  'C queue depth s-0.7 of 0: 0=1 10=0',
  'C queue depth s-3.20 of 3: 0=0 4=1 20=0',
];

test('rows stay as they are; behind them stands a counter row for each step', async () => {
  // Relative to a base, so that a double holds the times.
  const { before, kept, added, count } = await counted('out.json.gz', { baseUnixNs: ZERO_UNIX_NS });
  expect(kept).toEqual(before);
  expect(count).toBe(added.length);
  expect(linesOf(added, 0)).toEqual(WHOLE);
});

test('whatever the order of the rows, and whatever the times count from', async () => {
  const options = { shuffleSeed: 5, baseUnixNs: ZERO_UNIX_NS - 7_000_250n };
  const { added } = await counted('shuffled.json', options);
  expect(linesOf(added, 7_000.25)).toEqual(WHOLE);
});

test('a series does not go on behind its window', async () => {
  const { added } = await counted('window.json', { baseUnixNs: ZERO_UNIX_NS }, 30_000);
  expect(linesOf(added, 0)).toEqual([
    'C Memcpy HtoD GB/s of device 3 of 3: 0=0 20=2 30=0',
    'C queue depth s-0.7 of 0: 0=1 10=0',
    'C queue depth s-3.20 of 3: 0=0 4=1 20=0',
  ]);
});
