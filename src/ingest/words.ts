/**
 * Four bytes at a time, as little-endian 32-bit words: loops over single bytes are the larger part of a scanner's time.
 * All results are 32-bit integers, so that they stay in registers.
 */

const ONES = 0x01010101;
const HIGHS = 0x80808080 | 0;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
const ZEROS = 0x30303030;

/** The high bit of each byte of `word` that is a quote or a backslash; only the lowest one set is sure. */
export function stringMarks(word: number): number {
  const quotes = word ^ QUOTES;
  const backslashes = word ^ BACKSLASHES;
  return (((quotes - ONES) & ~quotes) | ((backslashes - ONES) & ~backslashes)) & HIGHS;
}

/** The index (0–3) of the byte whose high bit is the lowest one set in `marks`. */
export const firstMark = (marks: number): number => (31 - Math.clz32(marks & -marks)) >> 3;

/** All four bytes of `word` are decimal digits. */
export const areDigits = (word: number): boolean =>
  (((word + 0x46464646) | (word - ZEROS)) & HIGHS) === 0 && (word & HIGHS) === 0;

/** The number that four digits spell, the first in the lowest byte. */
export function fourDigits(word: number): number {
  const digits = word - ZEROS;
  const pairs = (Math.imul(digits, 10) + (digits >>> 8)) & 0x00ff00ff;
  return (Math.imul(pairs, 100) + (pairs >>> 16)) & 0xffff;
}

/** The lowest `count` (1–3) bytes of `word`. */
export const lowBytes = (word: number, count: number): number => word & ((1 << (count << 3)) - 1);

/** Takes a word into a hash of a text. */
export const mix = (hash: number, word: number): number => {
  const mixed = Math.imul(hash ^ word, 0x9e3779b1 | 0);
  return mixed ^ (mixed >>> 15);
};

/** The hash of `[from, to)`. Three bytes behind `to` must be readable. */
export function hashBytes(view: DataView, from: number, to: number): number {
  let hash = 0;
  let at = from;
  for (; at + 4 <= to; at += 4) hash = mix(hash, view.getInt32(at, true));
  if (at < to) hash = mix(hash, lowBytes(view.getInt32(at, true), to - at));
  return hash ^ (to - from);
}
