// Simulated jobs of many ranks that meet in groups of all kinds, with clocks that are set differently and run differently, and what is true of them.
import { rankCalls } from '../fleet/calls.ts';
import type { Clocks, Meeting, RankCalls } from '../fleet/model.ts';
import { buildGraph } from '../graph/graph.ts';
import { Random } from '../sim/draws.ts';
import { BASE_UNIX_NS } from '../sim/kineto-clock.ts';
import { type KinetoOptions, PLAIN_KINETO } from '../sim/kineto-options.ts';
import { kinetoTrace } from '../sim/kineto.ts';
import {
  type Action,
  type Clock,
  type CollectiveAction,
  type CollectiveOp,
  EXACT_COSTS,
  type Group,
  type Job,
  NOISY_COSTS,
  type RankProgram,
  type TransferAction,
} from '../sim/program.ts';
import { JobRun } from '../sim/run.ts';
import type { TrueMeeting } from '../sim/truth.ts';
import { readJson } from './draw.ts';

export interface FleetOptions {
  readonly ranks: number;
  readonly steps: number;
  /** Up to so far from the true time, ns. */
  readonly clockNs: number;
  readonly driftPpm: number;
  readonly isNoisy: boolean;
  /** Ring tails and all-to-alls that take members differently long. */
  readonly isUneven: boolean;
  readonly hasTransfers: boolean;
  readonly hasRooted: boolean;
  /** Between steps, ns: so that clocks have time to run apart. */
  readonly pauseNs: number;
  readonly kineto: Partial<KinetoOptions>;
}

/** One call of the program, the same on all ranks but for who takes part in which group. */
interface Slot {
  readonly kind: 'world' | 'row' | 'column';
  readonly op: CollectiveOp | 'transfer';
  readonly ns: number;
  readonly tailNs: number;
  readonly elements: number;
  readonly weights: readonly number[];
  readonly isEager: boolean;
  /** Of the computation before it, ns. */
  readonly workNs: number;
  /** The rank that computes longest before it, by place in the job. */
  readonly slowest: number;
}

const STREAMS = { world: 20, row: 24, column: 28 } as const;
const SYMMETRIC = ['allreduce', 'allreduce', 'allgather', 'reduce_scatter', 'all_to_all', 'barrier'] as const;
const ROOTED = ['broadcast', 'reduce', 'scatter', 'gather'] as const;

/** The same for the same seed. */
export function randomFleet(seed: number, options: FleetOptions): Job {
  const random = new Random(seed);
  const { ranks, steps, isNoisy, pauseNs } = options;
  const width = ranks % 4 === 0 && random.chance(0.7) ? (random.chance(0.5) ? 2 : 4) : 1;
  const groups = groupsOf(ranks, width);
  const kinds = (['world', 'row', 'column'] as const).filter((kind) =>
    groups.some(({ name }) => name.startsWith(kind)),
  );
  const slots = Array.from({ length: random.from(4, 9) }, (_, place) => slotOf(random, place, kinds, options));
  // Each rank comes last at times, as in a job whose ranks are alike; or one always does.
  const straggler = random.chance(0.3) ? random.below(ranks) : -1;
  const programs = Array.from({ length: ranks }, (_, rank): RankProgram => {
    const bodies = Array.from({ length: steps }, (__, step) =>
      slots.flatMap((slot, place) => actionsOf(slot, { rank, step, place, seed, straggler, groups, ranks })),
    );
    const body = bodies.flatMap((actions, step): Action[] => [
      { kind: 'annotation', name: `ProfilerStep#${step + 3}`, body: actions },
      { kind: 'device-sync', device: 0 },
      ...(pauseNs === 0 ? [] : [{ kind: 'sleep', ns: pauseNs } as const]),
    ]);
    return { threads: [{ name: 'python', body }], clock: clockOf(random, options) };
  });
  const costs = isNoisy ? NOISY_COSTS : EXACT_COSTS;
  return { name: `fleet ${seed}`, story: 'ranks that meet', seed, costs, groups, ranks: programs };
}

function clockOf(random: Random, { clockNs, driftPpm }: FleetOptions): Clock {
  return {
    offsetNs: Math.round((2 * random.next() - 1) * clockNs),
    driftPpm: driftPpm === 0 ? 0 : (2 * random.next() - 1) * driftPpm,
  };
}

function groupsOf(ranks: number, width: number): Group[] {
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const groups: Group[] = [{ name: 'world', description: 'default_pg', ranks: all }];
  if (width === 1) return groups;
  for (let row = 0; row * width < ranks; row++) {
    groups.push({ name: `row ${row}`, description: 'TP', ranks: all.slice(row * width, (row + 1) * width) });
  }
  for (let column = 0; column < width; column++) {
    groups.push({ name: `column ${column}`, description: 'DP', ranks: all.filter((rank) => rank % width === column) });
  }
  return groups;
}

