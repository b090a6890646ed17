import type { Forecast } from '../../graph/forecast.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Window } from '../../graph/windows.ts';
import { lowerBound, upperBound } from '../../base/bisect.ts';
import { referTo } from '../refer.ts';
import type { MovedEvent, TimelineEvent } from './result.ts';

interface Move {
  readonly event: number;
  readonly measuredNs: number;
  readonly predictedNs: number;
}

/** Of each name the event that shifts furthest within its own window, the furthest first. O(ops). */
export function movedEvents(before: Graph, after: Forecast, windows: readonly Window[]): MovedEvent[] {
  const starts = windows.map(({ start }) => start);
  const furthest = new Map<number, Move>();
  const shift = ({ measuredNs, predictedNs }: Move): number => Math.abs(predictedNs - measuredNs);
  eachOp(before, after, (event, start, newStart) => {
    const at = upperBound(starts, start) - 1;
    if (at < 0 || start >= windows[at].end) return;
    const move = {
      event,
      measuredNs: start - windows[at].start,
      predictedNs: newStart - after.windows[at].start,
    };
    const name = before.trace.events.name[event];
    const known = furthest.get(name);
    if (shift(move) > (known === undefined ? 0 : shift(known))) furthest.set(name, move);
  });
  return [...furthest.values()]
    .sort((a, b) => shift(b) - shift(a) || a.event - b.event)
    .map(({ event, measuredNs, predictedNs }) => ({
      event: referTo(before, event),
      measuredNs,
      predictedNs,
      movedNs: predictedNs - measuredNs,
    }));
}

function eachOp(
  { host, device }: Graph,
  { graph }: Forecast,
  visit: (event: number, start: number, newStart: number, newEnd: number) => void,
): void {
  for (let op = 0; op < host.length; op++) {
    visit(host.event[op], host.start[op], graph.host.start[op], graph.host.end[op]);
  }
  for (let op = 0; op < device.length; op++) {
    visit(device.event[op], device.start[op], graph.device.start[op], graph.device.end[op]);
  }
}

/** Every op that a forecast window touches, with its forecast times, in order of start. */
export function timelineOf(before: Graph, after: Forecast): TimelineEvent[] {
  const starts = after.windows.map(({ start }) => start);
  const timeline: TimelineEvent[] = [];
  eachOp(before, after, (event, _, start, end) => {
    const at = lowerBound(starts, Math.max(end, start + 1)) - 1;
    if (at < 0 || start >= after.windows[at].end) return;
    timeline.push({ event: before.trace.events.position[event], startNs: start, endNs: end });
  });
  return timeline.sort((a, b) => a.startNs - b.startNs || a.event - b.event);
}
