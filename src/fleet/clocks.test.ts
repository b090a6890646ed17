import { describe, expect, test } from 'vitest';
import { commCall, commGroup, commJob } from '../test-kit/comm-calls.ts';
import { type FittedClocks, fitClocks } from './clocks.ts';
import { matchCalls } from './match.ts';
import type { CommCall, RankCalls } from './model.ts';
import { type MeetingWaits, waitsOf } from './waits.ts';

const numbered = (calls: readonly CommCall[]): CommCall[] => calls.map((call, i) => ({ ...call, sequence: i + 1 }));
const clocksOf = (ranks: readonly RankCalls[]): FittedClocks => fitClocks(ranks, matchCalls(ranks).meetings);
const waitsIn = (ranks: readonly RankCalls[], clocks = clocksOf(ranks)): MeetingWaits[] =>
  waitsOf(ranks, matchCalls(ranks).meetings, clocks);
/** How much the second clock is behind the first, ns. */
const behind = ({ skewNs }: FittedClocks): number => skewNs[1] - skewNs[0];

test('ends of symmetric calls tell the offset; not those of broadcasts', () => {
  // The second clock is 700 µs ahead. The broadcast's root leaves long before the other.
  const a = [commCall(0, 50), commCall(100, 130), commCall(200, 220), commCall(300, 340), commCall(400, 430)];
  const b = [
    commCall(740, 750),
    commCall(820, 830),
    commCall(910, 920),
    commCall(1_030, 1_040),
    commCall(1_120, 1_130),
  ];
  const root = commCall(500, 510, { op: 'broadcast', peer: 0 });
  const leaf = commCall(1_205, 1_700, { op: 'broadcast', peer: 0 });
  const clocks = clocksOf(commJob([numbered([...a, root]), numbered([...b, leaf])]));
  expect(behind(clocks)).toBeCloseTo(-700_000, -2);
  expect(clocks.uncertaintyNs(0, 1)).toBeLessThan(15_000);
  expect([...clocks.component]).toEqual([0, 0]);
});

test('below five calls the interval that causality leaves', () => {
  // The first ends no earlier than the second begins, and the other way round.
  const clocks = clocksOf(commJob([numbered([commCall(0, 100)]), numbered([commCall(40, 100)])]));
  // Of what lies between −100 and 60 µs, the ends say 0.
  expect(behind(clocks)).toBe(0);
  expect(clocks.uncertaintyNs(0, 1)).toBeGreaterThanOrEqual(100_000);
  expect(clocks.uncertaintyNs(0, 1)).toBeLessThan(110_000);
});

test('sends both ways leave an interval; sends one way, and no call at all, leave no clock', () => {
  const send = (start: number, end: number, peer: number): CommCall => commCall(start, end, { op: 'send', peer });
  const receive = (start: number, end: number, peer: number): CommCall => commCall(start, end, { op: 'recv', peer });
  const both = clocksOf(
    commJob([
      [send(0, 20, 1), receive(50, 90, 1)],
      [receive(0, 30, 0), send(70, 80, 0)],
    ]),
  );
  // The second's 30 is after the first's 0, and the first's 90 after the second's 70: between −20 and 30 µs.
  expect(behind(both)).toBeCloseTo(-5_000, -2);
  expect(both.uncertaintyNs(0, 1)).toBeGreaterThanOrEqual(25_000);
  for (const lists of [
    [[send(0, 20, 1)], [receive(0, 30, 0)]],
    [[commCall(0, 10)], []],
  ]) {
    const clocks = clocksOf(commJob(lists));
    expect([...clocks.component]).toEqual([0, 1]);
    expect(clocks.uncertaintyNs(0, 1)).toBe(Infinity);
    expect(waitsIn(commJob(lists), clocks)).toEqual([]);
  }
});

