import { type Part, hasOwnSize, isTransfer } from './communicators.ts';
import type { CommCall, RankCalls } from './model.ts';
import { CLEARLY, MOST_DRIFT, RESOLUTION_NS, bestShift, deviationFrom, medianOf } from './shift.ts';
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
  /** Calls that tell it. */
  readonly told: number;
  /** What the second rank's clock shows more than the first's when that shows a time, ns. NaN where no call tells. */
  readonly apartNs: (at: number) => number;
}

/**
 * Of each kind of calls the shift at which their ends differ alike; where a kind has too few calls to tell, the one at which they differ by as much
 * as those of other kinds. O(n log n).
 */
export function alignCalls(kinds: KindIndex, first: Part, second: Part): Alignment {
  const [a, b] = [kinds.callsOf(first), kinds.callsOf(second)];
  const theirs = kinds.of(second);
  const settled: [number, number][] = [];
  const open: (readonly [readonly number[], readonly number[]])[] = [];
  for (const [kind, { calls: mine, isInStep }] of kinds.of(first)) {
    const other = theirs.get(kind)?.calls;
    if (other === undefined) continue;
    const shift = knownShift(a, b, mine, other, isInStep);
    if (shift === undefined) open.push([mine, other]);
    else settled.push(...pairsAt(mine, other, shift));
  }
  const clock = clockOf(a, b, settled);
  let ambiguous = 0;
  for (const [mine, other] of open) {
    const shift = SYMMETRIC.has(a[mine[0]].op) ? shiftNear(endsOf(a, mine), endsOf(b, other), clock) : undefined;
    if (shift === undefined) ambiguous += other.length;
    else settled.push(...pairsAt(mine, other, shift));
  }
  const pairs = settled.filter(([x, y]) => !SYMMETRIC.has(a[x].op) || overlap(a[x], b[y], clock));
  return {
    pairs,
    ambiguous,
    refused: settled.length - pairs.length,
    spreadShare: spreadShareOf(a, b, pairs, clock, kinds),
    told: pairs.filter(([x]) => SYMMETRIC.has(a[x].op)).length,
    apartNs: (at) => apartAt(clock, at),
  };
}

/**
 * In a labelled step of which both ranks have as many calls of a kind, the nth meet: what the begin or end of a trace cuts off, and what was
 * not sampled, would leave others fewer. Else ends vote, where they agree at all.
 */
function knownShift(
  a: readonly CommCall[],
  b: readonly CommCall[],
  mine: readonly number[],
  other: readonly number[],
  isInStep: boolean,
): number | undefined {
  if (mine.length === other.length && (isInStep || mine.length === 1)) return 0;
  return SYMMETRIC.has(a[mine[0]].op) ? bestShift(endsOf(a, mine), endsOf(b, other))?.shift : undefined;
}

const endsOf = (calls: readonly CommCall[], places: readonly number[]): number[] => places.map((at) => calls[at].endNs);

/** What the second clock shows when the first shows a time: that + `offset` + `slope` × (that − `center`). */
interface RoughClock {
  /** NaN where nothing is known. */
  readonly offset: number;
  readonly slope: number;
  readonly center: number;
  /** The median distance of ends from it, ns. */
  readonly noise: number;
}

const apartAt = ({ offset, slope, center }: RoughClock, at: number): number => offset + slope * (at - center);

/** From pairs that are sure. The slope: between calls of the earlier half and those as far behind the middle. */
function clockOf(
  a: readonly CommCall[],
  b: readonly CommCall[],
  pairs: readonly (readonly [number, number])[],
): RoughClock {
  const told = pairs.filter(([x]) => SYMMETRIC.has(a[x].op)).sort(([p], [q]) => a[p].endNs - a[q].endNs);
  if (told.length === 0) return { offset: Number.NaN, slope: 0, center: 0, noise: Number.NaN };
  const at = told.map(([x]) => a[x].endNs);
  const apart = told.map(([x, y]) => b[y].endNs - a[x].endNs);
  const half = told.length >> 1;
  const slopes = at.slice(half).map((each, i) => (apart[i + half] - apart[i]) / Math.max(1, each - at[i]));
  const slope = told.length < 4 ? 0 : Math.min(MOST_DRIFT, Math.max(-MOST_DRIFT, medianOf(slopes)));
  const center = medianOf(at);
  const level = apart.map((each, i) => each - slope * (at[i] - center));
  const offset = medianOf(level);
  return { offset, slope, center, noise: Math.max(RESOLUTION_NS, deviationFrom(level, offset)) };
}

