import { OWN } from '../../graph/constraint-set.ts';
import { CONSTRAINT_KINDS, type ConstraintKind } from '../../graph/constraints.ts';
import type { Graph } from '../../graph/graph.ts';
import type { UnexplainedCause } from '../../graph/segments.ts';
import { causeOf, unexplainedPart } from '../../graph/unexplained.ts';
import type { Places } from './places.ts';
import type { Chain, ChainEnd, ChainLink } from './result.ts';
import { describeRun } from './run.ts';
import { detailOf, edgeBehind, guessOf } from './waits.ts';

/** What a walk needs beside the graph. */
export interface ChainContext {
  readonly graph: Graph;
  readonly places: Places;
  /** Where the story begins: no further back is looked. */
  readonly since: { readonly time: number; readonly label: string };
}

/** As for the path: far beyond the typical is what no constraint explains. */
/** Unexplained time from which on a link is told by itself. */
const HOLE_NS = 100_000;
/** Kinds of which many follow each other and only the sum tells something. */
const BORING: ReadonlySet<ConstraintKind> = new Set(['host-order', 'stream-order', 'graph']);

/**
 * From a moment back through what bound it. The first link stands alone; after it, links of one boring kind in a row are one. At most
 * `limit` links. Behind a late launch it stops where the host was in time: before that the op had to wait for
 * something else anyway. O(moments on the way).
 */
export function walkChain(context: ChainContext, moment: number, limit: number): Chain {
  const { graph, since } = context;
  const { binding, constraints, time, moments } = graph;
  const links: ChainLink[] = [];
  /** When all but the launch would have let the launched op begin. */
  let ready = -Infinity;
  for (let at = cause(graph, moment); ;) {
    const bound = binding[at];
    if (bound === -1) return { links, end: endAt(graph, at) };
    if (links.length > 0 && time[at] <= since.time) return { links, end: { kind: 'window-start', label: since.label } };
    if (links.length > 0 && moments.isHost(at) && time[at] <= ready) return { links, end: { kind: 'in-time' } };
    if (links.length >= limit) return { links, end: { kind: 'limit' } };
    const run = links.length === 0 ? [bound] : runFrom(graph, bound, Math.max(since.time, ready));
    const link = linkOf(context, at, run);
    links.push(link);
    if (link.boundBy === 'launch') ready = link.heldNs === undefined ? -Infinity : time[at] - link.heldNs;
    else if (!moments.isHost(at)) ready = -Infinity;
    at = cause(graph, constraints.from[run[run.length - 1]]);
  }
}

/** The moment whose constraint comes next: a device op's end stands for its start, the end of a graph launch for its last node's. */
function cause({ binding, constraints, moments }: Graph, moment: number): number {
  let at = moment;
  while (binding[at] !== -1 && (moments.isJoin(at) || constraints.kind[binding[at]] === OWN)) {
    at = constraints.from[binding[at]];
  }
  return at;
}

/** The constraints that one link tells: those of one boring kind in a row, each on the source of the one before. */
function runFrom(graph: Graph, bound: number, since: number): number[] {
  const { binding, constraints, time } = graph;
  const run = [bound];
  const kind = constraints.kind[bound];
  if (!isBoring(graph, bound)) return run;
  for (let last = bound; ;) {
    const at = cause(graph, constraints.from[last]);
    const next = binding[at];
    if (next === -1 || constraints.kind[next] !== kind || time[at] <= since || !isBoring(graph, next)) return run;
    run.push(next);
    last = next;
  }
}

const isBoring = (graph: Graph, constraint: number): boolean =>
  BORING.has(kindOf(graph, constraint)) && (unexplainedOf(graph, constraint)?.unexplainedNs ?? 0) < HOLE_NS;

export const kindOf = ({ constraints }: Graph, constraint: number): ConstraintKind =>
  CONSTRAINT_KINDS[constraints.kind[constraint]];

