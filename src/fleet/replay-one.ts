// When everything comes if one rank of a job works otherwise: only what that moves is computed again.
import { freeAt, toJob } from './job-clock.ts';
import type { JobTimes } from './job-replay.ts';
import type { WindowedJob } from './job-windows.ts';
import type { JobGraph } from './merge.ts';
import type { Skeleton } from './skeleton.ts';

/** A job of which one rank has another skeleton: its moments are numbered behind all others, from `first[rank]`. */
export interface ChangedJob extends WindowedJob {
  readonly timeNs: Float64Array;
}

/**
 * The same times as a replay of the merged, changed job. `times` is a replay of the unchanged one; `skeleton` makes the same calls as the
 * rank's own. `undefined` where the order of the job does not serve for the changed one: then that has to be merged.
 * O(moments), and O(entries) of the ranks for which a gate opens at another time.
 */
export function replayChanged(
  job: JobGraph,
  times: JobTimes,
  rank: number,
  skeleton: Skeleton,
): ChangedJob | undefined {
  const own = job.ranks[rank].skeleton;
  const sameCalls = own.endOf.every((end, call) => (end === -1) === (skeleton.endOf[call] === -1));
  if (job.impossible > 0 || !sameCalls) return undefined;
  const timeNs = new OneChanged(job, times, rank, skeleton).run();
  if (timeNs === undefined) return undefined;
  const first = job.first.slice();
  first[rank] = job.rankOf.length;
  const ranks = job.ranks.with(rank, { ...job.ranks[rank], skeleton });
  return { ranks, clocks: job.clocks, meetings: job.meetings, first, timeNs };
}

class OneChanged {
  readonly #job: JobGraph;
  readonly #times: JobTimes;
  readonly #rank: number;
  readonly #skeleton: Skeleton;
  /** Where the changed rank's moments begin. */
  readonly #behind: number;
  readonly #timeNs: Float64Array;
  readonly #opensNs: Float64Array;
  readonly #isOpen: Uint8Array;
  /** By rank: a gate has moved one of its moments. */
  readonly #isMoved: Uint8Array;
  /** Of the changed rank by kept moment: the call that ends there, or −1. */
  readonly #callOf: Int32Array;
  readonly #isPlaced: Uint8Array;
  /** Moments of the changed rank before this one are placed, or wait for a gate. */
  #next = 0;
  #waiting: number[] = [];

  constructor(job: JobGraph, times: JobTimes, rank: number, skeleton: Skeleton) {
    const { moments, endOf } = skeleton;
    this.#job = job;
    this.#times = times;
    this.#rank = rank;
    this.#skeleton = skeleton;
    this.#behind = job.rankOf.length;
    this.#timeNs = new Float64Array(this.#behind + moments.kind.length);
    this.#timeNs.set(times.timeNs);
    this.#timeNs.set(moments.timeNs, this.#behind);
    this.#opensNs = times.opensNs.slice();
    this.#isOpen = new Uint8Array(job.gates.meeting.length);
    this.#isMoved = new Uint8Array(job.ranks.length);
    this.#callOf = new Int32Array(moments.kind.length).fill(-1);
    endOf.forEach((end, call) => {
      if (end !== -1) this.#callOf[end] = call;
    });
    this.#isPlaced = new Uint8Array(moments.kind.length);
  }

  run(): Float64Array | undefined {
    const { order, rankOf, gateOf } = this.#job;
    for (const node of order) {
      if (node < 0) {
        if (!this.#open(-1 - node)) return undefined;
        continue;
      }
      const rank = rankOf[node];
      if (rank === this.#rank) continue;
      const gate = gateOf[node];
      if (gate !== -1 && this.#opensNs[gate] !== this.#times.opensNs[gate]) this.#isMoved[rank] = 1;
      if (this.#isMoved[rank] === 1) this.#timeNs[node] = this.#timeOf(node, rank);
    }
    this.#advance(this.#isPlaced.length);
    return this.#waiting.length === 0 ? this.#timeNs : undefined;
  }

  /** False where an arrival of the changed rank needs a gate that comes later. */
  #open(gate: number): boolean {
    const { gates, rankOf, clocks, first, ranks } = this.#job;
    const { subject } = ranks[this.#rank].skeleton.moments;
    let opens = -Infinity;
    for (let i = gates.first[gate]; i < gates.first[gate + 1]; i++) {
      let arrival = gates.arrival[i];
      const rank = rankOf[arrival];
      if (rank === this.#rank) {
        const kept = this.#skeleton.arrivalOf[subject[arrival - first[rank]]];
        this.#advance(kept + 1);
        if (this.#isPlaced[kept] === 0) return false;
        arrival = this.#behind + kept;
      }
      const at = toJob(clocks, rank, this.#timeNs[arrival]);
      if (at > opens) opens = at;
    }
    this.#opensNs[gate] = opens;
    this.#isOpen[gate] = 1;
    return true;
  }

  #timeOf(moment: number, rank: number): number {
    const { ranks, first, arrivalOf, gateOf, transferNs } = this.#job;
    const from = first[rank];
    const kept = moment - from;
    const arrival = arrivalOf[moment];
    const ended = arrival === -1 ? -Infinity : this.#free(rank, arrival, gateOf[moment]) + transferNs[moment];
    return this.#latest(ranks[rank].skeleton, kept, from, ended) ?? this.#timeNs[moment];
  }

  /** The latest of a moment's entries and of what else it waits for; `undefined` where nothing holds it. */
  #latest({ entries }: Skeleton, kept: number, first: number, other: number): number | undefined {
    let latest = other;
    for (let e = entries.first[kept]; e < entries.first[kept + 1]; e++) {
      const at = this.#timeNs[first + entries.from[e]] + entries.lagNs[e];
      if (at > latest) latest = at;
    }
    return latest === -Infinity ? undefined : latest;
  }

  #free(rank: number, arrival: number, gate: number): number {
    const own = this.#timeNs[arrival];
    return gate === -1 ? own : freeAt(this.#job.clocks, rank, own, this.#opensNs[gate]);
  }

  /** Places the changed rank's moments before `end`, as far as gates are open. */
  #advance(end: number): void {
    this.#waiting = this.#waiting.filter((kept) => !this.#place(kept));
    for (; this.#next < end; this.#next++) if (!this.#place(this.#next)) this.#waiting.push(this.#next);
  }

  #place(kept: number): boolean {
    const { entries, arrivalOf } = this.#skeleton;
    for (let e = entries.first[kept]; e < entries.first[kept + 1]; e++) {
      if (this.#isPlaced[entries.from[e]] === 0) return false;
    }
    const call = this.#callOf[kept];
    let ended = -Infinity;
    if (call !== -1) {
      const { first, ranks, gateOf, transferNs } = this.#job;
      const end = first[this.#rank] + ranks[this.#rank].skeleton.endOf[call];
      const gate = gateOf[end];
      if (this.#isPlaced[arrivalOf[call]] === 0 || (gate !== -1 && this.#isOpen[gate] === 0)) return false;
      ended = this.#free(this.#rank, this.#behind + arrivalOf[call], gate) + transferNs[end];
    }
    const latest = this.#latest(this.#skeleton, kept, this.#behind, ended);
    if (latest !== undefined) this.#timeNs[this.#behind + kept] = latest;
    this.#isPlaced[kept] = 1;
    return true;
  }
}
