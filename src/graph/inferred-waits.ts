import { lowerBound, lowerBoundBy } from '../base/bisect.ts';
import { Api } from './api-names.ts';
import { linkId } from './calls.ts';
import type { Graph } from './graph.ts';
import { CLOCK_NS, LATEST_NS, inferredEdge, unexplainedGap } from './inferred-edge.ts';
import { endStartEdges } from './inferred-end-start.ts';
import type { Edge } from './sync-edges.ts';

/** How many ops of a lane are looked at behind the last that began in time: ends rise with starts, but for overlaps. */
const LOOK_BACK = 16;

/**
 * Waits that the trace does not hold but that its gaps show: an op that starts long after its launch and after the op before it has an
 * unseen cause, mostly a wait on another stream. Never called resolved; each edge says what supports it.
 */
export function inferWaits(graph: Graph): Edge[] {
  const lanesOfThread = new ThreadLanes(graph);
  const collectives = collectiveOps(graph);
  const found = new Map<number, Edge>();
  for (const edge of [
    ...callerEdges(graph, collectives, lanesOfThread),
    ...waitCallEdges(graph, collectives, lanesOfThread),
  ]) {
    const key = edge.sinkOp * graph.device.length + (edge.source?.op ?? 0);
    if (!found.has(key)) found.set(key, edge);
  }
  const waits = hasWaitCalls(graph) ? [] : endStartEdges(graph);
  return [...found.values(), ...waits];
}

function hasWaitCalls({ calls, sync }: Graph): boolean {
  return sync.rowStatus.length > 0 || calls.api.some((api) => (api & Api.streamWait) !== 0);
}

/** Does `source` arrive after every known constraint of `sink`? Inferred waits have the default lag of a stream's order. */
function arrivesLast({ constraints, moments, time, typical, device }: Graph, source: number, sink: number): boolean {
  const moment = moments.startOfOp(sink);
  for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
    if (time[constraints.from[c]] + typical[c] >= device.end[source]) return false;
  }
  return true;
}

/** Ops launched inside a `record_param_comms` row, and the lanes that such rows launch into. */
interface Collectives {
  /** By host op: the `record_param_comms` around it, or −1. */
  readonly around: Int32Array;
  readonly lanes: ReadonlySet<number>;
}

function collectiveOps({ trace, host, launches, device, classOf }: Graph): Collectives {
  const { events, strings } = trace;
  const name = strings.find('record_param_comms');
  const around = new Int32Array(host.length).fill(-1);
  const lanes = new Set<number>();
  if (name === undefined) return { around, lanes };
  for (let op = 0; op < host.length; op++) {
    if (events.name[host.event[op]] === name) around[op] = op;
    else if (host.parent[op] !== -1) around[op] = around[host.parent[op]];
    if (around[op] === -1) continue;
    for (let i = launches.first[op]; i < launches.first[op + 1]; i++) {
      if (classOf[launches.ops[i]] === 'collective') lanes.add(device.lane[launches.ops[i]]);
    }
  }
  return { around, lanes };
}

/** Which lane each thread launched into last, and next, around any instant. */
class ThreadLanes {
  readonly #launchesOf: { starts: number[]; ops: number[] }[];

  constructor({ host, launches }: Graph) {
    this.#launchesOf = host.threads.map(({ ops }) => {
      const starts: number[] = [];
      const first: number[] = [];
      for (const op of ops) {
        if (launches.first[op] === launches.first[op + 1]) continue;
        starts.push(host.start[op]);
        first.push(launches.ops[launches.first[op]]);
      }
      return { starts, ops: first };
    });
  }

  /** The first device op of the thread's next launch at or after `time`, or −1. */
  next(thread: number, time: number): number {
    const { starts, ops } = this.#launchesOf[thread];
    return ops[lowerBound(starts, time)] ?? -1;
  }

  /** The first device op of the thread's last launch before `time` that passes, or −1. */
  last(thread: number, time: number, passes: (op: number) => boolean): number {
    const { starts, ops } = this.#launchesOf[thread];
    for (let i = lowerBound(starts, time) - 1; i >= 0; i--) if (passes(ops[i])) return ops[i];
    return -1;
  }
}

/** The last op enqueued on a lane before a key, or −1. */
function lastEnqueued({ device }: Graph, lane: number, key: number): number {
  const { keys, lastUpTo } = device.lanes[lane];
  const at = lowerBound(keys, key) - 1;
  return at === -1 ? -1 : lastUpTo[at];
}

/** Stream waits whose row says what they wait for, be it nothing. */
const usableWaits = ({ edges }: Graph): Edge[] =>
  edges.filter((edge) => edge.kind === 'stream-wait' && edge.status !== 'unresolved' && edge.status !== 'future');

