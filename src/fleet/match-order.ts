import { alignCalls, byKind } from './align.ts';
import type { Communicator, Part } from './communicators.ts';
import type { Found, MatchBook } from './match-book.ts';
import type { Clocks } from './model.ts';
import { CLEARLY, RESOLUTION_NS } from './shift.ts';
import { SYMMETRIC } from './symmetric.ts';

/** Ends of one call vary by less of its length; those of calls that only happen at about the same time by more. */
const ALIKE = 0.1;

/**
 * Puts calls together by their order among those of one kind: the rank with the most calls is compared with each other one. A group without a name
 * may be several behind one stream number: false, and nothing is put together, unless the ends of all ranks agree.
 */
export function byOrder({ key, parts, isNamed }: Communicator, book: MatchBook): boolean {
  const [center, ...others] = [...parts].sort((a, b) => b.calls.length - a.calls.length || a.at - b.at);
  const found = others.map((other) => ({ other, ...alignCalls(book.ranks, center, other) }));
  if (
    !isNamed &&
    !isWholeJob(parts, book) &&
    !found.every(({ refused, spreadShare }) => refused === 0 && spreadShare <= ALIKE)
  ) {
    return false;
  }
  const meetings = new Map<number, Found[]>();
  for (const { other, pairs, ambiguous } of found) {
    book.ambiguous(ambiguous);
    for (const [mine, theirs] of pairs) {
      const known = meetings.get(mine) ?? [{ at: center.at, part: center, call: mine }];
      meetings.set(mine, known);
      known.push({ at: other.at, part: other, call: theirs });
    }
  }
  for (const together of meetings.values()) {
    together.sort((a, b) => a.at - b.at);
    book.meet(key, 'heuristic:order', together);
  }
  return true;
}

/** Two ranks, and the job has no more: then there is but one group. */
const isWholeJob = (parts: readonly Part[], { ranks }: MatchBook): boolean =>
  parts.length === 2 && ranks[parts[0].at].worldSize === 2;

/**
 * Groups without names, once clocks are known from others: calls of one kind that end at the same time, of each rank one, where no other ends
 * nearly then. `toleranceNs`: how much ends of one call vary. O(n log n).
 */
export function byTime({ key, parts }: Communicator, book: MatchBook, clocks: Clocks, toleranceNs: number): void {
  const kinds = new Map<string, (Found & { readonly end: number; readonly length: number })[]>();
  for (const part of parts) {
    const rank = book.ranks[part.at];
    for (const [kind, { calls }] of byKind(rank, part.calls)) {
      for (const call of calls) {
        const { op, startNs, endNs } = rank.calls[call];
        if (!SYMMETRIC.has(op)) continue;
        const end = endNs + clocks.offsetNs[part.at] + clocks.driftPpm[part.at] * 1e-6 * endNs;
        const within = `${clocks.component[part.at]} ${kind}`;
        const known = kinds.get(within);
        const found = { at: part.at, part, call, end, length: endNs - startNs };
        if (known === undefined) kinds.set(within, [found]);
        else known.push(found);
      }
    }
  }
  for (const found of kinds.values()) {
    found.sort((a, b) => a.end - b.end || a.at - b.at);
    let first = 0;
    for (let i = 1; i <= found.length; i++) {
      if (i < found.length && found[i].end - found[i - 1].end <= reachOf(found[i - 1], found[i], toleranceNs)) continue;
      const isApart = [first, i].every((at) => isFar(found, at, toleranceNs));
      const together = found.slice(first, i).sort((a, b) => a.at - b.at);
      const isOneEach = together.every(({ at }, j) => j === 0 || at !== together[j - 1].at);
      if (together.length > 1 && isApart && isOneEach) book.meet(key, 'heuristic:order', together);
      else if (together.length > 1) book.ambiguous(together.length);
      first = i;
    }
  }
}

interface Ended {
  readonly end: number;
  readonly length: number;
}

const reachOf = (a: Ended, b: Ended, toleranceNs: number): number =>
  Math.max(toleranceNs, RESOLUTION_NS) + ALIKE * Math.min(a.length, b.length);

/** Is what comes before place `at` clearly farther away than what belongs together? */
function isFar(found: readonly Ended[], at: number, toleranceNs: number): boolean {
  if (at === 0 || at === found.length) return true;
  return found[at].end - found[at - 1].end > CLEARLY * reachOf(found[at - 1], found[at], toleranceNs);
}
