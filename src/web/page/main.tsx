/** The page of `longpole serve`. */
import { render } from 'preact';
import { effect, signal } from '@preact/signals';
import { escapeText, formatDur } from '../../base/format.ts';
import type { Engine, Overview as OverviewReply } from '../../protocol/calls.ts';
import { EVENT_KINDS } from '../../protocol/timeline.ts';
import { serverEngine } from './ask.ts';
import { type Asked, follow } from './asked.ts';
import { KEYS, pressKey } from './keys.ts';
import { LanesView } from './lanes-view.tsx';
import { Model, NONE } from './model.ts';
import { Overview } from './overview.tsx';
import { KIND_NAMES } from './palette.ts';
import { ViewTable } from './table.tsx';
import { Toolbar } from './toolbar.tsx';
import { Why } from './why.tsx';
import { type WhyState, watchSelection } from './why-state.ts';

interface Props {
  readonly model: Model;
  readonly why: WhyState;
  readonly overview: typeof overview;
}

const overview = signal<Asked<OverviewReply>>({ kind: 'waiting' });

function Page({ model, why, overview: asked }: Props) {
  return (
    <>
      <header>
        <h1>{escapeText(model.timeline.file)}</h1>
        <div class="headline">
          <Verdict model={model} asked={asked.value} />
        </div>
        <Toolbar model={model} />
        <Legend model={model} />
      </header>
      <main>
        <div class="left">
          <LanesView model={model} />
          {model.hasTable.value ? <ViewTable model={model} /> : null}
        </div>
        <aside aria-label="Answers">
          <Why model={model} explained={why.explained.value} details={why.details.value} overview={asked.value} />
          <Overview model={model} asked={asked} />
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
  const there = new Set(model.timeline.kind);
  return (
    <ul class="legend" aria-label="Colours">
      {EVENT_KINDS.map((kind, code) =>
        there.has(code) ? (
          <li key={kind}>
            <span class={`swatch kind-${kind}`} aria-hidden="true" /> {KIND_NAMES[kind]}
          </li>
        ) : null,
      )}
      {model.timeline.pathStart.length === 0 ? null : (
        <li>
          <span class="swatch path" aria-hidden="true" /> the path
        </li>
      )}
    </ul>
  );
}

function Help({ model }: { readonly model: Model }) {
  return (
    <div class="help" role="dialog" aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([keys, what]) => (
          <>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <p>
        Search: words of a name; <code>name:</code>, <code>kind:</code>, <code>lane:s-0.7</code>, <code>stream:7</code>,{' '}
        <code>dur&gt;10us</code>; a comma means or, a minus turns it round.
      </p>
      <button type="button" onClick={() => (model.hasHelp.value = false)}>
        Close (Esc)
      </button>
    </div>
  );
}

const LINK_MS = 150;

/** The address holds what is shown, so that a link opens the same. */
function keepAddress(model: Model): void {
  let timer = 0;
  let own = '';
  effect(() => {
    const hash = model.hash.value;
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      own = `#${hash}`;
      history.replaceState(undefined, '', own);
    }, LINK_MS);
  });
  addEventListener('hashchange', () => {
    if (location.hash !== own) model.restore(location.hash);
  });
}

function say(model: Model): void {
  effect(() => {
    const event = model.selected.value;
    model.said.value =
      event === NONE
        ? ''
        : `${model.nameOf(event)}, ${KIND_NAMES[model.kindOf(event)]}, took ${formatDur(model.endOf(event) - model.startOf(event))}, ${model.isOnPath(event) ? 'on the path' : 'not on the path'}`;
  });
}

async function start(engine: Engine): Promise<void> {
  const root = document.getElementById('page');
  if (root === null) throw new Error('the page has no root');
  const model = new Model(await engine.timeline());
  document.title = `${escapeText(model.timeline.file)} – longpole`;
  model.restore(location.hash);
  root.replaceChildren();
  render(<Page model={model} why={watchSelection(model, engine)} overview={overview} />, root);
  keepAddress(model);
  say(model);
  addEventListener('keydown', (event) => {
    if (pressKey(model, event)) event.preventDefault();
  });
  follow(engine.ask('overview', {}), (state) => (overview.value = state));
}

start(serverEngine).catch((error: unknown) => {
  const root = document.getElementById('page');
  const problem = document.createElement('p');
  problem.className = 'problem';
  problem.setAttribute('role', 'alert');
  problem.textContent = `The timeline cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  root?.replaceChildren(problem);
});
