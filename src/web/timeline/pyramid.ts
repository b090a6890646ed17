import { type Timeline, coveredOf } from '../../protocol/timeline.ts';

/** Events, or blocks of the level below, in one block. */
const FAN_BITS = 4;
const FAN = 1 << FAN_BITS;

/**
 * Blocks of 16, 256, … events of a row, by their place in it. What a frame asks of a block lies here, so that it does not reach for the
 * events: those are many, and far apart in memory. Times in ns.
 */
interface Level {
  /** Events of the row in one block: a power of two, 2 to the `bits`. */
  readonly size: number;
  readonly bits: number;
  /** From its first event's start to its last one's end. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** The longest event, and how long that is. */
  readonly longest: Int32Array;
  readonly longestNs: Float64Array;
  /** The longest event that is on the path, or −1. */
  readonly onPath: Int32Array;
  readonly onPathNs: Float64Array;
  /** The lengths of its events together: events of a row do not overlap, so this is what they cover. */
  readonly covered: Float64Array;
}

/** By row: its levels, the finest first. */
export interface Pyramid {
  readonly rows: readonly (readonly Level[])[];
  /** By event: 1 where the path runs through it. */
  readonly onPath: Uint8Array;
}

/** What lies under a pixel can be told without looking at each event of it. O(events), and a seventh of their memory. */
export function buildPyramid(timeline: Timeline, onPath: Uint8Array): Pyramid {
  const { rowFirst } = timeline;
  const rows: Level[][] = [];
  for (let row = 0; row + 1 < rowFirst.length; row++) {
    rows.push(levelsOf(timeline, onPath, rowFirst[row], rowFirst[row + 1] - rowFirst[row]));
  }
  return { rows, onPath };
}

function levelsOf(timeline: Timeline, onPath: Uint8Array, first: number, count: number): Level[] {
  const levels: Level[] = [];
  for (let bits = FAN_BITS; 1 << bits <= count; bits += FAN_BITS) {
    const level = emptyLevel(bits, Math.ceil(count / (1 << bits)));
    const below = levels.at(-1);
    if (below === undefined) addEvents(level, timeline, onPath, first, count);
    else addBlocks(level, below);
    levels.push(level);
  }
  return levels;
}

function emptyLevel(bits: number, blocks: number): Level {
  return {
    size: 1 << bits,
    bits,
    start: new Float64Array(blocks),
    end: new Float64Array(blocks),
    longest: new Int32Array(blocks),
    longestNs: new Float64Array(blocks).fill(-1),
    onPath: new Int32Array(blocks).fill(-1),
    onPathNs: new Float64Array(blocks).fill(-1),
    covered: new Float64Array(blocks),
  };
}

function addEvents(level: Level, timeline: Timeline, onPath: Uint8Array, first: number, count: number): void {
  const { start, end } = timeline;
  for (let at = 0; at < count; at++) {
    const [block, e] = [at >> FAN_BITS, first + at];
    const ns = end[e] - start[e];
    if ((at & (FAN - 1)) === 0) level.start[block] = start[e];
    level.end[block] = end[e];
    level.covered[block] += coveredOf(timeline, e);
    if (ns > level.longestNs[block]) {
      level.longestNs[block] = ns;
      level.longest[block] = e;
    }
    if (onPath[e] === 1 && ns > level.onPathNs[block]) {
      level.onPathNs[block] = ns;
      level.onPath[block] = e;
    }
  }
}

function addBlocks(level: Level, below: Level): void {
  for (let part = 0; part < below.longest.length; part++) {
    const block = part >> FAN_BITS;
    if ((part & (FAN - 1)) === 0) level.start[block] = below.start[part];
    level.end[block] = below.end[part];
    level.covered[block] += below.covered[part];
    if (below.longestNs[part] > level.longestNs[block]) {
      level.longestNs[block] = below.longestNs[part];
      level.longest[block] = below.longest[part];
    }
    if (below.onPathNs[part] > level.onPathNs[block]) {
      level.onPathNs[block] = below.onPathNs[part];
      level.onPath[block] = below.onPath[part];
    }
  }
}

/** What events of a row are together. Used again and again, so that a frame makes no objects. */
export class Gathered {
  longest = -1;
  /** The longest that is on the path, or −1. */
  onPath = -1;
  /** In ns. */
  covered = 0;

  /** One event. */
  takeOne(timeline: Timeline, pyramid: Pyramid, e: number): void {
    this.longest = e;
    this.onPath = pyramid.onPath[e] === 1 ? e : -1;
    this.covered = coveredOf(timeline, e);
  }

  /**
   * An event and those behind it that begin before `cellEnd` and are shorter than `cellNs`; not beyond the event `rowEnd`. Returns the
   * first event that is not taken. Blocks are taken whole where they are shorter than a cell, so that the last one may reach that far
   * beyond it. O(log events).
   */
  takeCell(
    timeline: Timeline,
    { rows, onPath }: Pyramid,
    row: number,
    from: number,
    rowEnd: number,
    cellEnd: number,
    cellNs: number,
  ): number {
    const { start, end, rowFirst } = timeline;
    const levels = rows[row];
    const first = rowFirst[row];
    let [longest, longestNs, path, pathNs, covered] = [-1, -1, -1, -1, 0];
    let e = from;
    while (e < rowEnd) {
      const at = e - first;
      const level = levelAt(levels, at, rowEnd - first, cellNs);
      if (level === undefined) {
        const ns = end[e] - start[e];
        if (e > from && (start[e] >= cellEnd || ns >= cellNs)) break;
        covered += coveredOf(timeline, e);
        if (ns > longestNs) [longest, longestNs] = [e, ns];
        if (onPath[e] === 1 && ns > pathNs) [path, pathNs] = [e, ns];
        e++;
        continue;
      }
      const block = at >> level.bits;
      if (e > from && level.start[block] >= cellEnd) break;
      covered += level.covered[block];
      if (level.longestNs[block] > longestNs) [longest, longestNs] = [level.longest[block], level.longestNs[block]];
      if (level.onPathNs[block] > pathNs) [path, pathNs] = [level.onPath[block], level.onPathNs[block]];
      e += level.size;
    }
    this.longest = longest;
    this.onPath = path;
    this.covered = covered;
    return e;
  }
}

/** The level with the largest block that begins at a place of the row, ends before another and is short; none where there is none. */
function levelAt(levels: readonly Level[], at: number, to: number, shortNs: number): Level | undefined {
  if ((at & (FAN - 1)) !== 0) return undefined;
  let found: Level | undefined;
  for (let i = 0; i < levels.length; i++) {
    const level = levels[i];
    if ((at & (level.size - 1)) !== 0 || at + level.size > to) break;
    const block = at >> level.bits;
    if (level.end[block] - level.start[block] >= shortNs) break;
    found = level;
  }
  return found;
}
