import { useState } from 'preact/hooks';
import { escapeText, formatCount, formatDur } from '../../../base/format.ts';
import { LONGEST_NOTE, MOST_NOTES, type Note } from '../../../protocol/calls.ts';
import { MOST_NOTES_BYTES, NOTES_SUFFIX, notesOfText, textOfNotes } from '../../../protocol/notes.ts';
import { exactText, fitted } from '../../timeline/view.ts';
import { download } from '../download.ts';
import { EventLink } from '../event-link.tsx';
import type { Model } from '../model.ts';
import { type NotesPlace, type NotesState, noteTarget } from '../notes-state.ts';

interface Props {
  readonly model: Model;
  readonly state: NotesState;
}

/** Words on events and spans. */
export function NotesPanel({ model, state }: Props) {
  const notes = model.notes.value;
  return (
    <div class="notes scroll" role="region" aria-label="Notes" tabIndex={0}>
      <NewNote model={model} state={state} />
      {notes.length === 0 ? (
        <p class="empty">
          No notes yet. One is about the area, else about the selected event, else about what is in view.
        </p>
      ) : null}
      <ol>
        {notes.map((note, i) => (
          <li key={i}>
            <NoteView model={model} note={note} />{' '}
            <button type="button" class="small" onClick={() => state.remove(i)} aria-label={`Remove note ${i + 1}`}>
              Remove
            </button>
          </li>
        ))}
      </ol>
      <p class="dim">
        {placeText(state.where.value)}{' '}
        <button type="button" class="small" disabled={notes.length === 0} onClick={() => save(model, notes)}>
          Download
        </button>{' '}
        <LoadNotes state={state} />
      </p>
    </div>
  );
}

function NewNote({ model, state }: Props) {
  const [text, setText] = useState('');
  const target = noteTarget(model);
  const about =
    target.event === undefined
      ? `${formatDur(target.endNs - target.startNs)} from ${exactText(target.startNs)}`
      : model.nameOf(model.eventAt(target.event));
  const add = (): void => {
    if (text.trim() === '') return;
    state.add({ ...target, text: text.trim() });
    setText('');
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <label for="note-text">
        A note on <b>{about}</b>
      </label>
      <textarea
        id="note-text"
        rows={2}
        maxLength={LONGEST_NOTE}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) add();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <button type="submit" disabled={text.trim() === '' || model.notes.value.length >= MOST_NOTES}>
        Add
      </button>
    </form>
  );
}

function NoteView({ model, note }: { readonly model: Model; readonly note: Note }) {
  const { text, startNs, endNs, event } = note;
  const span = `${formatDur(endNs - startNs)} from ${exactText(startNs)}`;
  return (
    <>
      <span class="note-text">{escapeText(text)}</span>{' '}
      {event === undefined ? (
        <button
          type="button"
          class="link"
          onClick={() => {
            model.area.value = { start: startNs, end: endNs };
            model.view.value = fitted({ start: startNs, end: endNs }, model.bounds, 0.2);
          }}
        >
          {span}
        </button>
      ) : (
        <EventLink model={model} to={{ event, name: `e-${event}` }} />
      )}
    </>
  );
}

/** Notes that were downloaded before, added to those that are there. */
function LoadNotes({ state }: { readonly state: NotesState }) {
  const [problem, setProblem] = useState('');
  const load = async (file: File): Promise<void> => {
    const notes = file.size > MOST_NOTES_BYTES ? undefined : notesOfText(await file.text());
    const isTaken = notes !== undefined && state.addAll(notes);
    setProblem(
      isTaken
        ? ''
        : notes === undefined
          ? `${file.name} is no file of notes`
          : `more than ${formatCount(MOST_NOTES)} notes`,
    );
  };
  return (
    <>
      <label class="file-button">
        Load…
        <input
          type="file"
          accept=".json"
          title="Notes that were downloaded before"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) load(file).catch((error: unknown) => setProblem(String(error)));
            currentTarget.value = '';
          }}
        />
      </label>
      {problem === '' ? null : (
        <span class="problem" role="alert">
          {' '}
          {escapeText(problem)}
        </span>
      )}
    </>
  );
}

function placeText(place: NotesPlace): string {
  switch (place.kind) {
    case 'asking':
      return 'Looking for notes beside the trace…';
    case 'file':
      return `Kept beside the trace, in ${escapeText(place.file)}.`;
    case 'page':
      return `Kept in this page only (${escapeText(place.why)}): download them to keep them.`;
  }
}

/** Under the name by which `longpole serve` finds them beside the trace. */
function save({ timeline }: Model, notes: readonly Note[]): void {
  const trace = timeline.file
    .replace(/^.*[\\/]/, '')
    .replace(/[^\w.-]+/g, '_')
    .slice(-120);
  download(`${trace}${NOTES_SUFFIX}`, textOfNotes(notes), 'application/json');
}
