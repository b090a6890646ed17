import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Timeline, countOf, coveredOf } from '../protocol/timeline.ts';
import { sampleTimeline } from '../test-kit/sample-timeline.ts';
import { mergePath } from './merge-path.ts';
import { MERGED_NAME, reduceTimeline } from './reduce-timeline.ts';
import { tellingEvents } from './telling-events.ts';

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

test('what the path names and what is long stay what they are', () => {
  fc.assert(
    fc.property(anyTimeline, fc.integer({ min: 1, max: 120 }), (timeline, most) => {
      const { timeline: reduced, cellNs } = reduceTimeline(timeline, most);
      const own = new Map(itemsOf(reduced).map((e) => [reduced.position[e], e]));
      const onPath = new Set(reduced.pathPosition);
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

const sumsOf = ({ pathStart, pathEnd, pathKind }: Pick<Timeline, 'pathStart' | 'pathEnd' | 'pathKind'>): number[] => {
  const sums = [0, 0, 0];
  pathStart.forEach((start, s) => (sums[pathKind[s]] += pathEnd[s] - start));
  return sums;
};

test('a path that is merged tiles the same time, keeps the time of each kind in each window, and counts its segments', () => {
  const anySegments = fc.array(fc.tuple(fc.nat(40), fc.nat(2)), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(anySegments, fc.nat(40), fc.integer({ min: 1, max: 200 }), (segments, border, cellNs) => {
      const ends = segments.map(([length], at) => segments.slice(0, at).reduce((all, [each]) => all + each, length));
      const total = ends.at(-1) ?? 0;
      const middle = ends[Math.min(border, ends.length - 1)] ?? 0;
      const timeline: Timeline = {
        ...sampleTimeline([[]]),
        pathStart: Float64Array.from(ends, (end, at) => end - (segments[at]?.[0] ?? 0)),
        pathEnd: Float64Array.from(ends),
        pathKind: Uint8Array.from(segments, ([, kind]) => kind),
        pathPosition: Int32Array.from(ends, (_, at) => at),
        pathBoundBy: new Uint8Array(ends.length),
        windows: [
          { label: 'a', startNs: 0, endNs: middle },
          { label: 'b', startNs: middle, endNs: total },
        ],
      };
      const path = mergePath(timeline, cellNs);
      path.pathStart.forEach((start, s) => expect(start).toBe(s === 0 ? 0 : path.pathEnd[s - 1]));
      expect(path.pathEnd.at(-1)).toBe(total);
      expect(sum(Array.from(path.pathCount))).toBe(segments.length);
      const before = (columns: typeof path) => {
        const most = columns.pathEnd.filter((end) => end <= middle).length;
        return sumsOf({ ...columns, pathStart: columns.pathStart.subarray(0, most) });
      };
      expect(sumsOf(path)).toEqual(sumsOf(timeline));
      expect(before(path)).toEqual(before(timeline));
      // What took a cell or more is itself.
      segments.forEach(([length], at) => {
        if (length < cellNs) return;
        const s = path.pathPosition.indexOf(at);
        expect([path.pathCount[s], path.pathStart[s], path.pathEnd[s]]).toEqual([1, timeline.pathStart[at], ends[at]]);
      });
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
  expect(reduceTimeline(timeline, 4)).toEqual({ timeline, merged: 0, mergedSegments: 0, cellNs: 0 });
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
  const { counterTime, counterValue, counterFirst } = reduceTimeline(sampleTimeline([rows], { counter }), 6).timeline;
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
  expect(tellingEvents(timeline, new Set([0, 1, 2, 3]), 10)).toEqual([0, 2, 1, 3]);
  expect(tellingEvents(timeline, new Set([0, 1, 2, 3]), 1)).toEqual([0]);
  expect(tellingEvents(timeline, new Set([1, 2]), 10)).toEqual([2, 1]);
});
