// What a job would do if some of its ranks, or the time between them, were otherwise: replays of skeletons, no traces.
import { type JobGraph, type JobRank, mergeJob } from './merge.ts';
import { findRoles, runAlone } from './roles.ts';
import { type Skeleton, keptCode } from './skeleton.ts';

export type JobChange =
  /**
   * These ranks, or all, do their work as the median rank of their role does its. Each begins when it began, and its transfers stay its own. `as`: as
   * this rank, which must be of their role, does it. */
  | { readonly kind: 'balance'; readonly ranks?: readonly number[]; readonly as?: number }
  /** What comes between the last arrival of a call and its end, times `factor`. */
  | { readonly kind: 'transfers'; readonly factor: number }
  /** These ranks, by number, do what skeletons of their own, changed graphs say. */
  | { readonly kind: 'ranks'; readonly changed: ReadonlyMap<number, ChangedRank> };

/** A rank after changes within it. */
export interface ChangedRank {
  readonly skeleton: Skeleton;
  /** By call: its time from the last arrival to its end is so many times what it was. Absent: as it was. */
  readonly transferFactor?: Float64Array;
}

/** The job after some changes, one after the other. It is no measured one: its moments are to be replayed. */
export function changeRanks(job: JobGraph, changes: readonly JobChange[]): JobGraph {
  return changes.reduce(changeOne, job);
}

function changeOne(job: JobGraph, change: JobChange): JobGraph {
  switch (change.kind) {
    case 'balance':
      return withSkeletons(job, balanced(job, change));
    case 'transfers':
      // What the clocks inverted stays.
      return { ...job, transferNs: job.transferNs.map((ns) => (ns > 0 ? Math.round(ns * change.factor) : ns)) };
    case 'ranks':
      return withTransfers(
        withSkeletons(
          job,
          job.ranks.map(({ calls, skeleton }) => change.changed.get(calls.rank)?.skeleton ?? skeleton),
        ),
        change.changed,
      );
  }
}

/** What the clocks inverted stays. */
function withTransfers(job: JobGraph, changed: ReadonlyMap<number, ChangedRank>): JobGraph {
  const transferNs = job.transferNs.slice();
  job.ranks.forEach(({ calls, skeleton }, rank) => {
    changed.get(calls.rank)?.transferFactor?.forEach((factor, call) => {
      const end = job.first[rank] + skeleton.endOf[call];
      if (skeleton.endOf[call] !== -1 && transferNs[end] > 0) transferNs[end] = Math.round(transferNs[end] * factor);
    });
  });
  return { ...job, transferNs };
}

function balanced(job: JobGraph, { ranks: chosen, as }: Extract<JobChange, { kind: 'balance' }>): Skeleton[] {
  const skeletons = job.ranks.map(({ skeleton }) => skeleton);
  for (const { members } of findRoles(job.ranks)) {
    const moved = members.filter((rank) => chosen === undefined || chosen.includes(job.ranks[rank].calls.rank));
    if (moved.length === 0) continue;
    const given = members.find((rank) => job.ranks[rank].calls.rank === as);
    const { skeleton } = job.ranks[given ?? medianMember(job, members)];
    for (const rank of moved) skeletons[rank] = inPlaceOf(skeletons[rank], skeleton);
  }
  return skeletons;
}

/** Of ranks of one role the one whose work, without waiting, takes the median time; the lower of two. */
export function medianMember(job: JobGraph, members: readonly number[]): number {
  const work = members.map((rank) => ({ rank, ns: workOf(job, rank) }));
  work.sort((a, b) => a.ns - b.ns || a.rank - b.rank);
  return work[(work.length - 1) >> 1].rank;
}

function workOf(job: JobGraph, rank: number): number {
  const { skeleton } = job.ranks[rank];
  const { timeNs } = runAlone(job, rank);
  return Math.max(...skeleton.windows.map(({ end }) => timeNs[end])) - skeleton.startNs;
}

/** The work of one rank in the place of another of its role: it begins when that began, and its nth call is the nth of that one. */
export function inPlaceOf(own: Skeleton, other: Skeleton): Skeleton {
  if (own === other) return own;
  const shift = own.startNs - other.startNs;
  const ownCall = new Int32Array(own.callOrder.length);
  other.callOrder.forEach((call, n) => (ownCall[call] = own.callOrder[n]));
  const { moments, windows } = other;
  const ofOwn = (kept: Int32Array): Int32Array => {
    const moved = new Int32Array(kept.length);
    kept.forEach((moment, call) => (moved[ownCall[call]] = moment));
    return moved;
  };
  const isCall = [keptCode('arrival'), keptCode('call-end')];
  return {
    ...other,
    rank: own.rank,
    startNs: own.startNs,
    endNs: other.endNs + shift,
    windows: windows.map((window) => ({ ...window, startNs: window.startNs + shift })),
    moments: {
      ...moments,
      subject: moments.subject.map((subject, kept) =>
        isCall.includes(moments.kind[kept]) ? ownCall[subject] : subject,
      ),
      timeNs: moments.timeNs.map((ns) => ns + shift),
    },
    arrivalOf: ofOwn(other.arrivalOf),
    endOf: ofOwn(other.endOf),
    callEvent: own.callEvent,
    callOrder: own.callOrder,
  };
}

/** Skeletons that make the same calls, in their ranks' places. */
function withSkeletons(job: JobGraph, skeletons: readonly Skeleton[]): JobGraph {
  const ranks = job.ranks.map(({ calls }, rank): JobRank => ({ calls, skeleton: skeletons[rank] }));
  const merged = mergeJob(ranks, job.meetings, job.clocks);
  const transferNs = new Float64Array(merged.rankOf.length);
  ranks.forEach(({ skeleton }, rank) => {
    skeleton.endOf.forEach((end, call) => {
      const before = job.ranks[rank].skeleton.endOf[call];
      if (end !== -1 && before !== -1) transferNs[merged.first[rank] + end] = job.transferNs[job.first[rank] + before];
    });
  });
  return { ...merged, transferNs };
}
