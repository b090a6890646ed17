import { lowerBoundBy } from '../base/bisect.ts';
import { NO_EVENT } from '../trace/ids.ts';
import { Api } from './api-names.ts';
import { OWN } from './constraint-set.ts';
import { kindCode } from './constraints.ts';
import type { DataLoading } from './data-loading.ts';
import type { Graph } from './graph.ts';
import type { Labels } from './labels.ts';
import { type PathRows, PathWriter, type Segment, WINDOW_START, causeCode, segmentsOf } from './path-rows.ts';
import { segmentCode } from './segments.ts';
import { causeOf, unexplainedPart } from './unexplained.ts';
import type { Window } from './windows.ts';
import { openBetween } from './workers.ts';

/** What the walk needs beside the graph; built once for all windows. */
export interface PathContext {
  readonly graph: Graph;
  readonly loading: DataLoading;
  readonly annotations: Labels;
  readonly python: Labels;
}

const HOST_WORK = segmentCode('host-work');
const HOST_GAP = segmentCode('host-gap');
const DATA_LOADING = segmentCode('data-loading');
const SYNC_OVERHEAD = segmentCode('sync-overhead');
const LAUNCH = segmentCode('launch');
const KERNEL = segmentCode('kernel');
const STREAM_GAP = segmentCode('stream-gap');
const UNEXPLAINED = segmentCode('unexplained');

const BY_LAUNCH = kindCode('launch');
const BY_STREAM = kindCode('stream-order');
const BY_HOST = kindCode('host-order');
const BY_THREAD = kindCode('thread');
const BY_OVERLAP = kindCode('overlap');

const BEFORE_CAPTURE = causeCode('before-capture');
const NO_LAUNCH = causeCode('no-launch');
const DEVICE_IDLE = causeCode('device-idle');

const SYNC_API = Api.eventSync | Api.streamSync | Api.deviceSync;

/**
 * The path of a window: walked backwards from its end through the constraint that bound each moment. Its rows partition the window.
 * O(moments on the path).
 */
export function walkPath(context: PathContext, window: Window): PathRows {
  const rows = new PathWriter();
  const walk = new Walk(context, window, rows);
  walk.run(walk.begin(window));
  return rows.take();
}

/** How much of a window's path is unexplained, in ns: the same walk, without making rows. */
export function unexplainedOnPath(context: PathContext, window: Window): number {
  const walk = new Walk(context, window, undefined);
  walk.run(walk.begin(window));
  return walk.unexplainedNs;
}

/** The stretch that a walk accounts for, and what its host thread was about. */
export type Span = Pick<Window, 'start' | 'end' | 'thread' | 'annotated'>;

/**
 * What held up a moment during a stretch that ends with it or before it: the same walk from that moment, of which the part in the stretch is
 * put before what `into` has. The rows partition it. O(moments on the way).
 */
export function walkBack(context: PathContext, moment: number, span: Span, into: PathWriter): void {
  new Walk(context, span, into).run(moment);
}

/** The same as objects, in order of time: for few stretches at a time. */
export function segmentsBack(context: PathContext, moment: number, span: Span): Segment[] {
  const rows = new PathWriter();
  walkBack(context, moment, span, rows);
  return segmentsOf(rows);
}

const isHostTime = (kind: number): boolean => kind === HOST_WORK || kind === HOST_GAP || kind === DATA_LOADING;

/** The innermost Python frame in the middle of a row of host time, as an event, or −1. */
export function frameAt({ graph, python }: PathContext, rows: PathRows, row: number): number {
  const event = rows.event[row];
  if (event === NO_EVENT || !isHostTime(rows.kind[row])) return -1;
  return python.innermostAt(graph.trace.events.track[event], Math.floor((rows.start[row] + rows.end[row]) / 2));
}

class Walk {
  readonly #context: PathContext;
  readonly #graph: Graph;
  readonly #span: Span;
  /** Absent where only sums are asked for. */
  readonly #rows: PathWriter | undefined;
  unexplainedNs = 0;
  /** All of the span after this instant is accounted for. It never moves forward. */
  #cursor: number;

  constructor(context: PathContext, span: Span, rows: PathWriter | undefined) {
    this.#rows = rows;
    this.#context = context;
    this.#graph = context.graph;
    this.#span = span;
    this.#cursor = span.end;
  }

