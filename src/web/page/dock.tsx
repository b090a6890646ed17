import { type Signal, signal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { escapeText } from '../../base/format.ts';
import type { Outcome } from '../../analyses/contract.ts';
import type { Calls, Engine } from '../../protocol/calls.ts';
import { type Asked, follow } from './asked.ts';
import { type Model, PANELS, type PanelId } from './model.ts';
import type { NotesState } from './notes-state.ts';
import { AreaPanel } from './panels/area.tsx';
import { EventsPanel } from './panels/events.tsx';
import { HealthPanel } from './panels/health.tsx';
import { IdlePanel } from './panels/idle.tsx';
import { KernelsPanel } from './panels/kernels.tsx';
import { NotesPanel } from './panels/notes.tsx';
import { StepsPanel } from './panels/steps.tsx';

interface Props {
  readonly model: Model;
  readonly engine: Engine;
  readonly notes: NotesState;
}

const NAMES: Readonly<Record<PanelId, string>> = {
  events: 'Events in view',
  area: 'Area',
  steps: 'Steps',
  idle: 'Idle gaps',
  kernels: 'Kernels',
  health: 'Data health',
  notes: 'Notes',
};

/** The lists below the timeline: tabs, and the one that is open. A second press on a tab closes it. */
export function Dock({ model, engine, notes }: Props) {
  const open = model.panel.value;
  const tabs = useRef<HTMLDivElement>(null);
  const go = (to: number): void => {
    const panel = PANELS[(to + PANELS.length) % PANELS.length];
    if (panel === undefined) return;
    model.panel.value = panel;
    tabs.current?.querySelector<HTMLElement>(`#tab-${panel}`)?.focus();
  };
  return (
    <div class={open === '' ? 'dock' : 'dock open'}>
      <div
        class="tabs"
        role="tablist"
        aria-label="Lists"
        ref={tabs}
        onKeyDown={(event) => {
          const at = PANELS.findIndex((panel) => event.target instanceof Element && event.target.id === `tab-${panel}`);
          if (event.key === 'ArrowRight') go(at + 1);
          else if (event.key === 'ArrowLeft') go(at - 1);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        {PANELS.map((panel, i) => (
          <button
            key={panel}
            id={`tab-${panel}`}
            type="button"
            role="tab"
            aria-selected={open === panel}
            aria-controls={open === panel ? 'panel' : undefined}
            tabIndex={open === panel || (open === '' && i === 0) ? 0 : -1}
            title={`${NAMES[panel]} (${i + 1})`}
            onClick={() => (model.panel.value = open === panel ? '' : panel)}
          >
            {NAMES[panel]}
            {panel === 'notes' && model.notes.value.length > 0 ? ` (${model.notes.value.length})` : ''}
          </button>
        ))}
      </div>
      {open === '' ? null : (
        <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${open}`}>
          <Panel key={open} model={model} engine={engine} notes={notes} open={open} />
        </div>
      )}
    </div>
  );
}

function Panel({ model, engine, notes, open }: Props & { readonly open: PanelId }) {
  switch (open) {
    case 'events':
      return <EventsPanel model={model} />;
    case 'area':
      return <AreaPanel model={model} />;
    case 'steps':
      return (
        <Answer engine={engine} call="breakdown">
          {(breakdown) => (
            <Result outcome={breakdown}>{(result) => <StepsPanel model={model} breakdown={result} />}</Result>
          )}
        </Answer>
      );
    case 'idle':
      return (
        <Answer engine={engine} call="idle">
          {(idle) => <Result outcome={idle}>{(result) => <IdlePanel model={model} idle={result} />}</Result>}
        </Answer>
      );
    case 'kernels':
      return (
        <Answer engine={engine} call="kernels">
          {(kernels) => (
            <Result outcome={kernels}>{(result) => <KernelsPanel model={model} kernels={result} />}</Result>
          )}
        </Answer>
      );
    case 'health':
      return (
        <Answer engine={engine} call="health">
          {(health) => <HealthPanel model={model} health={health} />}
        </Answer>
      );
    case 'notes':
      return <NotesPanel model={model} state={notes} />;
  }
}

type PanelCall = 'breakdown' | 'idle' | 'kernels' | 'health';

/** Answers that were asked for, by engine and call: a panel that is opened again shows its own at once. */
const answers = new WeakMap<Engine, Map<PanelCall, unknown>>();

function askOnce<Call extends PanelCall>(engine: Engine, call: Call): Signal<Asked<Calls[Call]['reply']>> {
  const known = answers.get(engine) ?? new Map<PanelCall, unknown>();
  answers.set(engine, known);
  const before = known.get(call) as Signal<Asked<Calls[Call]['reply']>> | undefined;
  if (before !== undefined && before.peek().kind !== 'failed') return before;
  const state = signal<Asked<Calls[Call]['reply']>>({ kind: 'waiting' });
  known.set(call, state);
  follow<Calls[Call]['reply']>(engine.ask(call, {}), (next) => (state.value = next));
  return state;
}

interface AnswerProps<Call extends PanelCall> {
  readonly engine: Engine;
  readonly call: Call;
  readonly children: (reply: Calls[Call]['reply']) => ComponentChildren;
}

function Answer<Call extends PanelCall>({ engine, call, children }: AnswerProps<Call>) {
  const asked = useMemo(() => askOnce(engine, call), [engine, call]);
  const state = asked.value;
  if (state.kind === 'waiting') return <p class="loading">Asking…</p>;
  if (state.kind === 'failed') return <p class="problem">{escapeText(state.why)}</p>;
  return <>{children(state.value)}</>;
}

interface ResultProps<T> {
  readonly outcome: Outcome<T>;
  readonly children: (result: T) => ComponentChildren;
}

function Result<T>({ outcome, children }: ResultProps<T>) {
  if (outcome.status !== 'ok') return <p class="empty">No answer: {escapeText(outcome.reason)}.</p>;
  return <>{children(outcome.result)}</>;
}
