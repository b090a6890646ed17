import { lowerBound, upperBound } from '../../base/bisect.ts';
import type { Timeline } from '../../protocol/timeline.ts';
import { Gathered, type Pyramid } from './pyramid.ts';
import type { View } from './view.ts';

/** Rectangles of one frame. */
export const MOST_RECTANGLES = 8_000;

/** The rectangles of a frame, as columns that are filled anew for each. Row by row, ascending in time. */
export class DrawList {
  length = 0;
  /** Rectangles of several events. */
  merged = 0;
  /** The width of a cell of the last frame, in pixels. */
  cell = 1;
  /** Edges in pixels. */
  readonly left: Float64Array;
  readonly right: Float64Array;
  readonly row: Int32Array;
  /** The event, or the longest of those that were merged. */
  readonly event: Int32Array;
  /** Events `first` to `first + count` are in it: of `event` alone where `count` is 1. */
  readonly first: Int32Array;
  readonly count: Int32Array;
  /** What its events cover of it, 0…1. */
  readonly covered: Float32Array;
  /** An event of it that the path runs through, the longest; or −1. */
  readonly onPath: Int32Array;

  readonly capacity: number;
  /** What is being merged. */
  readonly gathered = new Gathered();

  constructor(capacity = MOST_RECTANGLES) {
    this.capacity = capacity;
    this.left = new Float64Array(capacity);
    this.right = new Float64Array(capacity);
    this.row = new Int32Array(capacity);
    this.event = new Int32Array(capacity);
    this.first = new Int32Array(capacity);
    this.count = new Int32Array(capacity);
    this.covered = new Float32Array(capacity);
    this.onPath = new Int32Array(capacity);
  }
}

export interface Frame {
  readonly timeline: Timeline;
  readonly pyramid: Pyramid;
  /** Rows that are on the screen, ascending. */
  readonly rows: readonly number[];
  readonly view: View;
  /** Pixels. */
  readonly width: number;
}

/**
 * Fills the list with what is in view. Events of a row that begin in one cell of the grid and are narrower than a cell are one rectangle; a
 * cell is a pixel wide, or as many more as it takes to stay within the list. Returns the width of a cell in pixels.
 * O(pixels × log events) a row.
 */
export function fillDrawList(list: DrawList, frame: Frame): number {
  // What fitted last fits likely again: frames are like those before them.
  let { cell } = list;
  for (let done = fillAt(list, frame, cell); done < frame.rows.length; done = fillAt(list, frame, cell)) {
    // As many times wider as there are more rows than were done.
    cell *= 2 ** Math.max(1, Math.floor(Math.log2(frame.rows.length / Math.max(done, 1))));
  }
  while (cell > 1 && list.length + list.merged <= list.capacity) {
    if (fillAt(list, frame, cell / 2) === frame.rows.length) cell /= 2;
    else {
      fillAt(list, frame, cell);
      break;
    }
  }
  list.cell = cell;
  return cell;
}

/** How many rows were filled before the list was full. */
function fillAt(list: DrawList, frame: Frame, cellPx: number): number {
  list.length = 0;
  list.merged = 0;
  for (let i = 0; i < frame.rows.length; i++) {
    // A cell that is wider than the view cannot be exceeded by more than a few rectangles a row: what does not fit then is left out.
    if (!fillRow(list, frame, frame.rows[i], cellPx) && cellPx <= 4 * frame.width) return i;
  }
  return frame.rows.length;
}

function fillRow(list: DrawList, { timeline, pyramid, view, width }: Frame, row: number, cellPx: number): boolean {
  const { start, end, rowFirst } = timeline;
  const { gathered } = list;
  const scale = width / (view.end - view.start);
  const cellNs = cellPx / scale;
  // Events of a row do not overlap, so that their ends ascend too.
  let e = lowerBound(end, view.start, rowFirst[row], rowFirst[row + 1]);
  const rowEnd = upperBound(start, view.end, e, rowFirst[row + 1]);
  while (e < rowEnd) {
    if (list.length === list.capacity) return false;
    const at = list.length++;
    const first = e;
    if (end[first] - start[first] < cellNs) {
      const cellEnd = (Math.floor(start[first] / cellNs) + 1) * cellNs;
      e = gathered.takeCell(timeline, pyramid, row, first, rowEnd, cellEnd, cellNs);
    } else {
      gathered.takeOne(timeline, pyramid, e++);
    }
    const span = end[e - 1] - start[first];
    list.row[at] = row;
    list.first[at] = first;
    list.left[at] = (start[first] - view.start) * scale;
    list.right[at] = (end[e - 1] - view.start) * scale;
    list.event[at] = gathered.longest;
    list.count[at] = e - first;
    if (e - first > 1) list.merged++;
    list.covered[at] = span > 0 ? gathered.covered / span : 1;
    list.onPath[at] = gathered.onPath;
  }
  return true;
}

/** The rectangle of a row at a pixel, or the nearest within `reach`; −1 where there is none. */
export function rectangleAt(list: DrawList, row: number, x: number, reach = 3): number {
  let nearest = -1;
  let least = reach;
  for (let i = 0; i < list.length; i++) {
    if (list.row[i] !== row) continue;
    // What is thinner than a pixel is drawn as one.
    const right = Math.max(list.right[i], list.left[i] + 1);
    const away = x < list.left[i] ? list.left[i] - x : Math.max(0, x - right);
    if (away < least || (away === 0 && nearest === -1)) {
      nearest = i;
      least = away;
      if (away === 0) return i;
    }
  }
  return nearest;
}
