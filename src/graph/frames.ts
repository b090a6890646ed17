import { lowerBound } from '../base/bisect.ts';
import type { TrackId } from '../trace/ids.ts';
import { RowKind, isCall } from '../trace/kinds.ts';
import { Phase, RowFlag } from '../trace/tables.ts';
import type { Trace } from '../trace/trace.ts';
import type { HostIndex } from './host.ts';

/** What a row says of its thread. */
export const FrameKind = { python: 0, module: 1, annotation: 2, op: 3, call: 4 } as const;
export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];
/** Their names: a Python frame, an `nn.Module`, an annotation, an operator, a call of the runtime. */
export const FRAME_KINDS = ['python', 'module', 'annotation', 'op', 'call'] as const;

/**
 * All that a host thread's rows say of what it was doing: ops and calls, and the annotations and Python frames around them, in one
 * nesting a thread. Frames have their own dense numbers, ascending like events, so that an outer frame comes before what it holds.
 */
export interface FrameIndex {
  readonly length: number;
  readonly event: Int32Array;
  readonly kind: Uint8Array;
  /** Row in `tracks`. */
  readonly thread: Int32Array;
  readonly start: Float64Array;
  /** Clipped to the end of the frame around it. */
  readonly end: Float64Array;
  /** The frame around it on its thread, or −1. */
  readonly parent: Int32Array;
  readonly tracks: readonly TrackId[];
  /** By event: the frame, or −1. */
  readonly frameOfEvent: Int32Array;
  /** Frames that lost time because they reached out of the frame around them, and how much. */
  readonly cut: { readonly frames: number; readonly totalNs: number };
  /** Threads on which no op or call ran: their Python frames and annotations are no work, and are left out. */
  readonly idleThreads: number;
}

const MODULE = /^nn\.Module: /;

/** O(n log n) for rows of one instant, else O(n). */
export function buildFrames(trace: Trace, host: HostIndex): FrameIndex {
  const rows = frameRows(trace, host);
  const { events } = trace;
  const length = rows.event.length;
  const threadOf = new Map(host.threads.map(({ track }, thread) => [track as number, thread]));
  const frameOfEvent = new Int32Array(events.length).fill(-1);
  const index = {
    length,
    ...rows,
    thread: new Int32Array(length),
    start: new Float64Array(length),
    end: new Float64Array(length),
    parent: new Int32Array(length).fill(-1),
    tracks: host.threads.map(({ track }) => track),
    frameOfEvent,
  };
  for (let f = 0; f < length; f++) {
    const e = rows.event[f];
    frameOfEvent[e] = f;
    index.thread[f] = threadOf.get(events.track[e]) ?? 0;
    index.start[f] = events.start[e];
    index.end[f] = events.start[e] + events.dur[e];
  }
  return { ...index, cut: nest(trace, index) };
}

function frameRows(trace: Trace, host: HostIndex): { event: Int32Array; kind: Uint8Array; idleThreads: number } {
  const { events, categories } = trace;
  const kinds = categories.map(({ kind }) => frameKind(kind));
  const isModule = byName(trace, MODULE);
  const busy = new Set<number>(host.threads.map(({ track }) => track));
  const idle = new Set<number>();
  const event = new Int32Array(events.length);
  let length = 0;
  for (let e = 0; e < events.length; e++) {
    if (kinds[events.category[e]] === -1 || events.phase[e] > Phase.begin) continue;
    if ((events.flags[e] & RowFlag.noTiming) !== 0) continue;
    if (!busy.has(events.track[e])) {
      idle.add(events.track[e]);
      continue;
    }
    event[length++] = e;
  }
  const found = event.slice(0, length);
  const kindOf = (e: number): number => {
    const kind = kinds[events.category[e]];
    return kind === FrameKind.python && isModule[events.name[e]] === 1 ? FrameKind.module : kind;
  };
  orderTwins(trace, host, found, (e) => kinds[events.category[e]]);
  const kind = new Uint8Array(found.length);
  for (let f = 0; f < kind.length; f++) kind[f] = kindOf(found[f]);
  return { event: found, kind, idleThreads: idle.size };
}

