import type { Transfers } from './clock-stars.ts';
import type { Clocks, Meeting } from './model.ts';
import { deviationFrom, medianOf } from './shift.ts';
import type { CallFinder } from './symmetric.ts';

/** A rank has come last so often: then the middle of its durations is its transfer. */
const ENOUGH = 3;

/** How long the transfer of each sort takes each rank: its call's duration where it surely came last, and all members were seen. O(n). */
export function measureTransfers(
  finder: CallFinder,
  meetings: readonly Meeting[],
  clocks: Clocks,
  sortOf: (meeting: Meeting) => number,
): Transfers {
  const seen = new Map<number, Map<number, number[]>>();
  for (const meeting of meetings) {
    if (!meeting.isComplete || !finder.isSymmetric(meeting)) continue;
    const last = sureLast(finder, meeting, clocks);
    if (last === undefined) continue;
    const sort = sortOf(meeting);
    const byRank = seen.get(sort) ?? new Map<number, number[]>();
    seen.set(sort, byRank);
    const known = byRank.get(last.place);
    if (known === undefined) byRank.set(last.place, [last.ns]);
    else known.push(last.ns);
  }
  const transfers = new Map<number, Map<number, { ns: number; errorNs: number }>>();
  for (const [sort, byRank] of seen) {
    const told = [...byRank].filter(([, lengths]) => lengths.length >= ENOUGH);
    // Of one rank alone nothing can be compared.
    if (told.length < 2) continue;
    transfers.set(sort, new Map(told.map(([place, lengths]) => [place, middleOf(lengths)])));
  }
  return transfers;
}

function middleOf(lengths: readonly number[]): { ns: number; errorNs: number } {
  const ns = medianOf(lengths);
  const spread = Math.max(200, 1.4826 * deviationFrom(lengths, ns) * (1 + 4 / lengths.length));
  return { ns, errorNs: (1.25 * spread) / Math.sqrt(lengths.length) };
}

/** The member that came last by more than the clocks may be off, and how long it took. */
function sureLast(
  finder: CallFinder,
  { members }: Meeting,
  { offsetNs, driftPpm, uncertaintyNs }: Clocks,
): { readonly place: number; readonly ns: number } | undefined {
  const arrivals = members.map((member) => {
    const place = finder.placeOf(member.rank);
    const { startNs, endNs } = finder.callOf(member);
    return { place, ns: endNs - startNs, at: startNs + offsetNs[place] + driftPpm[place] * 1e-6 * startNs };
  });
  const last = arrivals.reduce((later, each) => (each.at > later.at ? each : later));
  for (const { place, at } of arrivals) {
    if (place !== last.place && last.at - at <= uncertaintyNs(last.place, place)) return undefined;
  }
  return last;
}
