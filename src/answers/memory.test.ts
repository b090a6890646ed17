import { expect, test } from 'vitest';
import { createSession } from '../session/session.ts';
import { readJson } from '../test-kit/draw.ts';
import type { RowSource } from './event-details.ts';
import { memorySeries } from './memory.ts';

const row = (ts: number, args: object): object => ({
  ph: 'i',
  s: 't',
  cat: 'cpu_instant_event',
  name: '[memory]',
  pid: 1,
  tid: 1,
  ts,
  args,
});
const ROWS = [
  { ph: 'X', cat: 'cpu_op', name: 'mm', pid: 1, tid: 1, ts: 0, dur: 50 },
  row(10, { 'Total Allocated': 100, 'Device Id': 0, 'Device Type': 1 }),
  row(20, { 'Total Allocated': 7, 'Device Id': -1, 'Device Type': 0 }),
  row(30, { 'Total Allocated': 40, 'Device Id': 0, 'Device Type': 1 }),
  row(40, { 'Total Allocated': 'many', 'Device Id': 0, 'Device Type': 1 }),
];
const TEXT = JSON.stringify({ traceEvents: ROWS });

/** Rows as they stand in the text. */
const sourceOf = (offsets: readonly number[]): RowSource => {
  expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
  const texts = ROWS.map((each) => JSON.stringify(each));
  const read = (offset: number) =>
    Promise.resolve(ROWS[texts.findIndex((text) => TEXT.startsWith(text, offset))] as Record<string, unknown>);
  return { kind: 'file', read };
};

test('one series a device, of the rows that have a number', async () => {
  const session = createSession(readJson(TEXT));
  expect(await memorySeries(session, (offsets) => Promise.resolve(sourceOf(offsets)))).toEqual({
    series: [
      { device: 'device 0', nth: 1, timeNs: [10_000, 30_000], bytes: [100, 40] },
      { device: 'host', nth: 1, timeNs: [20_000], bytes: [7] },
    ],
  });
});

test('where rows cannot be read again, that is told; where there are none, there is nothing to tell', async () => {
  const none: RowSource = { kind: 'none', why: 'standard input cannot be read again' };
  expect(await memorySeries(createSession(readJson(TEXT)), () => Promise.resolve(none))).toEqual({
    series: [],
    problem: 'no memory lanes: standard input cannot be read again',
  });
  const other = createSession(readJson(JSON.stringify({ traceEvents: ROWS.slice(0, 1) })));
  expect(await memorySeries(other, () => Promise.reject(new Error('asked for nothing')))).toEqual({
    series: [],
  });
});

test('rows that are not where they were are counted', async () => {
  const session = createSession(readJson(TEXT));
  const lost = (wanted: (at: number) => boolean) =>
    memorySeries(session, (offsets) => {
      const { read } = sourceOf(offsets) as Extract<RowSource, { kind: 'file' }>;
      return Promise.resolve({
        kind: 'file',
        read: (offset) => (wanted(offsets.indexOf(offset)) ? Promise.resolve(undefined) : read(offset)),
      });
    });
  expect(await lost((at) => at === 0)).toEqual({
    series: [
      { device: 'host', nth: 1, timeNs: [20_000], bytes: [7] },
      { device: 'device 0', nth: 1, timeNs: [30_000], bytes: [40] },
    ],
    problem: 'memory lanes lack 1 of 4 rows that cannot be read again',
  });
  expect(await lost(() => true)).toEqual({ series: [], problem: 'no memory lanes: the file cannot be read again' });
});
