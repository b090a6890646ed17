/** What kept an idle device waiting is told from numbers: a trace has as many stretches of gaps as moments. */
import { Api } from '../../graph/api-names.ts';
import { CONSTRAINT_KINDS, type ConstraintKind } from '../../graph/constraints.ts';
import type { Graph } from '../../graph/graph.ts';
import { endOf } from '../../graph/host.ts';
import type { PathRows } from '../../graph/path-rows.ts';
import type { PathContext } from '../../graph/path.ts';
import { SEGMENT_KINDS, type SegmentKind, UNEXPLAINED_CAUSES, segmentCode } from '../../graph/segments.ts';
import { NO_EVENT } from '../../trace/ids.ts';
import { isCall } from '../../trace/kinds.ts';
import { IDLE_CAUSES, type IdleCause, type IdleGroup, type Reason } from './result.ts';

/** A reason as row numbers. −1: none. */
export interface RawReason {
  /** Index in `IDLE_CAUSES`. */
  readonly cause: number;
  /** 1 + the index in `UNEXPLAINED_CAUSES`; 0: none. */
  readonly unexplained: number;
  /** Events. */
  readonly event: number;
  readonly inOp: number;
  readonly python: number;
}

/** The number of a cause: its place in the list. */
export const idleCode = (cause: IdleCause): number => IDLE_CAUSES.indexOf(cause);

const HOST_WORK = idleCode('host-work');
const HOST_GAP = idleCode('host-gap');
const ALLOCATOR = idleCode('allocator');
const EVENT_WAIT = idleCode('event-wait');
const OTHER_DEVICE = idleCode('other-device');
const OTHER_RANK = idleCode('other-rank');
const UNEXPLAINED = idleCode('unexplained');
const SYNC_OVERHEAD = segmentCode('sync-overhead');
/** Causes that are the host's own time: the first of the list. */
const LAST_OF_HOST = ALLOCATOR;

const WORK = segmentCode('host-work');
const GAP = segmentCode('host-gap');
const STREAM_GAP = segmentCode('stream-gap');

/** By code of a segment's kind: the cause, where nothing else tells it; −1 for the runs of device ops. */
const CAUSE_OF_KIND = SEGMENT_KINDS.map(plainCause);

function plainCause(kind: SegmentKind): number {
  switch (kind) {
    case 'host-work':
    case 'host-gap':
    case 'data-loading':
    case 'launch':
    case 'unexplained':
      return idleCode(kind);
    case 'sync-overhead':
      return idleCode('synchronising-call');
    case 'stream-gap':
      return idleCode('stream-order');
    case 'kernel':
    case 'collective':
    case 'copy':
      return -1;
    case 'wait-for-rank':
    case 'transfer-or-unseen-rank':
      return OTHER_RANK;
    case 'before-window':
      return UNEXPLAINED;
  }
}

/** What kept a device waiting in a row of the chain that led to its next op, as the index of a cause. */
export function causeOf(graph: Graph, device: number, kind: number, event: number): number {
  if (kind === WORK) return isAllocator(graph, event) ? ALLOCATOR : HOST_WORK;
  if (kind === STREAM_GAP) return idleCode(orderCause(bindingKind(graph, event)));
  const cause = CAUSE_OF_KIND[kind];
  // Nothing of the device runs in its gaps; a chain that says so, by a clock that contradicts it, explains nothing.
  if (cause === -1) return deviceOf(graph, event) === device ? UNEXPLAINED : OTHER_DEVICE;
  return cause;
}

/** The reason of a row. */
export function reasonOf(context: PathContext, device: number, rows: PathRows, row: number): RawReason {
  const { graph } = context;
  const event = rows.event[row];
  const cause = causeOf(graph, device, rows.kind[row], event);
  if (cause <= LAST_OF_HOST) return hostReason(context, cause, rows, row);
  switch (cause) {
    case EVENT_WAIT:
      return { cause, unexplained: 0, event: sourceEvent(graph, event), inOp: -1, python: -1 };
    case UNEXPLAINED:
      return { cause, unexplained: rows.cause[row], event, inOp: -1, python: -1 };
    case OTHER_DEVICE:
    case OTHER_RANK:
      return { cause, unexplained: 0, event, inOp: -1, python: -1 };
    default:
      // Between the ops of a stream, and in launches, it is the mechanism that takes the time, whatever the op.
      return { cause, unexplained: 0, event: -1, inOp: -1, python: -1 };
  }
}

/** Where the host was. */
function hostReason({ graph, python }: PathContext, cause: number, rows: PathRows, row: number): RawReason {
  const event = rows.event[row];
  if (event === NO_EVENT) return { cause, unexplained: 0, event: -1, inOp: -1, python: -1 };
  const middle = Math.floor((rows.start[row] + rows.end[row]) / 2);
  const frame = python.innermostAt(graph.trace.events.track[event], middle);
  if (rows.kind[row] === GAP) return { cause, unexplained: 0, event, inOp: -1, python: frame };
  const around = frameworkOp(graph, event);
  // To launch is part of an op's own work.
  return around !== -1 && isPlainLaunch(graph, event)
    ? { cause, unexplained: 0, event: around, inOp: -1, python: frame }
    : { cause, unexplained: 0, event, inOp: around, python: frame };
}

export function groupOf(cause: IdleCause): IdleGroup {
  switch (cause) {
    case 'host-work':
    case 'host-gap':
    case 'data-loading':
    case 'synchronising-call':
    case 'allocator':
      return 'host-late';
    case 'stream-order':
    case 'graph-order':
    case 'event-wait':
      return 'device-order';
    default:
      return cause;
  }
}

