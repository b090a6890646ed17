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

/** Segments in a block. */
const BLOCK = 32;

/** The rows of the path, and for blocks of its segments what they run through. Rows ascend as their heights do. */
export interface PathRows {
  /** By segment: the row of its event, or of the last one before it that has an event; −1 where there is none yet. */
  readonly row: Int32Array;
  /** By block: its least and its greatest row, the row with most of its time, and that time in ns. */
  readonly least: Int32Array;
  readonly greatest: Int32Array;
  readonly main: Int32Array;
  readonly mainNs: Float64Array;
}

/** O(segments). `rowOfSegment`: −1 where it has no event. */
export function buildPathRows(
  { pathStart, pathEnd, rowFirst }: Timeline,
  rowOfSegment: (segment: number) => number,
): PathRows {
  const count = pathStart.length;
  const row = new Int32Array(count);
  const blocks = Math.ceil(count / BLOCK);
  const [least, greatest, main] = [new Int32Array(blocks), new Int32Array(blocks), new Int32Array(blocks)];
  const mainNs = new Float64Array(blocks);
  const times = new RowTimes(rowFirst.length);
  for (let s = 0; s < count; s++) {
    const own = rowOfSegment(s);
    row[s] = own === -1 && s > 0 ? row[s - 1] : own;
    if (row[s] !== -1) times.add(row[s], pathEnd[s] - pathStart[s], row[s], row[s]);
    if (s % BLOCK !== BLOCK - 1 && s !== count - 1) continue;
    const block = Math.floor(s / BLOCK);
    [main[block], mainNs[block]] = times.most();
    [least[block], greatest[block]] = [times.least, times.greatest];
    times.clear();
  }
  return { row, least, greatest, main, mainNs };
}

/** How long the path was on each row, for one pixel or one block after the other. */
class RowTimes {
  readonly #ns: Float64Array;
  readonly #rows: number[] = [];
  least = -1;
  greatest = -1;

  constructor(rows: number) {
    this.#ns = new Float64Array(rows).fill(-1);
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }
  get count(): number {
    return this.#rows.length;
  }

  add(row: number, ns: number, least: number, greatest: number): void {
    if (this.isEmpty) [this.least, this.greatest] = [least, greatest];
    if (least < this.least) this.least = least;
    if (greatest > this.greatest) this.greatest = greatest;
    if (this.#ns[row] === -1) {
      this.#rows.push(row);
      this.#ns[row] = 0;
    }
    this.#ns[row] += ns;
  }

  /** The row with most of the time; −1 without any. */
  most(): [row: number, ns: number] {
    let [most, mostNs] = [-1, -1];
    for (const row of this.#rows) if (this.#ns[row] > mostNs) [most, mostNs] = [row, this.#ns[row]];
    return [most, mostNs];
  }

  clear(): void {
    for (const row of this.#rows) this.#ns[row] = -1;
    this.#rows.length = 0;
    this.least = -1;
    this.greatest = -1;
  }
}

/**
 * The path as one line: along the row of each segment's event, and straight to the next one's row where the next one begins. Segments
 * narrower than a pixel are one corner, on the row with most of their time, so that a frame has some three corners a pixel at most.
 * A segment without an event stays on the row of the one before it. O(pixels × 64 + segments in view / 32).
 */
export function pathLine(
  { pathStart, pathEnd, rowFirst }: Timeline,
  rows: PathRows,
  /** The height of a row, in pixels. */
  heightOf: (row: number) => number,
  view: View,
  width: number,
): PathLine {
  const [x, y, isDense]: [number[], number[], boolean[]] = [[], [], []];
  const spread: { x: number; top: number; bottom: number }[] = [];
  const scale = width / (view.end - view.start);
  const first = Math.max(0, lowerBound(pathEnd, view.start) - 1);
  const last = Math.min(pathStart.length, upperBound(pathStart, view.end) + 1);
  const times = new RowTimes(rowFirst.length);
  let column = NaN;
  const add = (atX: number, row: number, dense: boolean): void => {
    x.push(atX);
    y.push(heightOf(row));
    isDense.push(dense);
  };
  const flush = (): void => {
    if (times.isEmpty) return;
    add(column, times.most()[0], times.greatest > times.least && times.count > 2);
    const [top, bottom] = [heightOf(times.least), heightOf(times.greatest)];
    if (bottom > top) spread.push({ x: column, top, bottom });
    times.clear();
    column = NaN;
  };
  for (let s = first; s < last;) {
    const row = rows.row[s];
    const left = (pathStart[s] - view.start) * scale;
    if (row === -1) {
      s++;
      continue;
    }
    const right = (pathEnd[s] - view.start) * scale;
    if (right - left >= 1) {
      flush();
      add(nearEdge(left, width), row, false);
      add(nearEdge(right, width), row, false);
      s++;
      continue;
    }
    const here = Math.floor(left);
    if (here !== column) flush();
    column = here;
    const block = s / BLOCK;
    const blockEnd = s + BLOCK - 1;
    if (s % BLOCK === 0 && blockEnd < last && (pathEnd[blockEnd] - view.start) * scale < here + 1) {
      times.add(rows.main[block], rows.mainNs[block], rows.least[block], rows.greatest[block]);
      s += BLOCK;
    } else {
      times.add(row, pathEnd[s] - pathStart[s], row, row);
      s++;
    }
  }
  flush();
  return { x, y, isDense, spread };
}

/** Far beyond the edges a canvas loses its precision. */
const nearEdge = (x: number, width: number): number => Math.min(Math.max(x, -10), width + 10);
