import { pick } from '../base/pick.ts';
import type { Graph } from './graph.ts';
import { type StepSeries, countOf } from './step-series.ts';

/** What had been launched into each stream and had not begun yet. */
export interface QueueDepth {
  /** By lane: device ops that wait. All rows of a call count: a graph launch of 300 nodes adds 300. */
  readonly ops: readonly StepSeries[];
  /** By lane: launch calls of which nothing on that lane has begun. The driver's queue is bounded in launches, not in rows. */
  readonly launches: readonly StepSeries[];
}

/**
 * An op waits from the start of its call to its own start; where the clock has it begin before its call, for no time at all. Ops without a
 * call count nowhere: when they were enqueued is not known. O(n log n).
 */
export function queueDepth({ device, host }: Pick<Graph, 'device' | 'host'>): QueueDepth {
  const ops: StepSeries[] = [];
  const launches: StepSeries[] = [];
  /** By call: 1 + the lane that it was last counted on. */
  const counted = new Int32Array(host.length);
  device.lanes.forEach((lane, at) => {
    const from = new Float64Array(lane.ops.length);
    const to = new Float64Array(lane.ops.length);
    const heads = new Int32Array(lane.ops.length);
    let [length, calls] = [0, 0];
    for (let i = 0; i < lane.ops.length; i++) {
      const op = lane.ops[i];
      const call = device.call[op];
      if (call === -1) continue;
      if (counted[call] !== at + 1) heads[calls++] = length;
      counted[call] = at + 1;
      from[length] = Math.min(host.start[call], device.start[op]);
      to[length++] = device.start[op];
    }
    const [starts, ends, first] = [from.subarray(0, length), to.subarray(0, length), heads.subarray(0, calls)];
    const depth = countOf(starts, ends);
    ops.push(depth);
    launches.push(calls === length ? depth : countOf(pick(starts, first), pick(ends, first)));
  });
  return { ops, launches };
}

/** What the series of a lane is called. */
export const depthName = (lane: string): string => `queue depth ${lane}`;
