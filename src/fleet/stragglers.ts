// Which rank holds the others up, and what on it.
import { SEGMENT_KINDS, type SegmentKind } from '../graph/segments.ts';
import { lowerBound, upperBound } from '../base/bisect.ts';
import { type AloneParts, TRANSFER, aloneParts, aloneWalls } from './alone.ts';
import { changeRanks, inPlaceOf, medianMember } from './balance.ts';
import { freeAt, toJob } from './job-clock.ts';
import { type JobTimes, replayJob } from './job-replay.ts';
import { type JobWindow, type JobWindows, findJobWindows } from './job-windows.ts';
import type { JobGraph } from './merge.ts';
import { replayChanged } from './replay-one.ts';
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
const MOST_PEERS = 3;
/** Of so many ranks at most it is asked what balancing them would win. */
const MOST_CANDIDATES = 16;

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
  /** Ranks that are clearly slower than their peers, but of which was not asked whether they hold others up: too many are slower still. */
  readonly unexamined: number;
}

/**
 * O(ranks × (kept moments + entries)), and some replays of the job for each of the ranks that are clearly slower than their peers, of
 * which the slowest `MOST_CANDIDATES` are looked at.
 */
export function findStragglers(job: JobGraph, times: JobTimes, windows: readonly JobWindow[]): Stragglers {
  const roles = findRoles(job.ranks).map(({ members }) => members.filter((rank) => windows[0].ends[rank] !== -1));
  const evidence = gather(job, times, windows);
  const peersOf = roles.map((members) => new Peers(evidence, members));
  const candidates = roles.flatMap((members, role) =>
    members.flatMap((rank) => {
      const excess = peersOf[role].meanExcess(rank);
      return peersOf[role].isSlow(rank) ? [{ rank, excess }] : [];
    }),
  );
  candidates.sort((a, b) => b.excess - a.excess);
  const looked = new Set(candidates.slice(0, MOST_CANDIDATES).map(({ rank }) => rank));
  const verdicts: RankVerdict[] = [];
  roles.forEach((members, role) => {
    for (const rank of members) verdicts.push(judge(evidence, rank, peersOf[role], looked.has(rank)));
  });
  return {
    ranks: verdicts.sort((a, b) => a.rank - b.rank),
    roles: roles.length,
    unexamined: candidates.length - looked.size,
  };
}

interface Evidence {
  readonly job: JobGraph;
  readonly times: JobTimes;
  readonly windows: readonly JobWindow[];
  /** By rank, then by window: how long it takes the rank, from completion to completion; and if it never waited. */
  readonly walls: readonly Float64Array[];
  readonly alone: readonly Float64Array[];
  /** By rank: the windows' places among those of its skeleton; none where it does not have them all. */
  readonly places: readonly Int32Array[];
  /** By gate: the rank that came last. */
  readonly lastOf: Int32Array;
  /** By rank: no step of it comes before the job's first window. */
  readonly isFirst: readonly boolean[];
  /** By rank, in job time. */
  readonly startNs: Float64Array;
  readonly medianStartNs: number;
}

function gather(job: JobGraph, times: JobTimes, windows: readonly JobWindow[]): Evidence {
  const { ranks, first, clocks } = job;
  const walls: Float64Array[] = [];
  const alone: Float64Array[] = [];
  const places: Int32Array[] = [];
  const isFirst: boolean[] = [];
  const startNs = Float64Array.from(ranks, ({ skeleton }, rank) => toJob(clocks, rank, skeleton.startNs));
  ranks.forEach(({ skeleton }, rank) => {
    const own = aloneWalls(job, rank);
    const all = Int32Array.from(windows, ({ ends }) =>
      skeleton.windows.findIndex(({ end }) => first[rank] + end === ends[rank]),
    );
    const seen = all.includes(-1) ? new Int32Array(0) : all;
    const ended = (at: number): number =>
      at < 0 ? skeleton.startNs : times.timeNs[first[rank] + skeleton.windows[at].end];
    walls.push(Float64Array.from(seen, (at) => ended(at) - ended(at - 1)));
    alone.push(Float64Array.from(seen, (at) => own[at]));
    places.push(seen);
    isFirst.push(all[0] === 0);
  });
  const seen = [...startNs].filter((_, rank) => windows[0].ends[rank] !== -1);
  const lastOf = lastArrivers(job, times);
  return { job, times, windows, walls, alone, places, lastOf, isFirst, startNs, medianStartNs: median(seen) };
}

