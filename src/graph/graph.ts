import type { Trace } from '../trace/trace.ts';
import { Api } from './api-names.ts';
import { breakCycles } from './acyclic.ts';
import { type Binding, bind, bindAgain, lagsOf } from './binding.ts';
import { type CallIndex, buildCalls } from './calls.ts';
import { type DeviceClass, classifyDeviceOps } from './classify.ts';
import { type ConstraintSet, insertConstraints } from './constraint-set.ts';
import { coverageOf, coverageWith } from './count-coverage.ts';
import type { Coverage } from './coverage.ts';
import { addDependencies, chainsOf, constraintsOf } from './dependencies.ts';
import { type DeviceIndex, buildDevice } from './device.ts';
import { type GraphLaunches, buildGraphLaunches } from './graph-launch.ts';
import type { GraphOptions } from './graph-options.ts';
import { type HostIndex, buildHost, endOf } from './host.ts';
import { inferWaits } from './inferred-waits.ts';
import { type TypicalLags, typicalLags, withDefaults } from './lags.ts';
import { type LaunchIndex, buildLaunches } from './launches.ts';
import { legacyStreamEdges } from './legacy-stream.ts';
import { Moments } from './moments.ts';
import { forwardOrder, goesForward } from './forward-order.ts';
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
  readonly typical: TypicalLags;
  /**
   * By constraint, ns, signed: measured where it bound; else typical, and less than measured (`lagsOf`). Made when first asked for: who only
   * walks back needs none.
   */
  readonly lag: Float64Array;
  readonly coverage: Coverage;
  /** The same as its inferred waits found it, where it has any: they stand among its constraints, but none of them bound. Made anew each time. */
  readonly withoutInferred?: () => Graph;
}

/** All of a graph but what is made when first asked for. */
type GraphFields = Omit<Graph, 'lag' | 'withoutInferred'>;

/** O(n log n) in the events; needs the memory of a few numbers an event. */
export function buildGraph(trace: Trace, options: GraphOptions = {}): Graph {
  const indices = buildIndices(trace, options);
  const known = [
    ...indices.sync.edges,
    ...buildHostWaits(indices),
    ...(options.legacyDefaultStream === true ? legacyStreamEdges(indices) : []),
  ];
  const said = options.exact === true ? known.filter(({ status }) => !status.startsWith('heuristic:')) : known;
  const { constraints: all, ...counts } = addDependencies(indices, said);
  const { moments, time } = indices;
  const { dropped, constraints, order } = breakCycles(all, moments, time, chainsOf(indices.host));
  const typical = typicalLags(indices, constraints);
  const bound = bind({ ...indices, constraints, typical }, loopsOf(known));
  const coverage = coverageOf(indices, known, counts, bound, dropped);
  const fields = { ...indices, ...bound, edges: known, constraints, order, typical, coverage };
  if (options.exact === true) return asGraph(fields);
  // Gaps can only be judged against the constraints that are known, so what they show is added in a second pass.
  const inferred = inferWaits(asGraph(fields));
  return inferred.length === 0 ? asGraph(fields) : addInferred(fields, inferred);
}

/** `before` is used up: its columns are taken over. */
function addInferred(before: GraphFields, inferred: readonly Edge[]): Graph {
  const { edges: known, coverage: knownCoverage, moments, host } = before;
  const more = insertConstraints(before.constraints, constraintsOf(before, inferred));
  const { set: constraints } = more;
  const typical = withDefaults(before.typical, more.rows);
  const edges = [...known, ...inferred];
  const again = bindAgain(before, { ...before, constraints, typical }, more, loopsOf(edges));
  const coverage = coverageWith(knownCoverage, edges, again.bound);
  const order = goesForward(before.order, more)
    ? before.order
    : (forwardOrder(constraints, moments, chainsOf(host)) ??
      topologicalOrder(moments.count, constraints.from, constraints.to));
  const fields = { ...before, ...again.bound, edges, constraints, order, typical, coverage };
  return asGraph(fields, () => asGraph({ ...fields, edges: known, coverage: knownCoverage, ...again.before() }));
}

/** The fields, and the lags once they are asked for. */
function asGraph(fields: GraphFields, withoutInferred?: () => Graph): Graph {
  let lag: Float64Array | undefined;
  return {
    ...fields,
    get lag() {
      lag ??= lagsOf(fields);
      return lag;
    },
    ...(withoutInferred === undefined ? {} : { withoutInferred }),
  };
}

function buildIndices(trace: Trace, options: GraphOptions): Indices {
  const host = buildHost(trace);
  const calls = buildCalls(trace, host);
  const device = buildDevice(trace, calls);
  const launches = buildLaunches(host, device, calls);
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
    lostGraphs: lostGraphs(calls, launches),
  };
}

/** By the end of the last query of a loop that polls: when the loop began. */
function loopsOf(edges: readonly Edge[]): Map<number, number> {
  const loops = new Map<number, number>();
  for (const { since, sinkCall } of edges) if (since !== undefined) loops.set(endOf(sinkCall), since);
  return loops;
}

function lostGraphs({ api, key }: CallIndex, { calls, first }: LaunchIndex): Float64Array {
  const lost: number[] = [];
  for (let i = 0; i < calls.length; i++) {
    const op = calls[i];
    if ((api[op] & Api.graphLaunch) !== 0 && first[op] === first[op + 1] && !Number.isNaN(key[op])) lost.push(key[op]);
  }
  return Float64Array.from(lost).sort();
}
