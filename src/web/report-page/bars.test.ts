import { expect, test } from 'vitest';
import type { PageChart } from '../../analyses/report/page-charts.ts';
import { barsOf } from './bars.ts';

const CHART: PageChart = {
  id: 'c',
  unit: 'ns',
  parts: [
    { name: 'kernels', colour: 0 },
    { name: 'idle', colour: 3 },
  ],
  rows: [
    { label: 'step 1', values: [3_000_000, 1_000_000] },
    { label: 'step 2', values: [0, 2_000_000] },
  ],
  total: 2,
};

test('parts stand one after the other, in the unit of the axis', () => {
  expect(barsOf(CHART)).toEqual({
    bars: [
      { row: 0, part: 0, colour: 0, from: 0, to: 3, title: 'step 1\nkernels: 3.000 ms (75.0 %)' },
      { row: 0, part: 1, colour: 3, from: 3, to: 4, title: 'step 1\nidle: 1.000 ms (25.0 %)' },
      { row: 1, part: 1, colour: 3, from: 0, to: 2, title: 'step 2\nidle: 2.000 ms (100 %)' },
    ],
    max: 4,
    axis: 'ms',
  });
});

test('shares are percent', () => {
  const { bars, max, axis } = barsOf({ ...CHART, unit: 'share', rows: [{ label: 'd', values: [0.25, 0.5] }] });
  expect(bars.map(({ from, to, title }) => [from, to, title])).toEqual([
    [0, 25, 'd\nkernels: 25.0 %'],
    [25, 75, 'd\nidle: 50.0 %'],
  ]);
  expect([max, axis]).toEqual([75, '%']);
});

test('a chart of nothing has no bars', () => {
  expect(barsOf({ ...CHART, rows: [] })).toEqual({ bars: [], max: 0, axis: 'ns' });
});
