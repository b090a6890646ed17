import { type Alignment, KindIndex, alignCalls } from './align.ts';
import type { Communicator, Part } from './communicators.ts';
import type { Found, MatchBook } from './match-book.ts';
import type { Clocks } from './model.ts';
import { CLEARLY } from './shift.ts';
import { SYMMETRIC } from './symmetric.ts';

/** Ends of one call vary by less of its length; those of calls that only happen at about the same time by more. */
const ALIKE = 0.06;
/** That so many ends agree by chance does not happen. */
const SURE_CALLS = 6;
/** Groups without names may be many behind one stream number; more than so many are not taken apart. */
const MOST_GROUPS = 64;

/**
 * Puts calls together by their order among those of one kind: the rank with the most calls is compared with each other one. A group without a name
 * may be several behind one stream number: then only ranks whose ends agree are put together. Returns the parts that this leaves out.
 */
export function byOrder({ key, parts, isNamed }: Communicator, book: MatchBook): Part[] {
  let open = [...parts].sort((a, b) => b.calls.length - a.calls.length || a.at - b.at);
  const kinds = new KindIndex(book.ranks, parts);
  const left: Part[] = [];
  for (let round = 0; open.length > 1 && round < MOST_GROUPS; round++) {
    const [center, ...others] = open;
    const found = others.map((other): Compared => ({ other, ...alignCalls(kinds, center, other) }));
    const fits = isNamed || isWholeJob(parts, book) || found.every(isAlike) ? found : clearly(found);
    if (fits.length === 0) left.push(center);
    else meetAll(key, center, fits, book);
    const taken = new Set(fits.map(({ other }) => other));
    open = others.filter((other) => !taken.has(other));
  }
  return [...left, ...open];
}

type Compared = Alignment & { readonly other: Part };

const isAlike = ({ refused, spreadShare }: Alignment): boolean => refused === 0 && spreadShare <= ALIKE;

/** Those whose ends agree over many calls, where no other rank's nearly do. */
function clearly(found: readonly Compared[]): Compared[] {
  const isDoubtful = ({ spreadShare }: Alignment): boolean => spreadShare > ALIKE && spreadShare <= CLEARLY * ALIKE;
  if (found.some(isDoubtful)) return [];
  return found.filter((each) => isAlike(each) && each.told >= SURE_CALLS);
}

function meetAll(key: string, center: Part, fits: readonly Compared[], book: MatchBook): void {
  const meetings = new Map<number, Found[]>();
  for (const { other, pairs, ambiguous } of fits) {
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
}

/** Two ranks, and the job has no more: then there is but one group. */
const isWholeJob = (parts: readonly Part[], { ranks }: MatchBook): boolean =>
  parts.length === 2 && ranks[parts[0].at].worldSize === 2;

/**
 * Groups without names, once clocks are known from others: calls of one kind that end at the same time, of each rank one, where no other ends
 * nearly then. `toleranceNs`: how much ends of one call vary. O(n log n).
 */
export function byTime({ key, parts }: Communicator, book: MatchBook, clocks: Clocks, toleranceNs: number): void {
  const index = new KindIndex(book.ranks, parts);
  const kinds = new Map<string, (Found & { readonly end: number; readonly length: number })[]>();
  for (const part of parts) {
    const rank = book.ranks[part.at];
    for (const [kind, { calls }] of index.of(part)) {
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
  const clusters: Found[][] = [];
  for (const found of kinds.values()) {
    found.sort((a, b) => a.end - b.end || a.at - b.at);
    // The shortest one waited least: the others' lengths say nothing of how long the transfer takes.
    const reachNs = toleranceNs + ALIKE * found.reduce((least, { length }) => Math.min(least, length), Infinity);
    let first = 0;
    for (let i = 1; i <= found.length; i++) {
      if (i < found.length && found[i].end - found[i - 1].end <= reachNs) continue;
      const isApart = [first, i].every((at) => gapBefore(found, at) > CLEARLY * reachNs);
      const together = found.slice(first, i).sort((a, b) => a.at - b.at);
      const isOneEach = together.every(({ at }, j) => j === 0 || at !== together[j - 1].at);
      if (together.length > 1 && isApart && isOneEach) clusters.push(together);
      else if (together.length > 1) book.ambiguous(together.length);
      first = i;
    }
  }
  for (const together of steady(clusters)) {
    if (together.isSteady) book.meet(key, 'heuristic:order', together.found);
    else book.ambiguous(together.found.length);
  }
}

/** A group has the same members whenever it meets: what was together but once, or is now with these and now with those, is none. */
function steady(clusters: readonly Found[][]): { readonly found: Found[]; readonly isSteady: boolean }[] {
  const bySet = new Map<string, Found[][]>();
  for (const found of clusters) {
    const members = found.map(({ at }) => at).join(' ');
    const known = bySet.get(members);
    if (known === undefined) bySet.set(members, [found]);
    else known.push(found);
  }
  const taken = new Set<number>();
  return [...bySet.values()]
    .sort((a, b) => b.length - a.length || b[0].length - a[0].length)
    .flatMap((alike) => {
      const isSteady = alike.length > 1 && alike[0].every(({ at }) => !taken.has(at));
      if (isSteady) for (const { at } of alike[0]) taken.add(at);
      return alike.map((found) => ({ found, isSteady }));
    });
}

const gapBefore = (found: readonly { readonly end: number }[], at: number): number =>
  at === 0 || at === found.length ? Infinity : found[at].end - found[at - 1].end;