function orderCause(kind: ConstraintKind | undefined): IdleCause {
  switch (kind) {
    case 'graph':
      return 'graph-order';
    case 'stream-wait':
    case 'inferred-wait':
    case 'event-sync':
    case 'stream-sync':
    case 'device-sync':
    case 'copy-sync':
      return 'event-wait';
    default:
      return 'stream-order';
  }
}

const isAllocator = ({ host, calls }: Graph, event: number): boolean =>
  event !== NO_EVENT && host.opOfEvent[event] !== -1 && (calls.api[host.opOfEvent[event]] & Api.allocate) !== 0;

function deviceOf({ device }: Graph, event: number): number {
  const op = event === NO_EVENT ? -1 : device.opOfEvent[event];
  return op === -1 ? -1 : device.lanes[device.lane[op]].device;
}

/** The constraint that bound the start of a device op, or −1. */
function bindingOf({ device, moments, binding }: Graph, event: number): number {
  const op = event === NO_EVENT ? -1 : device.opOfEvent[event];
  return op === -1 ? -1 : binding[moments.startOfOp(op)];
}

function bindingKind(graph: Graph, event: number): ConstraintKind | undefined {
  const bound = bindingOf(graph, event);
  return bound === -1 ? undefined : CONSTRAINT_KINDS[graph.constraints.kind[bound]];
}

/** What a device op waited for. */
function sourceEvent(graph: Graph, event: number): number {
  const bound = bindingOf(graph, event);
  if (bound === -1) return -1;
  const source = graph.constraints.from[bound];
  return graph.moments.isHost(source)
    ? graph.host.event[graph.moments.hostOp(source)]
    : graph.device.event[graph.moments.deviceOp(source)];
}

const isPlainLaunch = ({ host, calls }: Graph, event: number): boolean =>
  (calls.api[host.opOfEvent[event]] & (Api.launch | Api.copy | Api.graphLaunch)) === Api.launch;

/** The framework's op around a call, as an event; −1 where there is none, or the event is such an op itself. */
export function frameworkOp({ host, trace }: Graph, event: number): number {
  const { events, categories } = trace;
  let op = host.opOfEvent[event];
  if (op === -1 || !isCall(categories[events.category[event]].kind)) return -1;
  while (op !== -1 && isCall(categories[events.category[host.event[op]]].kind)) op = host.parent[op];
  return op === -1 ? -1 : host.event[op];
}

/** A call that waited for this device until the gap began, and what it waited for, as events. */
export interface RawDrain {
  readonly call: number;
  readonly waitedFor: number;
}

/** Did the chain that ends a gap go through a synchronising call which waited for work of the device from before the gap? */
export function drainOf(graph: Graph, device: number, rows: PathRows): RawDrain | undefined {
  const { host, binding, constraints, moments } = graph;
  for (let row = rows.first; row <= rows.last; row++) {
    const event = rows.event[row];
    if (rows.kind[row] !== SYNC_OVERHEAD || event === NO_EVENT || host.opOfEvent[event] === -1) continue;
    const bound = binding[endOf(host.opOfEvent[event])];
    const source = bound === -1 ? -1 : constraints.from[bound];
    if (source === -1 || moments.isHost(source)) continue;
    const waitedFor = graph.device.event[moments.deviceOp(source)];
    if (deviceOf(graph, waitedFor) === device) return { call: event, waitedFor };
  }
  return undefined;
}

/** The reason for a gap that a synchronising call brought about. */
export function drainReason({ graph, python }: PathContext, { call }: RawDrain): RawReason {
  const { events } = graph.trace;
  return {
    cause: idleCode('synchronising-call'),
    unexplained: 0,
    event: call,
    inOp: frameworkOp(graph, call),
    python: python.innermostAt(events.track[call], events.start[call]),
  };
}

export function textOf({ trace }: Graph, reason: RawReason): Reason {
  const { cause, unexplained, event, inOp, python } = reason;
  const nameOf = (row: number): string => trace.strings.text(trace.events.name[row]);
  return {
    cause: IDLE_CAUSES[cause],
    ...(unexplained === 0 ? {} : { unexplained: UNEXPLAINED_CAUSES[unexplained - 1] }),
    ...(event === -1 || isPython(reason) ? {} : { name: nameOf(event) }),
    ...(inOp === -1 ? {} : { inOp: nameOf(inOp) }),
    ...(python === -1 ? {} : { python: nameOf(python) }),
  };
}

/** A gap between ops belongs to its Python line; without one to the op that it comes before. */
const isPython = ({ cause, python }: RawReason): boolean => cause === HOST_GAP && python !== -1;

/** Numbers reasons: those whose texts are equal have one number, in the order in which they first come. */
export class ReasonNumbers {
  readonly #graph: Graph;
  /** Two numbers in one, times the count of names: of a cause and a name, of such a pair and the name around, and of that and the frame. */
  readonly #pairs = [new Map<number, number>(), new Map<number, number>(), new Map<number, number>()] as const;
  readonly #names: number;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#names = graph.trace.strings.length + 1;
  }

  of(reason: RawReason): number {
    const { cause, unexplained, event, inOp, python } = reason;
    const [byEvent, byOp, byFrame] = this.#pairs;
    const kind = cause * (UNEXPLAINED_CAUSES.length + 1) + unexplained;
    const place = numberOf(byEvent, kind * this.#names + this.#nameOf(isPython(reason) ? -1 : event));
    const within = numberOf(byOp, place * this.#names + this.#nameOf(inOp));
    return numberOf(byFrame, within * this.#names + this.#nameOf(python));
  }

  #nameOf(event: number): number {
    return event === -1 ? 0 : 1 + this.#graph.trace.events.name[event];
  }
}

function numberOf(known: Map<number, number>, pair: number): number {
  let number = known.get(pair);
  if (number === undefined) known.set(pair, (number = known.size));
  return number;
}
