import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleTimeline } from '../../test-kit/sample-timeline.ts';
import { buildCounterPeaks, counterAt, counterColumns, valueText } from './counter-columns.ts';
import { DrawList, MOST_RECTANGLES, fillDrawList, rectangleAt } from './draw-list.ts';
import { eventsByPosition, longestInView, markPath, nearestIn, neighbour, rowOf, segmentAt } from './events.ts';
import { isFoldedAtFirst, placeLanes, rowAt, rowsBetween } from './lanes.ts';
import { type Bars, PATH_WIDTH, pathBars } from './path-bars.ts';
import { buildPathRows, pathLine } from './path-line.ts';
import { buildPyramid } from './pyramid.ts';

/** Rows of (gap before, length): events of a row do not overlap. */
const rowsArbitrary = fc.array(
  fc.array(fc.tuple(fc.nat({ max: 60 }), fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 4_000 }))), { maxLength: 700 }),
  { minLength: 1, maxLength: 4 },
);
const viewArbitrary = fc
  .tuple(fc.integer({ min: -500, max: 30_000 }), fc.integer({ min: 1, max: 60_000 }))
  .map(([start, span]) => ({ start, end: start + span }));

function setUp(drafts: readonly (readonly (readonly [gap: number, length: number])[])[], path: readonly number[] = []) {
  const timeline = sampleTimeline(
    drafts.map((row) => {
      let at = 0;
      return row.map(([gap, length]) => {
        const start = at + gap;
        at = start + length;
        return [start, at] as const;
      });
    }),
    { path },
  );
  const pyramid = buildPyramid(timeline, markPath(timeline, eventsByPosition(timeline)));
  return { timeline, pyramid, rows: drafts.map((_, row) => row) };
}

