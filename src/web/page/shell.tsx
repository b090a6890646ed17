/** What is around the timeline. */
import type { ComponentChildren } from 'preact';
import { Fragment } from 'preact';
import { escapeText } from '../../base/format.ts';
import type { Engine, Overview as OverviewReply } from '../../protocol/calls.ts';
import type { Asked } from './asked.ts';
import { Dialog } from './dialog.tsx';
import { Dock } from './dock.tsx';
import { KEYS } from './keys.ts';
import { LanesView } from './lanes-view.tsx';
import type { Model } from './model.ts';
import type { NotesState } from './notes-state.ts';
import { Overview } from './overview.tsx';
import { KIND_NAMES } from './palette.ts';
import { Toolbar } from './toolbar.tsx';
import { Why } from './why.tsx';
import type { WhyState } from './why-state.ts';
import type { Signal } from '@preact/signals';

interface Props {
  readonly model: Model;
  readonly engine: Engine;
  readonly why: WhyState;
  readonly notes: NotesState;
  readonly overview: Signal<Asked<OverviewReply>>;
  /** Beside the file's name. */
  readonly children?: ComponentChildren;
}

export function Shell({ model, engine, why, notes, overview, children }: Props) {
  return (
    <>
      <header>
        <div class="title">
          <h1>{escapeText(model.timeline.file)}</h1>
          {children}
        </div>
        <div class="headline">
          <Verdict model={model} asked={overview.value} />
        </div>
        <Toolbar model={model} />
        <Legend model={model} />
      </header>
      <main>
        <div class="left">
          <LanesView model={model} />
          <Dock model={model} engine={engine} notes={notes} />
        </div>
        <aside aria-label="Answers">
          <Why model={model} state={why} overview={overview.value} />
          <Overview model={model} asked={overview} />
        </aside>
      </main>
      <p id="said" class="unseen" role="status">
        {model.said.value}
      </p>
      {model.hasHelp.value ? <Help model={model} /> : null}
    </>
  );
}

function Verdict({ model, asked }: { readonly model: Model; readonly asked: Asked<OverviewReply> }) {
  const { noPath } = model.timeline;
  if (noPath !== undefined) return <p class="verdict">No path: {escapeText(noPath)}.</p>;
  if (asked.kind !== 'answered' || typeof asked.value.document.verdict !== 'string') return <p class="loading">…</p>;
  return <p class="verdict">{escapeText(asked.value.document.verdict)}</p>;
}

function Legend({ model }: { readonly model: Model }) {
  return (
    <ul class="legend" aria-label="Colours">
      {model.kinds.map((kind) => (
        <li key={kind}>
          <span class={`swatch kind-${kind}`} aria-hidden="true" /> {KIND_NAMES[kind]}
        </li>
      ))}
      {model.timeline.pathStart.length === 0 ? null : (
        <li>
          <span class="swatch path" aria-hidden="true" /> the path
        </li>
      )}
      <li>paler: less of it is covered</li>
    </ul>
  );
}

function Help({ model }: { readonly model: Model }) {
  const close = (): void => {
    model.hasHelp.value = false;
  };
  return (
    <Dialog label="Keys" close={close}>
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <Fragment key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
      <p>
        Search: words of a name; <code>name:</code>, <code>cat:</code>, <code>kind:</code>, <code>lane:s-0.7</code>,{' '}
        <code>stream:7</code>, <code>dur&gt;10us</code>; a comma means or, a minus turns it round.
      </p>
      <button type="button" onClick={close}>
        Close (Esc)
      </button>
    </Dialog>
  );
}
