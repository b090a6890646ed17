import type { Graph } from './graph.ts';
import type { Edge } from './sync-edges.ts';
import type { Source } from './sync-streams.ts';

/** An op that ended this much after its sink began, by the clock, may still be its source. */
export const CLOCK_NS = 1_000;
const UNEXPLAINED_NS = 10_000;
const UNEXPLAINED_FACTOR = 10;
export type InferredRule = 'wait-call' | 'c10d' | 'end-start';

export function inferredEdge(
  graph: Graph,
  rule: InferredRule,
  wait: number,
  source: number,
  sink: number,
  support: string,
): Edge {
  const { device } = graph;
  const from: Source = { op: source, launch: -1, lane: device.lane[source], key: device.key[source], via: -1, rule };
  return {
    kind: 'inferred-wait',
    status: `heuristic:${rule}`,
    fallback: undefined,
    wait,
    record: -1,
    source: from,
    sinkOp: sink,
    sinkCall: -1,
    support,
  };
}

/** The stretch before an op that no known constraint explains, in ns; 0 where its gap is within the unexplained limit. */
export function unexplainedGap(graph: Graph, op: number): number {
  const { binding, moments, lag, typical } = graph;
  const bound = binding[moments.startOfOp(op)];
  if (bound === -1) return 0;
  return lag[bound] > Math.max(UNEXPLAINED_FACTOR * typical[bound], UNEXPLAINED_NS) ? lag[bound] - typical[bound] : 0;
}
