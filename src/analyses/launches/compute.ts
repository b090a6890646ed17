import { distributionOf } from '../../base/distribution.ts';
import { formatCount, formatPlural } from '../../base/format.ts';
import { lazy, lazyFields } from '../../base/lazy.ts';
import { pick } from '../../base/pick.ts';
import { Api } from '../../graph/api-names.ts';
import { kindCode } from '../../graph/constraints.ts';
import type { Graph } from '../../graph/graph.ts';
import { endOf } from '../../graph/host.ts';
import { isLaunch, launchesIn } from '../../graph/launches.ts';
import { type QueueDepth, queueDepth } from '../../graph/queue-depth.ts';
import { segmentCode } from '../../graph/segments.ts';
import { summarizeSteps, timeAtLeast } from '../../graph/step-series.ts';
import { NO_EVENT } from '../../trace/ids.ts';
import type { Outcome, Subject } from '../contract.ts';
import { referTo } from '../refer.ts';
import { type Scope, openScope, scopeResult } from '../scope.ts';
import { type LaunchColumns, gatherLaunches, idleOf } from './gather.ts';
import { FULL_QUEUE, type LaunchesOptions, MIN_CALL_NS, MIN_DELAY_NS } from './options.ts';
import type { Launch, LaunchApi, LaunchLane, LaunchesResult, ShortKernel, Spread } from './result.ts';

/** What a person looks through; a row for each launch is for programs (`each`). */
const MOST_LISTED = 1_000;
const LAUNCH = segmentCode('launch');
const HOST_WORK = segmentCode('host-work');

/** How long launches take, how far ahead of the device they run, and what of that is on the path. O(n log n). */
export function computeLaunches(subject: Subject, options: LaunchesOptions): Outcome<LaunchesResult> {
  const opened = openScope(subject, options);
  if (opened.status !== 'ok') return opened;
  const scope = opened.result;
  const { graph, start, end } = scope;
  // What waited when does not depend on how far the graph may guess.
  const depth = subject.once('queue depth', () => queueDepth(graph));
  const found = gatherLaunches(graph, depth, start, end);
  if (found.length === 0) return { status: 'not-applicable', reason: whyNone(graph) };
  const linked = rowsWhere(found, (row) => found.op[row] !== -1);
  const limits = {
    minCallNs: options.minCallNs ?? MIN_CALL_NS,
    minDelayNs: options.minDelayNs ?? MIN_DELAY_NS,
    fullQueue: options.fullQueue ?? FULL_QUEUE,
  };
  const lists = listsOf(scope, found, linked, depth, { ...limits, each: options.each === true });
  const empty = linked.filter((row) => found.queued[row] === 0).length;
  const delay = spreadOf(pick(found.delayNs, linked));
  const result: LaunchesResult = {
    ...scopeResult(scope),
    limits,
    calls: found.length,
    linked: linked.length,
    deviceOps: 0,
    call: spreadOf(found.callNs) as Spread,
    waited: { calls: 0, callNs: 0 },
    ...(delay === undefined ? {} : { delay, foundEmpty: { count: empty, share: empty / linked.length } }),
    early: { beforeCallEnd: 0, beforeCallStart: 0 },
    path: onPath(scope),
    blocked: blockedCalls(scope),
    apis: [],
    lanes: [],
    outliers: { longCalls: 0, longDelays: 0, idleDelays: 0 },
    longCalls: [],
    longDelays: [],
    shortKernels: [],
    graphs: [],
    ...(options.each === true ? { launches: [] } : {}),
  };
  return { status: 'ok', result: lazyFields(result, lists) };
}

interface ListLimits {
  readonly minCallNs: number;
  readonly minDelayNs: number;
  readonly fullQueue: number;
  readonly each: boolean;
}

/** What many readers, who want few sums only, never look at. */
function listsOf(scope: Scope, found: LaunchColumns, linked: Int32Array, depth: QueueDepth, limits: ListLimits) {
  const { graph } = scope;
  const idleNs = lazy(() => idleOf(graph, found));
  const early = lazy(() => earlyOps(graph, found));
  const toLaunch = (row: number): Launch => launchOf(graph, found, idleNs(), row);
  const most = limits.each ? Infinity : MOST_LISTED;
  const listed = (some: Int32Array): Launch[] => Array.from(some.subarray(0, most), toLaunch);
  const outliers = lazy(() => outliersOf(found, linked, idleNs(), limits));
  const isGraph = (row: number): boolean => (graph.calls.api[found.call[row]] & Api.graphLaunch) !== 0;
  return {
    notes: () => scopeResult(scope, notesOf(graph, found, linked.length, early())).notes,
    deviceOps: () => found.deviceOps.reduce((sum, count) => sum + count, 0),
    waited: () => waitedCalls(found),
    early,
    apis: () => byName(graph, found),
    lanes: () => byLane(scope, found, depth, limits.fullQueue),
    outliers: () => outliers().counts,
    longCalls: () => listed(outliers().longCalls),
    longDelays: () => listed(outliers().longDelays),
    shortKernels: () => shortKernels(graph, found),
    graphs: () => listed(rowsWhere(found, isGraph)),
    ...(limits.each ? { launches: () => Array.from(found.call, (_, row) => toLaunch(row)) } : {}),
  };
}

