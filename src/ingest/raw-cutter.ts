import { Scanner } from './scan.ts';
import { StringBuilder } from '../trace/strings.ts';

/** A part of a trace file. All parts in a row are the file, byte for byte. */
export type RawPart =
  | { readonly kind: 'event'; readonly position: number; readonly bytes: Uint8Array }
  /** Before the first event; between two events (commas, space, damaged rows); from the `]` behind the last event on. */
  | { readonly kind: 'head' | 'gap' | 'tail'; readonly bytes: Uint8Array };

/** Cuts chunks at the borders of events. */
export class RawCutter {
  /** Of the events found since the last cut: first byte, byte behind, position. */
  readonly #found: number[] = [];
  readonly #scanner = new Scanner(new StringBuilder(), {
    event: (row) => this.#found.push(row.byteOffset, row.byteOffset + row.byteLength, row.position),
    meta: () => {},
    damage: () => {},
    rowsEnd: (byteOffset) => (this.#rowsEnd = byteOffset),
  });
  /** Bytes that belong to no part yet, and the offset of the first. */
  #held: Uint8Array = new Uint8Array(0);
  #heldFrom = 0;
  #rowsEnd = Infinity;
  #sawEvent = false;

  *push(chunk: Uint8Array): Generator<RawPart, undefined> {
    this.#scanner.push(chunk);
    const held = new Uint8Array(this.#held.length + chunk.length);
    held.set(this.#held);
    held.set(chunk, this.#held.length);
    this.#held = held;
    yield* this.#cut(this.#scanner.failure === undefined ? this.#scanner.settledLength : Infinity);
  }

  *finish(): Generator<RawPart> {
    this.#scanner.finish();
    yield* this.#cut(Infinity);
  }

  /** The parts up to the offset `end`. */
  *#cut(end: number): Generator<RawPart> {
    const found = this.#found.splice(0);
    for (let index = 0; index < found.length; index += 3) {
      yield* this.#other(found[index]);
      yield { kind: 'event', position: found[index + 2], bytes: this.#take(found[index + 1]) };
      this.#sawEvent = true;
    }
    yield* this.#other(end);
  }

  /** The bytes up to the offset `end`, which are of no event. */
  *#other(end: number): Generator<RawPart> {
    if (this.#heldFrom < Math.min(end, this.#rowsEnd)) {
      const bytes = this.#take(Math.min(end, this.#rowsEnd));
      if (bytes.length > 0) yield { kind: this.#sawEvent ? 'gap' : 'head', bytes };
    }
    const bytes = this.#take(end);
    if (bytes.length > 0) yield { kind: 'tail', bytes };
  }

  #take(end: number): Uint8Array {
    const bytes = this.#held.subarray(0, Math.max(0, end - this.#heldFrom));
    this.#held = this.#held.subarray(bytes.length);
    this.#heldFrom += bytes.length;
    return bytes;
  }
}
