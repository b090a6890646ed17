import { ItemKind, type RankTruth, endOf, timeOf } from './truth.ts';

/** The chain that bounds a window, from its end backwards. */
export interface TruePath {
  /** Moments, latest first. The last is the one at or before the window's start, or one that nothing held. */
  readonly moments: readonly number[];
  /** By moment but the last: the constraint (row of `RankTruth.constraints`) that leads to the next one. */
  readonly constraints: readonly number[];
  /** Whether another chain of the same length exists. */
  readonly isTied: boolean;
  /** The chain goes on at another rank, at this meeting; −1 where it does not. */
  readonly meeting: number;
}

/** Walks the binding constraints back from a moment until `fromNs` (true time). O(length of the path). */
export function truePath(truth: RankTruth, moment: number, fromNs = -Infinity): TruePath {
  const { constraints, meeting } = truth;
  const moments = [moment];
  const rows: number[] = [];
  let isTied = false;
  let at = moment;
  while (timeOf(truth, at) > fromNs) {
    const row = constraints.binding[at];
    if (row === -1) break;
    if (constraints.tied[at] === 1) isTied = true;
    const from = constraints.from[row];
    if (from === -1) return { moments, constraints: rows, isTied, meeting: meeting[at >> 1] };
    rows.push(row);
    moments.push(from);
    at = from;
  }
  return { moments, constraints: rows, isTied, meeting: -1 };
}

/** The latest end of all device work and of what the main thread did; −1 where nothing happened. */
export function lastMoment({ items }: RankTruth): number {
  let last = -1;
  let latest = -Infinity;
  for (let item = 0; item < items.length; item++) {
    const kind = items.kind[item];
    const counts =
      kind === ItemKind.device || ((kind === ItemKind.op || kind === ItemKind.call) && items.track[item] === 0);
    if (!counts || items.end[item] <= latest) continue;
    latest = items.end[item];
    last = endOf(item);
  }
  return last;
}
