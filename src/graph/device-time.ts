import { lowerBound } from '../base/bisect.ts';
import { DEVICE_CLASSES } from './classify.ts';
import type { Graph } from './graph.ts';
import { type Intervals, unionOf } from './intervals.ts';

/** When a device worked: of all its streams together. */
export interface DeviceTime {
  readonly device: number;
  /** By place in `DEVICE_CLASSES`: when at least one op of that class ran. */
  readonly byClass: readonly Intervals[];
  /** When any op ran. */
  readonly busy: Intervals;
}

/** All devices that have ops in the trace, ascending. O(n log n). */
export function deviceTimes({ device, classOf }: Graph): readonly DeviceTime[] {
  const opsOf = new Map<number, number[][]>();
  for (let op = 0; op < device.length; op++) {
    const of = device.lanes[device.lane[op]].device;
    let byClass = opsOf.get(of);
    if (byClass === undefined) opsOf.set(of, (byClass = DEVICE_CLASSES.map(() => [])));
    byClass[DEVICE_CLASSES.indexOf(classOf[op])].push(op);
  }
  return [...opsOf]
    .sort(([a], [b]) => a - b)
    .map(([of, ops]): DeviceTime => {
      const byClass = ops.map((rows) => unionOf(device.start, device.end, rows));
      return { device: of, byClass, busy: unionOfAll(byClass) };
    });
}

function unionOfAll(several: readonly Intervals[]): Intervals {
  const start: number[] = [];
  const end: number[] = [];
  for (const intervals of several) {
    for (let i = 0; i < intervals.length; i += 2) {
      start.push(intervals[i]);
      end.push(intervals[i + 1]);
    }
  }
  return unionOf(start, end);
}

/**
 * How long each set of classes ran at once in [start, end), in ns: the place of a number is the set, one bit a class (bit 0 for the first of
 * `DEVICE_CLASSES`), 0 for none. They sum to `end − start`. O(intervals that touch it).
 */
export function timeByClasses({ byClass }: DeviceTime, start: number, end: number): Float64Array {
  const totals = new Float64Array(2 ** byClass.length);
  // Borders alternate, start and end: the place of the next one says whether the class runs.
  const next = byClass.map((borders) => lowerBound(borders, start));
  for (let at = start; at < end;) {
    let running = 0;
    let until = end;
    for (let bit = 0; bit < byClass.length; bit++) {
      const borders = byClass[bit];
      while (next[bit] < borders.length && borders[next[bit]] <= at) next[bit]++;
      running |= (next[bit] & 1) << bit;
      if (next[bit] < borders.length) until = Math.min(until, borders[next[bit]]);
    }
    totals[running] += until - at;
    at = until;
  }
  return totals;
}
