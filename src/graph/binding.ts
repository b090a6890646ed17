import { type ConstraintSet, OWN } from './constraint-set.ts';
import { kindCode } from './constraints.ts';
import type { Indices } from './graph.ts';

export interface Binding {
  /** By moment: the constraint that bound it; −1 for a moment that nothing holds. */
  readonly binding: Int32Array;
  /** By moment: 1 where another constraint arrived within the larger typical lag of the two. */
  readonly ambiguous: Uint8Array;
  /**
   * By constraint, ns, signed: measured where it bound; else typical, and always 1 ns less than measured, so that of the constraints on
   * a moment only the one that bound is tight: a replay without it comes out wrong.
   */
  readonly lag: Float64Array;
  readonly ambiguousCount: number;
  readonly inversions: { readonly count: number; readonly maxNs: number };
}

const HOST_ORDER = kindCode('host-order');

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
export function bind(
  constraints: ConstraintSet,
  typical: Float64Array,
  { host, moments, time }: Pick<Indices, 'host' | 'moments' | 'time'>,
  loops: ReadonlyMap<number, number>,
): Binding {
  const { first, from, kind } = constraints;
  const binding = new Int32Array(moments.count).fill(-1);
  const ambiguous = new Uint8Array(moments.count);
  const lag = new Float64Array(from.length);
  let ambiguousCount = 0;
  let inverted = 0;
  let maxNs = 0;
  for (let moment = 0; moment < moments.count; moment++) {
    const begin = first[moment];
    const end = first[moment + 1];
    if (begin === end) continue;
    const now = time[moment];
    for (let c = begin; c < end; c++) {
      if (time[from[c]] <= now) continue;
      inverted++;
      maxNs = Math.max(maxNs, time[from[c]] - now);
    }
    if (begin + 1 === end) {
      binding[moment] = begin;
      lag[begin] = now - time[from[begin]];
      continue;
    }
    // The end of a call: what was over before it began cannot have held it; its own course can.
    const isEnd = moments.isHost(moment) && !moments.isStart(moment);
    const loop = isEnd && loops.size > 0 ? loops.get(moment) : undefined;
    const began = loop ?? (isEnd ? host.start[moments.hostOp(moment)] : -Infinity);
    let best = -1;
    for (let c = begin; c < end; c++) {
      if (loop !== undefined && kind[c] === HOST_ORDER) continue;
      if (mayBind(c, now, began) && (best === -1 || comesAfter(c, best))) best = c;
    }
    if (best === -1) for (let c = begin; c < end; c++) if (best === -1 || comesAfter(c, best)) best = c;
    binding[moment] = best;
    for (let c = begin; c < end; c++) {
      const measured = now - time[from[c]];
      lag[c] = c === best ? measured : Math.min(kind[c] === OWN ? now - time[from[best]] : typical[c], measured - 1);
      if (c === best || kind[best] === OWN || kind[c] === OWN || !mayBind(c, now, began)) continue;
      if (Math.abs(arrival(best) - arrival(c)) < Math.max(typical[best], typical[c])) ambiguous[moment] = 1;
    }
    ambiguousCount += ambiguous[moment];
  }
  return { binding, ambiguous, lag, ambiguousCount, inversions: { count: inverted, maxNs } };

  function mayBind(c: number, now: number, began: number): boolean {
    if (time[from[c]] > now) return false;
    return kind[c] === HOST_ORDER || time[from[c]] > began;
  }

  function arrival(c: number): number {
    return time[from[c]] + typical[c];
  }

  function comesAfter(c: number, other: number): boolean {
    const difference = arrival(c) - arrival(other) || time[from[c]] - time[from[other]] || kind[other] - kind[c];
    return difference > 0 || (difference === 0 && from[c] < from[other]);
  }
}