function slotOf(random: Random, place: number, kinds: readonly Slot['kind'][], options: FleetOptions): Slot {
  const { isUneven, hasTransfers, hasRooted, ranks } = options;
  const isTransfer = hasTransfers && random.chance(0.2);
  const isRooted = hasRooted && random.chance(0.25);
  return {
    kind: isTransfer ? 'world' : random.pick(kinds),
    op: isTransfer ? 'transfer' : isRooted ? random.pick(ROOTED) : random.pick(SYMMETRIC),
    ns: random.from(12_000, 400_000),
    tailNs: isUneven && random.chance(0.5) ? random.from(50, 600) : 0,
    // Each slot its own: calls of one size take equally long.
    elements: (2 * place + 1) << random.from(8, 20),
    weights: Array.from({ length: ranks }, () => (isUneven ? 0.5 + random.next() : 1)),
    isEager: random.chance(0.4),
    workNs: random.from(20_000, 600_000),
    slowest: random.below(ranks),
  };
}

interface At {
  readonly rank: number;
  readonly step: number;
  readonly place: number;
  readonly seed: number;
  readonly straggler: number;
  readonly groups: readonly Group[];
  readonly ranks: number;
}

function actionsOf(slot: Slot, at: At): Action[] {
  const { rank, straggler, seed, step, place, ranks } = at;
  const on = { device: 0, stream: STREAMS[slot.kind] };
  const drawn = new Random(seed * 7919 + rank * 131 + step * 17 + place).next();
  const ns = Math.round(slot.workNs * (0.6 + 0.8 * drawn) * (rank === straggler ? 2.5 : 1));
  const work: Action = {
    kind: 'op',
    name: 'aten::mm',
    beforeNs: 3_000,
    body: [{ kind: 'launch', name: 'sgemm', ns, on }],
    afterNs: 500,
  };
  if (slot.op !== 'transfer') return [work, comm(collectiveOf(slot, at), 'c10d::any')];
  // Around the ring, even ranks send first: nobody waits for ever.
  if (ranks < 2) return [work];
  const send = comm(transferOf(slot, 'send', (rank + 1) % ranks), 'c10d::send');
  const receive = comm(transferOf(slot, 'receive', (rank + ranks - 1) % ranks), 'c10d::recv_');
  const isFirst = rank % 2 === 0 && rank !== ranks - 1;
  return isFirst ? [work, send, receive] : [work, receive, send];
}

function comm(action: CollectiveAction | TransferAction, name: string): Action {
  const kind = action.kind === 'collective' ? ANNOTATED[action.op] : action.kind === 'send' ? 'send' : 'recv';
  const inner: Action = { kind: 'annotation', name: `nccl:${kind}`, body: [action] };
  return {
    kind: 'op',
    name,
    beforeNs: 1_000,
    afterNs: 300,
    body: [{ kind: 'op', name: 'record_param_comms', beforeNs: 1_000, afterNs: 300, body: [inner], comm: action }],
  };
}

const ANNOTATED: Readonly<Record<CollectiveOp, string>> = {
  allreduce: 'all_reduce',
  allgather: '_all_gather_base',
  reduce_scatter: '_reduce_scatter_base',
  all_to_all: 'all_to_all',
  barrier: 'barrier',
  broadcast: 'broadcast',
  reduce: 'reduce',
  scatter: 'scatter',
  gather: 'gather',
};

function collectiveOf(slot: Slot, { rank, groups }: At): CollectiveAction {
  const group = groups.find(({ name, ranks }) => name.startsWith(slot.kind) && ranks.includes(rank)) ?? groups[0];
  const isUneven = slot.op === 'all_to_all';
  return {
    kind: 'collective',
    op: slot.op === 'transfer' ? 'barrier' : slot.op,
    group: group.name,
    on: { device: 0, stream: STREAMS[slot.kind] },
    // As some versions do: one name for all.
    name: 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)',
    ns: isUneven ? group.ranks.map((_, i) => Math.round(slot.ns * slot.weights[i])) : slot.ns,
    tailNs: slot.tailNs,
    elements: slot.elements,
    dtype: 'BFloat16',
  };
}

function transferOf(slot: Slot, kind: 'send' | 'receive', peer: number): TransferAction {
  const { ns, elements, isEager } = slot;
  const on = { device: 0, stream: STREAMS.world };
  const name = 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)';
  return { kind, group: 'world', on, name, peer, ns, isEager, elements, dtype: 'BFloat16' };
}

