import { BYTE, INCOMPLETE, skipSpace } from './bytes.ts';
import { META_KEYS } from './row-sink.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What the first key of a row may be. A writer that begins with another key loses one row more after damage. */
const rowKeys = ['ph', 'cat', 'name', 'pid', 'tid', 'ts', 'dur', 'id', 's', 'args'].map(encode);
const topKeys = ['traceEvents', ...META_KEYS].map(encode);

/**
 * Finds the next place behind damage where reading can go on: the `{` of a row, or a key of the top level that matters.
 * Such a place cannot lie inside a string, since the quotes around its key would have to be escaped there.
 */
export class Resync {
  /** The last two bytes seen that are no space. */
  #before = 0;
  #beforeThat = 0;

  /** Begins behind a byte that is known. */
  begin(before: number): void {
    this.#before = before;
    this.#beforeThat = 0;
  }

  /** Where the next place begins, or `INCOMPLETE`; `resumeAt` is where to go on with more bytes then. */
  find(bytes: Uint8Array, from: number, end: number): number {
    for (let at = from; at < end; at++) {
      const byte = bytes[at];
      if (byte <= BYTE.space) continue;
      if (byte === BYTE.openObject && this.#before !== BYTE.colon) {
        const quote = skipSpace(bytes, at + 1);
        if (bytes[quote] === BYTE.quote) {
          const key = matchKey(rowKeys, bytes, quote, end);
          if (key === INCOMPLETE) return this.#pause(at);
          // A row's usual first key is enough; any other key must stand where a row may begin.
          if (key === 0 || (key > 0 && this.#before === BYTE.comma && this.#beforeThat === BYTE.closeObject)) return at;
        }
      } else if (byte === BYTE.quote) {
        const key = matchKey(topKeys, bytes, at, end);
        if (key === INCOMPLETE) return this.#pause(at);
        if (key >= 0) return at;
      }
      this.#beforeThat = this.#before;
      this.#before = byte;
    }
    return this.#pause(end);
  }

  resumeAt = 0;

  #pause(at: number): number {
    this.resumeAt = at;
    return INCOMPLETE;
  }
}

const NO_KEY = -3;

/** Which of `keys` stands at the quote `at` and has its colon; `NO_KEY`, or `INCOMPLETE`. */
function matchKey(keys: readonly Uint8Array[], bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return INCOMPLETE;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    let length = 0;
    while (length < key.length && bytes[at + 1 + length] === key[length] && at + 1 + length < end) length++;
    if (at + 1 + length >= end) return INCOMPLETE;
    if (length < key.length || bytes[at + 1 + length] !== BYTE.quote) continue;
    const colon = skipSpace(bytes, at + 2 + length);
    if (colon >= end) return INCOMPLETE;
    if (bytes[colon] === BYTE.colon) return index;
  }
  return NO_KEY;
}
