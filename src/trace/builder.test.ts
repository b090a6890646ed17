import { expect, test } from 'vitest';
import { dump } from '../test-kit/dump.ts';
import { seededRandom, shuffled } from '../test-kit/random.ts';
import { TraceBuilder } from './builder.ts';
import { sortRows } from './builder-order.ts';
import { RawRow } from './raw-row.ts';
import { RowFlag } from './tables.ts';
import type { Trace } from './trace.ts';

interface Row {
  readonly ph?: string;
  readonly cat?: string;
  readonly name?: string;
  readonly pid?: string;
  readonly tid?: string;
  /** Nanoseconds. */
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: number;
  readonly position?: number;
}

function build(rows: readonly Row[]): Trace {
  const builder = new TraceBuilder();
  const raw = new RawRow();
  rows.forEach(({ ph = 'X', cat = 'cpu_op', name = '', pid = '1', tid = '1', ts, dur, id, position }, index) => {
    raw.clear();
    raw.position = position ?? index;
    raw.byteOffset = 100 * raw.position;
    raw.phase = ph.charCodeAt(0);
    raw.category = builder.strings.intern(cat);
    raw.name = builder.strings.intern(name);
    raw.pid = builder.strings.intern(pid);
    raw.tid = builder.strings.intern(tid);
    raw.hasStart = ts !== undefined;
    raw.startSeconds = Math.floor((ts ?? 0) / 1e9);
    raw.startNanos = (ts ?? 0) - raw.startSeconds * 1e9;
    raw.dur = dur ?? Number.NaN;
    raw.id = id ?? Number.NaN;
    builder.push(raw);
  });
  return builder.seal({ file: 'test', jsonBytes: 0, eventCount: rows.length });
}

/** `name start+dur` of each row, in the trace's order. */
const spans = ({ events, strings }: Trace): string[] =>
  Array.from(events.start, (start, row) => `${strings.text(events.name[row])} ${start}+${events.dur[row]}`);

test('rows are ordered by start, then the longest first, then as in the file', () => {
  const trace = build([
    { name: 'late', ts: 500, dur: 1 },
    { name: 'inner', ts: 100, dur: 10 },
    { name: 'outer', ts: 100, dur: 50 },
    { name: 'inner too', ts: 100, dur: 10 },
  ]);
  expect(spans(trace)).toEqual(['outer 0+50', 'inner 0+10', 'inner too 0+10', 'late 400+1']);
  expect(Array.from(trace.events.position)).toEqual([2, 1, 3, 0]);
});

test('an E row ends the B row opened last on its track', () => {
  const trace = build([
    { ph: 'B', name: 'outer', ts: 0 },
    { ph: 'B', name: 'inner', ts: 10 },
    { ph: 'B', name: 'elsewhere', tid: '2', ts: 15 },
    { ph: 'E', ts: 20 },
    { ph: 'E', ts: 30 },
    { ph: 'E', tid: '2', ts: 35 },
  ]);
  expect(spans(trace)).toEqual(['outer 0+30', 'inner 10+10', 'elsewhere 15+20']);
  expect(trace.byPhase).toEqual({ B: 3, E: 3 });
  expect(trace.diagnostics).toEqual([]);
});

test('B and E rows pair by time, not by their order in the file', () => {
  const trace = build([
    { ph: 'E', ts: 20 },
    { ph: 'B', name: 'b', ts: 10 },
    { ph: 'E', ts: 10 },
    { ph: 'B', name: 'a', ts: 0, position: 1.5 },
  ]);
  expect(trace.diagnostics).toEqual([]);
  expect(spans(trace)).toEqual(['a 0+20', 'b 10+0']);
});

test('a B row without an end is clipped to the end of the trace, an E row without a begin is left out', () => {
  const trace = build([
    { ph: 'E', ts: 0 },
    { ph: 'B', name: 'open', ts: 10 },
    { name: 'op', ts: 20, dur: 30 },
  ]);
  expect(spans(trace)).toEqual(['open 0+40', 'op 10+30']);
  expect(trace.events.flags[0]).toBe(RowFlag.unfinished);
  expect(trace.diagnostics).toEqual([
    { kind: 'unmatched-begin', count: 1, firstByteOffset: 100 },
    { kind: 'unmatched-end', count: 1, firstByteOffset: 0 },
  ]);
});

