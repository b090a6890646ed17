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

/** Segments, or blocks of the level below, in one block. */
const FAN_BITS = 3;

/** Of each block of 2 to the `bits` segments: its least and its greatest row, the row with most of its time, and that time in ns. */
interface PathLevel {
  readonly bits: number;
  readonly least: Int32Array;
  readonly greatest: Int32Array;
  readonly main: Int32Array;
  readonly mainNs: Float64Array;
}

/** The rows of the path, and for blocks of its segments what they run through. Rows ascend as their heights do. */
export interface PathRows {
  /** By segment: the row of its event, or of the last one before it that has an event; −1 where there is none yet. */
  readonly row: Int32Array;
  /** The finest first; whole blocks only. */
  readonly levels: readonly PathLevel[];
}

/** O(segments × levels). `rowOfSegment`: −1 where it has no event. */
export function buildPathRows(timeline: Timeline, rowOfSegment: (segment: number) => number): PathRows {
  const count = timeline.pathStart.length;
  const row = new Int32Array(count);
  for (let s = 0; s < count; s++) {
    const own = rowOfSegment(s);
    row[s] = own === -1 && s > 0 ? row[s - 1] : own;
  }
  const levels: PathLevel[] = [];
  for (let bits = FAN_BITS; 1 << bits <= count; bits += FAN_BITS) levels.push(levelOf(timeline, row, bits));
  return { row, levels };
}

function levelOf({ pathStart, pathEnd, rowFirst }: Timeline, row: Int32Array, bits: number): PathLevel {
  const blocks = row.length >> bits;
  const level = {
    bits,
    least: new Int32Array(blocks),
    greatest: new Int32Array(blocks),
    main: new Int32Array(blocks),
    mainNs: new Float64Array(blocks),
  };
  const times = new RowTimes(rowFirst.length);
  for (let block = 0, s = 0; block < blocks; block++) {
    for (const end = (block + 1) << bits; s < end; s++) {
      if (row[s] !== -1) times.add(row[s], pathEnd[s] - pathStart[s], row[s], row[s]);
    }
    [level.main[block], level.mainNs[block]] = times.most();
    [level.least[block], level.greatest[block]] = [times.least, times.greatest];
    times.clear();
  }
  return level;
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
 * A segment without an event stays on the row of the one before it. O(pixels × log segments).
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
    const level = levelAt(rows.levels, s, last, pathEnd, view.start + (here + 1) / scale);
    if (level === undefined) {
      times.add(row, pathEnd[s] - pathStart[s], row, row);
      s++;
      continue;
    }
    const block = s >> level.bits;
    times.add(level.main[block], level.mainNs[block], level.least[block], level.greatest[block]);
    s += 1 << level.bits;
  }
  flush();
  return { x, y, isDense, spread };
}

/** The level with the largest block that begins at a segment and ends before an instant; none where there is none. */
function levelAt(
  levels: readonly PathLevel[],
  segment: number,
  last: number,
  pathEnd: Float64Array,
  until: number,
): PathLevel | undefined {
  let found: PathLevel | undefined;
  for (let i = 0; i < levels.length; i++) {
    const size = 1 << levels[i].bits;
    const end = segment + size;
    if ((segment & (size - 1)) !== 0 || end > last || pathEnd[end - 1] >= until) break;
    found = levels[i];
  }
  return found;
}

/** Far beyond the edges a canvas loses its precision. */
const nearEdge = (x: number, width: number): number => Math.min(Math.max(x, -10), width + 10);
