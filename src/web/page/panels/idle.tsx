import { escapeText, formatCount, formatDur, formatPlural, formatShare } from '../../../base/format.ts';
import type { GapLink, IdleGap } from '../../../analyses/idle/result.ts';
import type { IdlePanel as Idle } from '../../../protocol/calls.ts';
import { exactText, fitted } from '../../timeline/view.ts';
import { capital } from '../capital.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { fileName } from '../download.ts';
import { EventLink } from '../event-link.tsx';
import { type Model, NONE } from '../model.ts';

/** Why the devices were idle: each gap, the longest first. */
export function IdlePanel({ model, idle }: { readonly model: Model; readonly idle: Idle }) {
  const selected = model.selected.value;
  const position = selected === NONE ? NONE : model.positionOf(selected);
  return (
    <>
      <p class="panel-head">
        {idle.devices.map(({ device, idleNs, idleShare, gapCount }) => (
          <span key={device}>
            Device {device}: idle {formatDur(idleNs)} of its windows ({formatShare(idleShare)}), in{' '}
            {formatCount(gapCount)} gaps.{' '}
          </span>
        ))}
        {idle.notes.map((note) => (
          <span key={note} class="dim">
            {capital(escapeText(note))}.{' '}
          </span>
        ))}
      </p>
      <DataTable
        label="Idle gaps"
        caption={`${idle.gaps.length < idle.total ? `The ${formatCount(idle.gaps.length)} longest of ` : ''}${formatPlural(idle.total, 'gap')} in which no op of the device ran, the longest first.`}
        columns={columnsOf(model)}
        rows={idle.gaps}
        isSelected={(gap) => eventsOf(gap).includes(position)}
        empty="No gap: some op of each device runs at any time of the windows."
        fileName={fileName(model.timeline.file, 'idle-gaps.csv')}
      />
    </>
  );
}

/** Positions of all events that a gap names. */
const eventsOf = ({ after, endedBy, chain }: IdleGap): number[] =>
  [after, endedBy, ...chain.map(({ event }) => event)].flatMap((each) => (each === undefined ? [] : [each.event]));

/** Brings a gap into view, and selects the op that ended it. */
function showGap(model: Model, { startNs, endNs, endedBy, after }: IdleGap): void {
  const position = endedBy?.event ?? after?.event;
  if (position !== undefined) model.show(model.eventAt(position));
  model.view.value = fitted({ start: startNs, end: endNs }, model.bounds, 0.5);
  model.area.value = { start: startNs, end: endNs };
}

function columnsOf(model: Model): Column<IdleGap>[] {
  return [
    {
      name: 'gap',
      csv: 'gap (ns)',
      show: (gap) => (
        <button type="button" class="link" onClick={() => showGap(model, gap)}>
          {formatDur(gap.totalNs)}
        </button>
      ),
      value: ({ totalNs }) => totalNs,
    },
    { name: 'device', isNumber: true, show: ({ device }) => device, value: ({ device }) => device },
    { name: 'of its idle time', isNumber: true, show: ({ share }) => formatShare(share), value: ({ share }) => share },
    {
      name: 'from',
      csv: 'from (ns)',
      isNumber: true,
      show: ({ startNs }) => exactText(startNs),
      value: ({ startNs }) => startNs,
    },
    { name: 'in', show: ({ window }) => escapeText(window), value: ({ window }) => window },
    {
      name: 'why',
      show: ({ chain, otherNs }) => (
        <>
          {chain.slice(0, 2).map((link, i) => (
            <span key={i}>
              {i > 0 ? '; ' : ''}
              <Cause model={model} link={link} />
            </span>
          ))}
          {chain.length > 2 || otherNs > 0 ? ' …' : ''}
        </>
      ),
      value: ({ chain }) =>
        chain.map(({ cause, totalNs, name }) => `${cause} ${totalNs} ns ${name ?? ''}`.trim()).join('; '),
    },
    {
      name: 'ended by',
      show: ({ endedBy }) => (endedBy === undefined ? 'nothing more ran' : <EventLink model={model} to={endedBy} />),
      value: ({ endedBy }) => endedBy?.name,
    },
  ];
}

function Cause({ model, link }: { readonly model: Model; readonly link: GapLink }) {
  const { cause, totalNs, event, name, ambiguous } = link;
  return (
    <>
      {cause}
      {ambiguous === true ? ' (?)' : ''} {formatDur(totalNs)}{' '}
      {event === undefined ? escapeText(name ?? '').slice(0, 200) : <EventLink model={model} to={event} />}
    </>
  );
}
