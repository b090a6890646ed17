import { upperBound } from '../../base/bisect.ts';
import type { DeviceTime } from '../../graph/device-time.ts';
import { type PathRows, PathWriter, rowsWithin } from '../../graph/path-rows.ts';
import { walkBack } from '../../graph/path.ts';
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
  /** Of the gap that was asked for last, and of the part of one that lies before the windows. */
  readonly #rows = new PathWriter();
  readonly #whole = new PathWriter();

  constructor(scope: Scope, time: DeviceTime) {
    this.#scope = scope;
    this.#windowEnds = Float64Array.from(scope.windows, (window) => window.end);
    this.gaps = findGaps(scope.graph, time, scope.start, scope.end);
  }

  /**
   * Rows that partition the gap: the chain that led to the op that ended it; behind the last op that to the windows' end. They are there until
   * the next gap is asked for.
   */
  rowsOf(gap: number): PathRows {
    const { start, end, endedBy } = this.gaps;
    this.#rows.clear();
    if (endedBy[gap] === -1) this.#pathWithin(start[gap], end[gap]);
    else this.#walk(gap, start[gap], this.#rows);
    return this.#rows;
  }

  /** The call that waited for the device until the gap began; also where the gap began before the windows do. `rows`: of the gap. */
  drainOf(gap: number, rows: PathRows): RawDrain | undefined {
    if (this.placeOf(gap) !== 'between') return undefined;
    const { graph, start } = this.#scope;
    const began = graph.device.end[this.gaps.after[gap]];
    if (began >= start) return drainOf(graph, this.gaps.device, rows);
    this.#whole.clear();
    this.#walk(gap, began, this.#whole);
    return drainOf(graph, this.gaps.device, this.#whole);
  }

  #walk(gap: number, start: number, into: PathWriter): void {
    const { end, endedBy } = this.gaps;
    const { thread, annotated } = this.windowAt(start);
    const moment = this.#scope.graph.moments.startOfOp(endedBy[gap]);
    walkBack(this.#scope.context(), moment, { start, end: end[gap], thread, annotated }, into);
  }

  placeOf(gap: number): IdleGap['place'] {
    if (this.gaps.endedBy[gap] === -1) return 'after-last-op';
    return this.gaps.after[gap] === -1 ? 'before-first-op' : 'between';
  }

  windowAt(instant: number): Window {
    const { windows } = this.#scope;
    return windows[Math.min(upperBound(this.#windowEnds, instant), windows.length - 1)];
  }

  #pathWithin(start: number, end: number): void {
    const { windows } = this.#scope;
    const paths = this.#scope.paths();
    for (let w = windows.length - 1; w >= 0 && windows[w].end > start; w--) {
      rowsWithin(paths[w], start, end, this.#rows);
    }
  }
}
