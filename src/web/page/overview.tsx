import type { Signal } from '@preact/signals';
import { escapeText, formatDur, formatPlural, formatShare } from '../../base/format.ts';
import type { ReportName, ReportPart } from '../../analyses/report/result.ts';
import type { Overview as OverviewReply } from '../../protocol/calls.ts';
import type { Asked } from './asked.ts';
import { capital } from './capital.ts';
import { EventLink } from './event-link.tsx';
import type { Model } from './model.ts';
import { Section, Words } from './report-text.tsx';

interface Props {
  readonly model: Model;
  readonly asked: Signal<Asked<OverviewReply>>;
}

/** Sections that are here in another form. */
const SHOWN: ReadonlySet<string> = new Set(['path', 'largest-parts']);

/** What bounds the step, and where to look first. */
export function Overview({ model, asked }: Props) {
  const state = asked.value;
  if (state.kind === 'waiting') return <p class="loading">Weighing the answers…</p>;
  if (state.kind === 'failed') return <p class="problem">{escapeText(state.why)}</p>;
  const { document, parts } = state.value;
  const { leftOut } = model.timeline;
  return (
    <section aria-labelledby="overview">
      <h2 id="overview">Overview</h2>
      <ul class="about">
        {document.about.map((line, i) => (
          <li key={i}>
            <Words text={line} />
          </li>
        ))}
      </ul>
      {parts.length === 0 ? null : <Parts model={model} parts={parts} />}
      {document.sections
        .filter(({ id }) => !SHOWN.has(id))
        .map((section) => (
          <Section key={section.id} section={section} />
        ))}
      <details open>
        <summary>Notes</summary>
        <ul>
          {document.notes.map((note, i) => (
            <li key={i}>
              <Words text={note} />
            </li>
          ))}
          {model.lacks.value === '' ? null : <li>{capital(escapeText(model.lacks.value))}.</li>}
          {leftOut.withoutLength === 0 ? null : (
            <li>
              Not drawn: {formatPlural(leftOut.withoutLength, 'row')} without a length (marks, flows, counters,
              metadata).
            </li>
          )}
          {leftOut.withoutTime === 0 ? null : (
            <li>Not drawn: {formatPlural(leftOut.withoutTime, 'row')} whose time cannot be true.</li>
          )}
        </ul>
      </details>
    </section>
  );
}

/** The largest parts of the path, each with the longest event of its names. */
function Parts({ model, parts }: { readonly model: Model; readonly parts: readonly ReportPart[] }) {
  return (
    <div class="parts">
      <h3>What the path is made of</h3>
      {parts.map((part) => (
        <div key={part.kind} class="part">
          <p>
            <b>{part.kind}</b> {formatDur(part.totalNs)}, {formatShare(part.share)}
          </p>
          <Bar share={part.share} />
          <ul>
            {part.names.map((name) => (
              <li key={name.name}>
                <Name model={model} name={name} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

function Bar({ share }: { readonly share: number }) {
  return (
    <div class="bar" aria-hidden="true">
      <div style={{ width: `${Math.max(share * 100, 0.5)}%` }} />
    </div>
  );
}

function Name({ model, name }: { readonly model: Model; readonly name: ReportName }) {
  return (
    <>
      <EventLink model={model} to={{ ...name.longest, name: name.name }} />{' '}
      <span class="dim">
        {formatDur(name.totalNs)}, {formatShare(name.share)}
        {name.win === undefined ? '' : `; in half its time ${formatDur(name.win.halfNs)} less`}
      </span>
    </>
  );
}
