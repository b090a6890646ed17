import type { Trace } from '../trace/trace.ts';
import { Api } from './api-names.ts';
import { breakCycles } from './acyclic.ts';
import { type Binding, bind } from './binding.ts';
import { type CallIndex, buildCalls } from './calls.ts';
import { type DeviceClass, classifyDeviceOps } from './classify.ts';
import { type ConstraintSet, insertConstraints } from './constraint-set.ts';
import { coverageOf } from './count-coverage.ts';
import type { Coverage } from './coverage.ts';
import { type Dependencies, addDependencies, constraintsOf } from './dependencies.ts';
import { type DeviceIndex, buildDevice } from './device.ts';
import { type GraphLaunches, buildGraphLaunches } from './graph-launch.ts';
import type { GraphOptions } from './graph-options.ts';
import { type HostIndex, buildHost, endOf } from './host.ts';
import { inferWaits } from './inferred-waits.ts';
import { DEFAULT_NS, typicalLags } from './lags.ts';
import { type LaunchIndex, buildLaunches } from './launches.ts';
import { legacyStreamEdges } from './legacy-stream.ts';
import { Moments } from './moments.ts';
import { topologicalOrder } from './replay.ts';
import { type Edge, type SyncIndex, buildSync } from './sync-edges.ts';
import { buildHostWaits } from './sync-host.ts';
import { type Workers, buildWorkers } from './workers.ts';

/** What is read off the trace, before any constraint. */
export interface Indices {
  readonly trace: Trace;
  readonly options: GraphOptions;
  readonly host: HostIndex;
  readonly calls: CallIndex;
  readonly device: DeviceIndex;
  readonly launches: LaunchIndex;
  readonly graphLaunches: GraphLaunches;
  readonly sync: SyncIndex;
  readonly classOf: readonly DeviceClass[];
  readonly moments: Moments;
  /** Measured, by moment, in ns since the trace's origin. */
  readonly time: Float64Array;
  /** By track: how people are told of a thread, `t-4000.100` (pid.tid). */
  readonly threadNames: readonly string[];
  readonly workers: Workers;
  /** Enqueue keys of graph launches that left no device rows, ascending. */
  readonly lostGraphs: Float64Array;
}

/** Which event waited for which, over the whole trace: moments, all constraints on each, and the one that bound it. */
export interface Graph extends Indices, Binding {
  /** What waited for what: sync rows first, then what host calls show, then what gaps show. */
  readonly edges: readonly Edge[];
  readonly constraints: ConstraintSet;
  /** Moments in an order in which every constraint goes forward. */
  readonly order: Int32Array;
  /** By constraint, ns. */
  readonly typical: Float64Array;
  readonly coverage: Coverage;
  /** The same without its inferred waits, where it has any: what they change can be told by comparing. */
  readonly withoutInferred?: Graph;
}

/** O(n log n) in the events; needs the memory of a few numbers an event. */
export function buildGraph(trace: Trace, options: GraphOptions = {}): Graph {
  const indices = buildIndices(trace, options);
  const known = [
    ...indices.sync.edges,
    ...buildHostWaits(indices),
    ...(options.legacyDefaultStream === true ? legacyStreamEdges(indices) : []),
  ];
  const said = options.exact === true ? known.filter(({ status }) => !status.startsWith('heuristic:')) : known;
  const dependencies = addDependencies(indices, said);
  const { moments, time } = indices;
  const { dropped, ...acyclic } = breakCycles(dependencies.constraints.pack(moments.count), moments.count, time);
  const { constraints } = acyclic;
  const graph = assemble(indices, dependencies, dropped, known, acyclic, typicalLags(indices, constraints));
  if (options.exact === true) return graph;
  // Gaps can only be judged against the constraints that are known, so what they show is added in a second pass.
  const inferred = inferWaits(graph);
  if (inferred.length === 0) return graph;
  const more = insertConstraints(constraints, constraintsOf(indices, inferred));
  const typical = new Float64Array(more.oldRow.length).fill(DEFAULT_NS);
  for (let c = 0; c < typical.length; c++) if (more.oldRow[c] !== -1) typical[c] = graph.typical[more.oldRow[c]];
  const edges = [...known, ...inferred];
  const order = topologicalOrder(moments.count, more.set.from, more.set.to);
  const whole = assemble(indices, dependencies, dropped, edges, { constraints: more.set, order }, typical);
  return { ...whole, withoutInferred: graph };
}

function buildIndices(trace: Trace, options: GraphOptions): Indices {
  const host = buildHost(trace);
  const calls = buildCalls(trace, host);
  const device = buildDevice(trace, calls);
  const launches = buildLaunches(host, device);
  const graphLaunches = buildGraphLaunches(device, calls);
  const moments = new Moments(host, device, graphLaunches);
  const time = moments.times(host);
  return {
    trace,
    options,
    host,
    calls,
    device,
    launches,
    graphLaunches,
    sync: buildSync(trace, host, calls, device, launches, graphLaunches),
    classOf: classifyDeviceOps(trace, device, options.classRules),
    moments,
    time,
    threadNames: trace.tracks.map(({ pid, tid }) => `t-${pid}.${tid}`),
    workers: buildWorkers(trace, host, time),
    lostGraphs: lostGraphs(host, calls, launches),
  };
}

function assemble(
  indices: Indices,
  dependencies: Dependencies,
  dropped: number,
  edges: readonly Edge[],
  { constraints, order }: Pick<Graph, 'constraints' | 'order'>,
  typical: Float64Array,
): Graph {
  const loops = new Map(
    edges.flatMap(({ since, sinkCall }) => (since === undefined ? [] : [[endOf(sinkCall), since]])),
  );
  const bound = bind(constraints, typical, indices, loops);
  const coverage = coverageOf(indices, edges, dependencies, bound, dropped);
  return { ...indices, ...bound, edges, constraints, order, typical, coverage };
}

function lostGraphs({ length }: HostIndex, { api, key }: CallIndex, { first }: LaunchIndex): Float64Array {
  const lost: number[] = [];
  for (let op = 0; op < length; op++) {
    if ((api[op] & Api.graphLaunch) !== 0 && first[op] === first[op + 1] && !Number.isNaN(key[op])) lost.push(key[op]);
  }
  return Float64Array.from(lost).sort();
}
