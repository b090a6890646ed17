import type { CommCall, Meeting, RankCalls } from './model.ts';

/** Operations that no rank leaves before the last one has come: their ends tell the clocks. */
export const SYMMETRIC: ReadonlySet<Meeting['op']> = new Set([
  'all-reduce',
  'barrier',
  'all-to-all',
  'all-gather',
  'reduce-scatter',
] as const);

/** The ranks of a job by their place in the list, so that a meeting's calls are found. */
export class CallFinder {
  readonly ranks: readonly RankCalls[];
  readonly #place: ReadonlyMap<number, number>;

  constructor(ranks: readonly RankCalls[]) {
    this.ranks = ranks;
    this.#place = new Map(ranks.map(({ rank }, at) => [rank, at]));
  }

  /** By place in the list. */
  placeOf(rank: number): number {
    // Mostly a job's ranks are all there.
    if (rank < this.ranks.length && this.ranks[rank].rank === rank) return rank;
    const place = this.#place.get(rank);
    if (place === undefined) throw new Error(`bug: rank ${rank} of a meeting is not in the job`);
    return place;
  }

  callOf({ rank, call }: Meeting['members'][number]): CommCall {
    return this.ranks[this.placeOf(rank)].calls[call];
  }

  /** Does it end on no rank before the last arrival? Not an all-to-all in which some rank gets nothing from another. */
  isSymmetric({ op, members }: Meeting): boolean {
    if (!SYMMETRIC.has(op)) return false;
    return op !== 'all-to-all' || members.every((member) => !this.callOf(member).hasZeroSplit);
  }
}
