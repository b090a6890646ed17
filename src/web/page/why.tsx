import { escapeText, formatCount, formatDur, formatPlural } from '../../base/format.ts';
import type { Chain, ExplainResult, Held, Rival } from '../../analyses/explain/result.ts';
import { Names, chainEndText, linkText, verbOf } from '../../analyses/explain/words.ts';
import type { EventDetails, Overview } from '../../protocol/calls.ts';
import { counterAt } from '../timeline/counter-columns.ts';
import { collectiveText, shapesText } from '../timeline/arg-words.ts';
import { pythonStack } from '../timeline/events.ts';
import { exactText } from '../timeline/view.ts';
import type { Asked } from './asked.ts';
import { capital } from './capital.ts';
import { EventLink } from './event-link.tsx';
import { type Model, NONE } from './model.ts';
import { KIND_NAMES } from './palette.ts';
import type { Explained, WhyState } from './why-state.ts';

interface Props {
  readonly model: Model;
  readonly state: WhyState;
  readonly overview: Asked<Overview>;
}

/** Why the selected event began when it did, and what of that can be changed. */
export function Why({ model, state, overview }: Props) {
  const event = model.selected.value;
  if (event === NONE) return null;
  const [explained, details] = [state.explained.value, state.details.value];
  const lane = model.laneOf(event);
  const [start, end] = [model.startOf(event), model.endOf(event)];
  return (
    <section class="why" aria-labelledby="why">
      <h2 id="why">{model.nameOf(event)}</h2>
      <p class="dim">
        {KIND_NAMES[model.kindOf(event)]} <code>e-{model.positionOf(event)}</code> on {lane?.title}{' '}
        <code>{escapeText(lane?.id ?? '')}</code>
      </p>
      <dl class="facts">
        <dt>began at</dt>
        <dd>{exactText(start)}</dd>
        <dt>took</dt>
        <dd>
          {formatDur(end - start)} <span class="dim">({exactText(end - start)})</span>
        </dd>
        <dt>path</dt>
        <dd>{pathText(model, event)}</dd>
        <Win model={model} event={event} overview={overview} />
        {explained.kind === 'answered' && explained.value.status === 'ok' ? (
          <Facts model={model} result={explained.value.result} />
        ) : null}
        <ArgFacts details={details} op={state.op.value} />
      </dl>
      <p class="acts">
        <button type="button" onClick={() => model.fit(event)}>
          Fit (F)
        </button>
        <button type="button" onClick={() => model.select(NONE)}>
          Close (Esc)
        </button>
      </p>
      <Explanation model={model} explained={explained} />
      <Stack model={model} at={stackPlace(event, model, explained)} />
      <Args details={details} />
    </section>
  );
}

/** What of the path is its time, and what bound it. */
function pathText(model: Model, event: number): string {
  const { pathPosition, pathStart, pathEnd, pathKind, pathBoundBy, pathCount, segmentKinds, boundBy, noPath } =
    model.timeline;
  if (noPath !== undefined) return `there is none: ${noPath}`;
  const isMerged = pathCount.length > 0;
  if (!model.isOnPath(event)) {
    return isMerged ? 'no segment of it that lies in this file by itself: short ones are merged' : 'not on it';
  }
  const position = model.positionOf(event);
  const totals = new Map<string, number>();
  for (let s = pathPosition.indexOf(position); s !== -1; s = pathPosition.indexOf(position, s + 1)) {
    const kind = segmentKinds[pathKind[s] ?? 0] ?? '';
    const others = (pathCount[s] ?? 1) - 1;
    const key =
      others > 0
        ? `${kind} that it shares with ${formatPlural(others, 'shorter segment')}`
        : `${kind}, bound by ${boundBy[pathBoundBy[s] ?? 0] ?? ''}`;
    totals.set(key, (totals.get(key) ?? 0) + (pathEnd[s] ?? 0) - (pathStart[s] ?? 0));
  }
  return `on it: ${[...totals].map(([kind, ns]) => `${formatDur(ns)} of ${kind}`).join('; ')}`;
}

function Win({ model, event, overview }: { model: Model; event: number; overview: Asked<Overview> }) {
  if (overview.kind !== 'answered') return null;
  const name = model.timeline.names[model.timeline.name[event] ?? 0];
  const win = overview.value.wins.find((each) => each.name === name);
  if (win === undefined) return null;
  return (
    <>
      <dt>would win</dt>
      <dd>
        {formatDur(win.halfNs)} if all of this name took half their time, {formatDur(win.goneNs)} if they took none
      </dd>
    </>
  );
}

