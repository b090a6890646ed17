import { lowerBound, upperBound } from '../../base/bisect.ts';
import type { Timeline } from '../../protocol/timeline.ts';
import type { View } from './view.ts';

/** Corners of one line, in pixels. */
export interface PathLine {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/**
 * The path as one line: along the row of each segment's event, and straight to the next one's row where the next one begins. Segments
 * narrower than a pixel are one stroke from the highest to the lowest of their rows, so that a frame has some six corners a pixel at most.
 * A segment without an event stays on the row of the one before it. O(segments in view).
 */
export function pathLine(
  { pathStart, pathEnd }: Timeline,
  /** By segment: the height of its row, in pixels; NaN where it has none. */
  heightOf: (segment: number) => number,
  view: View,
  width: number,
): PathLine {
  const [x, y]: [number[], number[]] = [[], []];
  const scale = width / (view.end - view.start);
  const first = Math.max(0, lowerBound(pathEnd, view.start) - 1);
  const last = Math.min(pathStart.length, upperBound(pathStart, view.end) + 1);
  let before = firstHeight(heightOf, first, last);
  let column = NaN;
  let [low, high, entered] = [0, 0, 0];
  const add = (atX: number, atY: number): void => {
    x.push(atX);
    y.push(atY);
  };
  const flush = (): void => {
    if (Number.isNaN(column)) return;
    add(column, entered);
    if (high > low) {
      add(column, low);
      add(column, high);
    }
    add(column, before);
    column = NaN;
  };
  for (let s = first; s < last; s++) {
    const known = heightOf(s);
    const height = Number.isNaN(known) ? before : known;
    const left = (pathStart[s] - view.start) * scale;
    const right = (pathEnd[s] - view.start) * scale;
    if (right - left < 1) {
      if (Math.floor(left) !== column) {
        flush();
        column = Math.floor(left);
        [low, high, entered] = [height, height, height];
      }
      low = Math.min(low, height);
      high = Math.max(high, height);
    } else {
      flush();
      // Far beyond the edges a canvas loses its precision.
      add(Math.max(left, -10), height);
      add(Math.min(right, width + 10), height);
    }
    before = height;
  }
  flush();
  return { x, y };
}

/** Where the line begins if its first segments have no row. */
function firstHeight(heightOf: (segment: number) => number, first: number, last: number): number {
  for (let s = first; s < last; s++) {
    const height = heightOf(s);
    if (!Number.isNaN(height)) return height;
  }
  return 0;
}
