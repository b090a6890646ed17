import { lowerBound } from '../base/bisect.ts';
import { DEVICE_CLASSES } from './classify.ts';
import type { Graph } from './graph.ts';
import { type Intervals, Union } from './intervals.ts';

/** When a device worked: of all its streams together. */
export interface DeviceTime {
  readonly device: number;
  /** By place in `DEVICE_CLASSES`: when at least one op of that class ran. */
  readonly byClass: readonly Intervals[];
  /** When any op ran. */
  readonly busy: Intervals;
}

/** All devices that have ops in the trace, ascending. O(n): device ops ascend by start. */
export function deviceTimes({ device, classOf }: Graph): readonly DeviceTime[] {
  const unions = new Map<number, { readonly byClass: readonly Union[]; readonly busy: Union }>();
  for (let op = 0; op < device.length; op++) {
    const of = device.lanes[device.lane[op]].device;
    let own = unions.get(of);
    if (own === undefined) {
      unions.set(of, (own = { byClass: DEVICE_CLASSES.map(() => new Union()), busy: new Union() }));
    }
    own.byClass[DEVICE_CLASSES.indexOf(classOf[op])].add(device.start[op], device.end[op]);
    own.busy.add(device.start[op], device.end[op]);
  }
  return [...unions]
    .sort(([a], [b]) => a - b)
    .map(([of, { byClass, busy }]): DeviceTime => {
      return { device: of, byClass: byClass.map((each) => each.take()), busy: busy.take() };
    });
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