/** The ranks of a role, each beside the others of it. */
class Peers {
  readonly members: readonly number[];
  readonly #evidence: Evidence;
  /** By window, ascending. */
  readonly #walls: readonly Float64Array[];
  readonly #works: readonly Float64Array[];
  /** The mean work of each rank; and ascending. */
  readonly #meanOf: ReadonlyMap<number, number>;
  readonly #means: Float64Array;
  readonly #chanceNs: number;
  #median: number | undefined;
  readonly #parts = new Map<number, AloneParts>();

  constructor(evidence: Evidence, members: readonly number[]) {
    const { walls, alone, windows } = evidence;
    this.#evidence = evidence;
    this.members = members;
    this.#walls = windows.map((_, w) => Float64Array.from(members, (rank) => walls[rank][w]).sort());
    this.#works = windows.map((_, w) => Float64Array.from(members, (rank) => alone[rank][w]).sort());
    const works = members.map((rank) => alone[rank]);
    this.#meanOf = new Map(members.map((rank, i) => [rank, mean(works[i])]));
    this.#means = Float64Array.from(this.#meanOf.values()).sort();
    this.#chanceNs = members.length < 2 || windows.length < 2 ? Infinity : chanceNs(works);
  }

  wallExcess(rank: number, w: number): number {
    const own = this.#evidence.walls[rank][w];
    return own - medianWithout(this.#walls[w], own);
  }

  workExcess(rank: number, w: number): number {
    const own = this.#evidence.alone[rank][w];
    return own - medianWithout(this.#works[w], own);
  }

  meanExcess(rank: number): number {
    const own = this.#mean(rank);
    return own - medianWithout(this.#means, own);
  }

  #mean(rank: number): number {
    return this.#meanOf.get(rank) ?? NaN;
  }

  /** What its own work is made of. Asked for one, soon for all: each is fetched once. */
  partsOf(rank: number): AloneParts {
    const known = this.#parts.get(rank);
    if (known !== undefined) return known;
    const { job, places } = this.#evidence;
    const parts = aloneParts(job, rank, [...places[rank]]);
    this.#parts.set(rank, parts);
    return parts;
  }

  /** Whose work takes the median time. */
  get median(): number {
    return (this.#median ??= medianMember(this.#evidence.job, this.members));
  }

  /** Slower than its peers by more than steps differ by chance, and by more than ranks differ anyway. */
  isSlow(rank: number): boolean {
    if (this.members.length < 2) return false;
    const own = this.#mean(rank);
    const usual = medianWithout(this.#means, own);
    const excess = own - usual;
    if (excess < LEAST_EXCESS * usual || excess <= 0) return false;
    const others = this.members.filter((other) => other !== rank).map((other) => this.#mean(other));
    if (excess < SIGNIFICANCE * 1.4826 * median(others.map((ns) => Math.abs(ns - usual)))) return false;
    // One step tells nothing of chance; then only many peers that agree do.
    if (this.#evidence.windows.length === 1) return others.length >= LEAST_PEERS;
    return excess > this.#chanceNs;
  }
}

/** Of ascending values, one of which is left out; where it is the only one, that. O(log n). */
function medianWithout(sorted: Float64Array, value: number): number {
  if (sorted.length === 1) return value;
  const out = lowerBound(sorted, value);
  const at = (i: number): number => sorted[i < out ? i : i + 1];
  const count = sorted.length - 1;
  return (at((count - 1) >> 1) + at(count >> 1)) / 2;
}

function judge(evidence: Evidence, rank: number, peers: Peers, isCandidate: boolean): RankVerdict {
  const { job, windows } = evidence;
  const waits = waitsOf(evidence, rank);
  const steps = windows.map((_, w) => stepOf(evidence, rank, peers, w, waits[w]));
  const about = {
    rank: job.ranks[rank].calls.rank,
    peers: peers.members.length - 1,
    steps,
    intrinsicNs: median(steps.map(({ intrinsicNs }) => intrinsicNs)),
  };
  if (isCandidate) {
    const gain = gainOf(evidence, rank, peers);
    if (gain !== undefined) {
      const cause = causeOf(rank, peers);
      return { ...about, verdict: 'straggler', gain, ...(cause === undefined ? {} : { cause }) };
    }
  }
  if (beganLast(evidence, rank)) return { ...about, verdict: 'late-start' };
  const victimOf = mostWaitedFor(steps);
  return victimOf === undefined ? { ...about, verdict: 'none' } : { ...about, verdict: 'victim', victimOf };
}

function stepOf(
  evidence: Evidence,
  rank: number,
  peers: Peers,
  w: number,
  waits: ReadonlyMap<number, number>,
): RankStep {
  const { windows, walls, isFirst, startNs, medianStartNs } = evidence;
  const excessNs = peers.wallExcess(rank, w);
  const intrinsicNs = peers.workExcess(rank, w);
  return {
    label: windows[w].label,
    wallNs: walls[rank][w],
    excessNs,
    intrinsicNs,
    inheritedNs: excessNs - intrinsicNs,
    beforeNs: w === 0 && isFirst[rank] ? startNs[rank] - medianStartNs : 0,
    waitedFor: [...waits].map(([other, ns]) => ({ rank: other, ns })).sort((a, b) => b.ns - a.ns),
  };
}

/**
 * What the mean of one of these ranks may be above that of the others by chance, once in ten thousand times: Student's t with the variance
 * of steps that all ranks share.
 */
function chanceNs(works: readonly Float64Array[]): number {
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

function mean(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** Over all windows: the kind of work that the rank has more of than its peers. */
function causeOf(rank: number, peers: Peers): RankVerdict['cause'] {
  const own = peers.partsOf(rank);
  const others = peers.members.filter((other) => other !== rank).map((other) => peers.partsOf(other));
  const excess = total(own) - median(others.map(total));
  let best: RankVerdict['cause'];
  own.forEach((ns, kind) => {
    const share = (ns - median(others.map((sums) => sums[kind]))) / excess;
    if (ns > 0 && share >= CAUSE_SHARE && share > (best?.share ?? 0)) {
      best = { kind: kind === TRANSFER ? 'transfer' : SEGMENT_KINDS[kind], share };
    }
  });
  return best;
}

const total = (parts: AloneParts): number => parts.reduce((sum, ns) => sum + ns, 0);

/** What it would win if the rank were as its role's median; `undefined` where that is too little to call it a straggler. */
function gainOf({ job, times, windows }: Evidence, rank: number, peers: Peers): RankVerdict['gain'] {
  const before = lengthOf(windows);
  const labels = new Set(windows.map(({ label }) => label));
  const gainAs = (as: number): number => {
    const found = windowsAs(job, times, rank, as);
    return found.ok ? before - lengthOf(found.windows.filter(({ label }) => labels.has(label))) : 0;
  };
  const stand = peers.median;
  const ns = gainAs(stand);
  const share = ns / before;
  if (!(share >= LEAST_GAIN)) return undefined;
  const others = peers.members.filter((other) => other !== rank && other !== stand).slice(0, MOST_PEERS);
  const gains = [ns, ...others.map(gainAs)];
  return { ns, share, leastNs: Math.min(...gains), mostNs: Math.max(...gains) };
}

/** If a rank did its work as another one of its role does it. */
function windowsAs(job: JobGraph, times: JobTimes, rank: number, as: number): JobWindows {
  const { ranks } = job;
  const skeleton = inPlaceOf(ranks[rank].skeleton, ranks[as].skeleton);
  const changed = replayChanged(job, times, rank, skeleton);
  if (changed !== undefined) return findJobWindows(changed, changed);
  const merged = changeRanks(job, [{ kind: 'balance', ranks: [ranks[rank].calls.rank], as: ranks[as].calls.rank }]);
  return findJobWindows(merged, replayJob(merged));
}

const lengthOf = (windows: readonly JobWindow[]): number =>
  windows.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);

/** The rank began later than all others, by more than clocks may be off, and the job's first window is the first of all ranks. */
function beganLast({ job, windows, isFirst, startNs }: Evidence, rank: number): boolean {
  if (!isFirst[rank]) return false;
  let marginNs = Infinity;
  let clocksNs = 0;
  windows[0].ends.forEach((end, other) => {
    if (end === -1 || other === rank) return;
    marginNs = Math.min(marginNs, startNs[rank] - startNs[other]);
    if (marginNs > 0) clocksNs = Math.max(clocksNs, job.clocks.uncertaintyNs(rank, other));
  });
  return marginNs > clocksNs && marginNs > LEAST_EXCESS * (windows[0].endNs - windows[0].startNs);
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

/** By window (of the call's arrival): how long a rank waited in its calls, by the rank that came last. */
function waitsOf({ job, times, windows, lastOf }: Evidence, rank: number): Map<number, number>[] {
  const { first, arrivalOf, gateOf, clocks } = job;
  const waits = windows.map(() => new Map<number, number>());
  const windowEnds = windows.map(({ endNs }) => endNs);
  for (let end = first[rank]; end < first[rank + 1]; end++) {
    const gate = gateOf[end];
    if (gate === -1) continue;
    const arrived = times.timeNs[arrivalOf[end]];
    const ns = freeAt(clocks, rank, arrived, times.opensNs[gate]) - arrived;
    const at = toJob(clocks, rank, arrived);
    const w = upperBound(windowEnds, at);
    if (ns <= 0 || w === windows.length || at < windows[w].startNs) continue;
    waits[w].set(lastOf[gate], (waits[w].get(lastOf[gate]) ?? 0) + ns);
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
