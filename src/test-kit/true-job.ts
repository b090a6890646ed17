// A simulated job as the fleet sees it, but with calls, meetings and clocks that are known and not inferred.
import { rankCalls } from '../fleet/calls.ts';
import { fitClocks } from '../fleet/clocks.ts';
import { matchCalls } from '../fleet/match.ts';
import type { Clocks, CommCall, Meeting, MeetingMember, RankCalls } from '../fleet/model.ts';
import { type JobGraph, type JobRank, mergeJob } from '../fleet/merge.ts';
import { momentsOfCalls } from '../fleet/skeleton-sweep.ts';
import { skeletonOf, skeletonWindows } from '../fleet/skeleton-of.ts';
import { OWN } from '../graph/constraint-set.ts';
import { type Graph, buildGraph } from '../graph/graph.ts';
import { type Window, wholeTrace } from '../graph/windows.ts';
import { kinetoTrace } from '../sim/kineto.ts';
import { type KinetoOptions, PLAIN_KINETO } from '../sim/kineto-options.ts';
import type { Meeting as SimMeeting } from '../sim/meetings.ts';
import type { Job } from '../sim/program.ts';
import { JobRun } from '../sim/run.ts';
import type { RankTruth, TrueMeeting } from '../sim/truth.ts';
import { readJson } from './draw.ts';
import { Sight } from './proof-sight.ts';

export interface TrueRank extends JobRank {
  readonly graph: Graph;
  readonly sight: Sight;
  readonly truth: RankTruth;
}

export interface TrueJob {
  readonly run: JobRun;
  readonly ranks: readonly TrueRank[];
  readonly meetings: readonly Meeting[];
  readonly clocks: Clocks;
  readonly merged: JobGraph;
}

/** Clocks must not drift. Ranks without a row are not supported. `windowsOf`: of each rank's skeleton; all steps by default. */
export function trueJob(
  job: Job,
  windowsOf: (graph: Graph) => readonly Window[] = skeletonWindows,
  kineto: KinetoOptions = PLAIN_KINETO,
): TrueJob {
  const run = new JobRun(job);
  const members = new Map<TrueMeeting, MeetingMember[]>();
  const ranks = job.ranks.map((_, rank) => trueRank(run, rank, kineto, members, windowsOf));
  const meetings = [...members].flatMap(([meeting, seats]) =>
    seats.length > 1 ? [meetingOf(meeting as SimMeeting, seats)] : [],
  );
  const clocks = trueClocks(ranks);
  return { run, ranks, meetings, clocks, merged: mergeJob(ranks, meetings, clocks) };
}

/** The same traces with calls, meetings and clocks as they are inferred from them. */
export function inferredJob({ run, ranks: known }: TrueJob): TrueJob {
  const ranks = known.map((rank): TrueRank => {
    const calls = rankCalls(rank.graph, rank.truth.rank);
    return { ...rank, calls, skeleton: skeletonOf(rank.graph, calls, [wholeTrace(rank.graph)]) };
  });
  const calls = ranks.map((rank) => rank.calls);
  const { meetings } = matchCalls(calls);
  const clocks = fitClocks(calls, meetings);
  return { run, ranks, meetings, clocks, merged: mergeJob(ranks, meetings, clocks) };
}

