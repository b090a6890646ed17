/** Numbers in [0, 1), the same for the same seed on every machine (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A shuffled copy (Fisher–Yates). */
export function shuffled<T>(values: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  const left = [...values];
  const result: T[] = [];
  while (left.length > 0) result.push(...left.splice(Math.floor(random() * left.length), 1));
  return result;
}
