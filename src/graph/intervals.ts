import { ascendsBy, upperBound } from '../base/bisect.ts';
import { ColBuilder } from '../trace/columns.ts';

/** Disjoint half-open intervals, ascending: [start 0, end 0, start 1, end 1, …], in ns since the trace's origin. None is empty. */
export type Intervals = Float64Array;

export const NO_INTERVALS: Intervals = new Float64Array(0);

/** The union of intervals in any order, which may overlap or be empty. O(n log n); O(n) where `start` ascends already. */
export function unionOf(start: ArrayLike<number>, end: ArrayLike<number>, rows?: ArrayLike<number>): Intervals {
  const order = new Int32Array(rows === undefined ? start.length : rows.length);
  for (let i = 0; i < order.length; i++) order[i] = rows === undefined ? i : rows[i];
  if (!ascendsBy(order, start)) order.sort((a, b) => start[a] - start[b]);
  const borders = new Float64Array(2 * order.length);
  let length = 0;
  for (let i = 0; i < order.length; i++) {
    const row = order[i];
    if (end[row] <= start[row]) continue;
    if (length > 0 && start[row] <= borders[length - 1]) {
      borders[length - 1] = Math.max(borders[length - 1], end[row]);
      continue;
    }
    borders[length++] = start[row];
    borders[length++] = end[row];
  }
  return borders.slice(0, length);
}

/** Gathers the union of intervals that come by their start; they may overlap or be empty. */
export class Union {
  readonly #borders = new ColBuilder(Float64Array);

  add(start: number, end: number): void {
    if (end <= start) return;
    const last = this.#borders.length - 1;
    if (last > 0 && start <= this.#borders.get(last)) {
      if (end > this.#borders.get(last)) this.#borders.set(last, end);
      return;
    }
    this.#borders.push(start);
    this.#borders.push(end);
  }

  /** The builder must not be used afterwards. */
  take(): Intervals {
    return this.#borders.take<number>() as Intervals;
  }
}

/** Their total length, in ns. */
export function lengthOf(intervals: Intervals): number {
  let total = 0;
  for (let i = 0; i < intervals.length; i += 2) total += intervals[i + 1] - intervals[i];
  return total;
}

/** What lies in both. O(n + m). */
export function intersectionOf(a: Intervals, b: Intervals): Intervals {
  const borders = new Float64Array(a.length + b.length);
  let length = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const from = Math.max(a[i], b[j]);
    const to = Math.min(a[i + 1], b[j + 1]);
    if (from < to) {
      borders[length++] = from;
      borders[length++] = to;
    }
    if (a[i + 1] < b[j + 1]) i += 2;
    else j += 2;
  }
  return borders.slice(0, length);
}

/** What lies in [start, end) but in none of them. */
export function gapsOf(intervals: Intervals, start: number, end: number): Intervals {
  const borders = new Float64Array(intervals.length + 2);
  let length = 0;
  let at = start;
  for (let i = 0; i < intervals.length && at < end; i += 2) {
    if (intervals[i] > at) {
      borders[length++] = at;
      borders[length++] = Math.min(intervals[i], end);
    }
    at = Math.max(at, intervals[i + 1]);
  }
  if (at < end) {
    borders[length++] = at;
    borders[length++] = end;
  }
  return borders.slice(0, length);
}

/** What of them lies in [start, end). */
export const clip = (intervals: Intervals, start: number, end: number): Intervals =>
  end > start ? intersectionOf(intervals, Float64Array.of(start, end)) : NO_INTERVALS;

/** Intervals with the total length of those before each, so that a stretch of them is measured in O(log n). */
export interface Summed {
  readonly intervals: Intervals;
  readonly before: Float64Array;
}

export function withSums(intervals: Intervals): Summed {
  const before = new Float64Array(intervals.length / 2 + 1);
  for (let i = 0; i < intervals.length; i += 2) before[i / 2 + 1] = before[i / 2] + intervals[i + 1] - intervals[i];
  return { intervals, before };
}

/** How much of them lies in [start, end). */
export const lengthWithin = (summed: Summed, start: number, end: number): number =>
  end > start ? lengthBefore(summed, end) - lengthBefore(summed, start) : 0;

function lengthBefore({ intervals, before }: Summed, instant: number): number {
  const borders = upperBound(intervals, instant);
  const whole = before[borders >> 1];
  return (borders & 1) === 0 ? whole : whole + instant - intervals[borders - 1];
}
