import { useEffect, useState } from 'preact/hooks';
import { formatCount, formatDur } from '../../base/format.ts';
import { longestInView } from '../timeline/events.ts';
import { exactText } from '../timeline/view.ts';
import { EventLink } from './event-link.tsx';
import type { Model } from './model.ts';
import { KIND_NAMES } from './palette.ts';

const ROWS = 100;
const CALM_MS = 150;

/** What is in view, the longest first: for screen readers, and for those who look for the largest. */
export function ViewTable({ model }: { readonly model: Model }) {
  const view = useCalm(model.view.value);
  const rows = model.timeline.rowFirst.length - 1;
  const all = Array.from({ length: rows }, (_, row) => row);
  const { events, total } = longestInView(model.timeline, view, all, ROWS);
  return (
    <div class="table scroll" role="region" aria-label="Events in view" tabIndex={0}>
      <table>
        <caption>
          {formatCount(total)} events from {exactText(view.start)} to {exactText(view.end)}
          {total > events.length ? `, the ${events.length} longest of them` : ', the longest first'}
        </caption>
        <thead>
          <tr>
            <th scope="col">event</th>
            <th scope="col">kind</th>
            <th scope="col">lane</th>
            <th scope="col" class="number">
              began at
            </th>
            <th scope="col" class="number">
              took
            </th>
            <th scope="col">path</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event} aria-selected={model.selected.value === event}>
              <th scope="row">
                <EventLink model={model} to={{ event: model.positionOf(event), name: model.nameOf(event) }} />
              </th>
              <td>{KIND_NAMES[model.kindOf(event)]}</td>
              <td>{model.laneOf(event)?.title}</td>
              <td class="number">{exactText(model.startOf(event))}</td>
              <td class="number">{formatDur(model.endOf(event) - model.startOf(event))}</td>
              <td>{model.isOnPath(event) ? 'on it' : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A value that waits until it stands still: the table is not made anew for each frame of a movement. */
function useCalm<T>(value: T): T {
  const [calm, setCalm] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(value), CALM_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return calm;
}
