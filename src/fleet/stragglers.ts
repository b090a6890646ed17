// Which rank holds the others up, and what on it.
import type { SegmentKind } from '../graph/segments.ts';
import { type AloneWindow, aloneWindows } from './alone.ts';
import { changeRanks, medianMember } from './balance.ts';
import { freeAt, toJob } from './job-clock.ts';
import { type JobTimes, replayJob } from './job-replay.ts';
import { type JobWindow, findJobWindows } from './job-windows.ts';
import type { JobGraph } from './merge.ts';
import { findRoles } from './roles.ts';

/** The kind that explains at least so much of the excess is its cause. */
const CAUSE_SHARE = 0.6;
/** An excess below this share of the median step is none, and a rank whose balance would win less of the job's time holds nobody up. */
const LEAST_EXCESS = 0.02;
const LEAST_GAIN = 0.005;
/** An excess must be so many times what the peers differ among themselves. */
const SIGNIFICANCE = 3;
/** So many peers are needed to judge by one step alone. */
const LEAST_PEERS = 3;
/** A rank is another's victim if of what it waits for others at least so much is for that one. */
const VICTIM_SHARE = 0.5;
/** So many peers at most stand in for a rank, to see how much that matters. */
const MOST_PEERS = 8;

/** A rank in a step, beside the others of its role. ns. */
export interface RankStep {
  readonly label: string;
  /** The step on the rank, from completion to completion, in its own clock. */
  readonly wallNs: number;
  /** More than its role's median took: `intrinsicNs` + `inheritedNs`. Negative: less. */
  readonly excessNs: number;
  /** Made here: what the step takes where the rank never waits for others, beside the median of its peers. */
  readonly intrinsicNs: number;
  /** Made elsewhere: how much longer it waited for others than they did. */
  readonly inheritedNs: number;
  /** Of the first step: how much later than the median the rank began. 0 for others. */
  readonly beforeNs: number;
  /** Waiting for others, by the rank that came last; ties are nobody's. */
  readonly waitedFor: readonly { readonly rank: number; readonly ns: number }[];
}

export interface RankVerdict {
  readonly rank: number;
  /** Ranks of the same role, itself left out. Without any there is nothing to compare it with. */
  readonly peers: number;
  readonly steps: readonly RankStep[];
  /** `straggler`: slower than its peers, and others wait for it. `late-start`: it began late, and is not slow. `victim`: it waits for another. */
  readonly verdict: 'straggler' | 'late-start' | 'victim' | 'none';
  /** Of a straggler: medians over the steps. */
  readonly intrinsicNs: number;
  readonly cause?: { readonly kind: SegmentKind | 'transfer'; readonly share: number };
  /** Of a straggler: how much shorter the windows would be if it had its role's median skeleton; and with others of its peers in its place. */
  readonly gain?: { readonly ns: number; readonly share: number; readonly leastNs: number; readonly mostNs: number };
  /** Of a victim: for whom it waits most, and how much of its waiting. */
  readonly victimOf?: { readonly rank: number; readonly share: number };
}

export interface Stragglers {
  /** In the order of the job's ranks. */
  readonly ranks: readonly RankVerdict[];
  readonly roles: number;
}

/** O(ranks × (kept moments + entries)); a replay of the job for each rank that is clearly slower than its peers. */
export function findStragglers(job: JobGraph, times: JobTimes, windows: readonly JobWindow[]): Stragglers {
  const roles = findRoles(job.ranks);
  const alone = job.ranks.map((_, rank) => aloneWindows(job, rank));
  const waits = waitsOf(job, times, windows);
  const ranks: RankVerdict[] = [];
  for (const { members } of roles) {
    const seen = members.filter((rank) => windows[0].ends[rank] !== -1);
    for (const rank of seen) ranks[rank] = judge({ job, times, windows, alone, waits }, rank, seen);
  }
  return { ranks: ranks.filter(() => true), roles: roles.length };
}

interface Evidence {
  readonly job: JobGraph;
  readonly times: JobTimes;
  readonly windows: readonly JobWindow[];
  /** By rank, then by window of its skeleton. */
  readonly alone: readonly (readonly AloneWindow[])[];
  /** By rank, then by window: for whom it waited. */
  readonly waits: readonly (readonly ReadonlyMap<number, number>[])[];
}

function judge(evidence: Evidence, rank: number, members: readonly number[]): RankVerdict {
  const { job, windows } = evidence;
  const peers = members.filter((other) => other !== rank);
  const steps = windows.map((_, w) => stepOf(evidence, rank, peers, w));
  const about = {
    rank: job.ranks[rank].calls.rank,
    peers: peers.length,
    steps,
    intrinsicNs: median(steps.map(({ intrinsicNs }) => intrinsicNs)),
  };
  if (peers.length > 0 && isSlow(evidence, rank, peers, about.intrinsicNs)) {
    const gain = gainOf(evidence, rank, members);
    if (gain.share >= LEAST_GAIN) {
      const cause = causeOf(evidence, rank, peers);
      return { ...about, verdict: 'straggler', gain, ...(cause === undefined ? {} : { cause }) };
    }
  }
  if (beganLast(evidence, rank)) return { ...about, verdict: 'late-start' };
  const victimOf = mostWaitedFor(steps);
  return victimOf === undefined ? { ...about, verdict: 'none' } : { ...about, verdict: 'victim', victimOf };
}