function linkOf({ graph, places }: ChainContext, at: number, run: readonly number[]): ChainLink {
  const { constraints, time, typical, ambiguous, moments, device } = graph;
  const [bound] = run;
  const source = constraints.from[run[run.length - 1]];
  const isRun = run.length > 1;
  const edge = isRun ? undefined : edgeBehind(graph, bound);
  const kind = kindOf(graph, bound);
  // A call that took its own time was not held up.
  const isOwn = kind === 'host-order' && !moments.isStart(at);
  const held = isRun || isOwn ? undefined : heldBy(graph, at, bound);
  const isEnded = !moments.isHost(source) && !moments.isStart(source);
  const op = isEnded ? moments.deviceOp(source) : -1;
  const unexplained = isRun ? unexplainedIn(graph, run) : unexplainedOf(graph, bound);
  return {
    event: places.placed(places.eventOfMoment(at)),
    moment: places.momentName(at),
    atNs: time[at],
    boundBy: kind,
    source: places.placed(places.eventOfMoment(source)),
    sourceMoment: places.momentName(source),
    sourceNs: time[source],
    ...(op === -1 ? {} : { sourceRanNs: device.end[op] - device.start[op] }),
    lagNs: time[at] - time[source],
    ...(isRun || kind === 'host-order' || kind === 'thread' ? {} : { typicalNs: typical[bound] }),
    ...(held === undefined ? {} : { heldNs: held }),
    ...unexplained,
    ...(ambiguous[at] === 1 && !isRun ? { ambiguous: true as const } : {}),
    ...(edge === undefined ? ruleOf(graph, bound) : guessOf(edge)),
    ...(edge === undefined ? {} : { wait: detailOf(graph, places, edge) }),
    ...(isRun ? { run: describeRun(graph, places, run) } : {}),
  };
}

/** The order of a graph launch's nodes is not in the trace. */
export function ruleOf(graph: Graph, constraint: number): { readonly rule?: string } {
  const { constraints, moments, graphLaunches } = graph;
  const to = constraints.to[constraint];
  if (kindOf(graph, constraint) !== 'graph' || moments.isHost(to) || moments.isJoin(to)) return {};
  return graphLaunches.follows[moments.deviceOp(to)] === -1 ? {} : { rule: 'heuristic:graph-order' };
}

/** How much earlier the moment would have come without this constraint; `undefined` where there is no other. */
function heldBy({ constraints, time, lag }: Graph, moment: number, bound: number): number | undefined {
  const { first, from } = constraints;
  if (first[moment + 1] - first[moment] < 2) return undefined;
  let arrival = -Infinity;
  for (let c = first[moment]; c < first[moment + 1]; c++) {
    if (c !== bound) arrival = Math.max(arrival, time[from[c]] + lag[c]);
  }
  return Math.max(0, time[moment] - arrival);
}

/** The part of a lag on the device that is far beyond the typical, by the rules of the path. */
function unexplainedOf(
  graph: Graph,
  constraint: number,
): { readonly unexplainedNs: number; readonly cause: UnexplainedCause } | undefined {
  const { constraints, moments, time } = graph;
  const at = constraints.to[constraint];
  const kind = kindOf(graph, constraint);
  if (moments.isHost(at) || kind === 'overlap') return undefined;
  const unexplainedNs = unexplainedPart(graph, constraint, at);
  if (unexplainedNs === 0) return undefined;
  const from = time[at] - unexplainedNs;
  return { unexplainedNs, cause: causeOf(graph, moments.deviceOp(at), from, time[at]) };
}

/** All of a run; its parts have many causes. */
function unexplainedIn(graph: Graph, run: readonly number[]): { readonly unexplainedNs?: number } {
  let unexplainedNs = 0;
  for (const constraint of run) unexplainedNs += unexplainedOf(graph, constraint)?.unexplainedNs ?? 0;
  return unexplainedNs === 0 ? {} : { unexplainedNs };
}

function endAt(graph: Graph, moment: number): ChainEnd {
  const { moments } = graph;
  if (moments.isHost(moment)) return { kind: 'thread-start' };
  const why = causeOf(graph, moments.deviceOp(moment), 0, 0);
  return { kind: why === 'before-capture' ? why : 'no-launch' };
}
