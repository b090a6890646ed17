import { ColBuilder } from '../trace/columns.ts';
import { callersAt } from './callers.ts';
import type { Graph } from './graph.ts';
import type { PathRows } from './path-rows.ts';
import type { Intervals } from './intervals.ts';
import { segmentCode } from './segments.ts';
import type { Window } from './windows.ts';

/** By code of a kind of segment, 1: time of device ops; 2: of host threads. */
const PLACES = new Uint8Array(256);
for (const kind of ['kernel', 'collective', 'copy'] as const) PLACES[segmentCode(kind)] = 1;
for (const kind of ['host-work', 'host-gap', 'data-loading', 'sync-overhead'] as const) PLACES[segmentCode(kind)] = 2;

/** By device op: time of the paths that runs in it. Gaps and launches, which name the op that they come before, are not in it. O(n). */
export function devicePathTime({ device }: Graph, paths: readonly PathRows[]): Float64Array {
  const time = new Float64Array(device.length);
  for (const { first, last, kind, event, start, end } of paths) {
    for (let row = first; row <= last; row++) {
      if (PLACES[kind[row]] !== 1) continue;
      const op = event[row] === -1 ? -1 : device.opOfEvent[event[row]];
      if (op !== -1) time[op] += end[row] - start[row];
    }
  }
  return time;
}

/**
 * Time of the paths that lies on host threads. What a worker did while its caller stood still for it lies on both: it is what the caller's
 * annotations and frames took. Paths are in order of time.
 */
export class HostPathTime {
  readonly #tracks = new Map<number, TrackTime>();

  /** `windows`: of the paths. Behind the last op of a window's thread no event tells whose a segment is: it is that thread's. */
  constructor(graph: Graph, paths: readonly PathRows[], windows: readonly Pick<Window, 'thread'>[]) {
    const { trace, host } = graph;
    const callerOf = callersAt(graph);
    const threadOf = new Map(host.threads.map(({ track }, thread) => [track as number, thread]));
    paths.forEach(({ first, last, kind, event, start, end }, w) => {
      const own = windows[w].thread === -1 ? -1 : (host.threads[windows[w].thread].track as number);
      for (let row = first; row <= last; row++) {
        const track = event[row] === -1 ? own : trace.events.track[event[row]];
        if (PLACES[kind[row]] !== 2 || track === -1) continue;
        this.#on(track).add(start[row], end[row]);
        const thread = threadOf.get(track);
        const caller = thread === undefined ? -1 : callerOf(thread, (start[row] + end[row]) / 2);
        if (caller !== -1) this.#on(host.threads[caller].track).add(start[row], end[row]);
      }
    });
  }

  #on(track: number): TrackTime {
    let on = this.#tracks.get(track);
    if (on === undefined) this.#tracks.set(track, (on = new TrackTime()));
    return on;
  }

  /** Of a track, in some intervals. O(intervals × log segments). */
  within(track: number, intervals: Intervals): number {
    const on = this.#tracks.get(track);
    if (on === undefined) return 0;
    let total = 0;
    for (let i = 0; i < intervals.length; i += 2) total += on.until(intervals[i + 1]) - on.until(intervals[i]);
    return total;
  }
}

/** Where the segments of a track begin and end, in order of time, and how much of the path lies before each. */
class TrackTime {
  readonly #start = new ColBuilder(Float64Array);
  readonly #end = new ColBuilder(Float64Array);
  readonly #before = new ColBuilder(Float64Array);
  #total = 0;

  add(start: number, end: number): void {
    this.#before.push(this.#total);
    this.#start.push(start);
    this.#end.push(end);
    this.#total += end - start;
  }

  until(time: number): number {
    const at = this.#startedUntil(time) - 1;
    return at < 0 ? 0 : this.#before.get(at) + Math.min(this.#end.get(at), time) - this.#start.get(at);
  }

  /** How many begin at an instant or before it. */
  #startedUntil(time: number): number {
    let low = 0;
    let high = this.#start.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#start.get(middle) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
