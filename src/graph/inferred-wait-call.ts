import { lowerBound, lowerBoundBy } from '../base/bisect.ts';
import { Api } from './api-names.ts';
import { linkId } from './calls.ts';
import type { Graph } from './graph.ts';
import type { Collectives } from './inferred-c10d.ts';
import {
  CLOCK_NS,
  LATEST_COLLECTIVE_NS,
  LATEST_NS,
  arrivesLast,
  beganAfter,
  inferredEdge,
  unexplainedGap,
} from './inferred-edge.ts';
import type { InferredLaunches } from './inferred-launches.ts';
import { DEFAULT_NS } from './lags.ts';
import type { Edge } from './sync-edges.ts';

/** How many ops of a lane are looked at behind the last that began in time: ends rise with starts, but for overlaps. */
const LOOK_BACK = 16;
/** From so many sure cases on, the usual delay of a wait is theirs. */
const FEWEST_DELAYS = 5;
/**
 * Of several sources the one is taken whose delay is most usual; one that is not on the stream that the thread launched into last, or is
 * on another device, must be better by this much.
 */
const UNLIKELY_NS = 500;

/** What needs no guess: waits by their correlation, and ops that are known to have waited. */
interface Known {
  readonly waits: ReadonlySet<number>;
  readonly sinks: ReadonlySet<number>;
}

/** A wait without a usable row: the call, what is before it, and what it may be. */
interface UnknownWait {
  readonly call: number;
  readonly key: number;
  /** The record call directly before it on its thread, or −1. */
  readonly record: number;
  /** PyTorch's wait for a collective: not on a collective's stream itself, but for one. */
  readonly isCollectiveWait: boolean;
}

interface Guess {
  readonly wait: UnknownWait;
  readonly sink: number;
  /** By lane the op that ended last before the sink began; only those that pass the guards, and one at least. */
  readonly sources: readonly number[];
  /** The lane, other than the sink's, that the thread launched into last; −1 without any. */
  readonly lastLane: number;
  /** The sources are those of `lastLane`, because a record stands directly before the wait. */
  readonly isRecorded: boolean;
}

/**
 * A `*StreamWaitEvent` call without a usable row. Its sink is the next op on the lane that its thread launches into next, or else that
 * any thread does; its source an op of another lane that ended just before the sink began. Only where that arrives last and explains a
 * gap that nothing else does.
 */
export function waitCallEdges(
  graph: Graph,
  collectives: Collectives,
  launches: InferredLaunches,
  known: Known,
): Edge[] {
  const guesses: Guess[] = [];
  for (const wait of unknownWaits(graph, collectives, known)) {
    const { host } = graph;
    const passes = (lane: number): boolean => !wait.isCollectiveWait || !collectives.lanes.has(lane);
    const own = launches.next(host.thread[wait.call], host.end[wait.call], passes);
    const any = launches.nextOfAny(wait.key, passes);
    for (const next of own === any ? [own] : [own, any]) {
      const guess = next === -1 ? undefined : guessAt(graph, collectives, launches, known, wait, next);
      if (guess === undefined) continue;
      guesses.push(guess);
      break;
    }
  }
  const usual = usualDelay(graph, guesses);
  return guesses.map((guess) => edgeOf(graph, guess, usual));
}

function* unknownWaits(graph: Graph, { around, lastLaunch, lanes }: Collectives, known: Known): Generator<UnknownWait> {
  const { host, calls, sync } = graph;
  for (const { ops } of host.threads) {
    let before = -1;
    for (let i = 0; i < ops.length; i++) {
      const call = ops[i];
      const key = calls.key[call];
      if (Number.isNaN(key)) continue;
      const previous = before;
      before = call;
      if ((calls.api[call] & Api.streamWait) === 0 || known.waits.has(idOf(graph, call))) continue;
      const isRecorded = previous !== -1 && (calls.api[previous] & Api.record) !== 0 && sync.syncRows === 0;
      // Before its launch, a collective's stream waits for the caller's; behind it, or in a `wait` of its own, the caller's for it.
      const launched = lastLaunch.get(around[call]) ?? -Infinity;
      const isCollectiveWait = lanes.size > 0 && around[call] !== -1 && launched < host.start[call];
      yield { call, key, record: isRecorded ? previous : -1, isCollectiveWait };
    }
  }
}

const idOf = ({ trace, host }: Graph, call: number): number => linkId(trace.events.correlation[host.event[call]]);

