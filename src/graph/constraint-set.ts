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
   * holds the next one, as `chainKind`. They are most constraints of a trace, and are never gathered. `spare`: room for so many more.
   */
  pack(moments: number, chains: readonly Int32Array[] = [], chainKind = 0, spare = 0): ConstraintSet {
    const rows = this.#rows;
    // Counts lie two places behind their moment, so that filling, which moves each begin to its end, leaves them one place behind.
    const place = new Int32Array(moments + 2);
    for (const chain of chains) for (let i = 1; i < chain.length; i++) place[chain[i] + 2]++;
    for (let at = 0; at < this.#length; at += WIDTH) place[rows[at + 2] + 2]++;
    for (let m = 2; m < place.length; m++) place[m] += place[m - 1];
    const length = place[moments + 1];
    const from = new Int32Array(length + spare).subarray(0, length);
    const kind = new Uint8Array(length + spare).subarray(0, length);
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

/**
 * Puts each behind those on its moment. O(n), without packing anew, and in the memory of `set` where that has the room: it must not be used
 * afterwards.
 */
export function insertConstraints(set: ConstraintSet, more: readonly Constraint[]): WithMore {
  const added = [...more].sort((a, b) => a.to - b.to);
  const { first } = set;
  const rows = Int32Array.from(added, ({ to }, i) => first[to + 1] + i);
  const moments = Int32Array.from(added, ({ to }) => to);
  const from = withGaps(set.from, rows);
  const kind = withGaps(set.kind, rows);
  for (let i = 0; i < rows.length; i++) {
    from[rows[i]] = added[i].from;
    kind[rows[i]] = added[i].kind;
  }
  let shift = 0;
  for (let moment = 0; moment < first.length; moment++) {
    while (shift < moments.length && moments[shift] < moment) shift++;
    first[moment] += shift;
  }
  return { set: new ConstraintSet(first, from, kind), rows, moments };
}

type Column = Int32Array | Uint8Array | Float32Array | Float64Array;

/** A column with rows more, at `rows` (ascending, as they are numbered then); those are still to be filled. In its own memory, if that has the room. */
export function withGaps<Values extends Column>(column: Values, rows: Int32Array): Values {
  const { length, buffer, byteOffset, BYTES_PER_ELEMENT } = column;
  const more = length + rows.length;
  const make = column.constructor as new (of: ArrayBufferLike | number, begin?: number, length?: number) => Values;
  const hasRoom = byteOffset + more * BYTES_PER_ELEMENT <= buffer.byteLength;
  const whole = hasRoom ? new make(buffer, byteOffset, more) : new make(more);
  if (!hasRoom) whole.set(column);
  let end = length;
  for (let i = rows.length - 1; i >= 0; i--) {
    const begin = rows[i] - i;
    whole.copyWithin(rows[i] + 1, begin, end);
    end = begin;
  }
  return whole;
}
