import type { Trace } from '../trace/trace.ts';
import { Api } from './api-names.ts';
import { breakCycles } from './acyclic.ts';
import { type Binding, bind } from './binding.ts';
import { type CallIndex, buildCalls } from './calls.ts';
import { type DeviceClass, classifyDeviceOps } from './classify.ts';
import type { ConstraintSet } from './constraint-set.ts';
import type { Coverage } from './coverage.ts';
import { type Dependencies, addDependencies } from './dependencies.ts';
import { type DeviceIndex, buildDevice } from './device.ts';
import { type GraphLaunches, buildGraphLaunches } from './graph-launch.ts';
import { type HostIndex, buildHost } from './host.ts';
import { typicalLags } from './lags.ts';
import { type LaunchIndex, buildLaunches } from './launches.ts';
import { Moments } from './moments.ts';
import { type Edge, type EdgeStatus, type SyncIndex, buildSync } from './sync-edges.ts';
import { buildHostWaits } from './sync-host.ts';

/** Which event waited for which, over the whole trace: moments, all constraints on each, and the one that bound it. */
export interface Graph extends Binding {
  readonly trace: Trace;
  readonly host: HostIndex;
  readonly calls: CallIndex;
  readonly device: DeviceIndex;
  readonly launches: LaunchIndex;
  readonly graphLaunches: GraphLaunches;
  readonly sync: SyncIndex;
  /** What waited for what: sync rows first, then what host calls show. */
  readonly edges: readonly Edge[];
  readonly classOf: readonly DeviceClass[];
  readonly moments: Moments;
  /** Measured, by moment, in ns since the trace's origin. */
  readonly time: Float64Array;
  readonly constraints: ConstraintSet;
  /** By constraint, ns. */
  readonly typical: Float64Array;
  /** Enqueue keys of graph launches that left no device rows, ascending. */
  readonly lostGraphs: Float64Array;
  readonly coverage: Coverage;
}

/** O(n log n) in the events; needs the memory of a few numbers an event. */
export function buildGraph(trace: Trace): Graph {
  const host = buildHost(trace);
  const calls = buildCalls(trace, host);
  const device = buildDevice(trace, calls);
  const launches = buildLaunches(host, device);
  const graphLaunches = buildGraphLaunches(device, calls);
  const sync = buildSync(trace, host, calls, device, graphLaunches);
  const edges = [...sync.edges, ...buildHostWaits(trace, host, calls, device, launches, sync)];
  const moments = new Moments(host, device, graphLaunches);
  const time = moments.times(host);
  const dependencies = addDependencies(trace, host, calls, device, graphLaunches, moments, time, edges);
  const packed = dependencies.constraints.pack(moments.count);
  const { constraints, dropped } = breakCycles(packed, moments.count, time);
  const typical = typicalLags(trace, host, calls, device, moments, constraints, time);
  const bound = bind(constraints, typical, time, host, moments);
  const classOf = classifyDeviceOps(trace, device);
  const coverage = coverageOf({ host, calls, device, launches, sync, dependencies, bound, classOf, dropped });
  return {
    trace,
    host,
    calls,
    device,
    launches,
    graphLaunches,
    sync,
    edges,
    classOf,
    moments,
    time,
    constraints,
    typical,
    lostGraphs: lostGraphs(host, calls, launches),
    coverage,
    ...bound,
  };
}

function lostGraphs({ length }: HostIndex, { api, key }: CallIndex, { first }: LaunchIndex): Float64Array {
  const lost: number[] = [];
  for (let op = 0; op < length; op++) {
    if ((api[op] & Api.graphLaunch) !== 0 && first[op] === first[op + 1] && !Number.isNaN(key[op])) lost.push(key[op]);
  }
  return Float64Array.from(lost).sort();
}

interface Parts {
  readonly host: HostIndex;
  readonly calls: CallIndex;
  readonly device: DeviceIndex;
  readonly launches: LaunchIndex;
  readonly sync: SyncIndex;
  readonly dependencies: Dependencies;
  readonly bound: Binding;
  readonly classOf: readonly DeviceClass[];
  readonly dropped: number;
}

function coverageOf({ host, calls, device, launches, sync, dependencies, bound, classOf, dropped }: Parts): Coverage {
  let total = 0;
  let linked = 0;
  const waiting = new Set<number>();
  for (let op = 0; op < host.length; op++) {
    const hasRows = launches.first[op] < launches.first[op + 1];
    if (hasRows) linked++;
    if (hasRows || (calls.api[op] & Api.launch) !== 0) total++;
    if ((calls.api[op] & (Api.streamWait | Api.eventSync)) !== 0) waiting.add(op);
  }
  for (const wait of sync.waits) waiting.delete(wait.call);
  const { rowStatus } = sync;
  const count = (wanted: (status: EdgeStatus) => boolean): number => rowStatus.filter(wanted).length;
  let linkedOps = 0;
  for (let op = 0; op < device.length; op++) if (device.call[op] !== -1) linkedOps++;
  return {
    launches: { total, linked },
    deviceOps: { total: device.length, linked: linkedOps },
    waits: {
      total: rowStatus.length,
      resolved: count((status) => status === 'resolved'),
      empty: count((status) => status === 'empty'),
      sameStream: count((status) => status === 'same-stream'),
      noSink: count((status) => status === 'no-sink'),
      future: count((status) => status === 'future'),
      unresolved: count((status) => status === 'unresolved'),
      heuristic: count((status) => status.startsWith('heuristic:')),
      callsWithoutRow: waiting.size,
    },
    inferred: { 'wait-call': 0, c10d: 0, 'end-start': 0 },
    syncRows: { total: sync.syncRows },
    collectives: { total: classOf.filter((kind) => kind === 'collective').length, matched: 0 },
    inversions: bound.inversions,
    orderConflicts: dependencies.orderConflicts + dropped,
    ambiguous: bound.ambiguousCount,
    cutOps: dependencies.cutOps,
    laneOverlaps: dependencies.laneOverlaps,
  };
}