/** What the wait would be if it were on the lane of `next`; undefined where that explains nothing. */
function guessAt(
  graph: Graph,
  { lanes }: Collectives,
  launches: InferredLaunches,
  known: Known,
  wait: UnknownWait,
  next: number,
): Guess | undefined {
  const { device, host } = graph;
  const { call, key, record, isCollectiveWait } = wait;
  const sinkLane = device.lane[next];
  const { firstFrom, keys } = device.lanes[sinkLane];
  const sink = firstFrom[lowerBound(keys, key)];
  if (sink === undefined || known.sinks.has(sink) || unexplainedGap(graph, sink) === 0) return undefined;
  const latestNs = isCollectiveWait ? LATEST_COLLECTIVE_NS : LATEST_NS;
  const began = host.start[record === -1 ? call : record];
  const last = launches.last(host.thread[call], began, (lane) => lane !== sinkLane);
  const lastLane = last === -1 ? -1 : device.lane[last];
  if (record !== -1 && lastLane !== -1) {
    const sources = sourcesOn(graph, [lastLane], key, sink, latestNs);
    if (sources.length > 0) return { wait, sink, sources, lastLane, isRecorded: true };
  }
  const others = [...device.lanes.keys()].filter((lane) => lane !== sinkLane && (!isCollectiveWait || lanes.has(lane)));
  const sources = sourcesOn(graph, others, key, sink, latestNs);
  return sources.length === 0 ? undefined : { wait, sink, sources, lastLane, isRecorded: false };
}

/** By lane, of the ops enqueued before `key` that had ended when the sink began, the last to end; those that pass the guards. */
function sourcesOn(graph: Graph, lanes: readonly number[], key: number, sink: number, latestNs: number): number[] {
  const { device } = graph;
  const limit = device.start[sink] + CLOCK_NS;
  return lanes.flatMap((lane) => {
    const source = lastToEndBy(graph, lane, key, limit);
    const passes =
      source !== -1 && device.end[source] >= device.start[sink] - latestNs && arrivesLast(graph, source, sink);
    return passes ? [source] : [];
  });
}

/** Of the ops on a lane that were enqueued before `key` and ended by `limit`, the one that ended last; −1 without any. */
function lastToEndBy({ device }: Graph, lane: number, key: number, limit: number): number {
  let best = -1;
  const { ops } = device.lanes[lane];
  let at = lowerBoundBy(ops, device.start, limit + 1) - 1;
  for (let looked = 0; at >= 0 && looked < LOOK_BACK; at--) {
    const op = ops[at];
    if (!(device.key[op] < key) || device.end[op] > limit) continue;
    if (best === -1 || device.end[op] > device.end[best]) best = op;
    looked++;
  }
  return best;
}

const delayOf = ({ device }: Graph, source: number, sink: number): number => device.start[sink] - device.end[source];

/** Of guesses with one source only, how long after it the sink began: their median, where there are enough. */
function usualDelay(graph: Graph, guesses: readonly Guess[]): number {
  const delays = guesses.flatMap(({ sink, sources }) =>
    sources.length === 1 ? [delayOf(graph, sources[0], sink)] : [],
  );
  if (delays.length < FEWEST_DELAYS) return DEFAULT_NS;
  return delays.sort((a, b) => a - b)[delays.length >> 1];
}

function edgeOf(graph: Graph, { wait, sink, sources, lastLane, isRecorded }: Guess, usual: number): Edge {
  const { device, trace, host } = graph;
  const deviceOf = (op: number): number => device.lanes[device.lane[op]].device;
  const oddity = (source: number): number =>
    Math.abs(delayOf(graph, source, sink) - usual) +
    (device.lane[source] === lastLane ? 0 : UNLIKELY_NS) +
    (deviceOf(source) === deviceOf(sink) ? 0 : UNLIKELY_NS);
  const source = sources.reduce((best, other) => (oddity(other) < oddity(best) ? other : best));
  const id = idOf(graph, wait.call);
  const nameOf = (call: number): string =>
    `call ${idOf(graph, call)} of ${trace.strings.text(trace.events.name[host.event[call]])}`;
  const others = sources.filter((other) => other !== source).map((other) => device.lanes[device.lane[other]].name);
  const support = [
    `${wait.isCollectiveWait ? "a collective's wait, " : ''}${nameOf(wait.call)}`,
    ...(isRecorded ? [`directly behind ${nameOf(wait.record)}, whose thread had launched into that stream last`] : []),
    beganAfter(graph, source, sink),
    ...(others.length === 0 ? [] : [`less likely an op of ${others.join(', ')}, which ended then, too`]),
  ].join('; ');
  return inferredEdge(graph, wait.isCollectiveWait ? 'c10d' : 'wait-call', id, source, sink, support);
}
