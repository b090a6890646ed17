/** What is in view, as a trace that Perfetto and Chrome read: its events, and the path as a lane of its own. */
import { lowerBound } from '../../base/bisect.ts';
import { EVENT_KINDS, type Timeline } from '../../protocol/timeline.ts';
import { rowOf } from './events.ts';

export interface ChromeTrace {
  readonly json: string;
  readonly events: number;
  /** Shorter than those that are in it: there were too many. */
  readonly leftOut: number;
}

export interface ChromeRange {
  readonly start: number;
  readonly end: number;
  /** Places in `timeline.lanes`. */
  readonly lanes: readonly number[];
  /** By event: its name. */
  readonly nameOf: (event: number) => string;
  /** From a position in the file to the event, or −1. */
  readonly eventAt: (position: number) => number;
}

/** Perfetto reads more, but not at once. */
const MOST_EVENTS = 300_000;
/** Processes of the trace that is made: one for the lanes, one for the path. */
const LANES = 1;
const PATH = 2;

/** Events are whole, also where the range cuts them; times are those of the trace. O(events in the range). */
export function chromeTrace(timeline: Timeline, range: ChromeRange, most = MOST_EVENTS): ChromeTrace {
  const { lanes, nameOf } = range;
  const { start, end, position, kind } = timeline;
  const chosen = eventsIn(timeline, range, lanes);
  const kept = longest(timeline, chosen, most);
  const rows: object[] = [
    { ph: 'M', pid: LANES, name: 'process_name', args: { name: `longpole: ${timeline.file}` } },
    { ph: 'M', pid: PATH, name: 'process_name', args: { name: 'longpole: the path' } },
    { ph: 'M', pid: PATH, tid: 1, name: 'thread_name', args: { name: 'the path' } },
    ...lanes.flatMap((lane) => [
      { ph: 'M', pid: LANES, tid: lane, name: 'thread_name', args: { name: timeline.lanes[lane].title } },
      { ph: 'M', pid: LANES, tid: lane, name: 'thread_sort_index', args: { sort_index: lane } },
    ]),
  ];
  const laneOfRow = lanesByRow(timeline);
  for (const e of kept) {
    rows.push({
      ph: 'X',
      pid: LANES,
      tid: laneOfRow[rowOf(timeline, e)],
      name: nameOf(e),
      cat: EVENT_KINDS[kind[e]],
      ts: start[e] / 1e3,
      dur: (end[e] - start[e]) / 1e3,
      args: { event: `e-${position[e]}` },
    });
  }
  const segments = pathRows(timeline, range);
  const json = `{"displayTimeUnit":"ns","traceEvents":[\n${[...rows, ...segments].map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`;
  return { json, events: kept.length, leftOut: chosen.length - kept.length };
}

function lanesByRow({ lanes, rowFirst }: Timeline): Int32Array {
  const laneOf = new Int32Array(rowFirst.length - 1);
  lanes.forEach(({ firstRow, rows }, lane) => laneOf.fill(lane, firstRow, firstRow + rows));
  return laneOf;
}

function eventsIn({ rowFirst, start, end, lanes }: Timeline, range: ChromeRange, wanted: readonly number[]): number[] {
  const found: number[] = [];
  for (const lane of wanted) {
    const { firstRow, rows } = lanes[lane];
    for (let row = firstRow; row < firstRow + rows; row++) {
      const rowEnd = rowFirst[row + 1];
      for (let e = lowerBound(end, range.start, rowFirst[row], rowEnd); e < rowEnd && start[e] <= range.end; e++) {
        found.push(e);
      }
    }
  }
  return found;
}

function longest({ start, end }: Timeline, events: readonly number[], most: number): readonly number[] {
  if (events.length <= most) return events;
  return events.toSorted((a, b) => end[b] - start[b] - (end[a] - start[a]) || a - b).slice(0, most);
}

function pathRows(timeline: Timeline, { start, end, nameOf, eventAt }: ChromeRange): object[] {
  const { pathStart, pathEnd, pathKind, pathBoundBy, pathPosition, pathCount, segmentKinds, boundBy } = timeline;
  const rows: object[] = [];
  for (let s = lowerBound(pathEnd, start); s < pathStart.length && pathStart[s] <= end; s++) {
    const event = pathPosition[s] === -1 || (pathCount[s] ?? 1) > 1 ? -1 : eventAt(pathPosition[s]);
    rows.push({
      ph: 'X',
      pid: PATH,
      tid: 1,
      name: event === -1 ? segmentKinds[pathKind[s]] : nameOf(event),
      cat: segmentKinds[pathKind[s]],
      ts: pathStart[s] / 1e3,
      dur: (pathEnd[s] - pathStart[s]) / 1e3,
      args: {
        kind: segmentKinds[pathKind[s]],
        'bound by': boundBy[pathBoundBy[s]],
        ...(event === -1 ? {} : { event: `e-${pathPosition[s]}` }),
      },
    });
  }
  return rows;
}
