import { expect, test } from 'vitest';
import { clipSeries, countOf, sumOf, summarizeSteps, timeAtLeast, valueAt } from './step-series.ts';

const at = (...values: number[]): Float64Array => Float64Array.from(values);

/**
 *   0    10   20   30   40
 *   |----|----|
 *        |---------|
 *             |-|          an empty span at 25 counts nowhere
 */
const SERIES = countOf(at(0, 10, 25), at(20, 30, 25));

test('spans laid over one another are a step function', () => {
  expect([...SERIES.time]).toEqual([0, 10, 20, 30]);
  expect([...SERIES.value]).toEqual([1, 2, 1, 0]);
  expect([-1, 0, 9, 10, 29, 30].map((time) => valueAt(SERIES, time))).toEqual([0, 1, 1, 2, 1, 0]);
});

test('a span that ends where another begins changes nothing', () => {
  const { time, value } = countOf(at(0, 10), at(10, 20));
  expect([[...time], [...value]]).toEqual([
    [0, 20],
    [1, 0],
  ]);
});

test('weights add up, and leave nothing behind', () => {
  const { time, value } = sumOf(at(0, 5), at(10, 15), at(0.1, 0.2));
  expect([...time]).toEqual([0, 5, 10, 15]);
  expect(value[1]).toBeCloseTo(0.3, 12);
  expect(value[3]).toBe(0);
});

test('a window cuts it', () => {
  const { time, value } = clipSeries(SERIES, 5, 25);
  expect([[...time], [...value]]).toEqual([
    [5, 10, 20],
    [1, 2, 1],
  ]);
  expect(timeAtLeast(SERIES, 5, 25, 2)).toBe(10);
  expect(timeAtLeast(SERIES, 5, 15, 1)).toBe(10);
});

test('each value weighs as long as it held', () => {
  // 0…40: 20 ns of 1, 10 of 2, 10 of 0.
  expect(summarizeSteps(SERIES, 0, 40)).toEqual({ min: 0, mean: 1, median: 1, p95: 2, max: 2 });
  expect(summarizeSteps(SERIES, 0, 40, 'above-zero')).toEqual({ min: 1, mean: 4 / 3, median: 1, p95: 2, max: 2 });
  expect(summarizeSteps(SERIES, 50, 60)).toEqual({ min: 0, mean: 0, median: 0, p95: 0, max: 0 });
  expect(summarizeSteps(SERIES, 50, 60, 'above-zero')).toBeUndefined();
  expect(summarizeSteps(SERIES, 5, 5)).toBeUndefined();
});

test('weights of 1 are a count', () => {
  const [from, to] = [at(5, 0, 5, 7, 20), at(9, 5, 5, 30, 21)];
  expect(sumOf(from, to, at(1, 1, 1, 1, 1))).toEqual(countOf(from, to));
});
