import type { Graph } from '../graph/graph.ts';
import { type RowKind, RowKind as Kind } from '../trace/kinds.ts';
import { Phase, RowFlag } from '../trace/tables.ts';
import type { EventLaneKind } from '../protocol/timeline.ts';

/** A lane while events are laid on it. */
export interface LaneDraft {
  readonly kind: EventLaneKind;
  /** Of a stream: its row in `graph.device.lanes`; of anything else the track. */
  readonly of: number;
  /** Events by depth: how many each of its rows has. */
  readonly depths: number[];
  /** Ends of the events that are open, outermost first. */
  readonly open: number[];
  /** How long at least one of its events ran, in ns. */
  busyNs: number;
}

export interface Laid {
  readonly lanes: readonly LaneDraft[];
  /** By event: its lane, or −1 where it is not drawn. */
  readonly laneOf: Int32Array;
  /** By event: its row in the lane. */
  readonly depthOf: Int32Array;
  readonly withoutLength: number;
  readonly withoutTime: number;
}

/**
 * Lays every event with a length and a time on a lane: an event goes below all that are open when it begins, so that no row holds two
 * at once, and what holds others is above them. O(events).
 */
export function layLanes({ trace, device }: Graph): Laid {
  const { events, categories } = trace;
  const laneOf = new Int32Array(events.length).fill(-1);
  const depthOf = new Int32Array(events.length);
  const lanes: LaneDraft[] = [];
  const byKey = new Map<string, number>();
  let withoutTime = 0;
  let withoutLength = trace.eventCount - events.length;
  for (let e = 0; e < events.length; e++) {
    if ((events.flags[e] & RowFlag.noTiming) !== 0) {
      withoutTime++;
      continue;
    }
    if (events.phase[e] > Phase.begin) {
      withoutLength++;
      continue;
    }
    const op = device.opOfEvent[e];
    const kind = op === -1 ? laneKindOf(categories[events.category[e]].kind) : 'stream';
    const of = op === -1 ? events.track[e] : device.lane[op];
    const key = `${kind} ${of}`;
    let row = byKey.get(key);
    if (row === undefined) {
      row = lanes.length;
      byKey.set(key, row);
      lanes.push({ kind, of, depths: [], open: [], busyNs: 0 });
    }
    const lane = lanes[row];
    const { open, depths } = lane;
    const start = events.start[e];
    while (open.length > 0 && open[open.length - 1] <= start) open.pop();
    const depth = open.length;
    open.push(start + events.dur[e]);
    if (depth === depths.length) depths.push(0);
    depths[depth]++;
    if (depth === 0) lane.busyNs += events.dur[e];
    laneOf[e] = row;
    depthOf[e] = depth;
  }
  return { lanes, laneOf, depthOf, withoutLength, withoutTime };
}

function laneKindOf(kind: RowKind): EventLaneKind {
  switch (kind) {
    case Kind.op:
    case Kind.runtime:
    case Kind.driver:
      return 'host';
    case Kind.annotation:
      return 'annotation';
    case Kind.python:
      return 'python';
    case Kind.gpuAnnotation:
      return 'device-annotation';
    case Kind.sync:
    case Kind.record:
      return 'sync';
    default:
      return 'other';
  }
}
