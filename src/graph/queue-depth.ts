import { lowerBound } from '../base/bisect.ts';
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
  for (const lane of device.lanes) {
    const from: number[] = [];
    const to: number[] = [];
    const heads = new Map<number, number>();
    for (let i = 0; i < lane.ops.length; i++) {
      const op = lane.ops[i];
      const call = device.call[op];
      if (call === -1) continue;
      if (!heads.has(call)) heads.set(call, from.length);
      from.push(Math.min(host.start[call], device.start[op]));
      to.push(device.start[op]);
    }
    const first = [...heads.values()];
    const [starts, ends] = [Float64Array.from(from), Float64Array.from(to)];
    ops.push(countOf(starts, ends));
    launches.push(countOf(pick(starts, first), pick(ends, first)));
  }
  return { ops, launches };
}

/** What a call that begins at `instant` finds before itself. */
export function depthBefore({ time, value }: StepSeries, instant: number): number {
  const at = lowerBound(time, instant) - 1;
  return at === -1 ? 0 : value[at];
}

/** What the series of a lane is called. */
export const depthName = (lane: string): string => `queue depth ${lane}`;
