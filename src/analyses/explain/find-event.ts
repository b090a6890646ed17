import { linkId } from '../../graph/calls.ts';
import type { Graph } from '../../graph/graph.ts';
import { RowKind, isCall, isDeviceWork } from '../../trace/kinds.ts';
import { Phase, RowFlag } from '../../trace/tables.ts';
import type { Trace } from '../../trace/trace.ts';
import type { EventHandle } from './options.ts';
import { sinkEvent } from './waits.ts';

/** The event to explain, as a row of `trace.events`, or why there is none. `asked`: the row that was named, where it stands for another. */
export type FoundEvent =
  | { readonly ok: true; readonly event: number; readonly asked?: number; readonly note?: string }
  | { readonly ok: false; readonly reason: string };

export function findEvent(graph: Graph, handle: EventHandle): FoundEvent {
  return handle.kind === 'position' ? atPosition(graph, handle.position) : withCorrelation(graph, handle.correlation);
}

function atPosition(graph: Graph, position: number): FoundEvent {
  const { events } = graph.trace;
  for (let e = 0; e < events.length; e++) if (events.position[e] === position) return explainable(graph, e);
  const count = graph.trace.eventCount;
  return position < count
    ? no(`e-${position} only names a track, closes a row, or is damaged: there is nothing to explain`)
    : no(`no event e-${position}; positions are 0 to ${count - 1}`);
}

/** Device work first, then calls, then rows that stand for a call. */
function withCorrelation(graph: Graph, correlation: number): FoundEvent {
  const { events, categories } = graph.trace;
  const found: number[] = [];
  for (let e = 0; e < events.length; e++) {
    const { kind } = categories[events.category[e]];
    // Flow arrows carry an id in the same column, which is another thing.
    if (events.phase[e] <= Phase.begin && kind !== RowKind.meta && linkId(events.correlation[e]) === correlation) {
      found.push(e);
    }
  }
  if (found.length === 0) return no(`no event has correlation ${correlation}`);
  const rank = (e: number): number => {
    const { kind } = categories[events.category[e]];
    if (isDeviceWork(kind)) return 0;
    return isCall(kind) ? 1 : 2;
  };
  const [best] = found.sort((a, b) => rank(a) - rank(b) || a - b);
  const same = found.filter((e) => rank(e) === 0).length;
  const answer = explainable(graph, best);
  if (!answer.ok || same < 2) return answer;
  return { ...answer, note: `${same} device ops have correlation ${correlation}: this is the one that began first` };
}

function explainable(graph: Graph, event: number): FoundEvent {
  const { trace, host, device } = graph;
  const { events, categories, strings } = trace;
  if (host.opOfEvent[event] !== -1 || device.opOfEvent[event] !== -1) return { ok: true, event };
  const { kind, name: category } = categories[events.category[event]];
  if (kind === RowKind.sync || kind === RowKind.record) return behindRow(graph, event);
  const handle = `e-${events.position[event]}`;
  if ((events.flags[event] & RowFlag.noTiming) !== 0) return no(`${handle} has no times that can be true`);
  const what = `${handle} (${JSON.stringify(strings.text(events.name[event]))})`;
  if (events.phase[event] >= Phase.flowStart && events.phase[event] <= Phase.flowEnd) {
    return no(`${what} is a flow arrow between other events: nothing waits for it`);
  }
  switch (kind) {
    case RowKind.annotation:
      return no(`${what} is an annotation, which labels host time; critical-path --annotation says what bounds it`);
    case RowKind.python:
      return no(`${what} is a Python frame, which labels host time; name an op inside it`);
    case RowKind.gpuAnnotation:
      return no(`${what} is an annotation shown on a device, which labels ops; name one of them`);
    default:
      return no(`${what} of category ${JSON.stringify(category)} is no work of host or device`);
  }
}

/** A row of a wait stands for what waits; that of a record for its call. */
function behindRow(graph: Graph, row: number): FoundEvent {
  const { trace, sync, host, calls } = graph;
  const correlation = linkId(trace.events.correlation[row]);
  const handle = `e-${trace.events.position[row]}`;
  const sinks = sync.edges.filter((edge) => edge.wait === correlation).map((edge) => sinkEvent(graph, edge));
  const sink = sinks.find((event) => event !== -1);
  if (isWaitRow(trace, row) && sink !== undefined) return { ok: true, event: sink, asked: row };
  const call = calls.find(correlation, trace.events.start[row]);
  if (call === -1) return no(`${handle} is a synchronisation row, and neither its call nor what waits is in the trace`);
  return { ok: true, event: host.event[call], asked: row };
}

const isWaitRow = ({ events, categories }: Trace, row: number): boolean =>
  categories[events.category[row]].kind === RowKind.sync;

const no = (reason: string): FoundEvent => ({ ok: false, reason });