function trueRank(
  run: JobRun,
  rank: number,
  kineto: KinetoOptions,
  members: Map<TrueMeeting, MeetingMember[]>,
  windowsOf: (graph: Graph) => readonly Window[],
): TrueRank {
  const truth = run.truthOf(rank);
  const { plan, chunks } = kinetoTrace(run.job, truth, kineto);
  const graph = buildGraph(readJson([...chunks].join('')));
  const sight = new Sight(truth, plan, graph);
  const { device } = graph;
  const calls: CommCall[] = [];
  for (let op = 0; op < device.length; op++) {
    const row = truth.meeting[sight.itemOfDeviceOp(op)];
    if (row === -1) continue;
    const meeting = truth.meetings[row] as SimMeeting;
    members.set(meeting, [...(members.get(meeting) ?? []), { rank, call: calls.length, role: roleOf(meeting, rank) }]);
    calls.push({
      events: [device.event[op] as CommCall['events'][number]],
      startNs: device.start[op],
      endNs: device.end[op],
      op: opOf(meeting, rank),
      group: 0,
      sequence: meeting.sequence,
      commsId: '',
      peer: opOf(meeting, rank) === 'send' ? meeting.ranks[1] : opOf(meeting, rank) === 'recv' ? meeting.ranks[0] : -1,
      bytesIn: 1_000,
      bytesOut: 1_000,
      dtype: '',
      step: -1,
      hasZeroSplit: false,
      from: 'args',
    } as unknown as CommCall);
  }
  const group = {
    key: 'all',
    name: 'all',
    description: '',
    ranks: run.job.ranks.map((__, i) => i),
    size: run.rankCount,
  };
  const about = { rank, worldSize: run.rankCount, originUnixNs: '0', steps: [] };
  const rankCalls = { ...about, groups: [group], calls } as unknown as RankCalls;
  return { calls: rankCalls, skeleton: skeletonOf(graph, rankCalls, windowsOf(graph)), graph, sight, truth };
}

const OPS: Readonly<Record<string, CommCall['op']>> = {
  allreduce: 'all-reduce',
  allgather: 'all-gather',
  reduce_scatter: 'reduce-scatter',
  all_to_all: 'all-to-all',
  barrier: 'barrier',
  broadcast: 'broadcast',
  reduce: 'reduce',
  scatter: 'scatter',
  gather: 'gather',
  'send-receive': 'send-recv',
};

function opOf(meeting: SimMeeting, rank: number): CommCall['op'] {
  const role = roleOf(meeting, rank);
  if (role === 'send') return 'send';
  return role === 'receive' ? 'recv' : (OPS[meeting.op] ?? 'unknown');
}

function roleOf({ rule, root, ranks }: SimMeeting, rank: number): MeetingMember['role'] {
  const isFirst = ranks.indexOf(rank) === root;
  if (rule === 'symmetric') return 'all';
  if (rule === 'rooted') return isFirst ? 'root' : 'leaf';
  return isFirst ? 'send' : 'receive';
}

const meetingOf = ({ op, ranks }: SimMeeting, members: readonly MeetingMember[]): Meeting => ({
  op: OPS[op] ?? 'unknown',
  groupKey: 'all',
  members: members.toSorted((a, b) => a.rank - b.rank),
  isComplete: members.length === ranks.length,
  how: 'sequence',
});

/** Job time is the true time. */
function trueClocks(ranks: readonly TrueRank[]): Clocks {
  const offsetNs = Float64Array.from(ranks, ({ truth, sight, graph }) => {
    const { event } = graph.device.length > 0 ? graph.device : graph.host;
    return truth.items.start[sight.itemOfEvent(event[0])] - graph.trace.events.start[event[0]];
  });
  return {
    offsetNs,
    driftPpm: new Float64Array(ranks.length),
    component: new Int32Array(ranks.length),
    uncertaintyNs: () => 0,
  } as unknown as Clocks;
}

/** All moments of a rank's graph where each call's end comes at a given time, or later where its own stream says so. */
export function replayFull(
  { graph, calls }: Pick<TrueRank, 'graph' | 'calls'>,
  endNs: ArrayLike<number>,
): Float64Array {
  const { constraints, lag, order, time } = graph;
  const callOf = new Map([...momentsOfCalls(graph, calls).end].map((moment, call) => [moment, call]));
  const replayed = new Float64Array(time.length);
  for (const moment of order) {
    const call = callOf.get(moment);
    let latest = call === undefined ? -Infinity : endNs[call];
    for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
      if (call !== undefined && constraints.kind[c] === OWN) continue;
      latest = Math.max(latest, replayed[constraints.from[c]] + lag[c]);
    }
    replayed[moment] = latest === -Infinity ? time[moment] : latest;
  }
  return replayed;
}