  run(first: number): void {
    const { time, binding } = this.#graph;
    let moment = first;
    while (moment !== -1 && this.#cursor > this.#span.start) {
      const constraint = binding[moment];
      if (constraint === -1) {
        this.#breakAt(moment);
        break;
      }
      const source = this.#graph.constraints.from[constraint];
      if (time[source] < this.#cursor) this.#explain(moment, source, constraint);
      moment = source;
    }
    if (this.#cursor > this.#span.start) {
      this.#emit(UNEXPLAINED, this.#span.start, NO_EVENT, WINDOW_START, -1, BEFORE_CAPTURE);
    }
  }

  /** Accounts for [start, cursor); a start before the window is cut. */
  #emit(kind: number, start: number, event: number, boundBy: number, moment: number, cause = 0): void {
    const from = Math.max(start, this.#span.start);
    if (from >= this.#cursor) return;
    const bound = start < this.#span.start ? WINDOW_START : boundBy;
    const ambiguous = moment === -1 ? 0 : this.#graph.ambiguous[moment];
    this.#rows?.put(kind, from, this.#cursor, event, bound, ambiguous, cause);
    if (kind === UNEXPLAINED) this.unexplainedNs += this.#cursor - from;
    this.#cursor = from;
  }

  /** The moment where the walk begins; what the thread does up to the window's end is accounted for here. */
  begin({ lastOp, thread, end, start, annotated }: Window): number {
    const { host, moments, time, device } = this.#graph;
    if (lastOp !== -1) return this.#beginOnDevice(lastOp, device.end[lastOp] > end);
    if (thread === -1) return -1;
    const { sequence } = host.threads[thread];
    // Times are whole ns: the last moment at the end or before it.
    const at = lowerBoundBy(sequence, time, end + 1) - 1;
    if (at < 0) {
      if (annotated) {
        this.#emitHost(start, -1, moments.hostOp(sequence[0]), thread, WINDOW_START, -1);
      }
      return -1;
    }
    const moment = sequence[at];
    const next = sequence[at + 1];
    // The stretch after the thread's last moment lies inside an op that goes on, or in a gap before the next one.
    if (time[moment] < end) {
      const open = openBetween(host, moment);
      this.#emitHost(time[moment], open, next === undefined ? -1 : moments.hostOp(next), thread, BY_HOST, -1);
    }
    return moment;
  }

  #beginOnDevice(op: number, isRunning: boolean): number {
    const { moments, device } = this.#graph;
    if (!isRunning) {
      // The op may have ended before the window did: the range's end is then idle until the next thing happens.
      if (device.end[op] < this.#span.end) {
        this.#emit(UNEXPLAINED, device.end[op], NO_EVENT, BY_STREAM, -1, DEVICE_IDLE);
      }
      return moments.endOfOp(op);
    }
    this.#emitOp(op, device.start[op]);
    return moments.startOfOp(op);
  }

  #emitOp(op: number, from: number): void {
    const { binding, moments, constraints } = this.#graph;
    const start = moments.startOfOp(op);
    const bound = binding[start];
    this.#emitRun(op, from, bound === -1 ? WINDOW_START : constraints.kind[bound], start);
  }

