import type { Transfers } from './clock-stars.ts';
import type { Meeting } from './model.ts';
import { deviationFrom, medianOf } from './shift.ts';
import type { CallFinder } from './symmetric.ts';

/** A rank has come last so often: then the middle of its durations is its transfer. */
const ENOUGH = 3;
/** A duration this near to the shortest one of its rank may have no waiting in it. */
const NEAR = 1.1;
const NEAR_NS = 1_000;
/** Of all calls of a sort. */
const MOST_WITHOUT = 0.1;

/**
 * How long the transfer of each sort takes each rank. Nobody's clock is needed: who comes last does not wait, so that its call is about as short
 * as its shortest one of the sort. Where that is so of one member alone, it came last, and its duration is its transfer. O(n).
 */
export function measureTransfers(
  finder: CallFinder,
  meetings: readonly Meeting[],
  sortOf: (meeting: Meeting) => number,
): Transfers {
  const bySort = new Map<number, Meeting[]>();
  for (const meeting of meetings) {
    if (!meeting.isComplete || !finder.isSymmetric(meeting) || !isSized(finder, meeting)) continue;
    const sort = sortOf(meeting);
    const known = bySort.get(sort);
    if (known === undefined) bySort.set(sort, [meeting]);
    else known.push(meeting);
  }
  const transfers = new Map<number, Map<number, { ns: number; errorNs: number }>>();
  for (const [sort, alike] of bySort) {
    if (alike.length < 2 * ENOUGH) continue;
    const { found, without } = lastOnes(finder, alike);
    // Someone always comes last: where nobody can have, transfers of one sort are not alike.
    if (without > MOST_WITHOUT * alike.length) continue;
    const told = [...found].filter(([, lengths]) => lengths.length >= ENOUGH);
    // Of one rank alone nothing can be compared.
    if (told.length >= 2) transfers.set(sort, new Map(told.map(([place, lengths]) => [place, middleOf(lengths)])));
  }
  return transfers;
}

/** Calls of unknown size may be of many. */
function isSized(finder: CallFinder, { op, members }: Meeting): boolean {
  const { sizeBytes, bytesIn } = finder.callOf(members[0]);
  return op === 'barrier' || sizeBytes !== undefined || bytesIn !== undefined;
}

/** By place of a rank: how long its calls took where it alone may have come last; and in how many calls nobody can have. */
function lastOnes(
  finder: CallFinder,
  meetings: readonly Meeting[],
): { readonly found: ReadonlyMap<number, number[]>; readonly without: number } {
  const durationOf = (member: Meeting['members'][number]): number => {
    const { startNs, endNs } = finder.callOf(member);
    return endNs - startNs;
  };
  const shortest = new Float64Array(finder.ranks.length).fill(Infinity);
  for (const { members } of meetings) {
    for (const member of members) {
      const place = finder.placeOf(member.rank);
      shortest[place] = Math.min(durationOf(member), shortest[place]);
    }
  }
  const found = new Map<number, number[]>();
  let without = 0;
  for (const { members } of meetings) {
    const near = members.filter((each) => durationOf(each) <= NEAR * shortest[finder.placeOf(each.rank)] + NEAR_NS);
    if (near.length === 0) without++;
    if (near.length !== 1) continue;
    const [ns, place] = [durationOf(near[0]), finder.placeOf(near[0].rank)];
    const known = found.get(place);
    if (known === undefined) found.set(place, [ns]);
    else known.push(ns);
  }
  return { found, without };
}

function middleOf(lengths: readonly number[]): { ns: number; errorNs: number } {
  const ns = medianOf(lengths);
  const spread = Math.max(200, 1.4826 * deviationFrom(lengths, ns) * (1 + 4 / lengths.length));
  return { ns, errorNs: (1.25 * spread) / Math.sqrt(lengths.length) };
}
