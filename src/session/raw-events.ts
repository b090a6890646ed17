import { createReadStream } from 'node:fs';
import { assert } from '../base/assert.ts';
import { BYTE } from '../ingest/bytes.ts';
import { parseLenient } from '../ingest/lenient-json.ts';
import { Scanner } from '../ingest/scan.ts';
import { StringBuilder } from '../trace/strings.ts';
import { isRegularFile, openBytes, sniffCompression } from './open-node.ts';

/** A part of a trace file. All parts in a row are the file, byte for byte. */
export type RawPart =
  | { readonly kind: 'event'; readonly position: number; readonly bytes: Uint8Array }
  /** Before the first event; between two events (commas, space, damaged rows); from the `]` behind the last event on. */
  | { readonly kind: 'head' | 'gap' | 'tail'; readonly bytes: Uint8Array };

/**
 * The parts of a file (`-`: standard input) in bounded memory. `bytes` are only valid until the next part is asked for.
 * `position` is the event's index in `traceEvents`. Rejects with Node's error.
 */
export async function* streamRawEvents(path: string): AsyncGenerator<RawPart> {
  const cutter = new RawCutter();
  for await (const chunk of openBytes(path)) yield* cutter.push(chunk);
  yield* cutter.finish();
}

/**
 * The event whose `{` stands at `byteOffset` of the decompressed file, with all its args: a trace keeps only those that have columns.
 * `undefined` where no whole event stands there, and for standard input and pipes, which cannot be read again. Rejects with Node's error.
 * Takes as long as inflating up to there.
 */
export async function readRawEvent(path: string, byteOffset: number): Promise<Record<string, unknown> | undefined> {
  if (path === '-' || !(await isRegularFile(path))) return undefined;
  const cutter = new RawCutter();
  // A list that begins with the event: what stands before it does not matter.
  assert([...cutter.push(Uint8Array.of(BYTE.openArray))].length === 1, 'a list begins with its bracket');
  for await (const chunk of bytesFrom(path, byteOffset)) {
    // No part: the event goes on in the next chunk. Another part: something else stands there.
    const { value: part } = cutter.push(chunk).next();
    if (part !== undefined) return part.kind === 'event' ? asRecord(parseLenient(part.bytes)) : undefined;
  }
  return undefined;
}

const asRecord = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;

async function* bytesFrom(path: string, byteOffset: number): AsyncGenerator<Uint8Array> {
  if ((await sniffCompression(path)) === 'none') {
    yield* createReadStream(path, { start: byteOffset, highWaterMark: 1 << 16 }) as AsyncIterable<Uint8Array>;
    return;
  }
  let before = byteOffset;
  for await (const chunk of openBytes(path)) {
    if (before < chunk.length) yield chunk.subarray(before);
    before = Math.max(0, before - chunk.length);
  }
}

/** Cuts chunks at the borders of events. */
class RawCutter {
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