  /** The run of a device op, whatever it does: what the user's rules call other runs like a kernel. */
  #emitRun(op: number, from: number, boundBy: number, moment: number): void {
    const { device, classOf } = this.#graph;
    this.#emit(classOf[op] === 'other' ? KERNEL : segmentCode(classOf[op]), from, device.event[op], boundBy, moment);
  }

  /** Accounts for the time from `source` to `moment`, which `constraint` joins. */
  #explain(moment: number, source: number, constraint: number): void {
    const { moments, time, constraints } = this.#graph;
    const kind = constraints.kind[constraint];
    if (kind === OWN) {
      this.#emitOp(moments.deviceOp(moment), time[source]);
      return;
    }
    if (moments.isHost(moment)) {
      this.#explainHost(moment, source, kind);
      return;
    }
    const op = moments.deviceOp(moment);
    if (kind === BY_LAUNCH) this.#explainLaunch(moment, source, constraint);
    else if (kind === BY_OVERLAP && moments.isStart(moment)) {
      this.#emitRun(moments.deviceOp(source), time[source], kind, moment);
    } else if (kind === BY_OVERLAP) this.#emitRun(op, time[source], kind, moment);
    else this.#explainLag(kind, moment, time[source], constraint);
  }

  /** The part of a launch's lag inside the call is the host's. */
  #explainLaunch(moment: number, source: number, constraint: number): void {
    const { moments, host, time, device } = this.#graph;
    const call = moments.hostOp(source);
    this.#emitUnexplained(moment, constraint, BY_LAUNCH);
    const returned = Math.min(host.end[call], time[moment]);
    this.#emit(LAUNCH, returned, device.event[moments.deviceOp(moment)], BY_LAUNCH, moment);
    this.#emitHostPart(time[source], call, HOST_WORK, host.thread[call], BY_LAUNCH, moment);
  }

  /** A lag on the device keeps its typical part; what is far beyond it has a cause that the graph does not hold. */
  #explainLag(boundBy: number, moment: number, from: number, constraint: number): void {
    const { moments, device } = this.#graph;
    this.#emitUnexplained(moment, constraint, boundBy);
    this.#emit(STREAM_GAP, from, device.event[moments.deviceOp(moment)], boundBy, moment);
  }

  #emitUnexplained(moment: number, constraint: number, boundBy: number): void {
    const { moments, device, time } = this.#graph;
    const part = unexplainedPart(this.#graph, constraint, moment);
    if (part === 0) return;
    const op = moments.deviceOp(moment);
    const from = Math.max(time[moment] - part, this.#span.start);
    if (from >= this.#cursor) return;
    const cause = causeCode(causeOf(this.#graph, op, from, this.#cursor));
    this.#emit(UNEXPLAINED, from, device.event[op], boundBy, moment, cause);
  }

  #explainHost(moment: number, source: number, kind: number): void {
    const { moments, host, calls, time } = this.#graph;
    const op = moments.hostOp(moment);
    const thread = host.thread[op];
    if (kind === BY_HOST) {
      const open = openBetween(host, source);
      const waits = open === op && moment === source + 1 && (calls.api[op] & SYNC_API) !== 0;
      if (waits) this.#emit(SYNC_OVERHEAD, time[source], host.event[op], kind, moment);
      else this.#emitHost(time[source], open, op, thread, kind, moment);
      return;
    }
    if (kind === BY_THREAD) {
      this.#explainHandOver(moment, source, kind);
      return;
    }
    this.#emit(SYNC_OVERHEAD, time[source], host.event[op], kind, moment);
  }

  /** From one thread to another: the time of an op that was open on either meanwhile, else it lies between the two. */
  #explainHandOver(moment: number, source: number, kind: number): void {
    const { moments, host, time } = this.#graph;
    const op = moments.hostOp(moment);
    const goesOn = openBetween(host, source);
    const wasOpen = moments.isStart(moment) ? host.parent[op] : op;
    let open = -1;
    if (goesOn !== -1 && host.end[goesOn] >= time[moment]) open = goesOn;
    else if (wasOpen !== -1 && host.start[wasOpen] <= time[source]) open = wasOpen;
    this.#emitHost(time[source], open, op, host.thread[open === -1 ? op : open], kind, moment);
  }

  /** Host time up to the cursor: inside `open`, or, where that is −1, in the gap before `next`. */
  #emitHost(start: number, open: number, next: number, thread: number, boundBy: number, moment: number): void {
    const op = open === -1 ? next : open;
    this.#emitHostPart(start, op, open === -1 ? HOST_GAP : HOST_WORK, thread, boundBy, moment);
  }

  #emitHostPart(start: number, op: number, kind: number, thread: number, boundBy: number, moment: number): void {
    const { host } = this.#graph;
    const event = op === -1 ? NO_EVENT : host.event[op];
    const from = Math.max(start, this.#span.start);
    if (from >= this.#cursor) return;
    const { track } = host.threads[thread];
    if (!this.#context.loading.touches(track, from, this.#cursor)) {
      this.#emit(kind, start, event, boundBy, moment);
      return;
    }
    for (const part of this.#context.loading.split(track, from, this.#cursor).reverse()) {
      const isFirst = part.start === from;
      this.#emit(part.loading ? DATA_LOADING : kind, isFirst ? start : part.start, event, boundBy, moment);
    }
  }

  /** Nothing holds this moment: what lies before it is the thread's first gap, or the chain leads out of the trace. */
  #breakAt(moment: number): void {
    const { moments, time, host, device } = this.#graph;
    const { start } = this.#span;
    if (!moments.isHost(moment)) {
      const op = moments.deviceOp(moment);
      const began = host.length === 0 || time[moment] < host.start[0];
      this.#emit(UNEXPLAINED, start, device.event[op], WINDOW_START, moment, began ? BEFORE_CAPTURE : NO_LAUNCH);
      return;
    }
    const op = moments.hostOp(moment);
    const isMain = this.#span.annotated && host.thread[op] === this.#span.thread;
    const covered = isMain ? start : this.#coveredSince(host.threads[host.thread[op]].track, time[moment]);
    if (covered < time[moment]) {
      this.#emitHostPart(Math.max(covered, start), op, HOST_GAP, host.thread[op], WINDOW_START, moment);
    }
    this.#emit(UNEXPLAINED, start, host.event[op], WINDOW_START, moment, BEFORE_CAPTURE);
  }

  /** Since when annotations or Python frames cover a thread without a break up to `until`. */
  #coveredSince(track: number, until: number): number {
    let since = until;
    for (const labels of [this.#context.annotations, this.#context.python]) {
      const event = labels.innermostAt(track, until - 1);
      if (event !== -1) since = Math.min(since, this.#outerStart(labels, track, event));
    }
    return since;
  }

  #outerStart(labels: Labels, track: number, event: number): number {
    const { start } = this.#context.graph.trace.events;
    let since = start[event];
    for (;;) {
      const around = labels.innermostAt(track, since - 1);
      if (around === -1 || start[around] >= since) return since;
      since = start[around];
    }
  }
}
