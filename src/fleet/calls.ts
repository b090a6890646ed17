import { upperBound } from '../base/bisect.ts';
import { ANNOTATED, type GatheredCall, gatherCalls } from '../graph/collective-calls.ts';
import { type Description, describe } from '../graph/collective-facts.ts';
import { marksOf } from '../graph/collective-marks.ts';
import type { Graph } from '../graph/graph.ts';
import { type Labels, annotationLabels } from '../graph/labels.ts';
import { type Step, findSteps } from '../graph/steps.ts';
import type { EventId } from '../trace/ids.ts';
import { GroupTable } from './groups.ts';
import type { CommCall, CommGroup, CommOp, RankCalls } from './model.ts';

/**
 * The communication calls of a rank: of each what it does, in which group, and what other ranks know it by. From the kernel's args, else the
 * `record_param_comms` that launched it, else the `nccl:` annotation around the launch, else the kernel's name. O(n) in the trace.
 */
export function rankCalls(graph: Graph, rank: number): RankCalls {
  const { trace, device } = graph;
  const labels = annotationLabels(trace);
  const steps = findSteps(graph);
  const stepStarts = Float64Array.from(steps, ({ start }) => start);
  const table = new GroupTable();
  const calls = gatherCalls(graph, labels).map((call): CommCall => {
    const said = describe(graph, call);
    const place = said.group === undefined ? table.unnamed(streamOf(graph, call)) : table.named(said.group);
    return callOf(graph, call, said, place, table.groups[place], labels, (at) => stepAt(steps, stepStarts, at));
  });
  return {
    rank,
    worldSize: trace.worldSize,
    originUnixNs: String(trace.originUnixNs),
    groups: table.groups.map((group, place) => withSignature(group, place, calls)),
    steps: steps.map(({ label }) => label),
    calls: calls.sort((a, b) => a.startNs - b.startNs || device.opOfEvent[a.events[0]] - device.opOfEvent[b.events[0]]),
  };
}

function callOf(
  graph: Graph,
  call: GatheredCall,
  said: Description,
  place: number,
  group: CommGroup,
  labels: Labels,
  stepOf: (launched: number) => number,
): CommCall {
  const { device, host } = graph;
  const marks = marksOf(graph, call);
  const op = opOf(said);
  return {
    events: call.ops.map((each) => device.event[each] as EventId),
    startNs: device.start[call.ops[0]],
    endNs: call.ops.reduce((end, each) => Math.max(end, device.end[each]), -Infinity),
    op,
    name: said.name,
    group: place,
    sequence: said.sequence ?? -1,
    commsId: marks.commsId,
    peer: HAS_PEER.has(op) && marks.place !== -1 ? (group.ranks?.[marks.place] ?? -1) : -1,
    bytesIn: said.inBytes,
    bytesOut: said.outBytes,
    dtype: said.dtype ?? '',
    sizeBytes: said.sizeBytes,
    step: call.launch === -1 ? -1 : stepOf(host.start[call.launch]),
    annotation: annotationOf(graph, call, labels),
    hasZeroSplit: op === 'all-to-all' && (said.inBytes === 0 || said.outBytes === 0),
    from: said.operationFrom,
  };
}

const HAS_PEER: ReadonlySet<CommOp> = new Set(['broadcast', 'reduce', 'gather', 'scatter', 'send', 'recv'] as const);

/** The vendors' libraries say what they do in rows of their own; other kernels that only their name tells of are a class of their own. */
const LIBRARY = /nccl|rccl|hccl|oneccl|xccl|msccl/i;

function opOf({ operation, operationFrom, name }: Description): CommOp {
  return operationFrom === 'kernel-name' && !LIBRARY.test(name) ? 'custom' : operation;
}

const streamOf = ({ device }: Graph, { ops }: GatheredCall): number => device.lanes[device.lane[ops[0]]].stream;

function stepAt(steps: readonly Step[], starts: Float64Array, launched: number): number {
  const found = upperBound(starts, launched) - 1;
  return found !== -1 && launched < steps[found].end ? found : -1;
}

const STEP = /^ProfilerStep\s*#\d+$/;

function annotationOf({ trace, host }: Graph, { launch }: GatheredCall, labels: Labels): string {
  if (launch === -1) return '';
  const { events, strings } = trace;
  for (const event of labels.allAt(host.threads[host.thread[launch]].track, host.start[launch])) {
    const name = strings.text(events.name[event]);
    if (!ANNOTATED.test(name)) return STEP.test(name) ? '' : name;
  }
  return '';
}

/** What the calls of a group without a name are, so that it can be found on other ranks. */
function withSignature(group: CommGroup, place: number, calls: readonly CommCall[]): CommGroup {
  if (group.name !== '' || group.ranks !== undefined || group.size !== undefined) return group;
  const ops = new Set(calls.filter((call) => call.group === place).map(({ op }) => op));
  return { ...group, signature: [...ops].sort().join(' ') };
}
