import { type ConstraintSet, OWN, type WithMore } from './constraint-set.ts';
import { kindCode } from './constraints.ts';
import type { Indices } from './graph.ts';
import type { TypicalLags } from './lags.ts';

export interface Binding {
  /** By moment: the constraint that bound it; −1 for a moment that nothing holds. */
  readonly binding: Int32Array;
  /** By moment: 1 where another constraint arrived within the larger typical lag of the two. */
  readonly ambiguous: Uint8Array;
  readonly ambiguousCount: number;
  readonly inversions: { readonly count: number; readonly maxNs: number };
}

const HOST_ORDER = kindCode('host-order');

/** What a moment is bound by. */
export interface Bindable extends Pick<Indices, 'host' | 'moments' | 'time'> {
  readonly constraints: ConstraintSet;
  /** By constraint, ns. */
  readonly typical: TypicalLags;
}

/**
 * The length of an op that began while the one before it ran, and ends after it (rule 25), is not what bound its end: of it counts
 * the part that came after that one's end.
 *
 * Of all constraints on a moment the one whose arrival (source time + typical lag) is the latest bound it; ties go to the later
 * source, then to the kind that stands first in `CONSTRAINT_KINDS`, then to the lower row. An inverted constraint, whose source comes
 * after its effect by the clock, binds only where there is no other; a synchronising call is not bound by what was over when it began.
 *
 * `loops`: by the end of the last query of a loop that polls, when the loop began. It waits all the time, so its own course does not count
 * where what it waits for ended meanwhile.
 */
export function bind(graph: Bindable, loops: ReadonlyMap<number, number>): Binding {
  const { constraints, moments, time } = graph;
  const { first, from } = constraints;
  const binding = new Int32Array(moments.count).fill(-1);
  const ambiguous = new Uint8Array(moments.count);
  const rivals = new Rivals(graph, loops);
  let ambiguousCount = 0;
  let count = 0;
  let maxNs = 0;
  for (let moment = 0; moment < binding.length; moment++) {
    const begin = first[moment];
    const end = first[moment + 1];
    for (let c = begin; c < end; c++) {
      const late = time[from[c]] - time[moment];
      if (late <= 0) continue;
      count++;
      if (late > maxNs) maxNs = late;
    }
    // Most moments are held by the one before them on their thread alone.
    if (end - begin === 1) binding[moment] = begin;
    if (end - begin < 2) continue;
    binding[moment] = rivals.latestOn(moment);
    if (!rivals.isAmbiguous(moment, binding[moment])) continue;
    ambiguous[moment] = 1;
    ambiguousCount++;
  }
  return { binding, ambiguous, ambiguousCount, inversions: { count, maxNs } };
}

/** A binding after constraints were put in, and what it was before. */
export interface BoundAgain {
  readonly bound: Binding;
  /** By the rows of now; made anew each time. */
  readonly before: () => Binding;
}

/** Binds anew what has constraints more, and nothing else: all other rows have only moved. Takes over the memory of `before`. */
export function bindAgain(
  before: Binding,
  graph: Bindable,
  { rows, moments }: WithMore,
  loops: ReadonlyMap<number, number>,
): BoundAgain {
  const { constraints, time } = graph;
  const { binding, ambiguous } = before;
  const rivals = new Rivals(graph, loops);
  let { ambiguousCount } = before;
  let { count, maxNs } = before.inversions;
  moveBinding(binding, moments);
  const wasBound = Int32Array.from(moments, (moment) => binding[moment]);
  const wasAmbiguous = Uint8Array.from(moments, (moment) => ambiguous[moment]);
  for (let i = 0; i < rows.length; i++) {
    const moment = moments[i];
    const late = time[constraints.from[rows[i]]] - time[moment];
    if (late > 0) count++;
    if (late > maxNs) maxNs = late;
    if (i > 0 && moments[i - 1] === moment) continue;
    binding[moment] = rivals.latestOn(moment);
    ambiguousCount -= ambiguous[moment];
    ambiguous[moment] = rivals.isAmbiguous(moment, binding[moment]) ? 1 : 0;
    ambiguousCount += ambiguous[moment];
  }
  const bound = { binding, ambiguous, ambiguousCount, inversions: { count, maxNs } };
  const counts = { ambiguousCount: before.ambiguousCount, inversions: before.inversions };
  return { bound, before: restorer(bound, moments, wasBound, wasAmbiguous, counts) };
}