function Facts({ model, result }: { readonly model: Model; readonly result: ExplainResult }) {
  const { event } = result;
  return (
    <>
      <dt>slack</dt>
      <dd>{slackText(event.slackNs, event.window)}</dd>
      {event.op === undefined ? null : (
        <>
          <dt>in op</dt>
          <dd>
            <EventLink model={model} to={event.op} />
          </dd>
        </>
      )}
      {event.launch === undefined ? null : (
        <>
          <dt>launched by</dt>
          <dd>
            <EventLink model={model} to={event.launch} />
            {event.launch.op === undefined ? null : (
              <>
                {' in '}
                <EventLink model={model} to={event.launch.op} />
              </>
            )}
            , {formatDur(event.startNs - event.launch.startNs)} before
          </dd>
        </>
      )}
      {event.launched === undefined || event.launched[0] === undefined ? null : (
        <>
          <dt>launched</dt>
          <dd>
            <EventLink model={model} to={event.launched[0]} />
            {event.launched.length > 1 ? ` and ${formatCount(event.launched.length - 1)} more` : ''}
          </dd>
        </>
      )}
      <Depth model={model} result={result} />
      <Text name="Python" text={event.python ?? event.launch?.python} />
      <Text name="annotation" text={event.annotation} />
      <Text name="step" text={event.step} />
    </>
  );
}

/** How many ops waited on its stream, when it was launched and when it began. */
function Depth({ model, result }: { readonly model: Model; readonly result: ExplainResult }) {
  const { startNs, launch } = result.event;
  const lane = model.laneOf(model.eventAt(result.event.event));
  if (lane?.kind !== 'stream' || lane.counter === undefined || launch === undefined) return null;
  const { timeline } = model;
  const at = (time: number): string => formatCount(counterAt(timeline, lane.counter ?? 0, time));
  return (
    <>
      <dt>queue depth</dt>
      <dd>
        {at(launch.startNs - 1)} ops waited on its stream before it was launched, {at(startNs)} when it began
      </dd>
    </>
  );
}

/** What its args say: shapes of the op, and of a collective what goes to whom. */
function ArgFacts({ details, op }: { readonly details: Asked<EventDetails>; readonly op: EventDetails | undefined }) {
  const own = details.kind === 'answered' ? details.value : undefined;
  return (
    <>
      <Text name="collective" text={collectiveText(own?.args ?? [])} />
      <Text name="shapes" text={shapesText(own?.args ?? []) ?? shapesText(op?.args ?? [])} />
    </>
  );
}

/** Where in the host's program the event belongs: at its launch, else at itself. */
function stackPlace(event: number, model: Model, explained: Asked<Explained>): number {
  if (explained.kind !== 'answered' || explained.value.status !== 'ok') return event;
  const { launch } = explained.value.result.event;
  return launch === undefined ? event : model.eventAt(launch.event);
}

