import { lowerBound, upperBound } from '../base/bisect.ts';

/** A step function of time: `value[i]` from `time[i]` until `time[i + 1]`, and 0 before the first. Times ascend, and each step changes it. */
export interface StepSeries {
  /** In ns since the trace's origin. */
  readonly time: Float64Array;
  readonly value: Float64Array;
}

/** What of a step function lies in a window, each value weighted by how long it held. */
export interface StepSummary {
  /** The least value that held for any time. */
  readonly min: number;
  /** Its integral over the window, of the window's length. */
  readonly mean: number;
  /** The least value that the function was at or below for half of the time, and for 95 % of it. */
  readonly median: number;
  /** As `median`. */
  readonly p95: number;
  /** The greatest value that held for any time. */
  readonly max: number;
}

/** How many of the spans [from, to) hold an instant. O(n log n). */
export function countOf(from: Float64Array, to: Float64Array): StepSeries {
  // Which start belongs to which end does not matter, so that both can be sorted for themselves.
  const starts = from.slice().sort();
  const ends = to.slice().sort();
  const time = new Float64Array(2 * starts.length);
  const value = new Float64Array(2 * starts.length);
  let length = 0;
  let [started, ended, before] = [0, 0, 0];
  while (ended < ends.length) {
    const at = started < starts.length ? Math.min(starts[started], ends[ended]) : ends[ended];
    while (started < starts.length && starts[started] === at) started++;
    while (ended < ends.length && ends[ended] === at) ended++;
    if (started - ended === before) continue;
    before = started - ended;
    time[length] = at;
    value[length++] = before;
  }
  return { time: time.slice(0, length), value: value.slice(0, length) };
}

/** The sum of the weights of the spans [from, to) that hold an instant. O(n log n). */
export function sumOf(from: Float64Array, to: Float64Array, weight: Float64Array): StepSeries {
  const count = from.length;
  const border = new Float64Array(2 * count);
  border.set(from);
  border.set(to, count);
  const order = Int32Array.from(border, (_, i) => i).sort((a, b) => border[a] - border[b] || a - b);
  const time: number[] = [];
  const value: number[] = [];
  let open = 0;
  let sum = 0;
  let before = 0;
  for (let i = 0; i < order.length; i++) {
    const at = order[i];
    const isStart = at < count;
    open += isStart ? 1 : -1;
    sum += isStart ? weight[at] : -weight[at - count];
    // What is left of adding and taking away fractions is no value.
    if (open === 0) sum = 0;
    if (i + 1 < order.length && border[order[i + 1]] === border[at]) continue;
    if (sum === before) continue;
    before = sum;
    time.push(border[at]);
    value.push(sum);
  }
  return { time: Float64Array.from(time), value: Float64Array.from(value) };
}

/** The value at an instant. O(log n). */
export function valueAt({ time, value }: StepSeries, instant: number): number {
  const at = upperBound(time, instant) - 1;
  return at === -1 ? 0 : value[at];
}

/** Its steps in [start, end), the first at `start`. */
export function clipSeries(series: StepSeries, start: number, end: number): StepSeries {
  if (end <= start) return { time: new Float64Array(0), value: new Float64Array(0) };
  const from = upperBound(series.time, start);
  const until = Math.max(from, lowerBound(series.time, end));
  const time = new Float64Array(1 + until - from);
  const value = new Float64Array(1 + until - from);
  time[0] = start;
  value[0] = valueAt(series, start);
  time.set(series.time.subarray(from, until), 1);
  value.set(series.value.subarray(from, until), 1);
  return { time, value };
}

/** How long it was at least `least`, within [start, end), in ns. */
export function timeAtLeast(series: StepSeries, start: number, end: number, least: number): number {
  const { time, value } = clipSeries(series, start, end);
  let total = 0;
  for (let i = 0; i < time.length; i++) if (value[i] >= least) total += (time[i + 1] ?? end) - time[i];
  return total;
}

/** Over [start, end), or only where it is above 0; `undefined` where that is no time at all. O(n log n). */
export function summarizeSteps(
  series: StepSeries,
  start: number,
  end: number,
  where: 'always' | 'above-zero' = 'always',
): StepSummary | undefined {
  const { time, value } = clipSeries(series, start, end);
  /** How long each value held. Depths are few, so that few are sorted. */
  const held = new Map<number, number>();
  let total = 0;
  let weighted = 0;
  for (let i = 0; i < time.length; i++) {
    const length = (time[i + 1] ?? end) - time[i];
    if (length <= 0 || (where === 'above-zero' && value[i] <= 0)) continue;
    held.set(value[i], (held.get(value[i]) ?? 0) + length);
    total += length;
    weighted += length * value[i];
  }
  if (held.size === 0) return undefined;
  const values = Float64Array.from(held.keys()).sort();
  const quantile = (share: number): number => {
    let below = 0;
    for (const each of values) {
      below += held.get(each) ?? 0;
      if (below >= share * total) return each;
    }
    return values[values.length - 1];
  };
  return {
    min: values[0],
    mean: weighted / total,
    median: quantile(0.5),
    p95: quantile(0.95),
    max: values[values.length - 1],
  };
}