function stepOf(evidence: Evidence, rank: number, peers: readonly number[], w: number): RankStep {
  const { windows, waits, job } = evidence;
  const wallNs = wallOf(evidence, rank, w);
  const work = aloneOf(evidence, rank, w).ns;
  const among = <T>(of: (other: number) => T): T[] => (peers.length === 0 ? [rank] : peers).map(of);
  const excessNs = wallNs - median(among((other) => wallOf(evidence, other, w)));
  const intrinsicNs = work - median(among((other) => aloneOf(evidence, other, w).ns));
  const starts = [...windows[w].ends].flatMap((end, other) => (end === -1 ? [] : [startOf(job, other)]));
  return {
    label: windows[w].label,
    wallNs,
    excessNs,
    intrinsicNs,
    inheritedNs: excessNs - intrinsicNs,
    beforeNs: w === 0 && isFirst(evidence, rank) ? startOf(job, rank) - median(starts) : 0,
    waitedFor: [...waits[rank][w]].map(([other, ns]) => ({ rank: other, ns })).sort((a, b) => b.ns - a.ns),
  };
}

const startOf = ({ clocks, ranks }: JobGraph, rank: number): number =>
  toJob(clocks, rank, ranks[rank].skeleton.startNs);

/** The index of a job's window among those of a rank. */
const indexOf = ({ job, windows }: Evidence, rank: number, w: number): number =>
  job.ranks[rank].skeleton.windows.findIndex(({ end }) => job.first[rank] + end === windows[w].ends[rank]);

const aloneOf = (evidence: Evidence, rank: number, w: number): AloneWindow =>
  evidence.alone[rank][indexOf(evidence, rank, w)];

/** No step of the rank comes before the job's first window. */
const isFirst = (evidence: Evidence, rank: number): boolean => indexOf(evidence, rank, 0) === 0;

function wallOf(evidence: Evidence, rank: number, w: number): number {
  const { job, times } = evidence;
  const { windows, startNs } = job.ranks[rank].skeleton;
  const at = indexOf(evidence, rank, w);
  const ended = (i: number): number => times.timeNs[job.first[rank] + windows[i].end];
  return ended(at) - (at === 0 ? startNs : ended(at - 1));
}

/** Slower than its peers by more than steps differ by chance, and by more than ranks differ anyway. */
function isSlow(evidence: Evidence, rank: number, peers: readonly number[], intrinsicNs: number): boolean {
  const worksOf = (other: number): number[] => evidence.windows.map((_, w) => aloneOf(evidence, other, w).ns);
  const own = worksOf(rank);
  const others = peers.map(worksOf);
  const usual = median(others.map(mean));
  if (intrinsicNs < LEAST_EXCESS * usual) return false;
  const offUsual = 1.4826 * median(others.map((works) => Math.abs(mean(works) - usual)));
  if (mean(own) - usual < SIGNIFICANCE * offUsual) return false;
  // One step tells nothing of chance; then only many peers that agree do.
  if (own.length === 1) return peers.length >= LEAST_PEERS;
  return mean(own) - usual > chanceNs([own, ...others]);
}

/**
 * What the mean of one of these ranks may be above that of the others by chance, once in ten thousand times: Student's t with the variance
 * of steps that all ranks share.
 */
function chanceNs(works: readonly (readonly number[])[]): number {
  const [ranks, steps] = [works.length, works[0].length];
  const squares = works.map((each) => each.reduce((sum, ns) => sum + (ns - mean(each)) ** 2, 0));
  const freedom = ranks * (steps - 1);
  const deviation = Math.sqrt(squares.reduce((sum, each) => sum + each, 0) / freedom);
  const [, factor] = STUDENT.findLast(([least]) => freedom >= least) ?? STUDENT[0];
  return factor * deviation * Math.sqrt(1 / steps + 1 / (steps * (ranks - 1)));
}

/** Degrees of freedom, and the 0.9999 quantile of Student's t. */
const STUDENT = [
  [1, 3183],
  [2, 70.7],
  [3, 22.2],
  [4, 13.04],
  [5, 9.68],
  [6, 8.02],
  [8, 6.44],
  [10, 5.69],
  [15, 4.88],
  [20, 4.54],
  [30, 4.23],
  [60, 3.96],
  [120, 3.84],
] as const;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** Over all windows: the kind of work that the rank has more of than its peers. */
function causeOf(evidence: Evidence, rank: number, peers: readonly number[]): RankVerdict['cause'] {
  const { windows } = evidence;
  const sumsOf = (other: number): Map<SegmentKind | 'transfer', number> => {
    const sums = new Map<SegmentKind | 'transfer', number>();
    windows.forEach((_, w) => {
      for (const [kind, ns] of Object.entries(aloneOf(evidence, other, w).parts)) {
        const code = kind as SegmentKind | 'transfer';
        sums.set(code, (sums.get(code) ?? 0) + ns);
      }
    });
    return sums;
  };
  const total = (sums: ReadonlyMap<string, number>): number => [...sums.values()].reduce((sum, ns) => sum + ns, 0);
  const own = sumsOf(rank);
  const others = peers.map(sumsOf);
  const excess = total(own) - median(others.map(total));
  let best: RankVerdict['cause'];
  for (const [kind, ns] of own) {
    const share = (ns - median(others.map((sums) => sums.get(kind) ?? 0))) / excess;
    if (share >= CAUSE_SHARE && share > (best?.share ?? 0)) best = { kind, share };
  }
  return best;
}

