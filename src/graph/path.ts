import { lowerBoundBy } from '../base/bisect.ts';
import { NO_EVENT } from '../trace/ids.ts';
import { Api } from './api-names.ts';
import { OWN } from './constraint-set.ts';
import { CONSTRAINT_KINDS, type ConstraintKind } from './constraints.ts';
import type { DataLoading } from './data-loading.ts';
import type { Graph } from './graph.ts';
import type { Labels } from './labels.ts';
import type { SegmentKind, UnexplainedCause } from './segments.ts';
import { causeOf, unexplainedPart } from './unexplained.ts';
import type { Window } from './windows.ts';
import { openBetween } from './workers.ts';

/** A stretch of the path. Times in ns since the trace's origin. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly start: number;
  readonly end: number;
  /** Whose time it is, as a row of `trace.events`; `NO_EVENT` where nothing is known to run. */
  readonly event: number;
  readonly boundBy: ConstraintKind | 'window-start';
  readonly ambiguous: boolean;
  readonly cause?: UnexplainedCause;
}

/** What the walk needs beside the graph; built once for all windows. */
export interface PathContext {
  readonly graph: Graph;
  readonly loading: DataLoading;
  readonly annotations: Labels;
  readonly python: Labels;
}

const SYNC_API = Api.eventSync | Api.streamSync | Api.deviceSync;

/**
 * The path of a window, in order of time: walked backwards from its end through the constraint that bound each moment. The segments
 * partition the window. O(moments on the path).
 */
export function walkPath(context: PathContext, window: Window): readonly Segment[] {
  const segments: Segment[] = [];
  const walk = new Walk(context, window, segments);
  walk.run(walk.begin(window));
  return segments.reverse();
}

/** How much of a window's path is unexplained, in ns: the same walk, without making segments. */
export function unexplainedOnPath(context: PathContext, window: Window): number {
  const walk = new Walk(context, window, undefined);
  walk.run(walk.begin(window));
  return walk.unexplainedNs;
}

/** The stretch that a walk accounts for, and what its host thread was about. */
export type Span = Pick<Window, 'start' | 'end' | 'thread' | 'annotated'>;

/**
 * What held up a moment during a stretch that ends with it or before it: the same walk from that moment, of which the part in the stretch is
 * kept. The segments partition it. O(moments on the way).
 */
export function walkBack(context: PathContext, moment: number, span: Span): readonly Segment[] {
  const segments: Segment[] = [];
  new Walk(context, span, segments).run(moment);
  return segments.reverse();
}

class Walk {
  readonly #context: PathContext;
  readonly #graph: Graph;
  readonly #span: Span;
  /** The last first; absent where only sums are asked for. */
  readonly #segments: Segment[] | undefined;
  unexplainedNs = 0;
  /** All of the span after this instant is accounted for. It never moves forward. */
  #cursor: number;