function outliersOf(
  found: LaunchColumns,
  linked: Int32Array,
  idleNs: Float64Array,
  { minCallNs, minDelayNs }: ListLimits,
) {
  const longCalls = rowsWhere(found, (row) => found.callNs[row] > minCallNs).sort(
    (a, b) => found.callNs[b] - found.callNs[a] || a - b,
  );
  const longDelays = linked
    .filter((row) => found.delayNs[row] > minDelayNs)
    .sort((a, b) => idleNs[b] - idleNs[a] || found.delayNs[b] - found.delayNs[a] || a - b);
  const counts: LaunchesResult['outliers'] = {
    longCalls: longCalls.length,
    longDelays: longDelays.length,
    idleDelays: longDelays.filter((row) => idleNs[row] > minDelayNs).length,
  };
  return { counts, longCalls, longDelays };
}

function rowsWhere({ length }: LaunchColumns, isMeant: (row: number) => boolean): Int32Array {
  const rows = new Int32Array(length);
  let count = 0;
  for (let row = 0; row < length; row++) if (isMeant(row)) rows[count++] = row;
  return rows.slice(0, count);
}

function whyNone(graph: Graph): string {
  const { launches } = graph.coverage;
  if (launches.total > 0) {
    return `none of the trace's ${formatPlural(launches.total, 'launch call')} begins in the window`;
  }
  return graph.device.length > 0
    ? 'the trace has no launch calls: only the device side was recorded'
    : 'the trace has no launch calls and no device rows';
}

function launchOf(graph: Graph, found: LaunchColumns, idleNs: Float64Array, row: number): Launch {
  const { host, device } = graph;
  const call = referTo(graph, host.event[found.call[row]]);
  const shared = { deviceOps: found.deviceOps[row], callNs: found.callNs[row], deviceNs: found.deviceNs[row] };
  const waited = found.waited[row] === 1 ? { waited: true as const } : {};
  if (found.op[row] === -1) return { call, ...shared };
  return {
    call,
    op: referTo(graph, device.event[found.op[row]]),
    ...shared,
    ...waited,
    delayNs: found.delayNs[row],
    idleNs: idleNs[row],
    queued: found.queued[row],
  };
}

function spreadOf(lengths: ArrayLike<number>): Spread | undefined {
  const found = distributionOf(lengths);
  if (found === undefined) return undefined;
  return {
    totalNs: found.total,
    minNs: found.min,
    medianNs: Math.round(found.median),
    meanNs: Math.round(found.mean),
    p95Ns: Math.round(found.p95),
    maxNs: found.max,
  };
}

function earlyOps({ host, device }: Graph, { length, call, op }: LaunchColumns): LaunchesResult['early'] {
  let beforeCallEnd = 0;
  let beforeCallStart = 0;
  for (let row = 0; row < length; row++) {
    if (op[row] === -1 || device.start[op[row]] >= host.end[call[row]]) continue;
    beforeCallEnd++;
    if (device.start[op[row]] < host.start[call[row]]) beforeCallStart++;
  }
  return { beforeCallEnd, beforeCallStart };
}

function waitedCalls({ length, waited, callNs }: LaunchColumns): LaunchesResult['waited'] {
  let calls = 0;
  let total = 0;
  for (let row = 0; row < length; row++) {
    if (waited[row] === 0) continue;
    calls++;
    total += callNs[row];
  }
  return { calls, callNs: total };
}

function onPath(scope: Scope): LaunchesResult['path'] {
  const { graph, start, end } = scope;
  const { host } = graph;
  let latencyNs = 0;
  let callsNs = 0;
  for (const rows of scope.paths()) {
    for (let row = rows.first; row <= rows.last; row++) {
      const length = rows.end[row] - rows.start[row];
      if (rows.kind[row] === LAUNCH) latencyNs += length;
      if (rows.kind[row] !== HOST_WORK || rows.event[row] === NO_EVENT) continue;
      const op = host.opOfEvent[rows.event[row]];
      if (op !== -1 && isLaunch(graph, op)) callsNs += length;
    }
  }
  const wallNs = end - start;
  return { wallNs, latencyNs, callsNs, launchBoundShare: wallNs > 0 ? (latencyNs + callsNs) / wallNs : 0 };
}

