import { lowerBound } from '../base/bisect.ts';
import type { Graph } from './graph.ts';
import { CLOCK_NS, inferredEdge } from './inferred-edge.ts';
import type { InferredLaunches } from './inferred-launches.ts';
import type { Edge } from './sync-edges.ts';

/** Ops inside a `record_param_comms` row, and the lanes that such rows launch collectives into. */
export interface Collectives {
  /** By host op: the `record_param_comms` around it, or −1. */
  readonly around: Int32Array;
  /** By host op that is such a row: when the last launch in it began; absent where it launches nothing, as PyTorch's `wait`. */
  readonly lastLaunch: ReadonlyMap<number, number>;
  readonly lanes: ReadonlySet<number>;
}

export function findCollectives({ trace, host, launches, device, classOf }: Graph): Collectives {
  const { events, strings } = trace;
  const name = strings.find('record_param_comms');
  const around = new Int32Array(host.length).fill(-1);
  const lastLaunch = new Map<number, number>();
  const lanes = new Set<number>();
  if (name === undefined) return { around, lastLaunch, lanes };
  for (let op = 0; op < host.length; op++) {
    if (events.name[host.event[op]] === name) around[op] = op;
    else if (host.parent[op] !== -1) around[op] = around[host.parent[op]];
    if (around[op] === -1) continue;
    for (let i = launches.first[op]; i < launches.first[op + 1]; i++) {
      lastLaunch.set(around[op], host.start[op]);
      if (classOf[launches.ops[i]] === 'collective') lanes.add(device.lane[launches.ops[i]]);
    }
  }
  return { around, lastLaunch, lanes };
}

/**
 * PyTorch's collectives: before the call, the communication stream waits for the stream of the caller. `known`: ops of which a row says
 * what they waited for; there nothing needs to be inferred.
 */
export function callerEdges(
  graph: Graph,
  { around, lanes }: Collectives,
  launched: InferredLaunches,
  known: ReadonlySet<number>,
): Edge[] {
  const { host, launches, device, classOf } = graph;
  const edges: Edge[] = [];
  const done = new Set<number>();
  for (let call = 0; call < host.length; call++) {
    const record = around[call];
    if (record === -1 || done.has(record)) continue;
    for (let i = launches.first[call]; i < launches.first[call + 1] && !done.has(record); i++) {
      const sink = launches.ops[i];
      if (classOf[sink] !== 'collective') continue;
      done.add(record);
      if (known.has(sink)) continue;
      const caller = launched.last(host.thread[call], host.start[record], (lane) => !lanes.has(lane));
      if (caller === -1 || device.lanes[device.lane[caller]].device !== device.lanes[device.lane[sink]].device) {
        continue;
      }
      const source = lastEnqueued(graph, device.lane[caller], device.key[sink]);
      if (source === -1 || device.end[source] > device.start[sink] + CLOCK_NS) continue;
      const support = `record_param_comms e-${positionOf(graph, record)} makes it wait for its caller, whose thread launched into ${laneName(graph, source)} last`;
      edges.push(inferredEdge(graph, 'c10d', -1, source, sink, support));
    }
  }
  return edges;
}

/** The last op enqueued on a lane before a key, or −1. */
function lastEnqueued({ device }: Graph, lane: number, key: number): number {
  const { keys, lastUpTo } = device.lanes[lane];
  const at = lowerBound(keys, key) - 1;
  return at === -1 ? -1 : lastUpTo[at];
}

const positionOf = ({ trace, host }: Graph, op: number): number => trace.events.position[host.event[op]];
const laneName = ({ device }: Graph, op: number): string => device.lanes[device.lane[op]].name;
