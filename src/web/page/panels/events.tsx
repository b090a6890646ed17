import { useEffect, useState } from 'preact/hooks';
import { formatCount, formatDur } from '../../../base/format.ts';
import { longestInView } from '../../timeline/events.ts';
import { exactText } from '../../timeline/view.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { fileName } from '../download.ts';
import { EventLink } from '../event-link.tsx';
import type { Model } from '../model.ts';
import { KIND_NAMES } from '../palette.ts';

const ROWS = 200;
const CALM_MS = 150;

/** What is in view, the longest first: for screen readers, and for those who look for the largest. */
export function EventsPanel({ model }: { readonly model: Model }) {
  const view = useCalm(model.view.value);
  const { timeline } = model;
  const rows = model.order.value.shown.flatMap((at) => {
    const lane = timeline.lanes[at];
    return lane === undefined ? [] : Array.from({ length: lane.rows }, (_, row) => lane.firstRow + row);
  });
  const { events, total } = longestInView(timeline, view, rows, ROWS);
  const cut = total > events.length ? `, the ${events.length} longest of them` : ', the longest first';
  return (
    <DataTable
      label="Events in view"
      caption={`${formatCount(total)} events from ${exactText(view.start)} to ${exactText(view.end)}${cut}.`}
      columns={columnsOf(model)}
      rows={events}
      isSelected={(event) => model.selected.value === event}
      empty={`No event of the lanes that are shown runs between ${exactText(view.start)} and ${exactText(view.end)}: zoom out (S), or show the whole trace (0).`}
      fileName={fileName(timeline.file, 'events.csv')}
    />
  );
}

function columnsOf(model: Model): Column<number>[] {
  const length = (event: number): number => model.endOf(event) - model.startOf(event);
  return [
    {
      name: 'event',
      show: (event) => <EventLink model={model} to={{ event: model.positionOf(event), name: model.nameOf(event) }} />,
      value: (event) => model.nameOf(event),
    },
    {
      name: 'handle',
      show: (event) => `e-${model.positionOf(event)}`,
      value: (event) => `e-${model.positionOf(event)}`,
    },
    { name: 'kind', show: (event) => KIND_NAMES[model.kindOf(event)], value: (event) => model.kindOf(event) },
    { name: 'lane', show: (event) => model.laneOf(event)?.title, value: (event) => model.laneOf(event)?.id },
    {
      name: 'began at',
      csv: 'began at (ns)',
      isNumber: true,
      show: (event) => exactText(model.startOf(event)),
      value: (event) => model.startOf(event),
    },
    {
      name: 'took',
      csv: 'took (ns)',
      isNumber: true,
      show: (event) => formatDur(length(event)),
      value: length,
    },
    {
      name: 'path',
      show: (event) => (model.isOnPath(event) ? 'on it' : ''),
      value: (event) => (model.isOnPath(event) ? 'yes' : 'no'),
    },
  ];
}

/** A value that waits until it stands still: the table is not made anew for each frame of a movement. */
export function useCalm<T>(value: T): T {
  const [calm, setCalm] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(value), CALM_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return calm;
}
