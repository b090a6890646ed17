import { type Alignment, DEVICE_CLOCK_NS, KindIndex, alignCalls } from './align.ts';
import type { Communicator, Part } from './communicators.ts';
import type { Found, MatchBook } from './match-book.ts';
import type { Clocks } from './model.ts';
import { CLEARLY } from './shift.ts';
import { SYMMETRIC } from './symmetric.ts';

/** Ends of one call vary by less of its length; those of calls that only happen at about the same time by more. */
const ALIKE = 0.06;
/** That so many ends agree by chance does not happen. */
const SURE_CALLS = 6;
/** So many calls have to show that their members waited for one of them. */
const PROOFS = 2;
/** And so many where only the time tells which calls may be one. */
const SURE_PROOFS = 3;
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
    const together = fits.length === 0 ? [] : meetingsOf(center, fits, book);
    if (
      fits.length > 0 &&
      (isNamed || countProofs(together, kinds, book, fits.length + 1 === parts.length) >= PROOFS)
    ) {
      for (const { ambiguous } of fits) book.ambiguous(ambiguous);
      for (const found of together) book.meet(key, 'heuristic:order', found);
    } else left.push(center, ...fits.map(({ other }) => other));
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

/** A call of a rank, and when it began on the clock that is common to those it is compared with. */
interface Timed extends Found {
  readonly startNs: number;
}

/** Of each call of `center` those that it meets, itself among them, ascending by rank; on its clock. */
function meetingsOf(center: Part, fits: readonly Compared[], book: MatchBook): Timed[][] {
  const meetings = new Map<number, Timed[]>();
  for (const { other, pairs, apartNs } of fits) {
    for (const [mine, theirs] of pairs) {
      const { startNs } = book.callOf({ at: center.at, call: mine });
      const known = meetings.get(mine) ?? [{ at: center.at, part: center, call: mine, startNs }];
      meetings.set(mine, known);
      const began = book.callOf({ at: other.at, call: theirs }).startNs;
      known.push({ at: other.at, part: other, call: theirs, startNs: began - apartNs(startNs) });
    }
  }
  return [...meetings.values()].map((together) => together.sort((a, b) => a.at - b.at));
}

/**
 * How many of the meetings show that all waited for one, so that they are of one group. Two groups in step may end together as well; but then the last
 * of each begins at about the same time. So one has to come clearly last, by more than transfers vary.
 */
function countProofs(
  meetings: readonly (readonly Timed[])[],
  kinds: KindIndex,
  book: MatchBook,
  isAll: boolean,
): number {
  return meetings.filter((together) => {
    const [last, second] = [...together].sort((a, b) => b.startNs - a.startNs);
    const call = book.callOf(last);
    const shortest = kinds.shortest(call);
    const varies = DEVICE_CLOCK_NS + ALIKE * shortest;
    if (!SYMMETRIC.has(call.op) || last.startNs - second.startNs <= CLEARLY * varies) return false;
    // Where others are on that stream, the last may wait for one of them itself: who waits for nobody has a call as short as any of its kind.
    return isAll || call.endNs - call.startNs <= shortest + varies;
  }).length;
}

/** Two ranks, and the job has no more: then there is but one group. */
const isWholeJob = (parts: readonly Part[], { ranks }: MatchBook): boolean =>
  parts.length === 2 && ranks[parts[0].at].worldSize === 2;

/**
 * Groups without names, once clocks are known from others: calls of one kind that end at the same time, of each rank one, where no other ends
 * nearly then. `left`: those of its parts that are open. `toleranceNs`: how much ends of one call vary. O(n log n).
 */
export function byTime(
  { key, parts }: Communicator,
  left: readonly Part[],
  book: MatchBook,
  clocks: Clocks,
  toleranceNs: number,
): void {
  const index = new KindIndex(book.ranks, parts);
  const kinds = new Map<string, (Timed & { readonly end: number; readonly length: number })[]>();
  for (const part of left) {
    const rank = book.ranks[part.at];
    for (const [kind, { calls }] of index.of(part)) {
      for (const call of calls) {
        const { op, startNs, endNs } = rank.calls[call];
        if (!SYMMETRIC.has(op)) continue;
        const end = endNs + clocks.offsetNs[part.at] + clocks.driftPpm[part.at] * 1e-6 * endNs;
        const within = `${clocks.component[part.at]} ${kind}`;
        const known = kinds.get(within);
        const length = endNs - startNs;
        const found = { at: part.at, part, call, startNs: end - length, end, length };
        if (known === undefined) kinds.set(within, [found]);
        else known.push(found);
      }
    }
  }
  const clusters: Timed[][] = [];
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
  for (const together of steady(clusters, index, book)) {
    if (together.isSteady) book.meet(key, 'heuristic:order', together.found);
    else book.ambiguous(together.found.length);
  }
}

/** A group has the same members whenever it meets: what was together but once, or is now with these and now with those, is none. */
function steady(
  clusters: readonly Timed[][],
  kinds: KindIndex,
  book: MatchBook,
): { readonly found: Timed[]; readonly isSteady: boolean }[] {
  const bySet = new Map<string, Timed[][]>();
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
      const isTold =
        (alike.length > 1 && haveMost(alike[0], book)) || countProofs(alike, kinds, book, false) >= SURE_PROOFS;
      const isSteady = isTold && alike[0].every(({ at }) => !taken.has(at));
      if (isSteady) for (const { at } of alike[0]) taken.add(at);
      return alike.map((found) => ({ found, isSteady }));
    });
}

/** Whether each one's group has half of the job's ranks or more, as shapes may tell: then few other groups can be in step with it. */
const haveMost = (found: readonly Found[], { ranks }: MatchBook): boolean =>
  found.every(({ at, part: { group } }) => 2 * (group.size ?? 0) >= (ranks[at].worldSize ?? Infinity));

const gapBefore = (found: readonly { readonly end: number }[], at: number): number =>
  at === 0 || at === found.length ? Infinity : found[at].end - found[at - 1].end;
