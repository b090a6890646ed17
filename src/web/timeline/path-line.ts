import { lowerBound, upperBound } from '../../base/bisect.ts';
import type { Timeline } from '../../protocol/timeline.ts';
import type { View } from './view.ts';

/** Corners of one line, in pixels. */
export interface PathLine {
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** By corner: whether it stands for a pixel in which the path changes rows more than once. */
  readonly isDense: readonly boolean[];
  /** Of each such pixel: all rows that it runs through, from the highest to the lowest. */
  readonly spread: readonly { readonly x: number; readonly top: number; readonly bottom: number }[];
}

/**
 * The path as one line: along the row of each segment's event, and straight to the next one's row where the next one begins. Segments
 * narrower than a pixel are one corner, on the row with most of their time, so that a frame has some three corners a pixel at most.
 * A segment without an event stays on the row of the one before it. O(segments in view).
 */
export function pathLine(
  { pathStart, pathEnd }: Timeline,
  /** By segment: the height of its row, in pixels; NaN where it has none. */
  heightOf: (segment: number) => number,
  view: View,
  width: number,
): PathLine {
  const [x, y, isDense]: [number[], number[], boolean[]] = [[], [], []];
  const spread: { x: number; top: number; bottom: number }[] = [];
  const scale = width / (view.end - view.start);
  const first = Math.max(0, lowerBound(pathEnd, view.start) - 1);
  const last = Math.min(pathStart.length, upperBound(pathStart, view.end) + 1);
  let before = firstHeight(heightOf, first, last);
  let column = NaN;
  /** By height: its time in the column. */
  const times = new Map<number, number>();
  const add = (atX: number, atY: number, dense: boolean): void => {
    x.push(atX);
    y.push(atY);
    isDense.push(dense);
  };
  const flush = (): void => {
    if (times.size === 0) return;
    let [most, mostNs] = [before, -1];
    let [top, bottom] = [Infinity, -Infinity];
    for (const [height, ns] of times) {
      if (ns > mostNs) [most, mostNs] = [height, ns];
      top = Math.min(top, height);
      bottom = Math.max(bottom, height);
    }
    add(column, most, times.size > 2);
    if (bottom > top) spread.push({ x: column, top, bottom });
    times.clear();
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
      }
      times.set(height, (times.get(height) ?? 0) + pathEnd[s] - pathStart[s]);
    } else {
      flush();
      // Far beyond the edges a canvas loses its precision.
      add(Math.max(left, -10), height, false);
      add(Math.min(right, width + 10), height, false);
    }
    before = height;
  }
  flush();
  return { x, y, isDense, spread };
}

/** Where the line begins if its first segments have no row. */
function firstHeight(heightOf: (segment: number) => number, first: number, last: number): number {
  for (let s = first; s < last; s++) {
    const height = heightOf(s);
    if (!Number.isNaN(height)) return height;
  }
  return 0;
}
