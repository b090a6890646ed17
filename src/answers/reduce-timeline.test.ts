import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Timeline, countOf, coveredOf } from '../protocol/timeline.ts';
import { sampleTimeline } from '../test-kit/sample-timeline.ts';
import { MERGED_NAME, reduceTimeline, tellingEvents } from './reduce-timeline.ts';

/** Rows of events that do not overlap, from gaps and lengths. */
const rowsOf = (lengths: readonly (readonly (readonly [gap: number, length: number])[])[]) =>
  lengths.map((row) => {
    let at = 0;
    return row.map(([gap, length]): readonly [number, number] => {
      const start = at + gap;
      at = start + length;
      return [start, at];
    });
  });
const anyRow = fc.array(fc.tuple(fc.nat(40), fc.nat(60)), { maxLength: 60 });
const anyTimeline = fc
  .tuple(fc.array(anyRow, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(60), { maxLength: 5 }))
  .map(([rows, path]) => sampleTimeline(rowsOf(rows), { path: [...new Set(path)].sort((a, b) => a - b) }));

const itemsOf = (timeline: Timeline): number[] => Array.from(timeline.start, (_, e) => e);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

test('nothing is lost: counts, what is covered, and the rows’ borders', () => {
  fc.assert(
    fc.property(anyTimeline, fc.integer({ min: 1, max: 120 }), (timeline, most) => {
      const { timeline: reduced, merged } = reduceTimeline(timeline, most);
      const items = itemsOf(reduced);
      expect(sum(items.map((e) => countOf(reduced, e)))).toBe(timeline.start.length);
      expect(sum(items.map((e) => coveredOf(reduced, e)))).toBe(
        sum(itemsOf(timeline).map((e) => timeline.end[e] - timeline.start[e])),
      );
      expect(sum(items.map((e) => (countOf(reduced, e) > 1 ? countOf(reduced, e) : 0)))).toBe(merged);
      expect(reduced.rowFirst.length).toBe(timeline.rowFirst.length);
      for (let row = 0; row + 1 < reduced.rowFirst.length; row++) {
        for (let e = reduced.rowFirst[row] + 1; e < reduced.rowFirst[row + 1]; e++) {
          expect(reduced.start[e]).toBeGreaterThanOrEqual(reduced.end[e - 1]);
        }
      }
    }),
  );
});

test('the path and what is long stay what they are', () => {
  fc.assert(
    fc.property(anyTimeline, fc.integer({ min: 1, max: 120 }), (timeline, most) => {
      const { timeline: reduced, cellNs } = reduceTimeline(timeline, most);
      const own = new Map(itemsOf(reduced).map((e) => [reduced.position[e], e]));
      const onPath = new Set(timeline.pathPosition);
      for (const e of itemsOf(timeline)) {
        const length = timeline.end[e] - timeline.start[e];
        if (!onPath.has(timeline.position[e]) && length < cellNs) continue;
        const kept = own.get(timeline.position[e]) ?? -1;
        expect([reduced.start[kept], reduced.end[kept], reduced.names[reduced.name[kept]]]).toEqual([
          timeline.start[e],
          timeline.end[e],
          timeline.names[timeline.name[e]],
        ]);
      }
    }),
  );
});

test('what fits is not touched; what does not is merged by cells, and says what it is', () => {
  const timeline = sampleTimeline([
    [
      [0, 2],
      [4, 6],
      [40, 90],
      [100, 101],
    ],
  ]);
  expect(reduceTimeline(timeline, 4)).toEqual({ timeline, merged: 0, cellNs: 0 });
  const { timeline: reduced, merged, cellNs } = reduceTimeline(timeline, 3);
  expect({ merged, cellNs }).toEqual({ merged: 2, cellNs: 16 });
  expect(Array.from(reduced.start)).toEqual([0, 40, 100]);
  expect(Array.from(reduced.end)).toEqual([6, 90, 101]);
  expect(Array.from(reduced.covered)).toEqual([4, 50, 1]);
  expect(Array.from(reduced.position)).toEqual([-1, 2, 3]);
  expect(reduced.names[reduced.name[0]]).toBe(MERGED_NAME);
});

test('a counter keeps its largest value and its last of each cell', () => {
  const counter: [number, number][] = [
    [0, 1],
    [3, 7],
    [9, 2],
    [40, 5],
  ];
  const rows = [[0, 2] as const, [4, 6] as const, [100, 130] as const];
  const { counterTime, counterValue, counterFirst } = reduceTimeline(sampleTimeline([rows], { counter }), 2).timeline;
  expect(Array.from(counterTime)).toEqual([0, 9, 40]);
  expect(Array.from(counterValue)).toEqual([7, 2, 5]);
  expect(Array.from(counterFirst)).toEqual([0, 3]);
});

test('what tells most: the path by time, then the longest work', () => {
  const timeline = sampleTimeline(
    [
      [
        [0, 10],
        [20, 100],
        [110, 115],
        [120, 150],
      ],
    ],
    { path: [0, 2] },
  );
  expect(tellingEvents(timeline, 10)).toEqual([0, 2, 1, 3]);
  expect(tellingEvents(timeline, 1)).toEqual([0]);
});
