import type { RowSource } from '../answers/event-details.ts';
import { RowFinder } from '../ingest/raw-cutter.ts';
import { isRegularFile, openBytes } from './open-node.ts';

/**
 * The rows whose `{` stand at these offsets of the decompressed file, ascending, read in one pass over it: for many rows of a compressed
 * file. What cannot be read again, or not at an offset, is not there.
 */
export async function readRows(path: string, byteOffsets: readonly number[]): Promise<RowSource> {
  if (path === '-' || !(await isRegularFile(path))) {
    return { kind: 'none', why: 'standard input cannot be read again' };
  }
  const offsets = [...new Set(byteOffsets)];
  const found = new Map<number, RowFinder['row']>();
  /** Those that need more bytes. A row's end is not seen at once, so that rows beside each other may be looked for at the same time. */
  const open = new Map<number, RowFinder>();
  const close = (offset: number, { row }: RowFinder): void => {
    open.delete(offset);
    found.set(offset, row);
  };
  let next = 0;
  let base = 0;
  for await (const chunk of openBytes(path)) {
    for (const [offset, finder] of open) if (finder.push(chunk)) close(offset, finder);
    for (; next < offsets.length && offsets[next] < base + chunk.length; next++) {
      const finder = new RowFinder();
      open.set(offsets[next], finder);
      if (finder.push(chunk.subarray(offsets[next] - base))) close(offsets[next], finder);
    }
    if (open.size === 0 && next === offsets.length) break;
    base += chunk.length;
  }
  for (const [offset, finder] of open) {
    finder.finish();
    close(offset, finder);
  }
  return { kind: 'file', read: (byteOffset) => Promise.resolve(found.get(byteOffset)) };
}
