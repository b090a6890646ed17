import { expect, test } from 'vitest';
import { sampleTimeline } from '../../test-kit/sample-timeline.ts';
import { collectiveText, shapesText } from './arg-words.ts';
import { pythonStack } from './events.ts';
import { withMemory } from './memory-lanes.ts';
import { counterAt } from './counter-columns.ts';
import { mapHeights } from './overview-map.ts';
import { buildPyramid } from './pyramid.ts';
import { deviceChart, pathByWindow, pathChart } from './window-charts.ts';

test('the path of a window is cut at its borders', () => {
  const timeline = {
    ...sampleTimeline(
      [
        [
          [0, 10],
          [10, 30],
          [30, 40],
        ],
      ],
      { path: [0, 1, 2] },
    ),
    windows: [
      { label: 'step 1', startNs: 0, endNs: 20 },
      { label: 'step 2', startNs: 20, endNs: 40 },
    ],
    segmentKinds: ['kernel', 'launch'],
    pathKind: Uint8Array.of(0, 1, 0),
  };
  const windows = pathByWindow(timeline);
  expect(windows.map(({ byKind }) => [...byKind])).toEqual([
    [10, 10],
    [10, 10],
  ]);
  expect(pathChart(windows, timeline.segmentKinds).rows).toEqual([
    { label: 'step 1', values: [10, 10] },
    { label: 'step 2', values: [10, 10] },
  ]);
});

test('what a device did sums to the window', () => {
  const parts = { rank: 0, device: 0, wallNs: 10, busyNs: 7, idleNs: 3, idleShare: 0.3, classes: [] };
  const window = { startNs: 0, endNs: 10, complete: true };
  const chart = deviceChart(
    {
      windows: [
        {
          ...window,
          label: 'a',
          devices: [{ ...parts, combinations: [{ classes: ['computation'], totalNs: 7, share: 0.7 }] }],
        },
        {
          ...window,
          label: 'b',
          devices: [
            { ...parts, combinations: [{ classes: ['computation', 'communication'], totalNs: 7, share: 0.7 }] },
          ],
        },
      ],
    },
    0,
  );
  expect(chart.parts.map(({ name }) => name)).toEqual(['computation', 'computation + communication', 'idle']);
  expect(chart.rows).toEqual([
    { label: 'a', values: [7, 0, 3] },
    { label: 'b', values: [0, 7, 3] },
  ]);
});

test('the stack of an event: what is open on its thread, the innermost first', () => {
  const timeline = sampleTimeline(
    [
      [[10, 20]],
      [[0, 50]],
      [
        [5, 12],
        [13, 30],
      ],
      [[0, 5]],
    ],
    {
      lanes: [
        { id: 't-1.1', kind: 'host', rows: 1 },
        { id: 'python-t-1.1', kind: 'python', rows: 3 },
      ],
    },
  );
  expect(pythonStack(timeline, 0)).toEqual([2, 1]);
  expect(pythonStack(timeline, 1)).toEqual([4, 1]);
});

test('args in words', () => {
  expect(
    collectiveText([
      ['Collective name', 'allreduce'],
      ['In msg nelems', '1048576'],
      ['Out msg nelems', '1048576'],
      ['dtype', 'BFloat16'],
      ['Group size', '8'],
      ['Process Group Name', 'default_pg'],
    ]),
  ).toBe('allreduce of 1,048,576 BFloat16 in a group of 8 (default_pg)');
  expect(collectiveText([['stream', '7']])).toBeUndefined();
  expect(
    shapesText([
      ['Input Dims', '[[2,3],[]]'],
      ['Input type', '["float",""]'],
    ]),
  ).toBe('[[2,3],[]] of ["float",""]');
  expect(shapesText([])).toBeUndefined();
});

test('the strip shows how many streams work, of the most that ever do', () => {
  const timeline = sampleTimeline([[[0, 100]], [[50, 100]]], {
    lanes: [
      { id: 's-0.7', kind: 'stream', rows: 1 },
      { id: 's-0.8', kind: 'stream', rows: 1 },
    ],
  });
  const heights = mapHeights(timeline, buildPyramid(timeline, new Uint8Array(2)), 104);
  // 2 % of room on both sides.
  expect([heights[0], heights[20], heights[80], heights[103]]).toEqual([0, 0.5, 1, 0]);
  expect(mapHeights(timeline, buildPyramid(timeline, new Uint8Array(2)), 0)).toHaveLength(0);
});

test('memory has lanes behind the streams, and all else is as it was', () => {
  const timeline = sampleTimeline([[[0, 100]], [[0, 50]]], {
    lanes: [
      { id: 's-0.7', kind: 'stream', rows: 1 },
      { id: 't-1.1', kind: 'host', rows: 1 },
    ],
    counter: [[1, 4]],
  });
  const grown = withMemory(timeline, [{ device: 'device 0', nth: 3, timeNs: [10, 30], bytes: [100, 40] }]);
  expect(grown.lanes.map(({ id, firstRow, rows }) => [id, firstRow, rows])).toEqual([
    ['s-0.7', 0, 1],
    ['memory device 0', 1, 0],
    ['t-1.1', 1, 1],
  ]);
  expect(grown.counters[1]).toMatchObject({ title: 'Memory allocated, device 0, one row in 3', unit: 'B', max: 100 });
  expect([5, 10, 29, 31].map((time) => counterAt(grown, 1, time))).toEqual([0, 100, 100, 40]);
  expect(counterAt(grown, 0, 5)).toBe(4);
  expect(grown.start).toBe(timeline.start);
});
