import type { Graph } from './graph.ts';
import type { Edge } from './sync-edges.ts';
import type { Source } from './sync-streams.ts';
import { unexplainedPart } from './unexplained.ts';

/** An op that ended this much after its sink began, by the clock, may still be its source. */
export const CLOCK_NS = 1_000;
/**
 * How long before its sink a source may have ended. A wait that was over sooner is not what the gap was spent on: it would lead the path
 * to an op that held nothing up, and leave the gap as unexplained as before.
 */
export const LATEST_NS = 15_000;

/** That a collective's wait is for a collective is certain, so it may also have been over for a while; the rest of the gap stays unexplained. */
export const LATEST_COLLECTIVE_NS = 1_000_000;

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

/** The stretch before an op that no known constraint explains, in ns. */
export function unexplainedGap(graph: Graph, op: number): number {
  const start = graph.moments.startOfOp(op);
  const bound = graph.binding[start];
  return bound === -1 ? 0 : unexplainedPart(graph, bound, start);
}

/** Does `source` arrive after every known constraint of `sink`? Inferred waits have the default lag of a stream's order. */
export function arrivesLast(
  { constraints, moments, time, typical, device }: Graph,
  source: number,
  sink: number,
): boolean {
  const moment = moments.startOfOp(sink);
  for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
    if (time[constraints.from[c]] + typical[c] >= device.end[source]) return false;
  }
  return true;
}

/** How the two moments of an edge lie to each other, for its support. */
export function beganAfter({ device }: Graph, source: number, sink: number): string {
  const late = device.start[sink] - device.end[source];
  return late >= 0
    ? `it began ${late} ns after that ended`
    : `it began when that ended (${-late} ns before, by the clock)`;
}
