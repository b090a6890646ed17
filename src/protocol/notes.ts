/** Notes as a text: beside a trace, or kept by whoever looks at the page. */
import { LONGEST_NOTE, MOST_NOTES, type Note } from './calls.ts';

const SCHEMA = 'longpole.notes/1';
/** Behind the whole name of the trace. */
export const NOTES_SUFFIX = '.longpole-notes.json';
/** A larger file is none of ours. */
export const MOST_NOTES_BYTES = 16 * 1024 * 1024;

export const textOfNotes = (notes: readonly Note[]): string =>
  `${JSON.stringify({ schema: SCHEMA, notes }, undefined, 2)}\n`;

/** `undefined`: these are no notes. */
export function notesOfText(text: string): Note[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('schema' in parsed) || parsed.schema !== SCHEMA) {
      return undefined;
    }
    return 'notes' in parsed ? notesOf(parsed.notes) : undefined;
  } catch {
    return undefined;
  }
}

/** What comes from outside, checked; `undefined`: these are no notes. */
export function notesOf(value: unknown): Note[] | undefined {
  if (!Array.isArray(value) || value.length > MOST_NOTES) return undefined;
  const notes = value.map(noteOf);
  return notes.every((note) => note !== undefined) ? notes : undefined;
}

function noteOf(value: unknown): Note | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { text, startNs, endNs, event } = value as Record<string, unknown>;
  if (typeof text !== 'string' || text.length > LONGEST_NOTE) return undefined;
  if (!isInstant(startNs) || !isInstant(endNs) || endNs < startNs) return undefined;
  if (event === undefined) return { text, startNs, endNs };
  return isInstant(event) && event >= 0 ? { text, startNs, endNs, event } : undefined;
}

const isInstant = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);