function blockedCalls({ graph, start, end }: Scope): LaunchesResult['blocked'] {
  const { host, constraints, binding, time } = graph;
  const full = kindCode('queue-full');
  let calls = 0;
  let blockedNs = 0;
  const launching = launchesIn(graph, start, end);
  for (let i = 0; i < launching.length; i++) {
    const op = launching[i];
    // Such a launch returns late: it is its end that was held.
    const bound = binding[endOf(op)];
    if (bound === -1 || constraints.kind[bound] !== full) continue;
    calls++;
    blockedNs += time[constraints.from[bound]] - host.start[op];
  }
  return { calls, blockedNs };
}

/** Rows by a key, in the order in which each key first comes. */
function groupRows(length: number, keyOf: (row: number) => number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (let row = 0; row < length; row++) {
    const key = keyOf(row);
    if (key === -1) continue;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [row]);
    else known.push(row);
  }
  return groups;
}

function byName({ trace, host }: Graph, found: LaunchColumns): LaunchApi[] {
  const { events, strings } = trace;
  const groups = groupRows(found.length, (row) => events.name[host.event[found.call[row]]]);
  const apis = [...groups].map(([name, members]): LaunchApi => {
    const rows = Int32Array.from(members);
    const linked = rows.filter((row) => found.op[row] !== -1);
    const delay = spreadOf(pick(found.delayNs, linked));
    return {
      name: strings.text(name as (typeof events.name)[number]),
      calls: rows.length,
      linked: linked.length,
      deviceOps: rows.reduce((sum, row) => sum + found.deviceOps[row], 0),
      call: spreadOf(pick(found.callNs, rows)) as Spread,
      ...(delay === undefined ? {} : { delay }),
      short: linked.filter((row) => isShort(found, row)).length,
    };
  });
  return apis.sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
}

function byLane(
  { graph, start, end }: Scope,
  found: LaunchColumns,
  depth: QueueDepth,
  fullQueue: number,
): LaunchLane[] {
  const { device } = graph;
  const groups = groupRows(found.length, (row) => (found.op[row] === -1 ? -1 : device.lane[found.op[row]]));
  const lanes = [...groups].map(([lane, members]): LaunchLane => {
    const queued = pick(found.queued, Int32Array.from(members));
    const overTime = summarizeSteps(depth.ops[lane], start, end);
    const { total: _, ...atLaunch } = distributionOf(queued) ?? {
      total: 0,
      min: 0,
      median: 0,
      mean: 0,
      p95: 0,
      max: 0,
    };
    return {
      lane: device.lanes[lane].name,
      launches: members.length,
      foundEmpty: queued.filter((count) => count === 0).length,
      atLaunch,
      ...(overTime === undefined ? {} : { overTime }),
      fullNs: timeAtLeast(depth.launches[lane], start, end, fullQueue),
    };
  });
  return lanes.sort((a, b) => b.launches - a.launches || (a.lane < b.lane ? -1 : 1));
}

const isShort = ({ deviceOps, deviceNs, callNs, waited }: LaunchColumns, row: number): boolean =>
  deviceOps[row] > 0 && waited[row] === 0 && deviceNs[row] < callNs[row];

/** Launches of one device op each that took longer to call than to run. */
function shortKernels(graph: Graph, found: LaunchColumns): ShortKernel[] {
  const { trace, device } = graph;
  const { events, strings } = trace;
  const isListed = (row: number): boolean => found.deviceOps[row] === 1 && isShort(found, row);
  const groups = groupRows(found.length, (row) => (isListed(row) ? events.name[device.event[found.op[row]]] : -1));
  const kernels = [...groups].map(([name, rows]): ShortKernel => {
    let worst = rows[0];
    let deviceNs = 0;
    let callNs = 0;
    for (const row of rows) {
      deviceNs += found.deviceNs[row];
      callNs += found.callNs[row];
      if (found.callNs[row] - found.deviceNs[row] > found.callNs[worst] - found.deviceNs[worst]) worst = row;
    }
    return {
      name: strings.text(name as (typeof events.name)[number]),
      count: rows.length,
      deviceNs,
      callNs,
      example: referTo(graph, device.event[found.op[worst]]),
    };
  });
  return kernels.sort((a, b) => b.callNs - a.callNs || (a.name < b.name ? -1 : 1));
}

function notesOf(graph: Graph, found: LaunchColumns, linked: number, early: LaunchesResult['early']): string[] {
  const notes: string[] = [];
  if (linked === 0) {
    notes.push('no launch of the window has a device row: delays, queue depths and short kernels are not known');
  }
  if (early.beforeCallEnd > 0) {
    const some =
      early.beforeCallStart > 0 ? `, ${formatCount(early.beforeCallStart)} even before it began (clock)` : '';
    notes.push(
      `${formatCount(early.beforeCallEnd)} of ${formatPlural(linked, 'launch', 'launches')} began on the device before their call had ended${some}: delay 0`,
    );
  }
  if (found.op.some((op, row) => op !== -1 && found.deviceOps[row] > 1)) {
    notes.push('of a launch of several device ops the delay is that of the first, and all of them count in the queue');
  }
  return notes;
}