/** Keeps only what differs. */
function restorer(
  after: Binding,
  moments: Int32Array,
  wasBound: Int32Array,
  wasAmbiguous: Uint8Array,
  counts: Pick<Binding, 'ambiguousCount' | 'inversions'>,
): () => Binding {
  return () => {
    const binding = after.binding.slice();
    const ambiguous = after.ambiguous.slice();
    for (let i = 0; i < moments.length; i++) {
      binding[moments[i]] = wasBound[i];
      ambiguous[moments[i]] = wasAmbiguous[i];
    }
    return { binding, ambiguous, ...counts };
  };
}

/** The rows of later moments lie behind a constraint that was put in for each of `moments`, ascending. */
function moveBinding(binding: Int32Array, moments: Int32Array): void {
  for (let i = 0; i < moments.length; i++) {
    const until = i + 1 < moments.length ? moments[i + 1] : binding.length - 1;
    for (let moment = moments[i] + 1; moment <= until; moment++) if (binding[moment] !== -1) binding[moment] += i + 1;
  }
}

/** Tells which of several constraints on a moment bound it. */
class Rivals {
  readonly #graph: Bindable;
  readonly #loops: ReadonlyMap<number, number>;

  constructor(graph: Bindable, loops: ReadonlyMap<number, number>) {
    this.#graph = graph;
    this.#loops = loops;
  }

  latestOn(moment: number): number {
    const { first, kind } = this.#graph.constraints;
    const [begin, end] = [first[moment], first[moment + 1]];
    const now = this.#graph.time[moment];
    const began = this.#beganAt(moment);
    const isLoop = this.#loops.has(moment);
    let best = -1;
    for (let c = begin; c < end; c++) {
      if (isLoop && kind[c] === HOST_ORDER) continue;
      if (this.#mayBind(c, now, began) && (best === -1 || this.#comesAfter(c, best))) best = c;
    }
    if (best !== -1) return best;
    for (let c = begin; c < end; c++) if (best === -1 || this.#comesAfter(c, best)) best = c;
    return best;
  }

  /** Could another one of them have bound it as well? */
  isAmbiguous(moment: number, best: number): boolean {
    const { constraints, typical, time } = this.#graph;
    const { first, kind } = constraints;
    const began = this.#beganAt(moment);
    if (kind[best] === OWN) return false;
    for (let c = first[moment]; c < first[moment + 1]; c++) {
      if (c === best || kind[c] === OWN || !this.#mayBind(c, time[moment], began)) continue;
      if (Math.abs(this.#arrival(best) - this.#arrival(c)) < Math.max(typical[best], typical[c])) return true;
    }
    return false;
  }

  /** The end of a call: what was over before it began cannot have held it; its own course can. */
  #beganAt(moment: number): number {
    const { moments, host } = this.#graph;
    if (!moments.isHost(moment) || moments.isStart(moment)) return -Infinity;
    return this.#loops.get(moment) ?? host.start[moments.hostOp(moment)];
  }

  #mayBind(c: number, now: number, began: number): boolean {
    const { constraints, time } = this.#graph;
    const { from, kind } = constraints;
    if (time[from[c]] > now) return false;
    return kind[c] === HOST_ORDER || time[from[c]] > began;
  }

  #arrival(c: number): number {
    const { constraints, time, typical } = this.#graph;
    const { from } = constraints;
    return time[from[c]] + typical[c];
  }

  #comesAfter(c: number, other: number): boolean {
    const { constraints, time } = this.#graph;
    const { from, kind } = constraints;
    const difference =
      this.#arrival(c) - this.#arrival(other) || time[from[c]] - time[from[other]] || kind[other] - kind[c];
    return difference > 0 || (difference === 0 && from[c] < from[other]);
  }
}

/** What lags follow from. */
type Bound = Pick<Bindable, 'constraints' | 'typical' | 'time'> & Pick<Binding, 'binding'>;

/**
 * The lag of a constraint on a moment, ns, signed: measured where it bound; else typical, and always 1 ns less than measured, so that of the
 * constraints on a moment only the one that bound is tight: a replay without it comes out wrong.
 */
export function lagOf({ constraints, typical, time, binding }: Bound, moment: number, c: number): number {
  const { from, kind } = constraints;
  const now = time[moment];
  const best = binding[moment];
  const measured = now - time[from[c]];
  if (c === best) return measured;
  return Math.min(kind[c] === OWN ? now - time[from[best]] : typical[c], measured - 1);
}

/** The lags of all constraints. */
export function lagsOf(graph: Bound): Float64Array {
  const { constraints, time, binding } = graph;
  const { first, from } = constraints;
  const lag = new Float64Array(from.length);
  for (let moment = 0; moment + 1 < first.length; moment++) {
    const best = binding[moment];
    for (let c = first[moment]; c < first[moment + 1]; c++) {
      lag[c] = c === best ? time[moment] - time[from[c]] : lagOf(graph, moment, c);
    }
  }
  return lag;
}