describe('level of detail', () => {
  test('every event in view is in a rectangle that lies where the event is; none is in two; the list is kept', () => {
    fc.assert(
      fc.property(rowsArbitrary, viewArbitrary, fc.integer({ min: 10, max: 900 }), (drafts, view, width) => {
        const { timeline, pyramid, rows } = setUp(drafts);
        const list = new DrawList();
        const cell = fillDrawList(list, { timeline, pyramid, rows, view, width });
        expect(list.length).toBeLessThanOrEqual(MOST_RECTANGLES);
        const drawn = new Uint8Array(timeline.start.length);
        const scale = width / (view.end - view.start);
        for (let i = 0; i < list.length; i++) {
          const [first, count] = [list.first[i], list.count[i]];
          let longest = first;
          let covered = 0;
          for (let e = first; e < first + count; e++) {
            expect(rowOf(timeline, e)).toBe(list.row[i]);
            drawn[e]++;
            covered += timeline.end[e] - timeline.start[e];
            if (timeline.end[e] - timeline.start[e] > timeline.end[longest] - timeline.start[longest]) longest = e;
            expect((timeline.start[e] - view.start) * scale).toBeGreaterThanOrEqual(list.left[i] - 0.01);
            expect((timeline.end[e] - view.start) * scale).toBeLessThanOrEqual(list.right[i] + 0.01);
          }
          const length = (e: number): number => timeline.end[e] - timeline.start[e];
          expect(length(list.event[i])).toBe(length(longest));
          const span = timeline.end[first + count - 1] - timeline.start[first];
          expect(list.covered[i]).toBeCloseTo(span > 0 ? covered / span : 1, 4);
          // What was merged lies within two cells: an event that begins in a cell may end in the next.
          if (count > 1) expect(list.right[i] - list.left[i]).toBeLessThanOrEqual(2 * cell + 0.01);
        }
        for (let e = 0; e < drawn.length; e++) {
          const isInView = timeline.end[e] >= view.start && timeline.start[e] <= view.end;
          expect(drawn[e]).toBe(isInView ? 1 : 0);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('the path is not lost in what was merged', () => {
    fc.assert(
      fc.property(
        rowsArbitrary,
        fc.array(fc.nat({ max: 2_000 }), { maxLength: 5 }),
        viewArbitrary,
        (drafts, path, view) => {
          const { timeline, pyramid, rows } = setUp(drafts, path);
          const list = new DrawList();
          fillDrawList(list, { timeline, pyramid, rows, view, width: 50 });
          for (let i = 0; i < list.length; i++) {
            const members = Array.from({ length: list.count[i] }, (_, at) => list.first[i] + at);
            const onPath = members.filter((e) => pyramid.onPath[e] === 1);
            if (onPath.length === 0) expect(list.onPath[i]).toBe(-1);
            else expect(onPath).toContain(list.onPath[i]);
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  test('cells grow until the list is kept', () => {
    const { timeline, pyramid } = setUp([Array.from({ length: 5_000 }, () => [1, 1] as const)]);
    const list = new DrawList(40);
    const frame = { timeline, pyramid, rows: [0], view: { start: 0, end: 10_000 }, width: 1_000 };
    expect(fillDrawList(list, frame)).toBeGreaterThan(8);
    expect(list.length).toBeLessThanOrEqual(40);
    expect(list.count.subarray(0, list.length).reduce((sum, count) => sum + count, 0)).toBe(5_000);
  });

  test('a list that is used again keeps what it promises, and goes back to the pixel where there is room', () => {
    fc.assert(
      fc.property(rowsArbitrary, fc.array(viewArbitrary, { minLength: 2, maxLength: 5 }), (drafts, views) => {
        const { timeline, pyramid, rows } = setUp(drafts);
        const list = new DrawList(60);
        for (const view of views) {
          const cell = fillDrawList(list, { timeline, pyramid, rows, view, width: 200 });
          let drawn = 0;
          for (let i = 0; i < list.length; i++) drawn += list.count[i];
          const inView = timeline.start.filter((start, e) => timeline.end[e] >= view.start && start <= view.end).length;
          if (cell <= 800) expect(drawn).toBe(inView);
          if (inView <= 30) expect(cell).toBe(1);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('of half a million events no more is drawn than there are pixels', () => {
    const { timeline, pyramid } = setUp([Array.from({ length: 500_000 }, (_, i) => [i % 3, 1 + (i % 7)] as const)]);
    const list = new DrawList();
    const view = { start: 0, end: timeline.endNs };
    expect(fillDrawList(list, { timeline, pyramid, rows: [0], view, width: 1_500 })).toBe(1);
    expect(list.length).toBeLessThanOrEqual(1_501);
    expect(list.count.subarray(0, list.length).reduce((sum, count) => sum + count, 0)).toBe(500_000);
  });
});

describe('hits', () => {
  test('what is drawn at a pixel is found there', () => {
    fc.assert(
      fc.property(rowsArbitrary, viewArbitrary, (drafts, view) => {
        const { timeline, pyramid, rows } = setUp(drafts);
        const list = new DrawList();
        fillDrawList(list, { timeline, pyramid, rows, view, width: 300 });
        for (let i = 0; i < list.length; i++) {
          const x = (list.left[i] + list.right[i]) / 2;
          const found = rectangleAt(list, list.row[i], x);
          expect(list.row[found]).toBe(list.row[i]);
          expect(list.left[found]).toBeLessThanOrEqual(x);
          expect(Math.max(list.right[found], list.left[found] + 1)).toBeGreaterThanOrEqual(x);
        }
      }),
      { numRuns: 60 },
    );
  });
  test('a near miss is a hit, a far one is not', () => {
    const { timeline, pyramid } = setUp([[[100, 10]]]);
    const list = new DrawList();
    fillDrawList(list, { timeline, pyramid, rows: [0], view: { start: 0, end: 1_000 }, width: 1_000 });
    expect(rectangleAt(list, 0, 98)).toBe(0);
    expect(rectangleAt(list, 0, 90)).toBe(-1);
    expect(rectangleAt(list, 1, 105)).toBe(-1);
  });
});

describe('lanes', () => {
  const timeline = sampleTimeline([[[0, 10]], [[2, 4]], [[0, 3]], [[1, 2]]], {
    lanes: [
      { id: 's-0.7', kind: 'stream', rows: 1 },
      { id: 't-1.1', kind: 'host', rows: 2 },
      { id: 'python-t-1.1', kind: 'python', rows: 1 },
    ],
  });
  test('rows are found where they are placed', () => {
    const layout = placeLanes(timeline, () => false);
    for (const row of [0, 1, 2, 3]) expect(rowAt(layout, layout.rowTop[row] + 5)).toBe(row);
    expect(rowAt(layout, 3)).toBe(-1);
    expect(rowAt(layout, layout.height + 10)).toBe(-1);
    expect(rowsBetween(layout, 0, Infinity)).toEqual([0, 1, 2, 3]);
  });
  test('of a folded lane the first row is left', () => {
    const layout = placeLanes(timeline, ({ id }) => id === 't-1.1');
    expect(rowsBetween(layout, 0, Infinity)).toEqual([0, 1, 3]);
    expect([...layout.isHidden]).toEqual([0, 0, 1, 0]);
    expect(layout.rowTop[2]).toBe(layout.rowTop[1]);
    expect(timeline.lanes.map(isFoldedAtFirst)).toEqual([false, false, true]);
  });
});

describe('events', () => {
  const timeline = sampleTimeline([
    [
      [0, 10],
      [20, 30],
      [40, 45],
    ],
    [],
    [[5, 27]],
  ]);
  test('the nearest in a row', () => {
    expect([-5, 5, 14, 16, 25, 99].map((time) => nearestIn(timeline, 0, time))).toEqual([0, 0, 0, 1, 1, 2]);
    expect(nearestIn(timeline, 1, 5)).toBe(-1);
  });
  test('neighbours, over empty rows and hidden ones', () => {
    const shown = (): boolean => false;
    expect(neighbour(timeline, 0, 'left', shown)).toBe(0);
    expect(neighbour(timeline, 0, 'right', shown)).toBe(1);
    expect(neighbour(timeline, 2, 'right', shown)).toBe(2);
    expect(neighbour(timeline, 1, 'down', shown)).toBe(3);
    expect(neighbour(timeline, 3, 'up', shown)).toBe(1);
    expect(neighbour(timeline, 1, 'down', (row) => row === 2)).toBe(1);
  });
  test('the longest in view', () => {
    expect(longestInView(timeline, { start: 0, end: 100 }, [0, 1, 2], 2)).toEqual({ events: [3, 0], total: 4 });
    expect(longestInView(timeline, { start: 41, end: 42 }, [0, 1, 2], 2)).toEqual({ events: [2], total: 1 });
  });
});

describe('the path line', () => {
  const timeline = sampleTimeline([[[0, 100]], [[100, 200]]], { path: [0, 1] });
  const height = (row: number): number => 50 * row;
  test('runs along the rows without a gap', () => {
    const rows = buildPathRows(timeline, (segment) => segment);
    const line = pathLine(timeline, rows, height, { start: 0, end: 200 }, 200);
    expect(line).toMatchObject({ x: [0, 100, 100, 200], y: [0, 0, 50, 50], spread: [] });
    expect(line.isDense).not.toContain(true);
    expect([0, 99, 150, 201].map((time) => segmentAt(timeline, time))).toEqual([0, 0, 1, -1]);
  });
  test('stays where it was over a segment without a row', () => {
    const rows = buildPathRows(timeline, (segment) => (segment === 1 ? -1 : 0));
    expect(pathLine(timeline, rows, height, { start: 0, end: 200 }, 200).y).toEqual([0, 0, 0, 0]);
    expect(
      pathLine(
        timeline,
        buildPathRows(timeline, () => -1),
        height,
        { start: 0, end: 200 },
        200,
      ).x,
    ).toEqual([]);
  });
  test('what is narrower than a pixel is one corner, on the row with most of the time, and a stroke over all of its rows', () => {
    let at = 0;
    const row = Array.from({ length: 9_000 }, (_, i) => [at, (at += i % 90 === 30 ? 80 : 1)] as const);
    const many = sampleTimeline([row, ...Array.from({ length: 89 }, () => [])], { path: row.map((_, i) => i) });
    const rows = buildPathRows(many, (segment) => segment % 90);
    const line = pathLine(many, rows, height, { start: 0, end: at }, 100);
    expect(line.x).toEqual(Array.from({ length: 100 }, (_, x) => x));
    expect(new Set(line.y)).toEqual(new Set([30 * 50]));
    expect(line.spread.length).toBe(100);
    expect(line.spread[50]).toEqual({ x: 50, top: 0, bottom: 89 * 50 });
    expect(line.isDense).not.toContain(false);
  });
  test('one line through everything in view: no jump back, no row beside it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.nat({ max: 5 })), { minLength: 1, maxLength: 600 }),
        viewArbitrary,
        fc.integer({ min: 5, max: 300 }),
        (drafts, view, width) => {
          let at = 0;
          const row = drafts.map(([length]) => [at, (at += length)] as const);
          const made = sampleTimeline([row, [], [], [], [], []], { path: row.map((_, i) => i) });
          const line = pathLine(
            made,
            buildPathRows(made, (s) => drafts[s][1]),
            (each) => each,
            view,
            width,
          );
          for (let i = 1; i < line.x.length; i++) expect(line.x[i]).toBeGreaterThanOrEqual(line.x[i - 1] - 1);
          const perPixel = (view.end - view.start) / width;
          drafts.forEach(([length, wanted], s) => {
            const [start, end] = row[s];
            if (end < view.start || start > view.end) return;
            const isOnLine = line.y.includes(wanted);
            const isInSpread = line.spread.some(({ top, bottom }) => top <= wanted && wanted <= bottom);
            expect(isOnLine || isInSpread).toBe(true);
            if (length >= perPixel * 1.01) expect(isOnLine).toBe(true);
          });
        },
      ),
      { numRuns: 100 },
    );
  });
});

const lineArbitrary = fc
  .array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 400 }), fc.boolean()), { maxLength: 200 })
  .map((drafts) => {
    let at = 0;
    const corners = drafts.map(([by, y, isDense]) => ({ x: (at += by / 10), y, isDense }));
    return {
      x: corners.map(({ x }) => x),
      y: corners.map(({ y }) => y),
      isDense: corners.map(({ isDense }) => isDense),
      spread: [],
    };
  });

describe('the path as bars', () => {
  const boxes = ({ x, y, width, height }: Bars) =>
    x.map((left, i) => ({ left, top: y[i], right: left + width[i], bottom: y[i] + height[i] }));
  test('level where the line is level, upright where it changes rows, one bar where that is in one pixel', () => {
    const line = { x: [0, 100, 100, 100.2, 100.3], y: [10, 10, 60, 20, 90], isDense: Array(5).fill(false), spread: [] };
    const { line: bars, dense, slanted } = pathBars(line);
    expect(boxes(bars)).toEqual([
      { left: -1, top: 9, right: 101, bottom: 11 },
      { left: 99, top: 9, right: 101, bottom: 91 },
    ]);
    expect([dense.x, slanted]).toEqual([[], []]);
  });
  test('no piece of the line is lost: each is in a bar, or slanted; bars are no more than its pieces', () => {
    fc.assert(
      fc.property(lineArbitrary, (line) => {
        const { dense, line: bars, slanted } = pathBars(line);
        const all = [...boxes(dense), ...boxes(bars)];
        expect(all.length + slanted.length).toBeLessThanOrEqual(Math.max(0, line.x.length - 1));
        const isIn = (x: number, y: number): boolean =>
          all.some(({ left, top, right, bottom }) => left <= x && x <= right && top <= y && y <= bottom);
        const round = Math.round;
        for (let i = 1; i < line.x.length; i++) {
          const [fromX, fromY] = [round(line.x[i - 1]), round(line.y[i - 1])];
          const [x, y] = [round(line.x[i]), round(line.y[i])];
          const isSlanted = slanted.some((each) => each.fromX === fromX && each.fromY === fromY && each.y === y);
          const isBar = isIn(x, y) && isIn(x, fromY) && isIn(x, (y + fromY) / 2);
          expect(isSlanted || isBar).toBe(true);
          if (isSlanted) expect(x - fromX).toBeGreaterThan(1);
        }
        for (const { left, right, top, bottom } of boxes(bars)) {
          expect(Math.min(right - left, bottom - top)).toBe(PATH_WIDTH);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('counters', () => {
  test('values have a unit that suits them', () => {
    expect([0, 22.46, 1_234.5, 0.0052, 0.00042, 3e-9].map((value) => valueText(value, 'GB/s'))).toEqual([
      '0 GB/s',
      '22.5 GB/s',
      '1,235 GB/s',
      '5.20 MB/s',
      '420 kB/s',
      '0.00300 kB/s',
    ]);
    expect(valueText(1_118, 'ops waiting')).toBe('1,118 ops waiting');
  });
  test('a pixel shows the largest value that held in it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 50 })), { minLength: 1, maxLength: 400 }),
        viewArbitrary,
        (steps, view) => {
          let at = 0;
          const points = steps.map(([gap, value]) => [(at += gap), value] as const);
          const timeline = sampleTimeline([[[0, 1]]], { counter: points });
          const columns = counterColumns(timeline, buildCounterPeaks(timeline), 0, view, 40);
          const perPixel = (view.end - view.start) / 40;
          columns.forEach((value, x) => {
            const [from, to] = [view.start + x * perPixel, view.start + (x + 1) * perPixel];
            const inside = points.filter(([time]) => time > from && time <= to).map(([, each]) => each);
            expect(value).toBe(Math.max(counterAt(timeline, 0, from), ...inside));
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});
