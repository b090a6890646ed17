import { BYTE, stringEnd } from './bytes.ts';
import { firstMark, hashBytes, lowBytes, mix, stringMarks } from './words.ts';

/** The closing quote of the string whose first byte is at `from`, four bytes at a time. Perhaps behind the end of the input, among the sentinels. */
export function findStringEnd(bytes: Uint8Array, view: DataView, from: number): number {
  for (let at = from; ; at += 4) {
    const marks = stringMarks(view.getInt32(at, true));
    if (marks === 0) continue;
    at += firstMark(marks);
    return bytes[at] === BYTE.quote ? at : stringEnd(bytes, at);
  }
}

/** Finds the end of a string and its hash in one pass. */
export class StringHasher {
  /** `hashBytes` of the string last read. */
  hash = 0;

  /** As `findStringEnd`; sets `hash`. */
  read(bytes: Uint8Array, view: DataView, from: number): number {
    let hash = 0;
    let at = from;
    let word = view.getInt32(at, true);
    let marks = stringMarks(word);
    while (marks === 0) {
      hash = mix(hash, word);
      at += 4;
      word = view.getInt32(at, true);
      marks = stringMarks(word);
    }
    const rest = firstMark(marks);
    const close = at + rest;
    if (bytes[close] !== BYTE.quote) {
      const end = stringEnd(bytes, close);
      // Behind the last sentinel nothing is readable; the caller drops what ends there.
      this.hash = end + 4 > bytes.length ? 0 : hashBytes(view, from, end);
      return end;
    }
    if (rest > 0) hash = mix(hash, lowBytes(word, rest));
    this.hash = hash ^ (close - from);
    return close;
  }
}
