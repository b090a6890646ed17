import { ColBuilder } from '../trace/columns.ts';

/** The constraints of a graph in compressed rows: those on moment `m` are `first[m]` … `first[m + 1] − 1`. */
export interface ConstraintSet {
  readonly first: Int32Array;
  /** The moment that must have come. */
  readonly from: Int32Array;
  /** The moment that is held. */
  readonly to: Int32Array;
  /** Index in `CONSTRAINT_KINDS`, or `OWN`. */
  readonly kind: Uint8Array;
}

/** The length of the event itself: from its start to its end. No constraint between events, so it has no name among them. */
export const OWN = 255;

/** Gathers constraints in any order and packs them by the moment that they hold. */
export class ConstraintBuilder {
  readonly #from = new ColBuilder(Int32Array);
  readonly #to = new ColBuilder(Int32Array);
  readonly #kind = new ColBuilder(Uint8Array);

  add(kind: number, from: number, to: number): void {
    this.#from.push(from);
    this.#to.push(to);
    this.#kind.push(kind);
  }

  /** O(n): a counting sort. Constraints on one moment keep the order in which they were added. */
  pack(moments: number): ConstraintSet {
    const from = this.#from.take<number>();
    const to = this.#to.take<number>();
    const kind = this.#kind.take<number>();
    const first = new Int32Array(moments + 1);
    for (let i = 0; i < to.length; i++) first[to[i] + 1]++;
    for (let m = 0; m < moments; m++) first[m + 1] += first[m];
    const next = first.slice();
    const packed = {
      first,
      from: new Int32Array(to.length),
      to: new Int32Array(to.length),
      kind: new Uint8Array(to.length),
    };
    for (let i = 0; i < to.length; i++) {
      const at = next[to[i]]++;
      packed.from[at] = from[i];
      packed.to[at] = to[i];
      packed.kind[at] = kind[i];
    }
    return packed;
  }
}

/**
 * A set with a few constraints more, each behind those on its moment, and by new row the old one, or −1. O(n), without packing anew:
 * what lies between two insertions is copied whole.
 */
export function insertConstraints(
  set: ConstraintSet,
  more: readonly { readonly kind: number; readonly from: number; readonly to: number }[],
): { readonly set: ConstraintSet; readonly oldRow: Int32Array } {
  const added = [...more].sort((a, b) => a.to - b.to);
  const length = set.from.length + added.length;
  const first = set.first.slice();
  const from = new Int32Array(length);
  const to = new Int32Array(length);
  const kind = new Uint8Array(length);
  const oldRow = new Int32Array(length);
  let done = 0;
  const copyUntil = (row: number, shift: number): void => {
    from.set(set.from.subarray(done, row), done + shift);
    to.set(set.to.subarray(done, row), done + shift);
    kind.set(set.kind.subarray(done, row), done + shift);
    for (let old = done; old < row; old++) oldRow[old + shift] = old;
    done = row;
  };
  added.forEach((constraint, shift) => {
    copyUntil(set.first[constraint.to + 1], shift);
    from[done + shift] = constraint.from;
    to[done + shift] = constraint.to;
    kind[done + shift] = constraint.kind;
    oldRow[done + shift] = -1;
  });
  copyUntil(set.from.length, added.length);
  let shift = 0;
  for (let moment = 0; moment < first.length; moment++) {
    while (shift < added.length && added[shift].to < moment) shift++;
    first[moment] += shift;
  }
  return { set: { first, from, to, kind }, oldRow };
}