/** Of four in five calls: how far the difference of ends is at most from what the clocks make it, ÷ the shortest transfer of the kind. */
function spreadShareOf(
  a: readonly CommCall[],
  b: readonly CommCall[],
  pairs: readonly (readonly [number, number])[],
  clock: RoughClock,
  kinds: KindIndex,
): number {
  const told = pairs.filter(([x]) => SYMMETRIC.has(a[x].op));
  if (told.length < 3) return Number.NaN;
  const shares = told
    .map(([x, y]) => {
      const far = Math.abs(b[y].endNs - a[x].endNs - apartAt(clock, a[x].endNs));
      return Math.max(0, far - DEVICE_CLOCK_NS) / Math.max(1, kinds.shortest(a[x]));
    })
    .sort((p, q) => p - q);
  return shares[Math.ceil(shares.length * 0.8) - 1];
}

/** Devices' times are no better than this. */
export const DEVICE_CLOCK_NS = 3_000;

/** The calls of a communicator by what they have in common, whatever the rank. Made once for all comparisons of its ranks. */
export class KindIndex {
  readonly #ranks: readonly RankCalls[];
  readonly #byPart = new Map<Part, Map<string, Kind>>();
  readonly #shortest = new Map<string, number>();

  constructor(ranks: readonly RankCalls[], parts: readonly Part[]) {
    this.#ranks = ranks;
    for (const part of parts) {
      this.#byPart.set(part, byKind(ranks[part.at], part.calls));
      for (const place of part.calls) {
        const call = ranks[part.at].calls[place];
        const sort = sortOf(call);
        this.#shortest.set(sort, Math.min(call.endNs - call.startNs, this.#shortest.get(sort) ?? Infinity));
      }
    }
  }

  callsOf({ at }: Part): readonly CommCall[] {
    return this.#ranks[at].calls;
  }

  of(part: Part): ReadonlyMap<string, Kind> {
    return this.#byPart.get(part) ?? new Map<string, Kind>();
  }

  /** Of all calls like it the shortest duration, on whatever rank: who comes last does not wait. */
  shortest(call: CommCall): number {
    return this.#shortest.get(sortOf(call)) ?? 0;
  }
}

function sortOf(call: CommCall): string {
  const size = hasOwnSize(call) ? '' : (call.sizeBytes ?? call.bytesIn ?? '');
  return `${call.op} ${call.op === 'custom' ? call.name : ''} ${call.dtype} ${size}`;
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
    const { step, annotation } = call;
    const key = JSON.stringify([sortOf(call), steps[step] ?? '', annotation]);
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

/** The shift at which ends differ by what they differ by elsewhere; `undefined` where another one fits about as well. */
function shiftNear(first: readonly number[], second: readonly number[], clock: RoughClock): number | undefined {
  if (Number.isNaN(clock.offset)) return undefined;
  let best: number | undefined;
  let [least, next] = [Infinity, Infinity];
  for (let shift = 1 - first.length; shift < second.length; shift++) {
    const far: number[] = [];
    for (let i = Math.max(0, -shift); i < first.length && i + shift < second.length; i++) {
      far.push(Math.abs(second[i + shift] - first[i] - apartAt(clock, first[i])));
    }
    const cost = medianOf(far);
    if (cost < least) [best, least, next] = [shift, cost, least];
    else next = Math.min(next, cost);
  }
  return next >= CLEARLY * Math.max(least, clock.noise) ? best : undefined;
}

/** Calls that meet run at the same time for a while: each ends after the other began. */
function overlap(a: CommCall, b: CommCall, clock: RoughClock): boolean {
  const slack = 3 * clock.noise;
  const offset = apartAt(clock, a.endNs);
  return b.endNs - offset + slack >= a.startNs && a.endNs + slack >= b.startNs - offset;
}
