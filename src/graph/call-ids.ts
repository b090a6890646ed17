/**
 * Calls by correlation id: an open hash of typed arrays, since a trace has as many ids as launches. Ids are whole and positive; mostly they
 * follow one another, and then so do their slots.
 */
export class CallIds {
  /** By place: the call, and its id. Calls ascend. */
  readonly #calls: Int32Array;
  readonly #ids: Float64Array;
  /** By slot: 1 + the place of the last call of an id, or 0. */
  readonly #slots: Int32Array;
  readonly #bits: number;
  /** By place: 1 + the place of the call before it of the same id, or 0. */
  readonly #earlier: Int32Array;

  /** Both in order of calls. */
  constructor(calls: Int32Array, ids: Float64Array) {
    this.#calls = calls;
    this.#ids = ids;
    this.#bits = Math.ceil(Math.log2(2 * calls.length + 2));
    this.#slots = new Int32Array(2 ** this.#bits);
    this.#earlier = new Int32Array(calls.length);
    for (let place = 0; place < calls.length; place++) {
      const slot = this.#slotOf(ids[place]);
      this.#earlier[place] = this.#slots[slot];
      this.#slots[slot] = 1 + place;
    }
  }

  /** The last place of an id, or −1. */
  last(id: number): number {
    return this.#slots[this.#slotOf(id)] - 1;
  }

  /** The place before one of the same id, or −1: ids repeat only where they wrap or calls nest. */
  before(place: number): number {
    return this.#earlier[place] - 1;
  }

  callAt(place: number): number {
    return this.#calls[place];
  }

  /** Where an id is, or would be. */
  #slotOf(id: number): number {
    const mask = this.#slots.length - 1;
    const low = (id % 2 ** 32) >>> 0;
    const high = Math.floor(id / 2 ** 32) ^ (low >>> this.#bits);
    for (let slot = (low + Math.imul(high, 0x9e3779b1)) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot] - 1;
      if (place === -1 || this.#ids[place] === id) return slot;
    }
  }
}
