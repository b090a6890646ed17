import { lowerBound, upperBound } from '../base/bisect.ts';
import type { Graph } from './graph.ts';
import { CLOCK_NS, arrivesLast, beganAfter, inferredEdge, unexplainedGap } from './inferred-edge.ts';
import { findSteps } from './steps.ts';
import type { Edge } from './sync-edges.ts';

/** How long before its sink a source may have ended. */
const WINDOW_NS = 10_000;
const FEWEST_STEPS = 3;
const LEAST_SHARE = 0.8;
const CHANCE = 1e-3;

/** The long gaps before ops of one name on one lane. */
interface Sinks {
  readonly ops: number[];
  readonly steps: Set<number>;
}

/**
 * Only where a trace has no wait calls at all: where an op's long gaps end, step after step, just when some op of one other lane ended, and
 * chance would hardly do that, it began when that one ended. It cannot tell a wait from contention.
 */
export function endStartEdges(graph: Graph): Edge[] {
  const { device } = graph;
  const ends = device.lanes.map((lane) => Float64Array.from(lane.ops, (op) => device.end[op]).sort());
  const byEnd = device.lanes.map((lane) => lane.ops.slice().sort((a, b) => device.end[a] - device.end[b] || a - b));
  const edges: Edge[] = [];
  for (const { ops, steps } of longGaps(graph).values()) {
    if (steps.size < FEWEST_STEPS) continue;
    const own = device.lane[ops[0]];
    const candidates: { lane: number; hits: (readonly [source: number, sink: number])[] }[] = [];
    device.lanes.forEach((lane, index) => {
      if (index === own || lane.device !== device.lanes[own].device || lane.ops.length === 0) return;
      const hits = ops.flatMap((sink): [number, number][] => {
        const at = upperBound(ends[index], device.start[sink] + CLOCK_NS) - 1;
        const source = byEnd[index][at];
        if (source === undefined || device.end[source] < device.start[sink] - WINDOW_NS) return [];
        return device.key[source] < device.key[sink] && arrivesLast(graph, source, sink) ? [[source, sink]] : [];
      });
      if (hits.length < LEAST_SHARE * ops.length) return;
      const span = device.end[lane.ops[lane.ops.length - 1]] - device.start[lane.ops[0]];
      const share = Math.min(1, (lane.ops.length * (WINDOW_NS + CLOCK_NS)) / Math.max(span, 1));
      if (binomialTail(ops.length, hits.length, share) < CHANCE) candidates.push({ lane: index, hits });
    });
    if (candidates.length !== 1) continue;
    const [{ hits }] = candidates;
    const often = `so did ${hits.length} of its ${ops.length} late starts in ${steps.size} steps`;
    for (const [source, sink] of hits) {
      const support = `${beganAfter(graph, source, sink)}; ${often}; sharing the device would look the same`;
      edges.push(inferredEdge(graph, 'end-start', -1, source, sink, support));
    }
  }
  return edges;
}

function longGaps(graph: Graph): Map<string, Sinks> {
  const { device, trace } = graph;
  const steps = findSteps(graph);
  const starts = steps.map(({ start }) => start);
  const sinks = new Map<string, Sinks>();
  if (steps.length < FEWEST_STEPS) return sinks;
  for (let op = 0; op < device.length; op++) {
    if (device.call[op] === -1 || unexplainedGap(graph, op) === 0) continue;
    const key = `${device.lane[op]}|${trace.events.name[device.event[op]]}`;
    const group = sinks.get(key) ?? { ops: [], steps: new Set<number>() };
    sinks.set(key, group);
    group.ops.push(op);
    group.steps.add(lowerBound(starts, graph.host.start[device.call[op]]));
  }
  return sinks;
}

/** P(X ≥ hits) for X of n draws with chance p each. */
function binomialTail(n: number, hits: number, p: number): number {
  if (p >= 1) return 1;
  let tail = 0;
  for (let k = hits; k <= n; k++) tail += Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
  return tail;
}

function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log(n - k + i) - Math.log(i);
  return sum;
}