test('rows of async and flow phases keep the order of the file at equal times, and their id', () => {
  const trace = build([
    { ph: 'b', name: 'async', ts: 5, id: 7 },
    { ph: 'e', name: 'async', ts: 5, id: 7 },
    { ph: 'n', name: 'async', ts: 5, id: 7 },
    { ph: 's', name: 'flow', ts: 6, id: 2 ** 33 },
    { ph: 'f', name: 'flow', ts: 7 },
  ]);
  expect(Array.from(trace.events.phase)).toEqual([7, 9, 8, 4, 6]);
  expect(Array.from(trace.events.correlation)).toEqual([7, 7, 7, 2 ** 33, -1]);
});

test('the origin is the earliest X, B or i row: a flow before it has a negative start', () => {
  const trace = build([
    { ph: 's', name: 'flow', ts: 10, id: 1 },
    { name: 'op', ts: 100, dur: 5 },
    { ph: 'C', name: 'counter', ts: 50 },
  ]);
  expect(spans(trace)).toEqual(['flow -90+0', 'counter -50+0', 'op 0+5']);
  expect(trace.originUnixNs).toBe(100n);
});

test('a row without the fields of its phase stays, without timing', () => {
  const trace = build([
    { name: 'no dur', ts: 5 },
    { name: 'no ts', dur: 5 },
    { ph: 'i', name: 'fine', ts: 7 },
    { ph: '\0', ts: 1 },
  ]);
  expect(spans(trace)).toEqual(['no dur 0+0', 'no ts 0+0', 'fine 0+0']);
  expect(Array.from(trace.events.flags)).toEqual([RowFlag.noTiming, RowFlag.noTiming, 0]);
  expect(trace.diagnostics).toEqual([{ kind: 'missing-field', count: 3, firstByteOffset: 0 }]);
});

test('a trace without rows is a trace', () => {
  const trace = build([]);
  expect(trace.events).toHaveLength(0);
  expect(trace.ops.event).toHaveLength(0);
});

test('a start of 0 is real where the other rows are near it', () => {
  const trace = build([
    { name: 'a', ts: 0, dur: 5 },
    { name: 'b', ts: 60e9, dur: 5 },
  ]);
  expect(trace.diagnostics).toEqual([]);
});

test('rows eight days from the others have no plausible timing', () => {
  const day = 86_400e9;
  const trace = build([0, 1, 2, 3, 8 * day].map((ts) => ({ ts: ts + 1e15, dur: 1 })));
  expect(trace.diagnostics).toEqual([{ kind: 'no-timing', count: 1, firstByteOffset: 400 }]);
});

test('the order of the rows in the file changes nothing but ties', () => {
  const random = seededRandom(3);
  const rows = Array.from({ length: 3000 }, (_, index) => ({
    name: `n${index % 50}`,
    cat: ['cpu_op', 'kernel', 'python_function', 'cuda_runtime', 'cuda_sync', 'other'][index % 6] ?? '',
    tid: String(index % 7),
    ts: 1e18 + index * 1024 + Math.floor(random() * 100) * 2 ** 33,
    dur: Math.floor(random() * 1e6),
    position: index,
  }));
  expect(dump(build(shuffled(rows, 5)))).toBe(dump(build(rows)));
});

test('sorts clusters within clusters as a comparison would', () => {
  const random = seededRandom(10);
  const length = 5000;
  const start = Float64Array.from({ length }, (_, row) => (row === 7 ? 6e14 : Math.floor(2 ** (random() * 40))));
  const dur = Float64Array.from({ length }, () => Math.floor(random() * 3));
  const expected = Array.from({ length }, (_, row) => row).sort(
    (a, b) => start[a] - start[b] || dur[b] - dur[a] || a - b,
  );
  expect(Array.from(sortRows(start, dur, length, { lowest: 0, highest: 6e14 }) ?? [])).toEqual(expected);
});

test('sorts as a comparison would', () => {
  const random = seededRandom(9);
  for (const span of [1, 3, 5000, 2 ** 31, 2 ** 33, 2 ** 50]) {
    const length = 2000;
    const start = Float64Array.from({ length }, () => Math.floor((random() - 0.3) * span));
    const dur = Float64Array.from({ length }, () => Math.floor(random() * 4));
    const expected = Array.from({ length }, (_, row) => row).sort(
      (a, b) => start[a] - start[b] || dur[b] - dur[a] || a - b,
    );
    const range = { lowest: Math.min(...start), highest: Math.max(...start) };
    expect(Array.from(sortRows(start, dur, length, range) ?? [])).toEqual(expected);
  }
});
