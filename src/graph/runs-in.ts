import type { DeviceIndex } from './device.ts';

/** Does what lasts from `from` to `to` run in [start, end)? What has no length runs where it stands, also at the very end. */
export function touches(from: number, to: number, start: number, end: number): boolean {
  if (from === to) return from >= start && from <= end;
  return to > start && from < end;
}

/** `touches` of a device op: the one rule of all analyses. */
export const runsIn = ({ start: from, end: to }: DeviceIndex, op: number, start: number, end: number): boolean =>
  touches(from[op], to[op], start, end);
