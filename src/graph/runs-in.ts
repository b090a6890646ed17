import type { DeviceIndex } from './device.ts';

/** Does a device op run in [start, end)? One without a length runs where it stands, also at the very end. */
export function runsIn({ start: from, end: to }: DeviceIndex, op: number, start: number, end: number): boolean {
  if (from[op] === to[op]) return from[op] >= start && from[op] <= end;
  return to[op] > start && from[op] < end;
}