  constructor(context: PathContext, span: Span, segments: Segment[] | undefined) {
    this.#segments = segments;
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
      this.#emit('unexplained', this.#span.start, NO_EVENT, 'window-start', -1, 'before-capture');
    }
  }

  /** Accounts for [start, cursor); a start before the window is cut. */
  #emit(
    kind: SegmentKind,
    start: number,
    event: number,
    boundBy: Segment['boundBy'],
    moment: number,
    cause?: UnexplainedCause,
  ): void {
    const from = Math.max(start, this.#span.start);
    if (from >= this.#cursor) return;
    const isCut = start < this.#span.start;
    const ambiguous = moment !== -1 && this.#graph.ambiguous[moment] === 1;
    const end = this.#cursor;
    const bound = isCut ? 'window-start' : boundBy;
    // A path has a segment for almost every moment: plain literals, since spreading takes longer than all else here.
    if (cause === undefined) this.#segments?.push({ kind, start: from, end, event, boundBy: bound, ambiguous });
    else this.#segments?.push({ kind, start: from, end, event, boundBy: bound, ambiguous, cause });
    if (kind === 'unexplained') this.unexplainedNs += end - from;
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
        this.#emitHost(start, -1, moments.hostOp(sequence[0]), thread, 'window-start', -1);
      }
      return -1;
    }
    const moment = sequence[at];
    const next = sequence[at + 1];
    // The stretch after the thread's last moment lies inside an op that goes on, or in a gap before the next one.
    if (time[moment] < end) {
      const open = openBetween(host, moment);
      this.#emitHost(time[moment], open, next === undefined ? -1 : moments.hostOp(next), thread, 'host-order', -1);
    }
    return moment;
  }

  #beginOnDevice(op: number, isRunning: boolean): number {
    const { moments, device } = this.#graph;
    if (!isRunning) {
      // The op may have ended before the window did: the range's end is then idle until the next thing happens.
      if (device.end[op] < this.#span.end) {
        this.#emit('unexplained', device.end[op], NO_EVENT, 'stream-order', -1, 'device-idle');
      }
      return moments.endOfOp(op);
    }
    this.#emitOp(op, device.start[op]);
    return moments.startOfOp(op);
  }

  #emitOp(op: number, from: number): void {
    const { binding, moments } = this.#graph;
    const start = moments.startOfOp(op);
    const bound = binding[start];
    this.#emitRun(op, from, bound === -1 ? 'window-start' : this.#kindOf(bound), start);
  }

  /** The run of a device op, whatever it does: what the user's rules call other runs like a kernel. */
  #emitRun(op: number, from: number, boundBy: Segment['boundBy'], moment: number): void {
    const { device, classOf } = this.#graph;
    this.#emit(classOf[op] === 'other' ? 'kernel' : classOf[op], from, device.event[op], boundBy, moment);
  }

  #kindOf(constraint: number): ConstraintKind {
    return CONSTRAINT_KINDS[this.#graph.constraints.kind[constraint]];
  }

  /** Accounts for the time from `source` to `moment`, which `constraint` joins. */
  #explain(moment: number, source: number, constraint: number): void {
    const { moments, time, constraints } = this.#graph;
    if (constraints.kind[constraint] === OWN) {
      this.#emitOp(moments.deviceOp(moment), time[source]);
      return;
    }
    const kind = this.#kindOf(constraint);
    if (moments.isHost(moment)) {
      this.#explainHost(moment, source, kind);
      return;
    }
    const op = moments.deviceOp(moment);
    if (kind === 'launch') this.#explainLaunch(moment, source, constraint);
    else if (kind === 'overlap' && moments.isStart(moment)) {
      this.#emitRun(moments.deviceOp(source), time[source], kind, moment);
    } else if (kind === 'overlap') this.#emitRun(op, time[source], kind, moment);
    else this.#explainLag('stream-gap', kind, moment, time[source], constraint);
  }

  /** The part of a launch's lag inside the call is the host's. */
  #explainLaunch(moment: number, source: number, constraint: number): void {
    const { moments, host, time, device } = this.#graph;
    const call = moments.hostOp(source);
    this.#emitUnexplained(moment, constraint, 'launch');
    const returned = Math.min(host.end[call], time[moment]);
    this.#emit('launch', returned, device.event[moments.deviceOp(moment)], 'launch', moment);
    this.#emitHostPart(time[source], call, 'host-work', host.thread[call], 'launch', moment);
  }

  /** A lag on the device keeps its typical part; what is far beyond it has a cause that the graph does not hold. */
  #explainLag(kind: SegmentKind, boundBy: ConstraintKind, moment: number, from: number, constraint: number): void {
    const { moments, device } = this.#graph;
    this.#emitUnexplained(moment, constraint, boundBy);
    this.#emit(kind, from, device.event[moments.deviceOp(moment)], boundBy, moment);
  }

  #emitUnexplained(moment: number, constraint: number, boundBy: ConstraintKind): void {
    const { moments, device, time } = this.#graph;
    const part = unexplainedPart(this.#graph, constraint, moment);
    if (part === 0) return;
    const op = moments.deviceOp(moment);
    const from = Math.max(time[moment] - part, this.#span.start);
    if (from >= this.#cursor) return;
    this.#emit('unexplained', from, device.event[op], boundBy, moment, causeOf(this.#graph, op, from, this.#cursor));
  }

  #explainHost(moment: number, source: number, kind: ConstraintKind): void {
    const { moments, host, calls, time } = this.#graph;
    const op = moments.hostOp(moment);
    const thread = host.thread[op];
    if (kind === 'host-order') {
      const open = openBetween(host, source);
      const waits = open === op && moment === source + 1 && (calls.api[op] & SYNC_API) !== 0;
      if (waits) this.#emit('sync-overhead', time[source], host.event[op], kind, moment);
      else this.#emitHost(time[source], open, op, thread, kind, moment);
      return;
    }
    if (kind === 'thread') {
      this.#explainHandOver(moment, source, kind);
      return;
    }
    this.#emit('sync-overhead', time[source], host.event[op], kind, moment);
  }

  /** From one thread to another: the time of an op that was open on either meanwhile, else it lies between the two. */
  #explainHandOver(moment: number, source: number, kind: ConstraintKind): void {
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
  #emitHost(
    start: number,
    open: number,
    next: number,
    thread: number,
    boundBy: Segment['boundBy'],
    moment: number,
  ): void {
    const op = open === -1 ? next : open;
    this.#emitHostPart(start, op, open === -1 ? 'host-gap' : 'host-work', thread, boundBy, moment);
  }

  #emitHostPart(
    start: number,
    op: number,
    kind: 'host-gap' | 'host-work',
    thread: number,
    boundBy: Segment['boundBy'],
    moment: number,
  ): void {
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
      this.#emit(part.loading ? 'data-loading' : kind, isFirst ? start : part.start, event, boundBy, moment);
    }
  }

  /** Nothing holds this moment: what lies before it is the thread's first gap, or the chain leads out of the trace. */
  #breakAt(moment: number): void {
    const { moments, time, host, device } = this.#graph;
    const { start } = this.#span;
    if (!moments.isHost(moment)) {
      const op = moments.deviceOp(moment);
      const began = host.length === 0 || time[moment] < host.start[0];
      this.#emit(
        'unexplained',
        start,
        device.event[op],
        'window-start',
        moment,
        began ? 'before-capture' : 'no-launch',
      );
      return;
    }
    const op = moments.hostOp(moment);
    const isMain = this.#span.annotated && host.thread[op] === this.#span.thread;
    const covered = isMain ? start : this.#coveredSince(host.threads[host.thread[op]].track, time[moment]);
    if (covered < time[moment]) {
      this.#emitHostPart(Math.max(covered, start), op, 'host-gap', host.thread[op], 'window-start', moment);
    }
    this.#emit('unexplained', start, host.event[op], 'window-start', moment, 'before-capture');
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
