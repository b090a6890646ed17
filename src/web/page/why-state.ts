import { type Signal, effect, signal } from '@preact/signals';
import { formatDur } from '../../base/format.ts';
import type { Calls, Engine, EventDetails } from '../../protocol/calls.ts';
import { type Asked, follow } from './asked.ts';
import { type Arrow, type Model, NONE } from './model.ts';

export type Explained = Calls['explain']['reply'];

export interface WhyState {
  readonly explained: Signal<Asked<Explained>>;
  readonly details: Signal<Asked<EventDetails>>;
  /** The row of the op that it is, or that launched it: it has the shapes. Absent where there is none. */
  readonly op: Signal<EventDetails | undefined>;
}

/** Asks about each event that is selected; an answer that comes after another was selected is passed over. */
export function watchSelection(model: Model, engine: Engine): WhyState {
  const explained = signal<Asked<Explained>>({ kind: 'waiting' });
  const details = signal<Asked<EventDetails>>({ kind: 'waiting' });
  const op = signal<EventDetails | undefined>(undefined);
  effect(() => {
    const event = model.selected.value;
    if (event === NONE) return;
    const question = { event: model.positionOf(event) };
    const isStill = (): boolean => model.selected.peek() === event;
    op.value = undefined;
    follow(engine.ask('explain', question), (state) => {
      if (!isStill()) return;
      explained.value = state;
      if (state.kind !== 'answered') return;
      model.arrows.value = arrowsOf(model, state.value);
      const around = opOf(state.value);
      if (around === undefined) return;
      engine.ask('event', { event: around }).then(
        (reply) => {
          if (isStill()) op.value = reply;
        },
        // Shapes are an extra: where the row cannot be read, there are none.
        () => undefined,
      );
    });
    follow(engine.ask('event', question), (state) => {
      if (isStill()) details.value = state;
    });
  });
  return { explained, details, op };
}

/** Position of the op around the event, or around its launch. */
function opOf(outcome: Explained): number | undefined {
  if (outcome.status !== 'ok') return undefined;
  const { op, launch } = outcome.result.event;
  return (op ?? launch?.op)?.event;
}

const ARROWS = 12;

/** What bound its start, and what else it had to wait for. */
function arrowsOf(model: Model, outcome: Explained): Arrow[] {
  if (outcome.status !== 'ok') return [];
  const { event, chain, rivals } = outcome.result;
  const bound = chain.slice(0, 1).map(({ source, sourceNs, atNs, boundBy }): Arrow => ({
    fromEvent: model.eventAt(source.event),
    fromNs: sourceNs,
    toNs: atNs,
    isBound: true,
    label: `bound by ${boundBy}`,
  }));
  const others = rivals.flatMap((rival): Arrow[] => {
    if (!('source' in rival) || rival.status !== 'arrived') return [];
    if (rival.moment !== 'start' || rival.kind === 'own-length') return [];
    return [
      {
        fromEvent: model.eventAt(rival.source.event),
        fromNs: rival.sourceNs,
        toNs: event.startNs,
        isBound: false,
        label: `${rival.kind}, slack ${formatDur(Math.round(rival.slackNs))}`,
      },
    ];
  });
  return [...bound, ...others].filter(({ fromEvent }) => fromEvent !== NONE).slice(0, ARROWS);
}
