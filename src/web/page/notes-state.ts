/** Notes: read once, and kept with each change. */
import { type Signal, signal } from '@preact/signals';
import { type Engine, MOST_NOTES, type Note } from '../../protocol/calls.ts';
import { type Model, NONE } from './model.ts';

export interface NotesState {
  /** Where they are kept, or why they are not. */
  readonly where: Signal<NotesPlace>;
  add(note: Note): void;
  /** Those that are not there yet; false: that would be too many. */
  addAll(notes: readonly Note[]): boolean;
  remove(at: number): void;
}

export type NotesPlace =
  | { readonly kind: 'asking' }
  | { readonly kind: 'file'; readonly file: string }
  /** They live as long as the page, unless they are downloaded. */
  | { readonly kind: 'page'; readonly why: string };

export function openNotes(model: Model, engine: Engine): NotesState {
  const where = signal<NotesPlace>({ kind: 'asking' });
  const tell = ({ file, problem }: { file?: string; problem?: string }): void => {
    where.value =
      file === undefined ? { kind: 'page', why: problem ?? 'there is no place for them' } : { kind: 'file', file };
  };
  const fail = (error: unknown): void => tell({ problem: error instanceof Error ? error.message : String(error) });
  engine.ask('notes', {}).then((reply) => {
    model.notes.value = inOrder([...reply.notes, ...model.notes.peek()]);
    tell(reply);
  }, fail);
  const change = (notes: readonly Note[]): void => {
    model.notes.value = inOrder(notes);
    if (where.peek().kind !== 'page') engine.ask('keep-notes', { notes: model.notes.peek() }).then(tell, fail);
  };
  return {
    where,
    add: (note) => change([...model.notes.peek(), note]),
    addAll: (notes) => {
      const known = new Set(model.notes.peek().map(keyOf));
      const all = [...model.notes.peek(), ...notes.filter((note) => !known.has(keyOf(note)))];
      if (all.length > MOST_NOTES) return false;
      change(all);
      return true;
    },
    remove: (at) => change(model.notes.peek().filter((_, i) => i !== at)),
  };
}

const keyOf = ({ text, startNs, endNs, event }: Note): string => JSON.stringify([text, startNs, endNs, event]);

const inOrder = (notes: readonly Note[]): readonly Note[] =>
  notes.toSorted((a, b) => a.startNs - b.startNs || a.endNs - b.endNs);

/** What a new note would be about: the area, else the selected event, else what is in view. */
export function noteTarget(model: Model): Omit<Note, 'text'> {
  const area = model.area.value;
  if (area !== undefined) return { startNs: area.start, endNs: area.end };
  const selected = model.selected.value;
  if (selected !== NONE) {
    const [startNs, endNs] = [model.startOf(selected), model.endOf(selected)];
    return { startNs, endNs, event: model.positionOf(selected) };
  }
  const { start, end } = model.view.value;
  return { startNs: Math.floor(start), endNs: Math.ceil(end) };
}