/** What the traces of a job tell, and what is true. */
export interface ReadFleet {
  readonly job: Job;
  readonly ranks: RankCalls[];
  /** By rank and call: the meeting that it is in. */
  readonly meetingOf: readonly (readonly (TrueMeeting | undefined)[])[];
  /** What a rank's trace shows (ns since its origin) at a true time. */
  readonly shownAt: (rank: number, trueNs: number) => number;
  /** When the job's first call began and its last one ended, true ns. */
  readonly fromNs: number;
  readonly toNs: number;
}

/** `only`: of these ranks; all by default. */
export function readFleet(
  job: Job,
  options: Partial<KinetoOptions>,
  only = job.ranks.map((_, rank) => rank),
): ReadFleet {
  const run = new JobRun(job);
  const origins: number[] = [];
  const meetingOf: (TrueMeeting | undefined)[][] = [];
  let [fromNs, toNs] = [Infinity, -Infinity];
  const ranks = only.map((rank): RankCalls => {
    const truth = run.truthOf(rank);
    const { plan, chunks } = kinetoTrace(job, truth, { ...PLAIN_KINETO, collectiveRank: true, ...options });
    const graph = buildGraph(readJson([...chunks].join('')));
    const { events } = graph.trace;
    const itemAt = new Map<number, number>();
    plan.positionOf.forEach((position, item) => itemAt.set(position, item));
    const calls = rankCalls(graph, rank);
    meetingOf.push(
      calls.calls.map(({ events: [event] }) => {
        const item = itemAt.get(events.position[event]) ?? -1;
        fromNs = Math.min(fromNs, truth.items.start[item]);
        toNs = Math.max(toNs, truth.items.end[item]);
        return truth.meetings[truth.meeting[item]];
      }),
    );
    origins.push(Number(graph.trace.originUnixNs - BigInt(BASE_UNIX_NS)));
    return calls;
  });
  const shownAt = (place: number, trueNs: number): number => {
    const { offsetNs, driftPpm } = job.ranks[only[place]].clock ?? { offsetNs: 0, driftPpm: 0 };
    return 3_600_000_000_000 + trueNs + offsetNs + trueNs * driftPpm * 1e-6 - origins[place];
  };
  return { job, ranks, meetingOf, shownAt, fromNs, toNs };
}

/** How many meetings that were found are no true ones, and how many calls that meet in truth are in none. */
export function matchErrors(
  fleet: ReadFleet,
  meetings: readonly Meeting[],
): { readonly wrong: number; readonly missed: number } {
  const { ranks, meetingOf } = fleet;
  const place = new Map(ranks.map(({ rank }, at) => [rank, at]));
  const found = new Set<string>();
  let wrong = 0;
  for (const { members } of meetings) {
    const truths = new Set(members.map(({ rank, call }) => meetingOf[place.get(rank) ?? -1][call]));
    if (truths.size !== 1 || truths.has(undefined)) wrong++;
    for (const { rank, call } of members) found.add(`${rank} ${call}`);
  }
  let missed = 0;
  ranks.forEach(({ rank, calls }, at) => {
    calls.forEach((_, call) => {
      const truth = meetingOf[at][call];
      const others = truth?.ranks.filter((other) => other !== rank && place.has(other)) ?? [];
      if (others.length > 0 && !found.has(`${rank} ${call}`)) missed++;
    });
  });
  return { wrong, missed };
}

/** Of each pair of ranks: by how much their clocks were set wrong against each other, at worst over the run, and how much was admitted. */
export function clockErrors(
  { ranks, shownAt, fromNs, toNs }: ReadFleet,
  { offsetNs, driftPpm, component, uncertaintyNs }: Clocks,
): { readonly a: number; readonly b: number; readonly errorNs: number; readonly admittedNs: number }[] {
  const inJob = (place: number, trueNs: number): number => {
    const shown = shownAt(place, trueNs);
    return shown + offsetNs[place] + driftPpm[place] * 1e-6 * shown;
  };
  const found: { a: number; b: number; errorNs: number; admittedNs: number }[] = [];
  for (let a = 0; a < ranks.length; a++) {
    for (let b = a + 1; b < ranks.length; b++) {
      if (component[a] !== component[b]) continue;
      const errors = [fromNs, (fromNs + toNs) / 2, toNs].map((at) => Math.abs(inJob(a, at) - inJob(b, at)));
      found.push({ a, b, errorNs: Math.max(...errors), admittedNs: uncertaintyNs(a, b) });
    }
  }
  return found;
}
