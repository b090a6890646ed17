import { upperBound } from '../../base/bisect.ts';
import type { DeviceTime } from '../../graph/device-time.ts';
import { type Segment, walkBack } from '../../graph/path.ts';
import type { Window } from '../../graph/windows.ts';
import type { Scope } from '../scope.ts';
import { type DeviceGaps, findGaps } from './gaps.ts';
import { type RawDrain, drainOf } from './reason.ts';
import type { IdleGap } from './result.ts';

/** The gaps of one device, and what each waited for. */
export class GapWalk {
  readonly gaps: DeviceGaps;
  readonly #scope: Scope;
  readonly #windowEnds: Float64Array;

  constructor(scope: Scope, time: DeviceTime) {
    this.#scope = scope;
    this.#windowEnds = Float64Array.from(scope.windows, (window) => window.end);
    this.gaps = findGaps(scope.graph, time, scope.start, scope.end);
  }

  /** Segments that partition the gap: the chain that led to the op that ended it; behind the last op that to the windows' end. */
  segmentsOf(gap: number): readonly Segment[] {
    const { start, end, endedBy } = this.gaps;
    if (endedBy[gap] === -1) return this.#pathWithin(start[gap], end[gap]);
    return this.#walk(gap, start[gap]);
  }

  /** The call that waited for the device until the gap began; also where the gap began before the windows do. */
  drainOf(gap: number, segments: readonly Segment[]): RawDrain | undefined {
    if (this.placeOf(gap) !== 'between') return undefined;
    const { graph, start } = this.#scope;
    const began = graph.device.end[this.gaps.after[gap]];
    const isCut = began < start;
    return drainOf(graph, this.gaps.device, isCut ? this.#walk(gap, began) : segments);
  }

  #walk(gap: number, start: number): readonly Segment[] {
    const { end, endedBy } = this.gaps;
    const { thread, annotated } = this.windowAt(start);
    const { moments } = this.#scope.graph;
    return walkBack(this.#scope.context(), moments.startOfOp(endedBy[gap]), {
      start,
      end: end[gap],
      thread,
      annotated,
    });
  }

  placeOf(gap: number): IdleGap['place'] {
    if (this.gaps.endedBy[gap] === -1) return 'after-last-op';
    return this.gaps.after[gap] === -1 ? 'before-first-op' : 'between';
  }

  windowAt(instant: number): Window {
    const { windows } = this.#scope;
    return windows[Math.min(upperBound(this.#windowEnds, instant), windows.length - 1)];
  }

  #pathWithin(start: number, end: number): Segment[] {
    const { windows } = this.#scope;
    const paths = this.#scope.paths();
    const within: Segment[] = [];
    for (let w = upperBound(this.#windowEnds, start); w < windows.length && windows[w].start < end; w++) {
      const path = paths[w];
      for (let i = firstEndingAfter(path, start); i < path.length && path[i].start < end; i++) {
        const segment = path[i];
        within.push({ ...segment, start: Math.max(segment.start, start), end: Math.min(segment.end, end) });
      }
    }
    return within;
  }
}

/** The first segment of a path, whose segments tile it, that ends after an instant. O(log segments). */
function firstEndingAfter(path: readonly Segment[], instant: number): number {
  let low = 0;
  let high = path.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (path[middle].end <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
}
