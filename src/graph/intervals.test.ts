import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clip, gapsOf, intersectionOf, lengthOf, unionOf } from './intervals.ts';

test('a union joins what overlaps or touches, in any order, and drops what is empty', () => {
  expect([...unionOf([20, 0, 5, 30, 40], [30, 10, 12, 35, 40])]).toEqual([0, 12, 20, 35]);
  expect([...unionOf([20, 0, 5], [30, 10, 12], [0, 2])]).toEqual([5, 12, 20, 30]);
});

test('gaps, intersections and cuts', () => {
  const a = Float64Array.of(10, 20, 30, 40);
  expect([...gapsOf(a, 0, 50)]).toEqual([0, 10, 20, 30, 40, 50]);
  expect([...gapsOf(a, 15, 35)]).toEqual([20, 30]);
  expect([...gapsOf(a, 12, 18)]).toEqual([]);
  expect([...intersectionOf(a, Float64Array.of(0, 12, 18, 33, 39, 60))]).toEqual([10, 12, 18, 20, 30, 33, 39, 40]);
  expect([...clip(a, 15, 32)]).toEqual([15, 20, 30, 32]);
  expect([...clip(a, 15, 15)]).toEqual([]);
});

const spans = fc.array(fc.tuple(fc.nat(60), fc.nat(12)), { maxLength: 20 });
const unionOfSpans = (list: readonly (readonly [number, number])[]): Float64Array =>
  unionOf(
    list.map(([start]) => start),
    list.map(([start, length]) => start + length),
  );
const at = (intervals: Float64Array, time: number): boolean =>
  intervals.some((from, i) => i % 2 === 0 && from <= time && time < (intervals[i + 1] ?? 0));

test('they say of every instant what its definition says', () => {
  fc.assert(
    fc.property(spans, spans, (first, second) => {
      const [a, b] = [unionOfSpans(first), unionOfSpans(second)];
      const both = intersectionOf(a, b);
      const free = gapsOf(a, 3, 50);
      for (let time = 0; time < 75; time++) {
        const inFirst = first.some(([start, length]) => start <= time && time < start + length);
        const inSecond = second.some(([start, length]) => start <= time && time < start + length);
        expect(at(a, time)).toBe(inFirst);
        expect(at(both, time)).toBe(inFirst && inSecond);
        expect(at(free, time)).toBe(!inFirst && time >= 3 && time < 50);
      }
      expect(lengthOf(free) + lengthOf(clip(a, 3, 50))).toBe(47);
    }),
    { numRuns: 300 },
  );
});
