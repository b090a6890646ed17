import type { CriticalPathResult } from '../../analyses/critical-path/result.ts';
import { Phase } from '../../trace/tables.ts';
import type { Trace } from '../../trace/trace.ts';

/** Where an arrow begins or ends: an event, and how many ns after its start. */
export interface ArrowEnd {
  /** The event's position in `traceEvents`. */
  readonly event: number;
  readonly afterStartNs: number;
}

export interface Arrow {
  readonly id: number;
  readonly from: ArrowEnd;
  readonly to: ArrowEnd;
}

/** Where events stand in the file and in time, by their position in `traceEvents`. */
export interface Placed {
  readonly byteOffset: number;
  readonly startNs: number;
  readonly endNs: number;
}

/** The events of the path, by position. O(events). */
export function placePath({ events }: Trace, { path }: CriticalPathResult): ReadonlyMap<number, Placed> {
  const wanted = new Set(path.segments.flatMap(({ event }) => (event === undefined ? [] : [event.event])));
  const placed = new Map<number, Placed>();
  for (let e = 0; e < events.length; e++) {
    if (!wanted.has(events.position[e])) continue;
    const startNs = events.start[e];
    placed.set(events.position[e], { byteOffset: events.byteOffset[e], startNs, endNs: startNs + events.dur[e] });
  }
  return placed;
}

/** One arrow for each place where the path goes from one lane to another. */
export function planArrows(trace: Trace, { path }: CriticalPathResult, placed: ReadonlyMap<number, Placed>): Arrow[] {
  const found: { from: ArrowEnd; to: ArrowEnd }[] = [];
  let before: (typeof path.segments)[number]['event'];
  for (const { event, startNs } of path.segments) {
    if (event === undefined) continue;
    const from = before === undefined ? undefined : placed.get(before.event);
    const to = placed.get(event.event);
    if (before !== undefined && from !== undefined && to !== undefined && before.lane !== event.lane) {
      const ends = endsAt(from, to, startNs);
      if (ends !== undefined) {
        found.push({
          from: { event: before.event, afterStartNs: ends.from },
          to: { event: event.event, afterStartNs: ends.to },
        });
      }
    }
    before = event;
  }
  const firstId = freeIds(trace, found.length);
  return found.map((arrow, at) => ({ id: firstId + at, ...arrow }));
}

/**
 * Viewers bind an arrow's end to the slice that is open at its time, and drop arrows that go back in time. So both ends lie within
 * their slices, as near to `atNs` as they can, and in order; `undefined` where the clocks do not allow that.
 */
function endsAt(from: Placed, to: Placed, atNs: number): { from: number; to: number } | undefined {
  const toNs = clampInto(to, atNs);
  const fromNs = clampInto(from, Math.min(toNs, atNs));
  return fromNs > toNs ? undefined : { from: fromNs - from.startNs, to: toNs - to.startNs };
}

/** The end of a slice is outside of it. */
const clampInto = ({ startNs, endNs }: Placed, atNs: number): number =>
  Math.max(startNs, Math.min(atNs, Math.max(startNs, endNs - 1)));

/** The first of `count` consecutive ids that no arrow or async row of the trace has. */
function freeIds({ events }: Trace, count: number): number {
  const taken: number[] = [];
  for (let e = 0; e < events.length; e++) {
    const isLinked = events.phase[e] >= Phase.flowStart && events.phase[e] <= Phase.asyncEnd;
    if (isLinked && events.correlation[e] >= 0) taken.push(events.correlation[e]);
  }
  taken.sort((a, b) => a - b);
  const last = taken.at(-1) ?? 0;
  if (last + count < Number.MAX_SAFE_INTEGER) return last + 1;
  let first = 1;
  for (const id of taken) {
    if (id - first >= count) break;
    if (id >= first) first = id + 1;
  }
  return first;
}

/** A time as it is written (`1700.25`, perhaps in quotes), moved by whole nanoseconds, exactly. One that is no decimal stays. */
export function addNs(ts: string, ns: number): string {
  if (ns === 0) return ts;
  const [, open = '', sign = '', whole = '', fraction = '', close = ''] =
    /^("?)(-?)(\d+)(?:\.(\d+))?("?)$/.exec(ts) ?? [];
  if (whole === '') return ts;
  const digits = Math.max(fraction.length, 3);
  const value = BigInt(`${sign}${whole}${fraction.padEnd(digits, '0')}`) + BigInt(ns) * 10n ** BigInt(digits - 3);
  const text = String(value < 0n ? -value : value).padStart(digits + 1, '0');
  return `${open}${value < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}${close}`;
}
