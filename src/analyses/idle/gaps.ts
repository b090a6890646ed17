import type { DeviceTime } from '../../graph/device-time.ts';
import type { Graph } from '../../graph/graph.ts';
import { gapsOf } from '../../graph/intervals.ts';

/** The idle intervals of one device, in order of time. */
export interface DeviceGaps {
  readonly device: number;
  readonly length: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** The device op that began first at the gap's end or later, −1 behind the last one. */
  readonly endedBy: Int32Array;
  /** The device op that ended last before the gap, −1 before the first one. */
  readonly after: Int32Array;
}

/** What of [start, end) no op of the device ran. O(n). */
export function findGaps({ device }: Graph, time: DeviceTime, start: number, end: number): DeviceGaps {
  const byStart = opsOf(device, time.device);
  const borders = gapsOf(time.busy, start, end);
  const length = borders.length / 2;
  const gaps = { start: new Float64Array(length), end: new Float64Array(length) };
  const endedBy = new Int32Array(length);
  const after = new Int32Array(length);
  let next = 0;
  let last = -1;
  for (let gap = 0; gap < length; gap++) {
    gaps.start[gap] = borders[2 * gap];
    gaps.end[gap] = borders[2 * gap + 1];
    // All that began before a gap ended before it too.
    for (; next < byStart.length && device.start[byStart[next]] < gaps.end[gap]; next++) {
      if (last === -1 || device.end[byStart[next]] >= device.end[last]) last = byStart[next];
    }
    after[gap] = last;
    endedBy[gap] = firstEnqueued(device, byStart, next);
  }
  return { device: time.device, length, ...gaps, endedBy, after };
}

/** By start. Ops of no length interrupt no gap, so none of them begins or ends one. */
function opsOf({ length, lane, lanes, start, end }: Graph['device'], device: number): Int32Array {
  const ops = new Int32Array(length);
  let count = 0;
  for (let op = 0; op < length; op++) {
    if (end[op] > start[op] && lanes[lane[op]].device === device) ops[count++] = op;
  }
  return ops.subarray(0, count);
}

/** Of the ops that begin at the same time as the one at `place`, the one that was enqueued first; −1 behind the end. */
function firstEnqueued({ start, key }: Graph['device'], byStart: Int32Array, place: number): number {
  if (place === byStart.length) return -1;
  let first = byStart[place];
  for (let i = place + 1; i < byStart.length && start[byStart[i]] === start[first]; i++) {
    if (key[byStart[i]] < key[first]) first = byStart[i];
  }
  return first;
}
