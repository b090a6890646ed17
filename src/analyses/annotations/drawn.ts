import { lowerBound } from '../../base/bisect.ts';
import type { DrawnRow } from '../../graph/annotated-work.ts';
import { clip, lengthOf, unionOf } from '../../graph/intervals.ts';
import type { StringId } from '../../trace/ids.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Scope } from '../scope.ts';
import type { DrawnSpan } from './result.ts';

/** The rows of one annotation by device: a stream that ran nothing of it has none, and each is cut to what its stream ran. */
export function drawnSpans({ graph, start, end }: Scope, rows: readonly DrawnRow[]): DrawnSpan[] {
  const { events } = graph.trace;
  const devices = [...new Set(rows.map(({ device }) => device))].sort((a, b) => a - b);
  return devices.map((device): DrawnSpan => {
    const own = rows.filter((row) => row.device === device).map(({ event }) => event);
    const from = own.map((event): number => events.start[event]);
    const to = own.map((event) => events.start[event] + events.dur[event]);
    return { device, rows: own.length, spanNs: lengthOf(clip(unionOf(from, to), start, end)) };
  });
}

export function byNameOf({ events }: Trace, rows: readonly DrawnRow[]): ReadonlyMap<StringId, readonly DrawnRow[]> {
  const byName = new Map<StringId, DrawnRow[]>();
  for (const row of rows) {
    const known = byName.get(events.name[row.event]);
    if (known === undefined) byName.set(events.name[row.event], [row]);
    else known.push(row);
  }
  return byName;
}

/** Of a host annotation, or −1. */
export function externalIdOf({ ops }: Trace, event: number): number {
  const row = lowerBound(ops.event, event);
  return row < ops.event.length && ops.event[row] === event ? ops.externalId[row] : -1;
}
