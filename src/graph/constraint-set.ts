/** The constraints of a graph in compressed rows: those on moment `m` are `first[m]` … `first[m + 1] − 1`. */
export class ConstraintSet {
  readonly first: Int32Array;
  /** The moment that must have come. */
  readonly from: Int32Array;
  /** Index in `CONSTRAINT_KINDS`, or `OWN`. */
  readonly kind: Uint8Array;
  #to: Int32Array | undefined;

  constructor(first: Int32Array, from: Int32Array, kind: Uint8Array) {
    this.first = first;
    this.from = from;
    this.kind = kind;
  }

  /** The moment that is held. Made when first asked for: whoever goes through the moments knows it. */
  get to(): Int32Array {
    this.#to ??= heldMoments(this.first, this.from.length);
    return this.#to;
  }

  /** The same constraints from other moments. */
  withSources(from: Int32Array): ConstraintSet {
    const changed = new ConstraintSet(this.first, from, this.kind);
    changed.#to = this.#to;
    return changed;
  }
}

function heldMoments(first: Int32Array, length: number): Int32Array {
  const to = new Int32Array(length);
  for (let moment = 0; moment + 1 < first.length; moment++) {
    for (let c = first[moment]; c < first[moment + 1]; c++) to[c] = moment;
  }
  return to;
}

/** The length of the event itself: from its start to its end. No constraint between events, so it has no name among them. */
export const OWN = 255;

/** Numbers of a constraint in a builder: kind, source, held moment. */
const WIDTH = 3;

/** Gathers constraints in any order and packs them by the moment that they hold. */
export class ConstraintBuilder {
  #rows: Int32Array;
  #length = 0;

  /** `expected`: how many there will be, about. */
  constructor(expected: number) {
    this.#rows = new Int32Array(WIDTH * Math.max(expected, 64));
  }

  add(kind: number, from: number, to: number): void {
    if (this.#length === this.#rows.length) {
      const larger = new Int32Array(2 * this.#length);
      larger.set(this.#rows);
      this.#rows = larger;
    }
    const at = this.#length;
    this.#rows[at] = kind;
    this.#rows[at + 1] = from;
    this.#rows[at + 2] = to;
    this.#length = at + WIDTH;
  }

  /**
   * O(n): a counting sort. Constraints on one moment keep the order in which they were added, behind those of `chains`: in each, every moment
   * holds the next one, as `chainKind`. They are most constraints of a trace, and are never gathered.
   */
  pack(moments: number, chains: readonly Int32Array[] = [], chainKind = 0): ConstraintSet {
    const rows = this.#rows;
    // Counts lie two places behind their moment, so that filling, which moves each begin to its end, leaves them one place behind.
    const place = new Int32Array(moments + 2);
    for (const chain of chains) for (let i = 1; i < chain.length; i++) place[chain[i] + 2]++;
    for (let at = 0; at < this.#length; at += WIDTH) place[rows[at + 2] + 2]++;
    for (let m = 2; m < place.length; m++) place[m] += place[m - 1];
    const from = new Int32Array(place[moments + 1]);
    const kind = new Uint8Array(from.length);
    for (const chain of chains) {
      for (let i = 1; i < chain.length; i++) {
        const row = place[chain[i] + 1]++;
        from[row] = chain[i - 1];
        kind[row] = chainKind;
      }
    }
    for (let at = 0; at < this.#length; at += WIDTH) {
      const row = place[rows[at + 2] + 1]++;
      from[row] = rows[at + 1];
      kind[row] = rows[at];
    }
    return new ConstraintSet(place.subarray(0, moments + 1), from, kind);
  }
}

/** A constraint on its own. */
export interface Constraint {
  readonly kind: number;
  readonly from: number;
  readonly to: number;
}

/** A set with some constraints more. */
export interface WithMore {
  readonly set: ConstraintSet;
  /** The rows of those, ascending; all others keep their order. */
  readonly rows: Int32Array;
  /** By place in `rows`: the moment that is held. */
  readonly moments: Int32Array;
}

/** Puts each behind those on its moment. O(n), without packing anew: what lies between two insertions is copied whole. */
export function insertConstraints(set: ConstraintSet, more: readonly Constraint[]): WithMore {
  const added = [...more].sort((a, b) => a.to - b.to);
  const from = new Int32Array(set.from.length + added.length);
  const kind = new Uint8Array(from.length);
  const rows = new Int32Array(added.length);
  const moments = new Int32Array(added.length);
  let done = 0;
  added.forEach((constraint, shift) => {
    const row = set.first[constraint.to + 1] + shift;
    moveRows(set.from, from, done, row - shift, shift);
    moveRows(set.kind, kind, done, row - shift, shift);
    done = row - shift;
    rows[shift] = row;
    moments[shift] = constraint.to;
    from[row] = constraint.from;
    kind[row] = constraint.kind;
  });
  moveRows(set.from, from, done, set.from.length, added.length);
  moveRows(set.kind, kind, done, set.from.length, added.length);
  const first = set.first.slice();
  let shift = 0;
  for (let moment = 0; moment < first.length; moment++) {
    while (shift < added.length && moments[shift] < moment) shift++;
    first[moment] += shift;
  }
  return { set: new ConstraintSet(first, from, kind), rows, moments };
}

function moveRows<Rows extends Int32Array | Uint8Array>(of: Rows, to: Rows, begin: number, end: number, by: number): void {
  to.set(of.subarray(begin, end), begin + by);
}
