import type { RowSource } from '../answers/event-details.ts';
import { readRawEvent } from './raw-events.ts';

/** Where the rows of a file are read again; `-` has nothing to read again. */
export function rowSourceOf(path: string): RowSource {
  if (path === '-') return { kind: 'none', why: 'standard input cannot be read again' };
  const read = (byteOffset: number): ReturnType<typeof readRawEvent> =>
    readRawEvent(path, byteOffset).catch((error: NodeJS.ErrnoException) => {
      if (error.code === undefined) throw error;
      return undefined;
    });
  return { kind: 'file', read };
}
