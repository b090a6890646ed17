import { type Communicator, type Part, hasOwnSize, isTransfer } from './communicators.ts';
import type { Found, MatchBook } from './match-book.ts';
import type { CommCall, RankCalls } from './model.ts';
import { CLEARLY, RESOLUTION_NS, bestShift, deviationFrom, medianOf } from './shift.ts';

/** Groups without names may be many behind one stream number; more than so many are not taken apart. */
const MOST_ROUNDS = 16;

/**
 * Puts calls together by their order among those of one kind. One rank (the one with the most calls) is compared with each other one; ranks
 * that do not fit it are compared with each other again, since streams of one number may serve several groups.
 */
export function byOrder({ key, parts, isNamed }: Communicator, book: MatchBook): void {
  let open = [...parts].sort((a, b) => b.calls.length - a.calls.length || a.at - b.at);
  for (let round = 0; round < MOST_ROUNDS && open.length > 1; round++) {
    const [center, ...others] = open;
    const meetings = new Map<number, Found[]>();
    const left: Part[] = [];
    for (const other of others) {
      const { pairs, ambiguous, refused } = align(book.ranks, center, other);
      if (!isNamed && refused > pairs.length) {
        left.push(other);
        continue;
      }
      book.ambiguous(ambiguous);
      for (const [mine, theirs] of pairs) {
        const known = meetings.get(mine) ?? [{ at: center.at, part: center, call: mine }];
        meetings.set(mine, known);
        known.push({ at: other.at, part: other, call: theirs });
      }
    }
    for (const found of meetings.values()) {
      found.sort((a, b) => a.at - b.at);
      book.meet(key, 'heuristic:order', found);
    }
    open = left;
  }
}

interface Alignment {
  /** Calls of the one and the other that are one, by their places in their ranks' lists. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Calls of the other for which several fit. */
  readonly ambiguous: number;
  /** Pairs that the clocks contradict. */
  readonly refused: number;
}

function align(ranks: readonly RankCalls[], center: Part, other: Part): Alignment {
  const [mine, theirs] = [center, other].map(({ at, calls }) => byKind(ranks[at], calls));
  const [a, b] = [ranks[center.at].calls, ranks[other.at].calls];
  const settled: [number, number][] = [];
  const unsettled: (readonly [readonly number[], readonly number[]])[] = [];
  for (const [kind, first] of mine) {
    const second = theirs.get(kind);
    if (second === undefined) continue;
    if (first.length === 1 && second.length === 1) settled.push([first[0], second[0]]);
    else {
      const best = bestShift(
        first.map((call) => a[call].endNs),
        second.map((call) => b[call].endNs),
      );
      if (best === undefined) unsettled.push([first, second]);
      else settled.push(...pairsAt(first, second, best.shift));
    }
  }
  const apart = settled.map(([x, y]) => b[y].endNs - a[x].endNs);
  const offset = apart.length === 0 ? NaN : medianOf(apart);
  const noise = apart.length === 0 ? NaN : Math.max(RESOLUTION_NS, deviationFrom(apart, offset));
  let ambiguous = 0;
  for (const [first, second] of unsettled) {
    const shift = shiftNear(
      first.map((call) => a[call].endNs),
      second.map((call) => b[call].endNs),
      offset,
      noise,
    );
    if (shift === undefined) ambiguous += second.length;
    else settled.push(...pairsAt(first, second, shift));
  }
  const pairs = settled.filter(([x, y]) => overlap(a[x], b[y], offset, noise));
  return { pairs, ambiguous, refused: settled.length - pairs.length };
}

/** What calls of the same place in a program have in common, whatever the rank. */
function byKind({ calls, steps }: RankCalls, places: readonly number[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const place of places) {
    const call = calls[place];
    if (isTransfer(call)) continue;
    const { op, name, dtype, step, annotation, sizeBytes, bytesIn } = call;
    const size = hasOwnSize(call) ? '' : (sizeBytes ?? bytesIn);
    const key = JSON.stringify([op, op === 'custom' ? name : '', dtype, steps[step] ?? '', annotation, size ?? '']);
    const known = found.get(key);
    if (known === undefined) found.set(key, [place]);
    else known.push(place);
  }
  return found;
}

function pairsAt(first: readonly number[], second: readonly number[], shift: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let i = Math.max(0, -shift); i < first.length && i + shift < second.length; i++) {
    pairs.push([first[i], second[i + shift]]);
  }
  return pairs;
}

/** The shift at which ends differ by what they differ by elsewhere; `undefined` where another one fits about as well. */
function shiftNear(
  first: readonly number[],
  second: readonly number[],
  offset: number,
  noise: number,
): number | undefined {
  if (Number.isNaN(offset)) return undefined;
  let best: number | undefined;
  let least = Infinity;
  let next = Infinity;
  for (let shift = 1 - first.length; shift < second.length; shift++) {
    const far: number[] = [];
    for (let i = Math.max(0, -shift); i < first.length && i + shift < second.length; i++) {
      far.push(Math.abs(second[i + shift] - first[i] - offset));
    }
    const cost = medianOf(far);
    if (cost < least) [best, least, next] = [shift, cost, least];
    else next = Math.min(next, cost);
  }
  return next >= CLEARLY * Math.max(least, noise) ? best : undefined;
}

/** Calls that meet run at the same time for a while: each ends after the other began. */
function overlap(a: CommCall, b: CommCall, offset: number, noise: number): boolean {
  const slack = 3 * noise;
  return b.endNs - offset + slack >= a.startNs && a.endNs + slack >= b.startNs - offset;
}
