/** The page: of `longpole serve`, and of the file that `report --html` writes. */
import { type ComponentChildren, render } from 'preact';
import { effect, signal } from '@preact/signals';
import { escapeText, formatDur } from '../../base/format.ts';
import type { Engine, Overview as OverviewReply } from '../../protocol/calls.ts';
import { type Asked, follow } from './asked.ts';
import { DropTarget, FileButton } from './drop-file.tsx';
import { pressKey } from './keys.ts';
import { Model, NONE } from './model.ts';
import { openNotes } from './notes-state.ts';
import { KIND_NAMES } from './palette.ts';
import type { Scheme } from '../timeline/page-state.ts';
import { Shell } from './shell.tsx';
import { watchSelection } from './why-state.ts';

const LINK_MS = 150;

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The address holds what is shown, so that a link opens the same. Returns what ends it. */
function keepAddress(model: Model): () => void {
  let timer = 0;
  let own = '';
  const stop = effect(() => {
    const hash = model.hash.value;
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      own = `#${hash}`;
      history.replaceState(undefined, '', own);
    }, LINK_MS);
  });
  const onHashChange = (): void => {
    if (location.hash !== own) model.restore(location.hash);
  };
  addEventListener('hashchange', onHashChange);
  return () => {
    stop();
    clearTimeout(timer);
    removeEventListener('hashchange', onHashChange);
  };
}

function say(model: Model): () => void {
  return effect(() => {
    const event = model.selected.value;
    model.said.value =
      event === NONE
        ? ''
        : `${model.nameOf(event)}, ${KIND_NAMES[model.kindOf(event)]}, took ${formatDur(model.endOf(event) - model.startOf(event))}, ${model.isOnPath(event) ? 'on the path' : 'not on the path'}`;
  });
}

/** What a page is made with. */
export interface PageOptions {
  /** Where it goes. */
  readonly root: HTMLElement;
  /** What it shows at first. */
  readonly engine: Engine;
  /** For a file that is dropped on it. */
  readonly createWorker: () => Promise<Worker>;
  /** What stands beside the file's name. */
  readonly beside?: ComponentChildren;
}

/** Shows what an engine tells, and then what is dropped on it. */
export function startPage({ root, engine, createWorker, beside }: PageOptions): void {
  let leave = (): void => undefined;
  const show = async (next: Engine, hash: string, scheme: Scheme = ''): Promise<void> => {
    const model = new Model(await next.timeline());
    leave();
    render(undefined, root);
    model.restore(hash);
    // What else is dropped is shown in the colours that were chosen before.
    if (scheme !== '') model.scheme.value = scheme;
    leave = showModel(model, next);
  };
  let current: Model | undefined;
  const showModel = (model: Model, next: Engine): (() => void) => {
    current = model;
    document.title = `${escapeText(model.timeline.file)} – longpole`;
    const overview = signal<Asked<OverviewReply>>({ kind: 'waiting' });
    const why = watchSelection(model, next);
    const notes = openNotes(model, next);
    root.replaceChildren();
    render(
      <Shell model={model} engine={next} why={why} notes={notes} overview={overview}>
        <FileButton open={dropped.open} />
        {beside}
      </Shell>,
      root,
    );
    const ends = [keepAddress(model), say(model), listenToKeys(model)];
    follow(next.ask('overview', {}), (state) => (overview.value = state));
    next.ask('memory', {}).then(
      (memory) => model.addMemory(memory),
      (error: unknown) => model.addMemory({ series: [], problem: `no memory lanes: ${wordsOf(error)}` }),
    );
    return () => {
      for (const end of ends) end();
      next.close();
    };
  };
  const dropped = new DropTarget(createWorker, (opened) => show(opened, '', current?.scheme.peek()));
  show(engine, location.hash).catch((error: unknown) => {
    const problem = document.createElement('p');
    problem.className = 'problem';
    problem.setAttribute('role', 'alert');
    problem.textContent = `The timeline cannot be shown: ${wordsOf(error)}`;
    root.replaceChildren(problem);
  });
}

function listenToKeys(model: Model): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (pressKey(model, event)) event.preventDefault();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
