import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVENT_KINDS } from '../../protocol/timeline.ts';
import { sampleTimeline } from '../../test-kit/sample-timeline.ts';
import { sumArea } from './area.ts';

const [KERNEL, OP] = [EVENT_KINDS.indexOf('kernel'), EVENT_KINDS.indexOf('op')];

/** A stream with two kernels; a thread with an op that holds another. */
const timeline = sampleTimeline(
  [
    [
      [0, 100],
      [150, 170],
    ],
    [[10, 60]],
    [[20, 40]],
  ],
  {
    lanes: [
      { id: 's-0.7', kind: 'stream', rows: 1 },
      { id: 't-1.1', kind: 'host', rows: 2 },
    ],
    names: ['gemm', 'relu', 'mm', 'inner'],
    kinds: [KERNEL, KERNEL, OP, OP],
  },
);

test('sums are cut at the borders: by name, by class, by lane', () => {
  const sums = sumArea(timeline, { start: 50, end: 160 }, [0, 1]);
  expect(sums.count).toBe(3);
  expect(sums.names).toEqual([
    { name: 0, kind: 'kernel', count: 1, totalNs: 50, longest: 0 },
    { name: 1, kind: 'kernel', count: 1, totalNs: 10, longest: 1 },
    { name: 2, kind: 'op', count: 1, totalNs: 10, longest: 2 },
  ]);
  expect(sums.kinds.map(({ kind, totalNs }) => [kind, totalNs])).toEqual([
    ['kernel', 60],
    ['op', 10],
  ]);
  expect(sums.lanes).toEqual([
    { lane: 0, count: 2, totalNs: 60, longest: 0, busyNs: 60 },
    { lane: 1, count: 1, totalNs: 10, longest: 2, busyNs: 10 },
  ]);
});

test('what is nested counts in each, and once in how long its lane was busy', () => {
  const { lanes } = sumArea(timeline, { start: 0, end: 200 }, [1]);
  expect(lanes).toEqual([{ lane: 1, count: 2, totalNs: 70, longest: 2, busyNs: 50 }]);
});

test('what only touches a border has no part; what has no length has, between them', () => {
  const points = sampleTimeline([
    [
      [0, 10],
      [20, 20],
      [30, 40],
    ],
  ]);
  expect(sumArea(points, { start: 10, end: 30 }, [0])).toMatchObject({ count: 1, names: [{ name: 1, totalNs: 0 }] });
  expect(sumArea(points, { start: 41, end: 90 }, [0])).toEqual({ count: 0, names: [], kinds: [], lanes: [] });
});

test('areas that tile a span sum to it', () => {
  const rows = fc.array(fc.tuple(fc.nat({ max: 9 }), fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(rows, fc.nat({ max: 900 }), (drafts, border) => {
      let at = 0;
      const made = sampleTimeline([drafts.map(([gap, length]) => [(at += gap), (at += length)] as const)]);
      const whole = sumArea(made, { start: 0, end: at }, [0]);
      const cut = Math.min(border, at);
      const parts = [sumArea(made, { start: 0, end: cut }, [0]), sumArea(made, { start: cut, end: at }, [0])];
      const total = (sums: typeof whole): number => sums.kinds.reduce((sum, { totalNs }) => sum + totalNs, 0);
      expect(total(parts[0]) + total(parts[1])).toBe(total(whole));
      expect(total(whole)).toBe(drafts.reduce((sum, [, length]) => sum + length, 0));
    }),
  );
});