function frameKind(kind: RowKind): FrameKind | -1 {
  if (kind === RowKind.op) return FrameKind.op;
  if (isCall(kind)) return FrameKind.call;
  if (kind === RowKind.annotation) return FrameKind.annotation;
  return kind === RowKind.python ? FrameKind.python : -1;
}

function byName({ strings }: Trace, wanted: RegExp): Uint8Array {
  const isWanted = new Uint8Array(strings.length);
  for (let name = 0; name < isWanted.length; name++) {
    if (wanted.test(strings.text(name as Parameters<typeof strings.text>[0]))) isWanted[name] = 1;
  }
  return isWanted;
}

/** Of rows of one start and one duration Python is outermost, then annotations, then ops as the host nests them. */
function orderTwins({ events, python }: Trace, host: HostIndex, rows: Int32Array, kindOf: (e: number) => number): void {
  const pythonId = (e: number): number => {
    const at = lowerBound(python.event, e);
    return python.event[at] === e ? python.pythonId[at] : -1;
  };
  const place = (e: number): number => (host.opOfEvent[e] === -1 ? pythonId(e) : host.opOfEvent[e]);
  const level = (e: number): number => Math.min(kindOf(e), FrameKind.op);
  for (let from = 0; from < rows.length;) {
    let to = from + 1;
    while (
      to < rows.length &&
      events.start[rows[to]] === events.start[rows[from]] &&
      events.dur[rows[to]] === events.dur[rows[from]]
    ) {
      to++;
    }
    if (to - from > 1) rows.subarray(from, to).sort((a, b) => level(a) - level(b) || place(a) - place(b) || a - b);
    from = to;
  }
}

type Draft = Omit<FrameIndex, 'cut' | 'idleThreads'>;

/** Finds each frame's parent; an end that reaches out is clipped. */
function nest(
  trace: Trace,
  { length, kind, thread, start, end, parent, tracks, frameOfEvent }: Draft,
): FrameIndex['cut'] {
  const { ids, callers } = pythonIds(trace, length, frameOfEvent);
  const open: number[][] = tracks.map(() => []);
  let frames = 0;
  let totalNs = 0;
  const shorten = (frame: number, to: number): void => {
    if (end[frame] <= to) return;
    frames++;
    totalNs += end[frame] - to;
    end[frame] = to;
  };
  for (let f = 0; f < length; f++) {
    const stack = open[thread[f]];
    while (stack.length > 0 && end[stack[stack.length - 1]] <= start[f]) stack.pop();
    if (callers[f] >= 0) {
      for (let late = framesBehind(stack, callers[f], ids, kind); late > 0; late--) {
        shorten(stack.pop() as number, start[f]);
      }
    }
    // What lies mostly behind the end of a label that it began in does not belong to it.
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const isInside = end[f] <= end[top] || 2 * (end[top] - start[f]) >= end[f] - start[f];
      if (kind[top] >= FrameKind.op || isInside) break;
      shorten(top, start[f]);
      stack.pop();
    }
    parent[f] = stack.at(-1) ?? -1;
    if (parent[f] !== -1) shorten(f, end[parent[f]]);
    stack.push(f);
  }
  return { frames, totalNs };
}

/** By frame: the id of a Python frame, and that of the frame that called it; −1 where there is none. */
function pythonIds(
  { python }: Trace,
  length: number,
  frameOfEvent: Int32Array,
): { ids: Float64Array; callers: Float64Array } {
  const ids = new Float64Array(length).fill(-1);
  const callers = new Float64Array(length).fill(-1);
  for (let row = 0; row < python.event.length; row++) {
    const frame = frameOfEvent[python.event[row]];
    if (frame === -1) continue;
    ids[frame] = python.pythonId[row];
    callers[frame] = python.parentId[row];
  }
  return { ids, callers };
}

/**
 * How many frames that are still open by the clock are over when a frame begins that `caller` called: those above the caller, where
 * they are all Python's. 0 where the caller is not open, or not in the trace.
 */
function framesBehind(stack: readonly number[], caller: number, ids: Float64Array, kind: Uint8Array): number {
  for (let i = stack.length - 1; i >= 0 && kind[stack[i]] <= FrameKind.module; i--) {
    if (ids[stack[i]] === caller) return stack.length - 1 - i;
  }
  return 0;
}
