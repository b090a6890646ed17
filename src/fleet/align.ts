import { type Part, hasOwnSize, isTransfer } from './communicators.ts';
import type { CommCall, RankCalls } from './model.ts';
import { CLEARLY, RESOLUTION_NS, bestShift, deviationFrom, medianOf, spreadAt } from './shift.ts';
import { SYMMETRIC } from './symmetric.ts';

/** Calls of two ranks that are one, as far as their order among those of one kind and their ends tell. */
export interface Alignment {
  /** By their places in their ranks' lists. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Calls of the second rank for which several fit. */
  readonly ambiguous: number;
  /** Pairs of which one ends before the other begins, whatever the clocks. */
  readonly refused: number;
  /** How much the differences of their ends vary, of a typical call's length: NaN where fewer than three calls tell. */
  readonly spreadShare: number;
}

/**
 * Of each kind of calls the shift at which their ends differ alike; where a kind has too few calls to tell, the one at which they differ by as much
 * as those of other kinds. O(n log n).
 */
export function alignCalls(ranks: readonly RankCalls[], first: Part, second: Part): Alignment {
  const [a, b] = [ranks[first.at].calls, ranks[second.at].calls];
  const theirs = byKind(ranks[second.at], second.calls);
  const settled: [number, number][] = [];
  const open: (readonly [readonly number[], readonly number[], boolean])[] = [];
  for (const [kind, { calls: mine, isInStep }] of byKind(ranks[first.at], first.calls)) {
    const other = theirs.get(kind)?.calls;
    if (other === undefined) continue;
    const shift = mine.length === 1 && other.length === 1 ? 0 : bestShift(endsOf(a, mine), endsOf(b, other))?.shift;
    if (shift === undefined) open.push([mine, other, isInStep]);
    else settled.push(...pairsAt(mine, other, shift));
  }
  const apart = settled.flatMap(([x, y]) => (SYMMETRIC.has(a[x].op) ? [b[y].endNs - a[x].endNs] : []));
  const offset = apart.length === 0 ? Number.NaN : medianOf(apart);
  const noise = apart.length === 0 ? Number.NaN : Math.max(RESOLUTION_NS, deviationFrom(apart, offset));
  let ambiguous = 0;
  for (const [mine, other, isInStep] of open) {
    const shift = shiftNear(endsOf(a, mine), endsOf(b, other), offset, noise, isInStep);
    if (shift === undefined) ambiguous += other.length;
    else settled.push(...pairsAt(mine, other, shift));
  }
  const pairs = settled.filter(([x, y]) => !SYMMETRIC.has(a[x].op) || overlap(a[x], b[y], offset, noise));
  return { pairs, ambiguous, refused: settled.length - pairs.length, spreadShare: spreadShareOf(a, b, pairs) };
}

const endsOf = (calls: readonly CommCall[], places: readonly number[]): number[] => places.map((at) => calls[at].endNs);

/** Of four in five calls: how far the difference of ends is at most from the middle one, ÷ a typical duration. */
function spreadShareOf(
  a: readonly CommCall[],
  b: readonly CommCall[],
  pairs: readonly (readonly [number, number])[],
): number {
  const told = pairs.filter(([x]) => SYMMETRIC.has(a[x].op));
  if (told.length < 3) return Number.NaN;
  const apart = told.map(([x, y]) => b[y].endNs - a[x].endNs);
  const middle = medianOf(apart);
  const far = apart.map((each) => Math.abs(each - middle)).sort((p, q) => p - q);
  const typical = medianOf(told.map(([x, y]) => Math.min(a[x].endNs - a[x].startNs, b[y].endNs - b[y].startNs)));
  return Math.max(0, far[Math.ceil(far.length * 0.8) - 1] - RESOLUTION_NS) / Math.max(1, typical);
}

interface Kind {
  readonly calls: number[];
  /** All of one labelled step: then the begin and end of the trace cut none of them off without leaving others fewer. */
  readonly isInStep: boolean;
}

/** What calls of the same place in a program have in common, whatever the rank. Sends and receives are told apart by their pair. */
export function byKind({ calls, steps }: RankCalls, places: readonly number[]): Map<string, Kind> {
  const found = new Map<string, Kind>();
  for (const place of places) {
    const call = calls[place];
    if (isTransfer(call)) continue;
    const { op, name, dtype, step, annotation, sizeBytes, bytesIn } = call;
    const size = hasOwnSize(call) ? '' : (sizeBytes ?? bytesIn ?? '');
    const key = JSON.stringify([op, op === 'custom' ? name : '', dtype, steps[step] ?? '', annotation, size]);
    const known = found.get(key);
    if (known === undefined) found.set(key, { calls: [place], isInStep: step !== -1 });
    else known.calls.push(place);
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

/**
 * The shift at which ends differ by what they differ by elsewhere; `undefined` where another one fits about as well. Within a step of which both have
 * as many calls it is none, unless another one fits clearly better.
 */
function shiftNear(
  first: readonly number[],
  second: readonly number[],
  offset: number,
  noise: number,
  isInStep: boolean,
): number | undefined {
  const isWhole = isInStep && first.length === second.length;
  if (Number.isNaN(offset)) return isWhole && !votesAgainst(first, second) ? 0 : undefined;
  let best = 0;
  let [least, next, still] = [Infinity, Infinity, Infinity];
  for (let shift = 1 - first.length; shift < second.length; shift++) {
    const far: number[] = [];
    for (let i = Math.max(0, -shift); i < first.length && i + shift < second.length; i++) {
      far.push(Math.abs(second[i + shift] - first[i] - offset));
    }
    const cost = medianOf(far);
    if (shift === 0) still = cost;
    if (cost < least) [best, least, next] = [shift, cost, least];
    else next = Math.min(next, cost);
  }
  if (isWhole && still <= CLEARLY * Math.max(least, noise)) return 0;
  return next >= CLEARLY * Math.max(least, noise) ? best : undefined;
}

/** Do ends agree clearly better one call later or earlier? */
function votesAgainst(first: readonly number[], second: readonly number[]): boolean {
  if (first.length < 4) return false;
  const still = spreadAt(first, second, 0);
  return [-1, 1].some((shift) => still > CLEARLY * Math.max(RESOLUTION_NS, spreadAt(first, second, shift)));
}

/** Calls that meet run at the same time for a while: each ends after the other began. */
function overlap(a: CommCall, b: CommCall, offset: number, noise: number): boolean {
  const slack = 3 * noise;
  return b.endNs - offset + slack >= a.startNs && a.endNs + slack >= b.startNs - offset;
}