function gainOf(
  { job, windows }: Evidence,
  rank: number,
  members: readonly number[],
): NonNullable<RankVerdict['gain']> {
  const before = lengthOf(windows);
  const labels = new Set(windows.map(({ label }) => label));
  const { rank: number } = job.ranks[rank].calls;
  const gainAs = (as: number): number => {
    const changed = changeRanks(job, [{ kind: 'balance', ranks: [number], as: job.ranks[as].calls.rank }]);
    const found = findJobWindows(changed, replayJob(changed));
    return found.ok ? before - lengthOf(found.windows.filter(({ label }) => labels.has(label))) : 0;
  };
  const stand = medianMember(job, members);
  const others = members.filter((other) => other !== rank && other !== stand).slice(0, MOST_PEERS);
  const ns = gainAs(stand);
  const gains = [ns, ...others.map(gainAs)];
  return { ns, share: ns / before, leastNs: Math.min(...gains), mostNs: Math.max(...gains) };
}

const lengthOf = (windows: readonly JobWindow[]): number =>
  windows.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);

/** The rank began later than all others, by more than clocks may be off, and the job's first window is the first of all ranks. */
function beganLast(evidence: Evidence, rank: number): boolean {
  const { job, windows } = evidence;
  if (!isFirst(evidence, rank)) return false;
  const others = [...windows[0].ends].flatMap((end, other) => (end === -1 || other === rank ? [] : [other]));
  const margin = startOf(job, rank) - Math.max(...others.map((other) => startOf(job, other)));
  const clocksNs = Math.max(...others.map((other) => job.clocks.uncertaintyNs(rank, other)));
  return margin > clocksNs && margin > LEAST_EXCESS * (windows[0].endNs - windows[0].startNs);
}

function mostWaitedFor(steps: readonly RankStep[]): RankVerdict['victimOf'] {
  const sums = new Map<number, number>();
  for (const { rank, ns } of steps.flatMap(({ waitedFor }) => waitedFor)) sums.set(rank, (sums.get(rank) ?? 0) + ns);
  const total = [...sums.values()].reduce((sum, ns) => sum + ns, 0);
  const wall = steps.reduce((sum, { wallNs }) => sum + wallNs, 0);
  if (total < LEAST_EXCESS * wall) return undefined;
  const [rank, ns] = [...sums].reduce((best, each) => (each[1] > best[1] ? each : best));
  return rank === NOBODY || ns < VICTIM_SHARE * total ? undefined : { rank, share: ns / total };
}

/** Stands for the last of ranks that the clocks do not tell apart. */
export const NOBODY = -1;

/** By rank and window (of the call's arrival): how long it waited in its calls, by the rank that came last. */
function waitsOf(job: JobGraph, times: JobTimes, windows: readonly JobWindow[]): Map<number, number>[][] {
  const { ranks, rankOf, arrivalOf, gateOf, clocks } = job;
  const waits = ranks.map(() => windows.map(() => new Map<number, number>()));
  const lastOf = lastArrivers(job, times);
  for (let end = 0; end < rankOf.length; end++) {
    const gate = gateOf[end];
    if (gate === -1) continue;
    const rank = rankOf[end];
    const arrived = times.timeNs[arrivalOf[end]];
    const ns = freeAt(clocks, rank, arrived, times.opensNs[gate]) - arrived;
    const at = toJob(clocks, rank, arrived);
    const w = windows.findIndex(({ startNs, endNs }) => at >= startNs && at < endNs);
    if (ns <= 0 || w === -1) continue;
    waits[rank][w].set(lastOf[gate], (waits[rank][w].get(lastOf[gate]) ?? 0) + ns);
  }
  return waits;
}

/** By gate: the global rank that came last, or `NOBODY` where its margin is below what clocks may be off. */
function lastArrivers({ gates, rankOf, clocks, ranks }: JobGraph, { opener, timeNs }: JobTimes): Int32Array {
  return Int32Array.from(gates.meeting, (_, gate) => {
    const last = opener[gate];
    if (last === -1) return NOBODY;
    const at = (arrival: number): number => toJob(clocks, rankOf[arrival], timeNs[arrival]);
    for (let i = gates.first[gate]; i < gates.first[gate + 1]; i++) {
      const other = gates.arrival[i];
      if (rankOf[other] === rankOf[last]) continue;
      if (at(last) - at(other) < clocks.uncertaintyNs(rankOf[last], rankOf[other])) return NOBODY;
    }
    return ranks[rankOf[last]].calls.rank;
  });
}
