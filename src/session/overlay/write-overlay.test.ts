import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../../test-kit/draw.ts';
import { realTrace } from '../../test-kit/traces.ts';
import { openSession } from '../session.ts';
import { writeOverlay } from './write-overlay.ts';

interface Row {
  readonly ph: string;
  readonly cat?: string;
  readonly id?: number;
  readonly pid?: unknown;
  readonly tid?: unknown;
  readonly ts: number | string;
  readonly dur?: number | string;
  readonly args?: { readonly critical?: number };
}
interface File {
  readonly traceEvents: readonly Row[];
}

const folder = mkdtempSync(join(tmpdir(), 'longpole-overlay-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const parse = (path: string): File => {
  const bytes = readFileSync(path);
  return JSON.parse((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString()) as File;
};

async function overlay(from: string, onlyCritical = false, name = 'out.json') {
  const opened = await openSession(from, {});
  if (!opened.ok) throw new Error(opened.error.message);
  const outcome = opened.value.run('critical-path');
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  const to = join(folder, name);
  const counts = await writeOverlay(opened.value.trace, outcome.result, { from, to, onlyCritical });
  const onPath = new Set(
    outcome.result.path.segments.flatMap(({ event }) => (event === undefined ? [] : [event.event])),
  );
  return { to, counts, onPath, segments: outcome.result.path.segments };
}

const isArrow = ({ ph, cat }: Row): boolean => (ph === 's' || ph === 'f') && cat === 'critical_path';
const withoutMark = ({ args, ...row }: Row): object => {
  const { critical: _, ...rest } = args ?? {};
  return args === undefined ? row : { ...row, args: rest };
};

/** The numbers of a drawing's slices, exact: ns as integers. */
const ns = (us: number | string): bigint => {
  const [whole = '0', fraction = ''] = String(us).split('.');
  return BigInt(whole + fraction.padEnd(3, '0'));
};

function expectArrowsInSlices(json: string, rows: readonly Row[]): void {
  // From the text, since a double near an epoch in µs is not exact.
  const exact = JSON.parse(json.replace(/("ts"|"dur"): ?(\d+(?:\.\d+)?)/g, '$1:"$2"')) as File;
  const arrows = exact.traceEvents.filter(isArrow);
  const starts = arrows.filter(({ ph }) => ph === 's');
  expect(arrows).toHaveLength(2 * starts.length);
  for (const start of starts) {
    const end = arrows.find(({ ph, id }) => ph === 'f' && id === start.id);
    expect(end).toBeDefined();
    expect(ns(start.ts) <= ns(end?.ts ?? 0)).toBe(true);
  }
  const slices = exact.traceEvents.filter(({ ph, args }) => ph === 'X' && args?.critical === 1);
  for (const { ts, pid, tid } of arrows) {
    const at = ns(ts);
    const inside = slices.some((slice) => {
      const begin = ns(slice.ts);
      const length = ns(slice.dur ?? 0);
      return slice.pid === pid && slice.tid === tid && begin <= at && (at < begin + length || length === 0n);
    });
    expect(inside, `arrow at ${ts} on ${String(pid)}/${String(tid)}`).toBe(true);
  }
  const ids = rows
    .filter(({ ph, id }) => 'stf'.includes(ph) && id !== undefined && !isArrow({ ph, ts: 0 }))
    .map(({ id }) => id);
  for (const { id } of starts) expect(ids).not.toContain(id);
}

const DRAWING = `
  cpu 1    | cudaLaunchKernel#1@5+5 cudaEventRecord#2@12+2 cudaStreamWaitEvent#3@15+2 cudaLaunchKernel#4@20+5 cudaStreamSynchronize#5@30+25
  gpu 0.7  | gemm#1@15+30
  gpu 0.20 | relu#4@47+5
  sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1} StreamSync#5@30+25{stream=20}
  flow     | ac2g#1 1@5 -> 1@15
`;

test('marks the path, draws an arrow a change of lanes, and copies all else', async () => {
  const from = join(folder, 'trace.json');
  const json = jsonOf(DRAWING);
  writeFileSync(from, json);
  const { to, counts, onPath } = await overlay(from);
  const before = parse(from).traceEvents;
  const after = parse(to).traceEvents;
  const rows = after.filter((row) => !isArrow(row));
  expect(rows.map(withoutMark)).toEqual(before.map(withoutMark));
  expect(new Set(rows.flatMap(({ args }, at) => (args?.critical === 1 ? [at] : [])))).toEqual(onPath);
  expect(counts).toEqual({ events: onPath.size, arrows: (after.length - rows.length) / 2 });
  // The launch, the wait for the other stream, and the way back to the host.
  expect(counts.arrows).toBe(3);
  expectArrowsInSlices(readFileSync(to, 'utf8'), before);
  expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
});

test('an overlay of an overlay has ids of its own', async () => {
  const from = join(folder, 'first.json');
  writeFileSync(from, jsonOf(DRAWING));
  const { to } = await overlay(from, false, 'second.json');
  const again = await overlay(to, false, 'third.json');
  const ids = parse(again.to)
    .traceEvents.filter(({ ph }) => ph === 's')
    .map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a compressed overlay, of a truncated trace, holds its whole rows', async () => {
  const from = join(folder, 'cut.json.gz');
  const json = jsonOf(DRAWING);
  writeFileSync(from, gzipSync(json.slice(0, json.lastIndexOf('{') + 20)));
  const { to, counts } = await overlay(from, false, 'cut-out.json.gz');
  expect(readFileSync(to).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  expect(counts.events).toBeGreaterThan(0);
  expect(parse(to).traceEvents.filter(({ args }) => args?.critical === 1)).toHaveLength(counts.events);
});

describe.each([
  'sync/multi_stream.json.gz',
  'sync/alexnet.json.gz',
  'diff/bert_mi300.json.gz',
  'single/qwen_h100_stacks.json.gz',
])('%s', (file) => {
  test('has the same events and those of its path marked', async () => {
    const from = realTrace(file);
    const { to, counts, onPath } = await overlay(from);
    const original = parse(from);
    const { traceEvents, ...rest } = parse(to);
    const rows = traceEvents.filter((row) => !isArrow(row));
    const { traceEvents: before, ...restBefore } = original;
    expect(rest).toEqual(restBefore);
    expect(rows).toHaveLength(before.length);
    expect(traceEvents).toHaveLength(before.length + 2 * counts.arrows);
    expect(new Set(rows.flatMap(({ args }, at) => (args?.critical === 1 ? [at] : [])))).toEqual(onPath);
    expectArrowsInSlices(readFileSync(to, 'utf8'), before);
  });
  test('the path alone, with annotations and metadata', async () => {
    const from = realTrace(file);
    const { to, onPath } = await overlay(from, true);
    const rows = parse(to).traceEvents.filter((row) => !isArrow(row));
    expect(rows.filter(({ args }) => args?.critical === 1)).toHaveLength(onPath.size);
    for (const { ph, cat = '', args } of rows) {
      expect(args?.critical === 1 || ph === 'M' || cat.endsWith('user_annotation')).toBe(true);
    }
  });
});
