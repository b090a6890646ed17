import { upperBound } from '../base/bisect.ts';
import { callersAt } from './callers.ts';
import type { Graph } from './graph.ts';
import type { Segment } from './path.ts';
import type { Window } from './windows.ts';

type Paths = readonly (readonly Segment[])[];

/** By device op: time of the paths that runs in it. Gaps and launches, which name the op that they come before, are not in it. O(n). */
export function devicePathTime({ device }: Graph, paths: Paths): Float64Array {
  const time = new Float64Array(device.length);
  for (const segments of paths) {
    for (let i = 0; i < segments.length; i++) {
      const { kind, event, start, end } = segments[i];
      if (kind !== 'kernel' && kind !== 'collective' && kind !== 'copy') continue;
      const op = event === -1 ? -1 : device.opOfEvent[event];
      if (op !== -1) time[op] += end - start;
    }
  }
  return time;
}

/**
 * Time of the paths that lies on host threads. What a worker did while its caller stood still for it lies on both: it is what the caller's
 * annotations and frames took. Paths are in order of time.
 */
export class HostPathTime {
  /** By track: where its segments begin and end, and how much of the path lies before each. */
  readonly #tracks = new Map<number, { start: number[]; end: number[]; before: number[] }>();

  /** `windows`: of the paths. Behind the last op of a window's thread no event tells whose a segment is: it is that thread's. */
  constructor(graph: Graph, paths: Paths, windows: readonly Pick<Window, 'thread'>[]) {
    const { trace, host } = graph;
    const callerOf = callersAt(graph);
    const threadOf = new Map(host.threads.map(({ track }, thread) => [track as number, thread]));
    for (let w = 0; w < paths.length; w++) {
      const segments = paths[w];
      const own = windows[w].thread === -1 ? -1 : (host.threads[windows[w].thread].track as number);
      for (let i = 0; i < segments.length; i++) {
        const { kind, event, start, end } = segments[i];
        const isHost =
          kind === 'host-work' || kind === 'host-gap' || kind === 'data-loading' || kind === 'sync-overhead';
        const track = event === -1 ? own : trace.events.track[event];
        if (!isHost || track === -1) continue;
        this.#add(track, start, end);
        const thread = threadOf.get(track);
        const caller = thread === undefined ? -1 : callerOf(thread, (start + end) / 2);
        if (caller !== -1) this.#add(host.threads[caller].track, start, end);
      }
    }
  }

  #add(track: number, start: number, end: number): void {
    let on = this.#tracks.get(track);
    if (on === undefined) this.#tracks.set(track, (on = { start: [], end: [], before: [] }));
    const last = on.start.length - 1;
    on.before.push(last < 0 ? 0 : on.before[last] + on.end[last] - on.start[last]);
    on.start.push(start);
    on.end.push(end);
  }

  /** Of a track, in [start, end). O(log segments). */
  within(track: number, start: number, end: number): number {
    const on = this.#tracks.get(track);
    if (on === undefined || end <= start) return 0;
    const until = (time: number): number => {
      const at = upperBound(on.start, time) - 1;
      return at < 0 ? 0 : on.before[at] + Math.min(on.end[at], time) - on.start[at];
    };
    return until(end) - until(start);
  }
}
