import { type Signal, effect, signal } from '@preact/signals';
import type { Calls, Engine, EventDetails } from '../../protocol/calls.ts';
import { type Asked, follow } from './asked.ts';
import { type Arrow, type Model, NONE } from './model.ts';

export type Explained = Calls['explain']['reply'];

export interface WhyState {
  readonly explained: Signal<Asked<Explained>>;
  readonly details: Signal<Asked<EventDetails>>;
}

/** Asks about each event that is selected; an answer that comes after another was selected is passed over. */
export function watchSelection(model: Model, engine: Engine): WhyState {
  const explained = signal<Asked<Explained>>({ kind: 'waiting' });
  const details = signal<Asked<EventDetails>>({ kind: 'waiting' });
  effect(() => {
    const event = model.selected.value;
    if (event === NONE) return;
    const question = { event: model.positionOf(event) };
    const isStill = (): boolean => model.selected.peek() === event;
    follow(engine.ask('explain', question), (state) => {
      if (!isStill()) return;
      explained.value = state;
      if (state.kind === 'answered') model.arrows.value = arrowsOf(model, state.value);
    });
    follow(engine.ask('event', question), (state) => {
      if (isStill()) details.value = state;
    });
  });
  return { explained, details };
}

const ARROWS = 12;

/** What bound its start, and what else it had to wait for. */
function arrowsOf(model: Model, outcome: Explained): Arrow[] {
  if (outcome.status !== 'ok') return [];
  const { event, chain, rivals } = outcome.result;
  const [first] = chain;
  const bound =
    first === undefined
      ? []
      : [{ fromEvent: model.eventAt(first.source.event), fromNs: first.sourceNs, toNs: first.atNs, isBound: true }];
  const others = rivals.flatMap((rival) =>
    'source' in rival && rival.status === 'arrived' && rival.moment === 'start' && rival.kind !== 'own-length'
      ? [{ fromEvent: model.eventAt(rival.source.event), fromNs: rival.sourceNs, toNs: event.startNs, isBound: false }]
      : [],
  );
  return [...bound, ...others].filter(({ fromEvent }) => fromEvent !== NONE).slice(0, ARROWS);
}
