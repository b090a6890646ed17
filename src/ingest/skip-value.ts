import { BAD, BYTE, INCOMPLETE, skipSpace, stringEnd } from './bytes.ts';

/** Nesting that is checked for matching brackets; deeper, brackets are only counted. */
const CHECKED_DEPTH = 1024;

/**
 * Steps over an object or array inside an event. Strict where damage would otherwise swallow the events behind it: what stands
 * before and after each string, and that brackets match. Loose elsewhere: bare words are not looked at.
 */
export class NestedSkipper {
  readonly #open = new Uint8Array(CHECKED_DEPTH);

  /** The byte behind the value whose bracket is at `from`, or `INCOMPLETE`, or `BAD`. */
  skip(bytes: Uint8Array, from: number, end: number): number {
    const open = this.#open;
    let depth = 0;
    let at = from;
    let previous: number = BYTE.comma;
    for (;;) {
      const byte = bytes[at];
      if (byte === BYTE.quote) {
        if (at >= end) return INCOMPLETE;
        if (!opensString(previous)) return BAD;
        at = stringEnd(bytes, at + 1);
        if (at >= end) return INCOMPLETE;
        at++;
        previous = BYTE.quote;
        const next = skipSpace(bytes, at);
        if (next < end && !closesString(bytes[next])) return BAD;
        at = next;
        continue;
      }
      at++;
      if (byte <= BYTE.space) continue;
      if (byte === BYTE.openObject || byte === BYTE.openArray) {
        if (depth < CHECKED_DEPTH) open[depth] = byte;
        depth++;
      } else if (byte === BYTE.closeObject || byte === BYTE.closeArray) {
        depth--;
        // `{` and `}` differ by 2 in ASCII, and so do `[` and `]`.
        if (depth < CHECKED_DEPTH && open[depth] + 2 !== byte) return BAD;
        if (depth === 0) return at;
      }
      previous = byte;
    }
  }
}

const opensString = (previous: number): boolean =>
  previous === BYTE.comma || previous === BYTE.colon || previous === BYTE.openArray || previous === BYTE.openObject;

const closesString = (next: number): boolean =>
  next === BYTE.comma || next === BYTE.colon || next === BYTE.closeArray || next === BYTE.closeObject;

/** Steps over a value of any size in bounded memory: it can stop at any byte and go on in the next buffer. For keys of the top level. */
export class StreamSkipper {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #started = false;

  reset(): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#started = false;
  }

  /** The byte behind the value, or `INCOMPLETE` where it goes on behind `end`; all bytes up to `end` are done with then. */
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
      switch (byte) {
        case BYTE.quote:
          this.#inString = true;
          this.#started = true;
          break;
        case BYTE.openObject:
        case BYTE.openArray:
          this.#depth++;
          this.#started = true;
          break;
        case BYTE.closeObject:
        case BYTE.closeArray:
          // The bracket of the object around a bare value.
          if (this.#depth === 0) return at;
          if (--this.#depth === 0) return at + 1;
          break;
        case BYTE.comma:
          if (this.#depth === 0) return at;
          break;
        default:
          if (byte > BYTE.space) this.#started = true;
          else if (this.#started && this.#depth === 0) return at;
      }
    }
    return INCOMPLETE;
  }
}
