import { distributionOf } from '../../base/distribution.ts';
import { formatCount, formatPlural } from '../../base/format.ts';
import { lazyFields } from '../../base/lazy.ts';
import { DEVICE_CLASSES } from '../../graph/classify.ts';
import type { DeviceTime } from '../../graph/device-time.ts';
import type { Graph } from '../../graph/graph.ts';
import { type Summed, clip, intersectionOf, lengthOf, lengthWithin, unionOf, withSums } from '../../graph/intervals.ts';
import { runsIn } from '../../graph/runs-in.ts';
import type { Outcome, Subject } from '../contract.ts';
import { deviceTimesOf } from '../device-times.ts';
import { referTo } from '../refer.ts';
import { type Scope, type ScopeOptions, openScope, scopeResult } from '../scope.ts';
import { describe } from '../../graph/collective-facts.ts';
import { type GatheredCall, gatherCalls } from '../../graph/collective-calls.ts';
import { busFactor } from '../../graph/collective-op.ts';
import type {
  Bandwidth,
  CollectiveCall,
  CollectiveGroup,
  CommunicationResult,
  DeviceCommunication,
  UnknownSize,
} from './result.ts';

const COLLECTIVE = DEVICE_CLASSES.indexOf('collective');
const COMPUTATION = DEVICE_CLASSES.indexOf('kernel');

/** What collectives cost, how fast they are, and what of them computation hides. O(n log n). */
export function computeCommunication(subject: Subject, options: ScopeOptions): Outcome<CommunicationResult> {
  const opened = openScope(subject, options);
  if (opened.status !== 'ok') return opened;
  const scope = opened.result;
  const { graph, start, end } = scope;
  const all = gatherCalls(graph, scope.context().annotations);
  const chosen = all.filter(({ ops }) => ops.some((op) => runsIn(graph.device, op, start, end)));
  if (chosen.length === 0) return { status: 'not-applicable', reason: whyNone(graph, all.length) };
  const devices = deviceTimesOf(subject, options);
  const computing = new Map(devices.map((time) => [time.device, withSums(time.byClass[COMPUTATION])]));
  const calls = chosen.map((call) => {
    const busy = computing.get(call.device) ?? withSums(new Float64Array(0));
    return callOf(scope, call, busy);
  });
  calls.sort((a, b) => b.exposedNs - a.exposedNs || b.durationNs - a.durationNs || a.startNs - b.startNs);
  const result: CommunicationResult = {
    ...scopeResult(scope),
    devices: devices.map((time) => timeOf(time, start, end)).filter(({ communicationNs }) => communicationNs > 0),
    pathNs: calls.reduce((sum, call) => sum + call.pathNs, 0),
    groups: groupCalls(calls),
    calls,
  };
  return { status: 'ok', result: lazyFields(result, { notes: () => scopeResult(scope, notesOf(scope, calls)).notes }) };
}

function whyNone(graph: Graph, inTrace: number): string {
  if (inTrace > 0) return `none of the trace's ${formatPlural(inTrace, 'collective')} runs in the window`;
  const { host, device, trace } = graph;
  const name = trace.strings.find('record_param_comms');
  const records = name === undefined ? 0 : host.event.filter((event) => trace.events.name[event] === name).length;
  const said = records === 0 ? '' : `; ${formatPlural(records, 'record_param_comms op')} on the host launched none`;
  return device.length === 0
    ? `the trace has no device rows, so no collective of a device: those of gloo run on the host${said}`
    : `no device op is a collective (${formatPlural(device.length, 'device op')})${said}`;
}

function callOf(scope: Scope, call: GatheredCall, busy: Summed): CollectiveCall {
  const { graph } = scope;
  const { device, host } = graph;
  const { ops, record } = call;
  const onPath = scope.devicePathNs();
  const described = describe(graph, call);
  const startNs = device.start[ops[0]];
  let endNs = startNs;
  let pathNs = 0;
  for (const op of ops) {
    endNs = Math.max(endNs, device.end[op]);
    if (graph.classOf[op] === 'collective') pathNs += onPath[op];
  }
  const ran = unionOf(device.start, device.end, ops);
  let overlappedNs = 0;
  for (let i = 0; i < ran.length; i += 2) overlappedNs += lengthWithin(busy, ran[i], ran[i + 1]);
  const bandwidth = bandwidthOf(described, endNs - startNs);
  return {
    event: referTo(graph, device.event[ops[0]]),
    kernels: ops.length,
    ...(record === -1 ? {} : { record: referTo(graph, host.event[record]) }),
    device: call.device,
    ...described,
    startNs,
    endNs,
    durationNs: endNs - startNs,
    overlappedNs,
    exposedNs: lengthOf(ran) - overlappedNs,
    pathNs,
    ...(bandwidth === undefined ? {} : { bandwidth }),
  };
}

function bandwidthOf(
  { operation, sizeBytes, group }: ReturnType<typeof describe>,
  durationNs: number,
): Bandwidth | undefined {
  if (operation === 'unknown' || sizeBytes === undefined || sizeBytes === 0 || durationNs === 0) return undefined;
  // Bytes a nanosecond are 1e9 bytes a second.
  const algorithmGBps = sizeBytes / durationNs;
  const factor = busFactor(operation, group?.size);
  return factor === undefined || factor === 0 ? { algorithmGBps } : { algorithmGBps, busGBps: algorithmGBps * factor };
}

