// Random numbers that belong to an action, not to a sequence: the same action of the same program always draws the same, whatever
// was changed around it. A place in the program is a 32-bit hash of the places on the way to it.

/** Mixes a number into a hash (the finaliser of MurmurHash3). */
export function mix(hash: number, value: number): number {
  let mixed = Math.imul(hash ^ Math.imul(value + 0x9e3779b9, 0x85ebca6b), 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  mixed = Math.imul(mixed, 0x7feb352d);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A number in [0, 1) for a place and a purpose. */
export const unit = (hash: number, purpose: number): number => mix(hash, purpose) / 4_294_967_296;

/** What an action draws numbers for. */
export const Purpose = {
  call: 1,
  before: 2,
  between: 3,
  after: 4,
  device: 5,
  launch: 6,
  streamGap: 7,
  eventWait: 8,
  syncReturn: 9,
  fork: 10,
  join: 11,
  enqueue: 12,
  sleep: 13,
  transfer: 14,
  poll: 15,
  legacy: 16,
  node: 1_000,
} as const;

/** A whole number of ns that varies by `jitter` up and down. */
export function vary(ns: number, jitter: number, hash: number, purpose: number): number {
  return jitter === 0 ? Math.round(ns) : Math.round(ns * (1 + jitter * (2 * unit(hash, purpose) - 1)));
}

/** A seeded sequence of numbers in [0, 1), for making programs. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = mix(seed >>> 0, 0x5eed);
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    return mix(this.#state, 1) / 4_294_967_296;
  }

  /** A whole number in [0, count). */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** A whole number in [low, high]. */
  from(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)];
  }
}
