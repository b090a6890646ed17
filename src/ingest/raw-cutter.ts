import { assert } from '../base/assert.ts';
import { BYTE } from './bytes.ts';
import { parseLenient } from './lenient-json.ts';
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

/** Bytes that are looked at for the end of a row at a time. */
const STEP = 1 << 14;

/** Finds the one row whose `{` is the first byte that it is given. */
export class RowFinder {
  /** Made where the row is not whole in the first bytes, or not sound. */
  #cutter: RawCutter | undefined;
  #row: Record<string, unknown> | undefined;

  /** The row with all its args; `undefined` where no whole row stands there. */
  get row(): Record<string, unknown> | undefined {
    return this.#row;
  }

  /** Takes more bytes, and says whether that is enough. */
  push(chunk: Uint8Array): boolean {
    if (this.#cutter === undefined) {
      this.#row = soundRow(chunk);
      if (this.#row !== undefined) return true;
      this.#cutter = new RawCutter();
      // A list that begins with the row: what stands before it does not matter.
      assert([...this.#cutter.push(Uint8Array.of(BYTE.openArray))].length === 1, 'a list begins with its bracket');
    }
    for (let at = 0; at < chunk.length; at += STEP) {
      if (this.#take(this.#cutter.push(chunk.subarray(at, at + STEP)))) return true;
    }
    return false;
  }

  /** There are no more bytes: a row that was just completed may not have been looked at yet. */
  finish(): void {
    if (this.#cutter !== undefined) this.#take(this.#cutter.finish());
  }

  /** No part: the row goes on. Another part than a row: something else stands there. */
  #take(parts: Generator<RawPart>): boolean {
    const next = parts.next();
    if (next.done === true) return false;
    this.#row = next.value.kind === 'event' ? asRecord(parseLenient(next.value.bytes)) : undefined;
    return true;
  }
}

/** The row at the begin of some bytes where it lies in them whole and is JSON as it should be: by far the most are. */
function soundRow(bytes: Uint8Array): Record<string, unknown> | undefined {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BYTE.backslash) at++;
      else if (byte === BYTE.quote) isText = false;
    } else if (byte === BYTE.quote) isText = true;
    else if (byte === BYTE.openObject) depth++;
    else if (byte === BYTE.closeObject && --depth === 0) return parsed(bytes.subarray(0, at + 1));
    if (depth === 0) return undefined;
  }
  return undefined;
}

function parsed(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/**
 * The row whose `{` is the first byte of `chunks`, with all its args: a trace keeps only those that have columns. `undefined` where no whole
 * row stands there. Reads no further than it has to. Rejects only if `chunks` does.
 */
export async function readRow(chunks: AsyncIterable<Uint8Array>): Promise<Record<string, unknown> | undefined> {
  const finder = new RowFinder();
  for await (const chunk of chunks) if (finder.push(chunk)) return finder.row;
  finder.finish();
  return finder.row;
}

const asRecord = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