function Stack({ model, at }: { readonly model: Model; readonly at: number }) {
  const frames = at === NONE ? [] : pythonStack(model.timeline, at);
  if (frames.length === 0) return null;
  return (
    <details>
      <summary>Python stack, {formatCount(frames.length)} frames</summary>
      <ol class="stack">
        {frames.map((frame) => (
          <li key={frame}>
            <EventLink model={model} to={{ event: model.positionOf(frame), name: model.nameOf(frame) }} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function Text({ name, text }: { readonly name: string; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{escapeText(text)}</dd>
    </>
  );
}

function slackText(slackNs: number | undefined, window: string | undefined): string {
  if (slackNs === undefined) return 'unlimited: the end of the window does not depend on it';
  const of = window === undefined ? 'the window' : escapeText(window);
  if (slackNs === 0) return `none: any longer, and the end of ${of} moves`;
  return `it could take ${formatDur(Math.round(slackNs))} longer before the end of ${of} moves`;
}

function Explanation({ model, explained }: { readonly model: Model; readonly explained: Asked<Explained> }) {
  if (explained.kind === 'waiting') return <p class="loading">Asking why…</p>;
  if (explained.kind === 'failed') return <p class="problem">{escapeText(explained.why)}</p>;
  const outcome = explained.value;
  if (outcome.status !== 'ok') return <p>{escapeText(outcome.reason)}</p>;
  const { result } = outcome;
  const names = new Names(result, false);
  const began: Chain = { links: result.chain, end: result.chainEnd };
  return (
    <>
      {result.asked === undefined ? null : (
        <p>
          This row stands for <EventLink model={model} to={result.event} />.
        </p>
      )}
      {result.ended === undefined ? null : (
        <ChainView
          title={`Why it ${verbOf(result.event, 'end')} then`}
          chain={result.ended}
          names={names}
          model={model}
        />
      )}
      <ChainView title="Why it began then" chain={began} names={names} model={model} />
      <Rivals rivals={result.rivals} model={model} />
      <Holds holds={result.holds} model={model} />
      {result.notes.map((note) => (
        <p key={note} class="dim">
          {capital(escapeText(note))}.
        </p>
      ))}
    </>
  );
}

interface ChainProps {
  readonly title: string;
  readonly chain: Chain;
  readonly names: Names;
  readonly model: Model;
}

/** Each link as a sentence, and the way to its source. */
function ChainView({ title, chain: { links, end }, names, model }: ChainProps) {
  return (
    <>
      <h3>{title}</h3>
      <ol class="chain">
        {links.map((link, i) => (
          <li key={i}>
            <p>
              <span class="bound">{link.boundBy}</span> {linkText(link, names)}
            </p>
            <p class="source">
              ← <EventLink model={model} to={link.source} />
            </p>
          </li>
        ))}
      </ol>
      <p class="dim">
        {end.kind === 'limit' ? 'The chain goes on from there.' : `${capital(chainEndText(end, links.at(-1)))}.`}
      </p>
    </>
  );
}

const LISTED = 8;

function Rivals({ rivals, model }: { readonly rivals: readonly Rival[]; readonly model: Model }) {
  const arrived = rivals.flatMap((rival) => ('source' in rival ? [rival] : []));
  const idle = rivals.length - arrived.length;
  if (rivals.length === 0) return null;
  return (
    <>
      <h3>What else it had to wait for</h3>
      <ul>
        {arrived.slice(0, LISTED).map((rival, i) => (
          <li key={i}>
            <EventLink model={model} to={rival.source} />{' '}
            <span class="dim">
              {rival.kind}, could have come {formatDur(Math.round(rival.slackNs))} later
              {rival.rule === undefined ? '' : `; a guess by ${escapeText(rival.rule)}`}
            </span>
          </li>
        ))}
        {arrived.length > LISTED ? <li class="dim">{formatCount(arrived.length - LISTED)} more</li> : null}
        {idle > 0 ? <li class="dim">{formatCount(idle)} waits that came to nothing</li> : null}
      </ul>
    </>
  );
}

function Holds({ holds, model }: { readonly holds: readonly Held[]; readonly model: Model }) {
  if (holds.length === 0) {
    return <p class="dim">It held up nothing: whatever came after it had a later cause.</p>;
  }
  return (
    <>
      <h3>What it held up</h3>
      <ul>
        {holds.slice(0, LISTED).map((held, i) => (
          <li key={i}>
            <EventLink model={model} to={held.event} />{' '}
            <span class="dim">
              {held.boundBy}, {verbOf(held.event, held.moment)} {formatDur(held.lagNs)} after
            </span>
          </li>
        ))}
        {holds.length > LISTED ? <li class="dim">{formatCount(holds.length - LISTED)} more</li> : null}
      </ul>
    </>
  );
}

function Args({ details }: { readonly details: Asked<EventDetails> }) {
  if (details.kind === 'waiting') return <p class="loading">Reading its args…</p>;
  if (details.kind === 'failed') return <p class="problem">{escapeText(details.why)}</p>;
  const { name, category, args, unread } = details.value;
  return (
    <>
      <h3>The row</h3>
      <dl class="args">
        <dt>name</dt>
        <dd>{escapeText(name.slice(0, 20_000))}</dd>
        <dt>cat</dt>
        <dd>{escapeText(category)}</dd>
        {(args ?? []).map(([key, value]) => (
          <>
            <dt>{escapeText(key.slice(0, 200))}</dt>
            <dd>{escapeText(value)}</dd>
          </>
        ))}
      </dl>
      {unread === undefined ? null : <p class="dim">No args: {unread}.</p>}
      {args?.length === 0 ? <p class="dim">It has no args.</p> : null}
    </>
  );
}
