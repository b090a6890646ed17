import { assert } from '../base/assert.ts';
import { BYTE } from './bytes.ts';
import { parseLenient } from './lenient-json.ts';
import { RawCutter, type RawPart } from './raw-cutter.ts';

/** Bytes that are looked at for the end of a row at a time. */
const STEP = 1 << 14;

/** Finds the one row whose `{` is the first byte that it is given. */
class RowFinder {
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

/**
 * The rows whose `{` stand at these offsets of the bytes, ascending, found in one pass over them, by their offset; none where no whole row
 * stands. Reads no further than it has to. Rejects only if `chunks` does.
 */
export async function readRows(
  chunks: AsyncIterable<Uint8Array>,
  byteOffsets: readonly number[],
): Promise<ReadonlyMap<number, Record<string, unknown>>> {
  const offsets = [...new Set(byteOffsets)];
  const found = new Map<number, Record<string, unknown>>();
  /** Those that need more bytes. A row's end is not seen at once, so that rows beside each other may be looked for at the same time. */
  const open = new Map<number, RowFinder>();
  const close = (offset: number, { row }: RowFinder): void => {
    open.delete(offset);
    if (row !== undefined) found.set(offset, row);
  };
  let next = 0;
  let base = 0;
  for await (const chunk of chunks) {
    for (const [offset, finder] of open) if (finder.push(chunk)) close(offset, finder);
    for (; next < offsets.length && offsets[next] < base + chunk.length; next++) {
      const finder = new RowFinder();
      open.set(offsets[next], finder);
      if (finder.push(chunk.subarray(offsets[next] - base))) close(offsets[next], finder);
    }
    if (open.size === 0 && next === offsets.length) return found;
    base += chunk.length;
  }
  for (const [offset, finder] of open) {
    finder.finish();
    close(offset, finder);
  }
  return found;
}
