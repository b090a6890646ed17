import { Api } from '../../graph/api-names.ts';
import { CONSTRAINT_KINDS, type ConstraintKind } from '../../graph/constraints.ts';
import type { Graph } from '../../graph/graph.ts';
import { endOf } from '../../graph/host.ts';
import type { PathContext, Segment } from '../../graph/path.ts';
import { NO_EVENT } from '../../trace/ids.ts';
import { isCall } from '../../trace/kinds.ts';
import type { IdleCause, IdleGroup, Reason } from './result.ts';

/** A reason as row numbers, so that equal ones are found without texts. −1: none. */
export interface RawReason {
  readonly cause: IdleCause;
  readonly unexplained?: Reason['unexplained'];
  /** Events. */
  readonly event: number;
  readonly inOp: number;
  readonly python: number;
}

/** What kept an idle device waiting in one segment of the chain that led to its next op. */
export function reasonOf(context: PathContext, device: number, segment: Segment): RawReason {
  const { graph } = context;
  const cause = causeOf(graph, device, segment);
  switch (cause) {
    case 'host-work':
    case 'host-gap':
    case 'data-loading':
    case 'synchronising-call':
    case 'allocator':
      return { cause, ...hostPlace(context, segment) };
    case 'event-wait':
      return { cause, event: sourceEvent(graph, segment.event), inOp: -1, python: -1 };
    case 'unexplained':
      return { cause, unexplained: segment.cause, event: segment.event, inOp: -1, python: -1 };
    case 'other-device':
    case 'other-rank':
      return { cause, event: segment.event, inOp: -1, python: -1 };
    default:
      // Between the ops of a stream, and in launches, it is the mechanism that takes the time, whatever the op.
      return { cause, event: -1, inOp: -1, python: -1 };
  }
}

export function causeOf(graph: Graph, device: number, { kind, event }: Segment): IdleCause {
  switch (kind) {
    case 'host-work':
      return isAllocator(graph, event) ? 'allocator' : kind;
    case 'host-gap':
    case 'data-loading':
    case 'launch':
    case 'unexplained':
      return kind;
    case 'sync-overhead':
      return 'synchronising-call';
    case 'stream-gap':
      return orderCause(bindingKind(graph, event));
    case 'kernel':
    case 'collective':
    case 'copy':
      // Nothing of the device runs in its gaps; a chain that says so, by a clock that contradicts it, explains nothing.
      return deviceOf(graph, event) === device ? 'unexplained' : 'other-device';
    case 'wait-for-rank':
    case 'transfer-or-unseen-rank':
      return 'other-rank';
    case 'before-window':
      return 'unexplained';
  }
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

/** Where the host was. */
function hostPlace(
  { graph, python }: PathContext,
  { kind, event, start, end }: Segment,
): Pick<RawReason, 'event' | 'inOp' | 'python'> {
  if (event === NO_EVENT) return { event: -1, inOp: -1, python: -1 };
  const frame = python.innermostAt(graph.trace.events.track[event], Math.floor((start + end) / 2));
  if (kind === 'host-gap') return { event, inOp: -1, python: frame };
  const around = frameworkOp(graph, event);
  // To launch is part of an op's own work.
  return around !== -1 && isPlainLaunch(graph, event)
    ? { event: around, inOp: -1, python: frame }
    : { event, inOp: around, python: frame };
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
export function drainOf(graph: Graph, device: number, segments: readonly Segment[]): RawDrain | undefined {
  const { host, binding, constraints, moments } = graph;
  for (const { kind, event } of segments) {
    if (kind !== 'sync-overhead' || event === NO_EVENT || host.opOfEvent[event] === -1) continue;
    const bound = binding[endOf(host.opOfEvent[event])];
    const source = bound === -1 ? -1 : constraints.from[bound];
    if (source === -1 || moments.isHost(source)) continue;
    const waitedFor = graph.device.event[moments.deviceOp(source)];
    if (deviceOf(graph, waitedFor) === device) return { call: event, waitedFor };
  }
  return undefined;
}

export function textOf({ trace }: Graph, reason: RawReason): Reason {
  const { cause, unexplained, event, inOp, python } = reason;
  const nameOf = (row: number): string => trace.strings.text(trace.events.name[row]);
  return {
    cause,
    ...(unexplained === undefined ? {} : { unexplained }),
    ...(event === -1 || isPython(reason) ? {} : { name: nameOf(event) }),
    ...(inOp === -1 ? {} : { inOp: nameOf(inOp) }),
    ...(python === -1 ? {} : { python: nameOf(python) }),
  };
}

/** Equal for reasons whose texts are equal. */
export function keyOf({ trace }: Graph, reason: RawReason): string {
  const { cause, unexplained, event, inOp, python } = reason;
  const nameOf = (row: number): number => (row === -1 ? -1 : trace.events.name[row]);
  return `${cause} ${unexplained ?? ''} ${isPython(reason) ? -1 : nameOf(event)} ${nameOf(inOp)} ${nameOf(python)}`;
}

/** A gap between ops belongs to its Python line; without one to the op that it comes before. */
const isPython = ({ cause, python }: RawReason): boolean => cause === 'host-gap' && python !== -1;
