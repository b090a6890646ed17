import { lowerBound, upperBound } from '../../base/bisect.ts';
import { type Timeline, type TimelineLane, countOf } from '../../protocol/timeline.ts';

/** By position in the file: the event, or −1 where it is not drawn. */
export function eventsByPosition({ position }: Timeline): Int32Array {
  let last = -1;
  for (const each of position) last = Math.max(last, each);
  const eventOf = new Int32Array(last + 1).fill(-1);
  for (let e = 0; e < position.length; e++) if (position[e] !== -1) eventOf[position[e]] = e;
  return eventOf;
}

/** By event: 1 where a segment of the path is its time. */
export function markPath({ start, pathPosition }: Timeline, eventOf: Int32Array): Uint8Array {
  const onPath = new Uint8Array(start.length);
  for (const position of pathPosition) {
    const e = position === -1 ? -1 : (eventOf[position] ?? -1);
    if (e !== -1) onPath[e] = 1;
  }
  return onPath;
}

/** The row of an event. O(log rows). */
export const rowOf = ({ rowFirst }: Timeline, event: number): number => upperBound(rowFirst, event) - 1;

/** The lane of an event. */
export function laneOf(timeline: Timeline, event: number): TimelineLane | undefined {
  const row = rowOf(timeline, event);
  return timeline.lanes.find(({ firstRow, rows }) => firstRow <= row && row < firstRow + rows);
}

/** The event of a row that runs at an instant, else the nearest to it; −1 in an empty row. */
export function nearestIn({ rowFirst, start, end }: Timeline, row: number, time: number): number {
  const [first, last] = [rowFirst[row], rowFirst[row + 1]];
  if (first === last) return -1;
  const next = upperBound(start, time, first, last);
  if (next === first) return first;
  if (next === last || end[next - 1] >= time || time - end[next - 1] <= start[next] - time) return next - 1;
  return next;
}

export type Direction = 'left' | 'right' | 'up' | 'down';

/** The event beside another: in its row, or nearest to its middle in the next row that is shown. Itself where there is none. */
export function neighbour(
  timeline: Timeline,
  event: number,
  direction: Direction,
  isHidden: (row: number) => boolean,
): number {
  const { rowFirst, start, end } = timeline;
  const row = rowOf(timeline, event);
  if (direction === 'left') return Math.max(rowFirst[row], event - 1);
  if (direction === 'right') return Math.min(rowFirst[row + 1] - 1, event + 1);
  const middle = (start[event] + end[event]) / 2;
  const by = direction === 'up' ? -1 : 1;
  for (let next = row + by; next >= 0 && next + 1 < rowFirst.length; next += by) {
    if (isHidden(next)) continue;
    const found = nearestIn(timeline, next, middle);
    if (found !== -1) return found;
  }
  return event;
}

/** The segment of the path at an instant, or −1. Segments are in time order and tile the windows. */
export function segmentAt({ pathStart, pathEnd }: Timeline, time: number): number {
  const at = upperBound(pathStart, time) - 1;
  return at >= 0 && pathEnd[at] >= time ? at : -1;
}

/** What is in view, the longest first, for a table. O(events in view) by row. */
export function longestInView(
  timeline: Timeline,
  view: { readonly start: number; readonly end: number },
  rows: readonly number[],
  most: number,
): { readonly events: readonly number[]; readonly total: number } {
  const { rowFirst, start, end } = timeline;
  const kept: number[] = [];
  let total = 0;
  let least = -1;
  const length = (e: number): number => end[e] - start[e];
  const trim = (): void => {
    kept.sort((a, b) => length(b) - length(a) || a - b);
    kept.length = Math.min(kept.length, most);
    if (kept.length === most) least = length(kept[most - 1]);
  };
  for (const row of rows) {
    const rowEnd = rowFirst[row + 1];
    for (let e = lowerBound(end, view.start, rowFirst[row], rowEnd); e < rowEnd && start[e] <= view.end; e++) {
      const count = countOf(timeline, e);
      total += count;
      if (count > 1 || length(e) <= least) continue;
      kept.push(e);
      if (kept.length > 4 * most) trim();
    }
  }
  trim();
  return { events: kept, total };
}

/** The Python frames that are open on the event's thread when it begins, the innermost first. Empty without frames. O(rows × log events). */
export function pythonStack(timeline: Timeline, event: number): number[] {
  const lane = laneOf(timeline, event);
  const own = lane?.id.replace(/^(python|annotations)-/, '');
  const python = timeline.lanes.find(({ id, kind }) => kind === 'python' && id === `python-${own}`);
  if (python === undefined) return [];
  const time = timeline.start[event];
  const frames: number[] = [];
  for (let row = python.firstRow + python.rows - 1; row >= python.firstRow; row--) {
    const frame = nearestIn(timeline, row, time);
    if (frame !== -1 && timeline.start[frame] <= time && time < timeline.end[frame]) frames.push(frame);
  }
  return frames;
}
