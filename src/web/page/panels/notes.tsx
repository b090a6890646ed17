import { useState } from 'preact/hooks';
import { escapeText, formatDur } from '../../../base/format.ts';
import { LONGEST_NOTE, MOST_NOTES, type Note } from '../../../protocol/calls.ts';
import { exactText, fitted } from '../../timeline/view.ts';
import { download, fileName } from '../download.ts';
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
        </button>
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

function placeText(place: NotesPlace): string {
  switch (place.kind) {
    case 'asking':
      return 'Looking for notes beside the trace…';
    case 'file':
      return `Kept beside the trace, in ${escapeText(place.file)}.`;
    case 'page':
      return `Kept in this page only (${escapeText(place.why)}): download them.`;
  }
}

function save(model: Model, notes: readonly Note[]): void {
  const text = JSON.stringify({ schema: 'longpole.notes/1', notes }, undefined, 2);
  download(fileName(model.timeline.file, 'notes.json'), `${text}\n`, 'application/json');
}
