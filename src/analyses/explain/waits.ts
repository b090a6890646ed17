import { kindCode } from '../../graph/constraints.ts';
import { momentOfSource, momentsOfSink } from '../../graph/dependencies.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Edge } from '../../graph/sync-edges.ts';
import type { Places } from './places.ts';
import type { CallEdge, Guess, WaitDetail } from './result.ts';

/** The edge behind a constraint, if a wait made it; one that the trace says before one that a rule found. */
export function edgeBehind(graph: Graph, constraint: number): Edge | undefined {
  const { constraints, moments } = graph;
  const from = constraints.from[constraint];
  const behind = edgesInto(graph, constraints.to[constraint]).filter(
    ({ kind, source }) =>
      kindCode(kind) === constraints.kind[constraint] &&
      source !== undefined &&
      momentOfSource(moments, source) === from,
  );
  return behind.find(({ status }) => status === 'resolved') ?? behind[0];
}

/** Every wait whose sink is this moment, whether it came to anything or not. O(edges). */
export function edgesInto({ edges, moments, device, graphLaunches }: Graph, moment: number): Edge[] {
  if (moments.isHost(moment)) {
    const call = moments.hostOp(moment);
    return moments.isStart(moment) ? [] : edges.filter(({ sinkCall }) => sinkCall === call);
  }
  if (!moments.isStart(moment)) return [];
  const op = moments.deviceOp(moment);
  const launch = graphLaunches.of[op];
  return edges.filter((edge) => {
    if (edge.sinkOp === -1 || edge.sinkCall !== -1) return false;
    if (edge.sinkOp !== op && (launch === -1 || graphLaunches.of[edge.sinkOp] !== launch)) return false;
    return momentsOfSink(device, graphLaunches, moments, edge).includes(moment);
  });
}

export function guessOf(edge: Edge | undefined): Guess {
  if (edge === undefined || !edge.status.startsWith('heuristic:')) return {};
  return { rule: edge.status, ...(edge.support === undefined ? {} : { support: edge.support }) };
}

/** A record's own correlation, stream and event, and the calls that made and awaited it. */
export function detailOf(graph: Graph, places: Places, edge: Edge): WaitDetail {
  const { sync, calls, host, time, moments } = graph;
  const at = edge.sinkCall === -1 ? Infinity : time[2 * edge.sinkCall];
  const call = edge.sinkCall !== -1 ? edge.sinkCall : calls.find(edge.wait, sinkTime(edge, time, moments, at));
  const record = edge.record > 0 ? sync.records.find(({ correlation }) => correlation === edge.record) : undefined;
  const via = edge.source?.via ?? -1;
  return {
    ...(edge.wait > 0 ? { wait: edge.wait } : {}),
    ...(call === -1 ? {} : { waitCall: places.refer(host.event[call]) }),
    ...(edge.record > 0 ? { record: edge.record } : {}),
    ...(record === undefined || record.call === -1 ? {} : { recordCall: places.refer(host.event[record.call]) }),
    ...(record !== undefined && record.stream >= 0 ? { recordedOn: `s-${record.device}.${record.stream}` } : {}),
    ...(record !== undefined && record.eventId >= 0 ? { cudaEventId: record.eventId } : {}),
    ...(via > 0 && via !== edge.record ? { via } : {}),
    ...(edge.fallback === undefined ? {} : { fallback: edge.fallback }),
  };
}

function sinkTime({ sinkOp }: Edge, time: Graph['time'], moments: Graph['moments'], otherwise: number): number {
  return sinkOp === -1 ? otherwise : time[moments.startOfOp(sinkOp)];
}

/** What a call that waits or records stands for; empty for all other calls. */
export function edgesOfCall(graph: Graph, places: Places, correlation: number): CallEdge[] {
  if (correlation <= 0) return [];
  const found = graph.edges.filter((edge) => edge.wait === correlation || edge.record === correlation);
  return found.map((edge) => {
    const sink = sinkEvent(graph, edge);
    return {
      role: edge.wait === correlation ? 'wait' : 'record',
      status: edge.status,
      binds: binds(graph, edge),
      wait: detailOf(graph, places, edge),
      ...(edge.source === undefined ? {} : { source: places.refer(graph.device.event[edge.source.op]) }),
      ...(sink === -1 ? {} : { sink: places.refer(sink) }),
      ...guessOf(edge),
    };
  });
}

/** The event that an edge holds, or −1. */
export function sinkEvent({ host, device }: Graph, { sinkOp, sinkCall }: Edge): number {
  if (sinkOp !== -1) return device.event[sinkOp];
  return sinkCall === -1 ? -1 : host.event[sinkCall];
}

function binds(graph: Graph, edge: Edge): boolean {
  const { moments, binding, constraints, device, graphLaunches } = graph;
  if (edge.source === undefined) return false;
  const from = momentOfSource(moments, edge.source);
  return momentsOfSink(device, graphLaunches, moments, edge).some((to) => {
    const bound = binding[to];
    return bound !== -1 && constraints.from[bound] === from && constraints.kind[bound] === kindCode(edge.kind);
  });
}
