import type { RowSource } from '../answers/event-details.ts';
import { readRows as readRowsOf } from '../ingest/read-rows.ts';
import { isRegularFile, openBytes } from './open-node.ts';

/**
 * The rows whose `{` stand at these offsets of the decompressed file, ascending, read in one pass over it: for many rows of a compressed
 * file. What cannot be read again, or not at an offset, is not there.
 */
export async function readRows(path: string, byteOffsets: readonly number[]): Promise<RowSource> {
  if (path === '-' || !(await isRegularFile(path))) {
    return { kind: 'none', why: 'standard input cannot be read again' };
  }
  const rows = await readRowsOf(openBytes(path), byteOffsets);
  return { kind: 'file', read: (byteOffset) => Promise.resolve(rows.get(byteOffset)) };
}
