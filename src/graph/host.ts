import { lowerBound } from '../base/bisect.ts';
import { RowKind, isHostOp } from '../trace/kinds.ts';
import type { TrackId } from '../trace/ids.ts';
import type { Trace } from '../trace/trace.ts';
import { rowsOf } from './rows-of.ts';

/**
 * Host ops (operators and API calls) by thread, nested by time. Host ops have their own dense numbers, ascending like events.
 * A moment of the host is 2 × op for its start and 2 × op + 1 for its end; a thread is the sequence of its moments.
 */
export interface HostIndex {
  readonly length: number;
  readonly event: Int32Array;
  /** Row in `threads`. */
  readonly thread: Int32Array;
  readonly start: Float64Array;
  /** Clipped to the end of the op around it. */
  readonly end: Float64Array;
  /** The op around it on its thread, or −1. */
  readonly parent: Int32Array;
  readonly threads: readonly HostThread[];
  /** By event: the host op, or −1. */
  readonly opOfEvent: Int32Array;
  /** Ops whose end was clipped. */
  readonly cutOps: number;
}

export interface HostThread {
  readonly track: TrackId;
  /** Host ops in order of start. */
  readonly ops: Int32Array;
  /** The moments of the thread in the order in which they happen: starts and ends, nested. */
  readonly sequence: Int32Array;
}

export const startOf = (op: number): number => 2 * op;
export const endOf = (op: number): number => 2 * op + 1;

/** O(n): one pass over the events, which are sorted by (start, −duration, position), so that an op comes before what it holds. */
export function buildHost(trace: Trace): HostIndex {
  const rows = hostRows(trace);
  const { events } = trace;
  const length = rows.length;
  const opOfEvent = new Int32Array(events.length).fill(-1);
  const thread = new Int32Array(length);
  const start = new Float64Array(length);
  const end = new Float64Array(length);
  const threadOfTrack = new Int32Array(trace.tracks.length).fill(-1);
  const tracks: TrackId[] = [];
  const counts: number[] = [];
  for (let op = 0; op < length; op++) {
    const e = rows[op];
    const track = events.track[e];
    opOfEvent[e] = op;
    start[op] = events.start[e];
    end[op] = events.start[e] + events.dur[e];
    if (threadOfTrack[track] === -1) {
      threadOfTrack[track] = tracks.length;
      tracks.push(track);
      counts.push(0);
    }
    const t = threadOfTrack[track];
    thread[op] = t;
    counts[t]++;
  }
  const members = membersOf(thread, counts);
  const parent = new Int32Array(length).fill(-1);
  let cutOps = 0;
  const threads = tracks.map((track, t): HostThread => {
    const ops = members[t];
    const nested = nest(ops, start, end, parent);
    cutOps += nested.cut;
    return { track, ops, sequence: nested.sequence };
  });
  return { length, event: rows, thread, start, end, parent, threads, opOfEvent, cutOps };
}

function hostRows(trace: Trace): Int32Array {
  const rows = rowsOf(trace, isHostOp);
  orderTwins(trace, rows);
  return rows;
}

/** Numbers by the group of each, ascending; `counts`: how many there are of each group. */
function membersOf(groupOf: Int32Array, counts: readonly number[]): Int32Array[] {
  const members = counts.map((count) => new Int32Array(count));
  const lengths = new Int32Array(counts.length);
  for (let i = 0; i < groupOf.length; i++) members[groupOf[i]][lengths[groupOf[i]]++] = i;
  return members;
}

/**
 * Rows of one start and one duration lie in the order of the file, which says nothing of what holds what: an operator holds calls, one with
 * a smaller `External id` those that began later in it, a call with a smaller correlation those behind it.
 */
function orderTwins({ events, categories, ops }: Trace, rows: Int32Array): void {
  const idOf = (e: number): number => {
    if (categories[events.category[e]].kind !== RowKind.op) return events.correlation[e];
    const at = lowerBound(ops.event, e);
    return ops.event[at] === e ? ops.externalId[at] : -1;
  };
  const kind = (e: number): number => categories[events.category[e]].kind;
  const { start, dur } = events;
  for (let from = 0; from < rows.length;) {
    const began = start[rows[from]];
    let to = from + 1;
    while (to < rows.length && start[rows[to]] === began && dur[rows[to]] === dur[rows[from]]) to++;
    if (to - from > 1) {
      rows.subarray(from, to).sort((a, b) => kind(a) - kind(b) || idOf(a) - idOf(b) || a - b);
    }
    from = to;
  }
}

function nest(
  ops: Int32Array,
  start: Float64Array,
  end: Float64Array,
  parent: Int32Array,
): { sequence: Int32Array; cut: number } {
  const sequence = new Int32Array(ops.length * 2);
  const open: number[] = [];
  let cut = 0;
  let at = 0;
  for (let i = 0; i < ops.length; i++) {
    const op = ops[i];
    while (open.length > 0 && end[open[open.length - 1]] <= start[op]) sequence[at++] = endOf(open.pop() as number);
    if (open.length > 0) {
      const around = open[open.length - 1];
      parent[op] = around;
      if (end[op] > end[around]) {
        end[op] = end[around];
        cut++;
      }
    }
    sequence[at++] = startOf(op);
    open.push(op);
  }
  while (open.length > 0) sequence[at++] = endOf(open.pop() as number);
  return { sequence, cut };
}
