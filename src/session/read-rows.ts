import type { RowSource } from '../answers/event-details.ts';
import { RawCutter, rowOf } from '../ingest/raw-cutter.ts';
import { BYTE } from '../ingest/bytes.ts';
import { isRegularFile, openBytes } from './open-node.ts';

/** Bytes that are looked at for the end of a row at a time. */
const STEP = 1 << 14;

/**
 * The rows whose `{` stand at these offsets of the decompressed file, ascending, read in one pass over it: for many rows of a compressed
 * file. What cannot be read again, or not at an offset, is not there.
 */
export async function readRows(path: string, byteOffsets: readonly number[]): Promise<RowSource> {
  if (path === '-' || !(await isRegularFile(path))) {
    return { kind: 'none', why: 'standard input cannot be read again' };
  }
  const found = new Map<number, Record<string, unknown>>();
  const offsets = [...new Set(byteOffsets)];
  let next = 0;
  let cutter: RawCutter | undefined;
  let base = 0;
  for await (const chunk of openBytes(path)) {
    if (next === offsets.length) break;
    let at = 0;
    while (next < offsets.length && at < chunk.length) {
      if (cutter === undefined) {
        at = Math.max(at, offsets[next] - base);
        if (at >= chunk.length) break;
        cutter = new RawCutter();
        Array.from(cutter.push(Uint8Array.of(BYTE.openArray)));
      }
      const { value: part } = cutter.push(chunk.subarray(at, at + STEP)).next();
      at += STEP;
      if (part === undefined) continue;
      const row = rowOf(part);
      if (row !== undefined) found.set(offsets[next], row);
      cutter = undefined;
      next++;
      at = next < offsets.length ? Math.max(0, offsets[next] - base) : at;
    }
    base += chunk.length;
  }
  return { kind: 'file', read: (byteOffset) => Promise.resolve(found.get(byteOffset)) };
}
