/** Disjoint half-open intervals, ascending: [start 0, end 0, start 1, end 1, …], in ns since the trace's origin. None is empty. */
export type Intervals = Float64Array;

export const NO_INTERVALS: Intervals = new Float64Array(0);

/** The union of intervals in any order, which may overlap or be empty. O(n log n); O(n) where `start` ascends already. */
export function unionOf(start: ArrayLike<number>, end: ArrayLike<number>, rows?: ArrayLike<number>): Intervals {
  const order = rows === undefined ? Int32Array.from({ length: start.length }, (_, i) => i) : Int32Array.from(rows);
  if (!isAscending(order, start)) order.sort((a, b) => start[a] - start[b]);
  const borders: number[] = [];
  for (const row of order) {
    if (end[row] <= start[row]) continue;
    const last = borders.length - 1;
    if (last > 0 && start[row] <= borders[last]) borders[last] = Math.max(borders[last], end[row]);
    else borders.push(start[row], end[row]);
  }
  return Float64Array.from(borders);
}

function isAscending(order: Int32Array, start: ArrayLike<number>): boolean {
  for (let i = 1; i < order.length; i++) if (start[order[i]] < start[order[i - 1]]) return false;
  return true;
}

/** Their total length, in ns. */
export function lengthOf(intervals: Intervals): number {
  let total = 0;
  for (let i = 0; i < intervals.length; i += 2) total += intervals[i + 1] - intervals[i];
  return total;
}

/** What lies in both. O(n + m). */
export function intersectionOf(a: Intervals, b: Intervals): Intervals {
  const borders: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const from = Math.max(a[i], b[j]);
    const to = Math.min(a[i + 1], b[j + 1]);
    if (from < to) borders.push(from, to);
    if (a[i + 1] < b[j + 1]) i += 2;
    else j += 2;
  }
  return Float64Array.from(borders);
}

/** What lies in [start, end) but in none of them. */
export function gapsOf(intervals: Intervals, start: number, end: number): Intervals {
  const borders: number[] = [];
  let at = start;
  for (let i = 0; i < intervals.length && at < end; i += 2) {
    if (intervals[i] > at) borders.push(at, Math.min(intervals[i], end));
    at = Math.max(at, intervals[i + 1]);
  }
  if (at < end) borders.push(at, end);
  return Float64Array.from(borders);
}

/** What of them lies in [start, end). */
export const clip = (intervals: Intervals, start: number, end: number): Intervals =>
  end > start ? intersectionOf(intervals, Float64Array.of(start, end)) : NO_INTERVALS;
