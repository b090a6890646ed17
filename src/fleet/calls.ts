import { upperBound } from '../base/bisect.ts';
import { ANNOTATED, type GatheredCall, gatherCalls } from '../graph/collective-calls.ts';
import { type Description, describe } from '../graph/collective-facts.ts';
import { type CollectiveMarks, marksOf } from '../graph/collective-marks.ts';
import type { Graph } from '../graph/graph.ts';
import { membersByShapes } from '../graph/group-shapes.ts';
import { type Labels, annotationLabels } from '../graph/labels.ts';
import { type Step, findSteps } from '../graph/steps.ts';
import type { EventId } from '../trace/ids.ts';
import { GroupTable } from './groups.ts';
import type { CommCall, CommGroup, CommOp, RankCalls } from './model.ts';
import { OtherWork } from './other-work.ts';

/** A call, and what only its own rank needs to know of it. */
interface Told {
  readonly call: CommCall;
  /** The thread that launched it, by what it does: their numbers differ from rank to rank. */
  readonly thread: 'main' | 'backward' | 'none';
  /** How many ranks take part, by the shapes of the op around it. */
  readonly members: number | undefined;
}

/**
 * The communication calls of a rank: of each what it does, in which group, and what other ranks know it by. From the kernel's args, else the
 * `record_param_comms` that launched it, else the `nccl:` annotation around the launch, else the kernel's name. O(n) in the trace.
 */
export function rankCalls(graph: Graph, rank: number): RankCalls {
  const { trace, host } = graph;
  const labels = annotationLabels(trace);
  const steps = findSteps(graph);
  const stepOf = stepFinder(steps);
  const backward = new Set(graph.workers.forks.map(({ workerFirst }) => host.thread[workerFirst >> 1]));
  const table = new GroupTable(trace.groups);
  const gatheredCalls = gatherCalls(graph, labels).map((gathered) => ({ gathered, said: describe(graph, gathered) }));
  const transfers = gatheredCalls.filter(({ said }) => TRANSFERS.has(opOf(said))).map(({ gathered }) => gathered);
  const others = transfers.length === 0 ? undefined : new OtherWork(graph, transfers);
  const told = gatheredCalls.map(({ gathered, said }): Told => {
    const { launch } = gathered;
    const marks = marksOf(graph, gathered);
    const place = said.group === undefined ? table.unnamed(streamOf(graph, gathered)) : table.named(said.group, marks);
    const from = {
      place,
      peer: peerOf(opOf(said), marks, table.groups[place]),
      step: launch === -1 ? -1 : stepOf(host.start[launch]),
      annotation: annotationOf(graph, gathered, labels),
    };
    return {
      call: withIdle(callOf(graph, gathered, said, marks, from), gathered, others),
      thread: launch === -1 ? 'none' : backward.has(host.thread[launch]) ? 'backward' : 'main',
      members: membersByShapes(graph, gathered),
    };
  });
  return {
    rank,
    worldSize: trace.worldSize,
    originUnixNs: String(trace.originUnixNs),
    groups: signedGroups(table.groups, told),
    steps: steps.map(({ label }) => label),
    calls: told.map(({ call }) => call).sort((a, b) => a.startNs - b.startNs || a.events[0] - b.events[0]),
  };
}

function callOf(
  { device }: Graph,
  { ops }: GatheredCall,
  said: Description,
  marks: CollectiveMarks,
  { place, peer, step, annotation }: Pick<CommCall, 'peer' | 'step' | 'annotation'> & { readonly place: number },
): CommCall {
  const op = opOf(said);
  return {
    events: ops.map((each) => device.event[each] as EventId),
    startNs: device.start[ops[0]],
    endNs: ops.reduce((end, each) => Math.max(end, device.end[each]), -Infinity),
    op,
    name: said.name,
    group: place,
    sequence: said.sequence ?? -1,
    commsId: marks.commsId,
    peer,
    bytesIn: said.inBytes,
    bytesOut: said.outBytes,
    dtype: said.dtype ?? '',
    sizeBytes: said.sizeBytes,
    step,
    annotation,
    hasZeroSplit: op === 'all-to-all' && (said.inBytes === 0 || said.outBytes === 0 || marks.hasZeroSplit),
    from: said.operationFrom,
  };
}

/** Of sends and receives: since when its device has done nothing else. */
function withIdle(call: CommCall, gathered: GatheredCall, others: OtherWork | undefined): CommCall {
  if (others === undefined || !PAIRED.has(call.op)) return call;
  return { ...call, idleFromNs: others.over(gathered, call.startNs, call.endNs) };
}

const ROOTED: ReadonlySet<CommOp> = new Set(['broadcast', 'reduce', 'gather', 'scatter'] as const);
const PAIRED: ReadonlySet<CommOp> = new Set(['send', 'recv'] as const);
/** Several sends and receives that were launched together are one call `send-recv`. */
const TRANSFERS: ReadonlySet<CommOp> = new Set(['send', 'recv', 'send-recv'] as const);

/** The global rank of the root, or of the other side. */
function peerOf(op: CommOp, { place, peerRank }: CollectiveMarks, { ranks }: CommGroup): number {
  if (PAIRED.has(op) && peerRank !== -1) return peerRank;
  return ROOTED.has(op) || PAIRED.has(op) ? (ranks?.[place] ?? -1) : -1;
}

/** The vendors' libraries say what they do in rows of their own; other kernels that only their name tells of are a class of their own. */
const LIBRARY = /nccl|rccl|hccl|oneccl|xccl|msccl/i;

function opOf({ operation, operationFrom, name }: Description): CommOp {
  return operationFrom === 'kernel-name' && !LIBRARY.test(name) ? 'custom' : operation;
}

const streamOf = ({ device }: Graph, { ops }: GatheredCall): number => device.lanes[device.lane[ops[0]]].stream;

function stepFinder(steps: readonly Step[]): (launched: number) => number {
  const starts = Float64Array.from(steps, ({ start }) => start);
  return (launched) => {
    const found = upperBound(starts, launched) - 1;
    return found !== -1 && launched < steps[found].end ? found : -1;
  };
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

/** Of groups without a name: who calls what in them, so that they can be found on other ranks, and their size where shapes tell it. */
function signedGroups(groups: readonly CommGroup[], told: readonly Told[]): CommGroup[] {
  const words = groups.map(() => new Set<string>());
  const sizes = groups.map(() => new Set<number>());
  for (const { call, thread, members } of told) {
    if (groups[call.group].signature === '') continue;
    words[call.group].add(`${thread}:${call.op}`);
    if (members !== undefined) sizes[call.group].add(members);
  }
  return groups.map((group, place) => {
    if (group.signature === '') return group;
    const [size] = sizes[place].size === 1 ? sizes[place] : [undefined];
    return { ...group, size, signature: [...words[place]].sort().join(' ') };
  });
}
