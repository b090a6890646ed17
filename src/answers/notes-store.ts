import { type Result, ok } from '../base/result.ts';
import type { Notes } from '../protocol/calls.ts';

/** Where the notes of a person are kept. */
export interface NotesStore {
  read(): Promise<Notes>;
  /** Replaces all. `ask` comes from outside and is checked here. */
  keep(ask: unknown): Promise<Result<Notes, string>>;
}

/** Notes then live in the page only. */
export const NO_NOTES: NotesStore = {
  read: () => Promise.resolve({ notes: [], problem: 'no server runs that could keep them' }),
  keep: () => Promise.resolve(ok({ notes: [], problem: 'no server runs that could keep them' })),
};
