import { expect, test } from 'vitest';
import type { ReportChart } from './document.ts';
import { pageCharts } from './page-charts.ts';

const bars = (parts: readonly string[], ...values: readonly (readonly number[])[]): ReportChart => ({
  kind: 'bars',
  unit: 'ns',
  parts,
  rows: values.map((each, at) => ({ label: `row ${at}`, values: each })),
});

const coloursOf = (charts: readonly ReportChart[]): object[] =>
  pageCharts(charts.map((chart, at) => ({ id: `c${at}`, chart }))).map(({ parts }) =>
    Object.fromEntries(parts.map(({ name, colour }) => [name, colour])),
  );

test('a name has one colour on the whole page', () => {
  expect(coloursOf([bars(['kernel', 'copy'], [1, 1]), bars(['idle', 'copy', 'kernel'], [1, 1, 1])])).toEqual([
    { kernel: 0, copy: 1 },
    { idle: 2, copy: 1, kernel: 0 },
  ]);
});

test('where the palette is used up, a chart still tells its own parts apart', () => {
  const many = bars(['a', 'b', 'c', 'd', 'e', 'f', 'g'], [1, 1, 1, 1, 1, 1, 1]);
  expect(coloursOf([many, bars(['x', 'b', 'y'], [1, 1, 1])])[1]).toEqual({ x: 0, b: 1, y: 2 });
});

test('the smallest parts beyond seven are one, and nothing is no part', () => {
  const [chart] = pageCharts([
    { id: 'c', chart: bars(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'zero'], [9, 1, 8, 7, 6, 5, 4, 3, 2, 0]) },
  ]);
  expect(chart.parts.map(({ name }) => name)).toEqual(['a', 'c', 'd', 'e', 'f', 'g', 'h', 'smaller parts']);
  expect(chart.rows[0].values).toEqual([9, 8, 7, 6, 5, 4, 3, 3]);
});

test('what is no number is nothing', () => {
  const [chart] = pageCharts([{ id: 'c', chart: bars(['a', 'b', 'c', 'd'], [Number.NaN, 1, Infinity, -1]) }]);
  expect(chart.rows[0].values).toEqual([1]);
  expect(chart.parts.map(({ name }) => name)).toEqual(['b']);
});

test('a chart of many rows is cut', () => {
  const [chart] = pageCharts([{ id: 'c', chart: bars(['a'], ...Array.from({ length: 150 }, () => [1])) }]);
  expect(chart.rows).toHaveLength(100);
  expect(chart.total).toBe(150);
});