test('times count from each trace’s own origin, which may be days apart', () => {
  const calls = numbered([0, 100, 200, 300, 400, 500].map((at) => commCall(at, at + 20)));
  const origins = ['1700000000000000000', '1700259200000000500'];
  const clocks = clocksOf(commJob([calls, calls], undefined, origins));
  expect(behind(clocks)).toBeCloseTo(-259_200_000_000_500, -1);
  expect(clocks.offsetNs[0]).toBeCloseTo(clocks.offsetNs[1], -1);
  expect(clocks.originUnixNs).toBe(origins[0]);
});

test('a call that ends before its last arrival is counted, not hidden', () => {
  const fine = [0, 100, 200, 300, 400, 500].map((at) => commCall(at, at + 20));
  const a = numbered([...fine, commCall(600, 620)]);
  const b = numbered([...fine, commCall(690, 700)]);
  const { check } = clocksOf(commJob([a, b]));
  expect(check).toMatchObject({ checked: 7, violated: 1 });
  expect(check.worstNs).toBeGreaterThan(60_000);
});

describe('waits', () => {
  test('the earlier one waits for the later one; what is left is the transfer', () => {
    const a = numbered([0, 100, 200, 300, 400, 500].map((at) => commCall(at, at + 60)));
    const b = numbered([40, 140, 240, 340, 440, 540].map((at) => commCall(at, at + 20)));
    const [first] = waitsIn(commJob([a, b]));
    expect(first).toMatchObject({ isTransfer: true, last: 1, isTie: false });
    expect([...first.waitNs]).toEqual([40_000, 0]);
    expect([...first.restNs]).toEqual([20_000, 20_000]);
    expect(first.marginNs).toBe(40_000);
    expect(first.algorithmGBps).toBe(40 / 20_000);
    expect(first.busGBps).toBe(40 / 20_000);
  });

  test('a margin below the uncertainty is a tie', () => {
    const a = numbered([0, 100, 200, 300, 400, 500].map((at) => commCall(at, at + 60)));
    const b = numbered([5, 105, 205, 305, 405, 505].map((at) => commCall(at, at + 55)));
    const [first] = waitsIn(commJob([a, b]));
    expect(first.isTie).toBe(true);
    expect(first.uncertaintyNs).toBeGreaterThan(first.marginNs);
  });

  test('with unseen members what is left may be the wait for one of them', () => {
    const group = commGroup({ key: 'g|0+1×3', ranks: [0, 1, 2], size: 3 });
    const a = numbered([0, 100, 200, 300, 400].map((at) => commCall(at, at + 60)));
    const b = numbered([40, 140, 240, 340, 440].map((at) => commCall(at, at + 20)));
    const [first] = waitsIn(commJob([a, b], [group]));
    expect(first.isTransfer).toBe(false);
    expect(first.algorithmGBps).toBeUndefined();
    expect([...first.waitNs]).toEqual([40_000, 0]);
  });

  test('only the root is waited for; a send that ended before its receive came did not wait', () => {
    const tied = [0, 100, 200, 300, 400].map((at) => commCall(at, at + 10));
    const root = (start: number, end: number): CommCall => commCall(start, end, { op: 'broadcast', peer: 0 });
    const a = numbered([...tied, root(520, 530)]);
    const b = numbered([...tied, root(500, 540)]);
    const eager = [commCall(600, 605, { op: 'send', peer: 1 }), commCall(700, 790, { op: 'send', peer: 1 })];
    const late = [commCall(640, 650, { op: 'recv', peer: 0 }), commCall(770, 790, { op: 'recv', peer: 0 })];
    const waits = waitsIn(
      commJob([
        [...a, ...eager],
        [...b, ...late],
      ]),
    ).slice(5);
    expect(waits.map(({ waitNs }) => [...waitNs])).toEqual([
      [0, 20_000],
      [0, 0],
      [70_000, 0],
    ]);
    expect(waits.map(({ last }) => last)).toEqual([0, 0, 1]);
  });
});