function timeOf({ device, byClass }: DeviceTime, start: number, end: number): DeviceCommunication {
  const communicating = clip(byClass[COLLECTIVE], start, end);
  const communicationNs = lengthOf(communicating);
  const overlappedNs = lengthOf(intersectionOf(communicating, byClass[COMPUTATION]));
  return {
    device,
    communicationNs,
    overlappedNs,
    exposedNs: communicationNs - overlappedNs,
    overlapShare: communicationNs > 0 ? overlappedNs / communicationNs : 0,
  };
}

function groupCalls(calls: readonly CollectiveCall[]): CollectiveGroup[] {
  const members = new Map<string, CollectiveCall[]>();
  for (const call of calls) {
    const key = JSON.stringify([call.operation, call.group, call.dtype, call.sizeBytes]);
    const known = members.get(key);
    if (known === undefined) members.set(key, [call]);
    else known.push(call);
  }
  const groups = [...members.values()].map((each): CollectiveGroup => {
    const [{ operation, group, dtype, sizeBytes }] = each;
    const spread = distributionOf(each.map(({ durationNs }) => durationNs));
    const sum = (field: 'overlappedNs' | 'exposedNs' | 'pathNs'): number =>
      each.reduce((total, { [field]: ns }) => total + ns, 0);
    const algorithm = best(each.map(({ bandwidth }) => bandwidth?.algorithmGBps));
    const bus = best(each.map(({ bandwidth }) => bandwidth?.busGBps));
    const longest = each.reduce((longer, call) => (call.durationNs > longer.durationNs ? call : longer));
    return {
      operation,
      ...(group === undefined ? {} : { group }),
      ...(dtype === undefined ? {} : { dtype }),
      ...(sizeBytes === undefined ? {} : { sizeBytes }),
      calls: each.length,
      totalNs: spread?.total ?? 0,
      minNs: spread?.min ?? 0,
      medianNs: Math.round(spread?.median ?? 0),
      meanNs: Math.round(spread?.mean ?? 0),
      maxNs: spread?.max ?? 0,
      overlappedNs: sum('overlappedNs'),
      exposedNs: sum('exposedNs'),
      pathNs: sum('pathNs'),
      ...(algorithm === undefined ? {} : { algorithmGBps: algorithm }),
      ...(bus === undefined ? {} : { busGBps: bus }),
      longest: longest.event,
    };
  });
  return groups.sort((a, b) => b.totalNs - a.totalNs || (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0));
}

function best(values: readonly (number | undefined)[]): { median: number; max: number } | undefined {
  const spread = distributionOf(values.filter((value) => value !== undefined));
  return spread && { median: spread.median, max: spread.max };
}

const WHY: Readonly<Record<UnknownSize, string>> = {
  'no-launch': 'with no launch call in the trace',
  'graph-launch': 'launched by a graph, which does not say what its nodes move',
  'no-record': 'launched outside of record_param_comms',
  'no-sizes': 'whose record_param_comms has no sizes (PyTorch before 2.2, or record_shapes off)',
  'unknown-dtype': 'of an unknown dtype',
  'unknown-group': 'of a group of unknown size, which the operation needs',
  'unknown-operation': 'of an unknown operation',
  barrier: 'a barrier, which moves nothing',
};

function notesOf({ graph, start, end }: Scope, calls: readonly CollectiveCall[]): string[] {
  const notes = [
    'a duration includes waiting for the other ranks, so the bandwidth that one rank sees is a lower bound',
  ];
  const unknown = new Map<UnknownSize, number>();
  for (const { sizeUnknown } of calls) {
    if (sizeUnknown !== undefined) unknown.set(sizeUnknown, (unknown.get(sizeUnknown) ?? 0) + 1);
  }
  if (unknown.size > 0) {
    const why = [...unknown].sort(([, a], [, b]) => b - a).map(([key, count]) => `${formatCount(count)} ${WHY[key]}`);
    const total = [...unknown.values()].reduce((sum, count) => sum + count, 0);
    notes.push(
      `the size of ${formatCount(total)} of ${formatPlural(calls.length, 'call')} is not known: ${why.join('; ')}`,
    );
  }
  const without = calls.filter(({ bandwidth }) => bandwidth !== undefined && bandwidth.busGBps === undefined).length;
  if (without > 0) {
    const { worldSize } = graph.trace;
    const job = worldSize === undefined ? '' : ` (the job has ${formatPlural(worldSize, 'rank')})`;
    notes.push(
      `${formatPlural(without, 'call has', 'calls have')} no bus bandwidth: the size of the group is not known, or 1${job}`,
    );
  }
  const guessed = (from: CollectiveCall['operationFrom']): number =>
    calls.filter(({ operationFrom }) => operationFrom === from).length;
  const [byName, bySum] = [guessed('kernel-name'), guessed('heuristic:earlier-records')];
  if (byName > 0) {
    notes.push(`the operation of ${formatPlural(byName, 'call')} is told by the kernel's name alone, which may lie`);
  }
  if (bySum > 0) {
    notes.push(
      `${formatPlural(bySum, 'call sums', 'calls sum')} up the records before it on its thread (heuristic:earlier-records)`,
    );
  }
  if (calls.every(({ pathNs }) => pathNs === 0)) {
    notes.push(
      'no collective is on the path: as far as its waits are known, shorter ones would not shorten the window',
    );
  }
  const cut = calls.filter(({ startNs, endNs }) => startNs < start || endNs > end).length;
  if (cut > 0) {
    notes.push(
      `${formatPlural(cut, 'call reaches', 'calls reach')} over the window's border: listed whole, in the totals cut`,
    );
  }
  return notes;
}