/** PyTorch's collectives: before the call, the communication stream waits for the stream of the caller. */
function callerEdges(graph: Graph, { around, lanes }: Collectives, threads: ThreadLanes): Edge[] {
  const { host, launches, device, classOf } = graph;
  const edges: Edge[] = [];
  // Where a row says what a collective waited for, nothing needs to be inferred.
  const known = new Set(usableWaits(graph).map((edge) => edge.sinkOp));
  const done = new Set<number>();
  for (let call = 0; call < host.length; call++) {
    const record = around[call];
    if (record === -1 || done.has(record)) continue;
    for (let i = launches.first[call]; i < launches.first[call + 1] && !done.has(record); i++) {
      const sink = launches.ops[i];
      if (classOf[sink] !== 'collective') continue;
      done.add(record);
      if (known.has(sink)) continue;
      const caller = threads.last(host.thread[call], host.start[record], (op) => !lanes.has(device.lane[op]));
      if (caller === -1 || device.lanes[device.lane[caller]].device !== device.lanes[device.lane[sink]].device) {
        continue;
      }
      const source = lastEnqueued(graph, device.lane[caller], device.key[sink]);
      if (source === -1 || device.end[source] > device.start[sink] + CLOCK_NS) continue;
      const support = `record_param_comms e-${positionOf(graph, record)} was called behind stream ${laneName(graph, source)}`;
      edges.push(inferredEdge(graph, 'c10d', -1, source, sink, support));
    }
  }
  return edges;
}

const positionOf = ({ trace, host }: Graph, op: number): number => trace.events.position[host.event[op]];
const laneName = ({ device }: Graph, op: number): string => device.lanes[device.lane[op]].name;

/**
 * A `*StreamWaitEvent` call without a usable row. Its sink is the next op on the lane that its thread launches into next; its source
 * the op of another lane that ended last before the sink began. Only where that arrives last and explains a gap that nothing else does.
 */
function waitCallEdges(graph: Graph, { around, lanes }: Collectives, threads: ThreadLanes): Edge[] {
  const { host, calls, device, sync, trace } = graph;
  const usable = new Set(usableWaits(graph).map((edge) => edge.wait));
  const edges: Edge[] = [];
  for (const { ops } of host.threads) {
    let before = -1;
    for (const call of ops) {
      if (Number.isNaN(calls.key[call])) continue;
      const previous = before;
      before = call;
      if ((calls.api[call] & Api.streamWait) === 0) continue;
      const wait = linkId(trace.events.correlation[host.event[call]]);
      if (usable.has(wait)) continue;
      const next = threads.next(host.thread[call], host.end[call]);
      if (next === -1) continue;
      const sinkLane = device.lane[next];
      const sink = device.lanes[sinkLane].firstFrom[lowerBound(device.lanes[sinkLane].keys, calls.key[call])];
      if (sink === undefined || unexplainedGap(graph, sink) === 0) continue;
      const isCollective = around[call] !== -1 && lanes.size > 0 && !lanes.has(sinkLane);
      const recorded = previous !== -1 && (calls.api[previous] & Api.record) !== 0 && sync.syncRows === 0;
      const recordLane = recorded
        ? threads.last(host.thread[call], host.start[previous], (op) => device.lane[op] !== sinkLane)
        : -1;
      const from = candidateLanes(graph, sinkLane, isCollective ? lanes : undefined, recordLane);
      const source = lastToEndBy(graph, from, calls.key[call], device.start[sink] + CLOCK_NS);
      if (source === -1 || device.end[source] < device.start[sink] - LATEST_NS || !arrivesLast(graph, source, sink)) {
        continue;
      }
      const late = Math.max(0, device.start[sink] - device.end[source]);
      const support = `call ${wait} of ${trace.strings.text(trace.events.name[host.event[call]])}; the sink began ${late} ns after the source ended`;
      edges.push(inferredEdge(graph, isCollective ? 'c10d' : 'wait-call', wait, source, sink, support));
    }
  }
  return edges;
}

function candidateLanes(
  { device }: Graph,
  sinkLane: number,
  collectives: ReadonlySet<number> | undefined,
  recorded: number,
): number[] {
  if (recorded !== -1 && device.lane[recorded] !== sinkLane) return [device.lane[recorded]];
  const own = device.lanes[sinkLane].device;
  const others: number[] = [];
  device.lanes.forEach((lane, index) => {
    if (index !== sinkLane && lane.device === own && (collectives === undefined || collectives.has(index))) {
      others.push(index);
    }
  });
  return others;
}

/** Of the ops on `lanes` that were enqueued before `key` and ended by `limit`, the one that ended last; −1 without any. */
function lastToEndBy({ device }: Graph, lanes: readonly number[], key: number, limit: number): number {
  let best = -1;
  for (const lane of lanes) {
    const { ops } = device.lanes[lane];
    let at = lowerBoundBy(ops, device.start, limit + 1) - 1;
    for (let looked = 0; at >= 0 && looked < LOOK_BACK; at--) {
      const op = ops[at];
      if (!(device.key[op] < key) || device.end[op] > limit) continue;
      if (best === -1 || device.end[op] > device.end[best]) best = op;
      looked++;
    }
  }
  return best;
}
