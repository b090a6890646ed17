import { Api } from './api-names.ts';
import type { Graph } from './graph.ts';
import { callerEdges, findCollectives } from './inferred-c10d.ts';
import { endStartEdges } from './inferred-end-start.ts';
import { InferredLaunches } from './inferred-launches.ts';
import { waitCallEdges } from './inferred-wait-call.ts';
import type { Edge } from './sync-edges.ts';

/**
 * Waits that the trace does not hold but that its gaps show: an op that starts long after its launch and after the op before it has an
 * unseen cause, mostly a wait on another stream. Never called resolved; each edge says what supports it.
 */
export function inferWaits(graph: Graph): Edge[] {
  const launches = new InferredLaunches(graph);
  const collectives = findCollectives(graph);
  const usable = graph.edges.filter(isUsable);
  const callers = callerEdges(graph, collectives, launches, new Set(usable.map((edge) => edge.sinkOp)));
  const waits = waitCallEdges(graph, collectives, launches, {
    waits: new Set(usable.map((edge) => edge.wait)),
    sinks: new Set(callers.map((edge) => edge.sinkOp)),
  });
  const found = new Map<number, Edge>();
  for (const edge of [...callers, ...waits]) {
    const key = edge.sinkOp * graph.device.length + (edge.source?.op ?? 0);
    if (!found.has(key)) found.set(key, edge);
  }
  return [...found.values(), ...(hasWaitCalls(graph) ? [] : endStartEdges(graph))];
}

/** A stream wait whose row says what it waits for, be it nothing. */
const isUsable = ({ kind, status }: Edge): boolean =>
  kind === 'stream-wait' && status !== 'unresolved' && status !== 'future';

function hasWaitCalls({ calls, sync }: Graph): boolean {
  return sync.rowStatus.length > 0 || calls.api.some((api) => (api & Api.streamWait) !== 0);
}
