/** Notes of a person, kept beside the trace that they are about. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { NotesStore } from '../answers/notes-store.ts';
import { type Result, err, ok } from '../base/result.ts';
import type { Notes } from '../protocol/calls.ts';
import { MOST_NOTES_BYTES, NOTES_SUFFIX, notesOf, notesOfText, textOfNotes } from '../protocol/notes.ts';
import { writeWhole } from './write-whole.ts';

/** Notes beside the trace at `path`. */
export const notesBeside = (path: string): NotesStore => ({
  read: () => readNotes(path),
  keep: (ask) => keepNotes(path, ask),
});

export const notesPath = (trace: string): string => `${trace}${NOTES_SUFFIX}`;

/** What lies beside `trace`; nothing beside standard input. A file that cannot be understood is a problem, and is never overwritten. */
export async function readNotes(trace: string): Promise<Notes> {
  if (trace === '-') return { notes: [], problem: 'standard input has no place beside it' };
  const path = notesPath(trace);
  let text: string;
  try {
    const bytes = await readFile(path);
    if (bytes.length > MOST_NOTES_BYTES) {
      return { notes: [], problem: `${basename(path)} is too large to be a file of notes` };
    }
    text = bytes.toString('utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { notes: [], file: basename(path) };
    return { notes: [], problem: `${basename(path)} cannot be read (${code})` };
  }
  const notes = notesOfText(text);
  return notes === undefined
    ? { notes: [], problem: `${basename(path)} is no file of notes: move it away to write new ones` }
    : { notes, file: basename(path) };
}

/** Replaces the notes beside `trace`, whole or not at all. `ask` comes from outside and is checked here. */
export async function keepNotes(trace: string, ask: unknown): Promise<Result<Notes, string>> {
  const notes = typeof ask === 'object' && ask !== null && 'notes' in ask ? notesOf(ask.notes) : undefined;
  if (notes === undefined) return err('these are no notes');
  const there = await readNotes(trace);
  if (there.file === undefined) return ok({ ...there, notes });
  try {
    await writeWhole(notesPath(trace), Readable.from([textOfNotes(notes)]));
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException;
    return ok({ notes, problem: `${there.file} cannot be written (${code})` });
  }
  return ok({ notes, file: there.file });
}
