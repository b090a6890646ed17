import { BAD, BYTE, INCOMPLETE, skipSpace } from './bytes.ts';
import { findStringEnd } from './read-string.ts';

/** Nesting that is checked for matching brackets; deeper, brackets are only counted. */
const CHECKED_DEPTH = 1024;

/**
 * Steps over an object or array inside an event. Strict where damage would otherwise swallow the events behind it: what stands
 * before and after each string, and that brackets match. Loose elsewhere: bare words are not looked at.
 */
export class NestedSkipper {
  readonly #open = new Uint8Array(CHECKED_DEPTH);

  /** The byte behind the value whose bracket is at `from`, or `INCOMPLETE`, or `BAD`. `view`: the same bytes. */
  skip(bytes: Uint8Array, view: DataView, from: number, end: number): number {
    const open = this.#open;
    let depth = 0;
    let at = from;
    for (;;) {
      while (view.getInt32(at, true) === FOUR_SPACES) at += 4;
      while (isPlain[bytes[at]] === 1) at++;
      const byte = bytes[at];
      if (byte <= BYTE.space) {
        at++;
      } else if (byte === BYTE.quote) {
        if (at >= end) return INCOMPLETE;
        if (!opensString(byteBefore(bytes, at))) return BAD;
        at = findStringEnd(bytes, view, at + 1);
        if (at >= end) return INCOMPLETE;
        at = skipSpace(bytes, at + 1);
        if (at < end && !closesString(bytes[at])) return BAD;
      } else if (byte === BYTE.openObject || byte === BYTE.openArray) {
        at++;
        if (depth < CHECKED_DEPTH) open[depth] = byte;
        depth++;
      } else {
        at++;
        depth--;
        // `{` and `}` differ by 2 in ASCII, and so do `[` and `]`.
        if (depth < CHECKED_DEPTH && open[depth] + 2 !== byte) return BAD;
        if (depth === 0) return at;
      }
    }
  }
}

const FOUR_SPACES = 0x20202020;

/** 0 for quotes, brackets and space: where the loop above has to look closer. */
const isPlain = new Uint8Array(256).fill(1);
isPlain.fill(0, 0, BYTE.space + 1);
for (const byte of [BYTE.quote, BYTE.openObject, BYTE.closeObject, BYTE.openArray, BYTE.closeArray]) isPlain[byte] = 0;

/** The last byte before `at` that is no space. There is one: the bracket of the value. */
function byteBefore(bytes: Uint8Array, at: number): number {
  let before = at - 1;
  while (bytes[before] <= BYTE.space) before--;
  return bytes[before];
}

const opensString = (previous: number): boolean =>
  previous === BYTE.comma || previous === BYTE.colon || previous === BYTE.openArray || previous === BYTE.openObject;

const closesString = (next: number): boolean =>
  next === BYTE.comma || next === BYTE.colon || next === BYTE.closeArray || next === BYTE.closeObject;

/**
 * Steps over a value of any size in bounded memory: it can stop at any byte and go on in the next buffer. For keys of the top
 * level. As strict as `NestedSkipper`, since damage here would swallow all rows.
 */
export class StreamSkipper {
  readonly #open = new Uint8Array(CHECKED_DEPTH);
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The last byte outside of strings that is no space; a quote stands for a whole string. */
  #previous: number = BYTE.colon;
  /** Where the last `BAD` was met: the same whatever the borders of buffers. */
  badAt = 0;

  reset(): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#previous = BYTE.colon;
  }

  /** The byte behind the value; `INCOMPLETE` where it goes on behind `end` (all bytes up to `end` are done with then); or `BAD`. */
  skip(bytes: Uint8Array, from: number, end: number): number {
    for (let at = from; at < end; at++) {
      const byte = bytes[at];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BYTE.backslash) this.#escaped = true;
        else if (byte === BYTE.quote) {
          this.#inString = false;
          if (this.#depth === 0) return at + 1;
        }
        continue;
      }
      if (byte <= BYTE.space) {
        if (this.#depth === 0 && this.#previous !== BYTE.colon) return at;
        continue;
      }
      // What stands behind a bare value.
      if (this.#depth === 0 && (byte === BYTE.comma || byte === BYTE.closeObject)) return at;
      if (!this.#follows(byte)) {
        this.badAt = at;
        return BAD;
      }
      this.#previous = byte;
      if (byte === BYTE.quote) this.#inString = true;
      if ((byte === BYTE.closeObject || byte === BYTE.closeArray) && this.#depth === 0) return at + 1;
    }
    return INCOMPLETE;
  }

  /** Whether `byte` may stand behind `#previous`. Keeps count of brackets. */
  #follows(byte: number): boolean {
    const previous = this.#previous;
    if (byte === BYTE.quote) return opensString(previous);
    if (previous === BYTE.quote && !closesString(byte)) return false;
    switch (byte) {
      case BYTE.openObject:
      case BYTE.openArray:
        if (this.#depth < CHECKED_DEPTH) this.#open[this.#depth] = byte;
        this.#depth++;
        return true;
      case BYTE.closeObject:
      case BYTE.closeArray:
        this.#depth--;
        return this.#depth >= 0 && (this.#depth >= CHECKED_DEPTH || this.#open[this.#depth] + 2 === byte);
      case BYTE.colon:
        return (
          previous === BYTE.quote && (this.#depth > CHECKED_DEPTH || this.#open[this.#depth - 1] === BYTE.openObject)
        );
      default:
        return true;
    }
  }
}
