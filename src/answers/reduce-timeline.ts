import { mergePath } from './merge-path.ts';
import type { Timeline } from '../protocol/timeline.ts';

/** The name of what was merged. */
export const MERGED_NAME = 'smaller events, merged';
/** Cells grow by this. */
const COARSER = 2;
const FINEST_NS = 16;

export interface Reduction {
  readonly timeline: Timeline;
  /** Events that are merged with their neighbours. */
  readonly merged: number;
  /** Segments of the path that are. */
  readonly mergedSegments: number;
  /** All of them took less than this. */
  readonly cellNs: number;
}

/**
 * The timeline with so few items (events, path segments and steps of counters) that they probably fit into `mostItems`. Events that take a
 * cell or more stay what they are; shorter ones that begin in one cell of a row become one item. Events of the path stay too, and only
 * where there is no room for them either, the path's own short segments are merged as well. Nothing is left out. `kept`: positions of further
 * events that stay. O(events × log).
 */
export function reduceTimeline(
  timeline: Timeline,
  mostItems: number,
  kept: ReadonlySet<number> = new Set(),
): Reduction {
  const span = Math.max(1, timeline.endNs - timeline.startNs);
  const whole = { cellNs: 0, path: timeline, own: ownEvents(timeline, timeline, kept) };
  if (costOf(timeline, whole) <= mostItems) return reduceTo(timeline, whole);
  const least = timeline.pathStart.length + whole.own.reduce((sum, each) => sum + each, 0);
  for (let cellNs = FINEST_NS; cellNs < span && least <= mostItems; cellNs *= COARSER) {
    if (costOf(timeline, { ...whole, cellNs }) <= mostItems) return reduceTo(timeline, { ...whole, cellNs });
  }
  for (let cellNs = FINEST_NS; ; cellNs *= COARSER) {
    const path = mergePath(timeline, cellNs);
    const grid = { cellNs, path, own: ownEvents(timeline, path, kept) };
    if (cellNs >= span || costOf(timeline, grid) <= mostItems) return reduceTo(timeline, grid);
  }
}

/** How a timeline is reduced. */
interface Grid {
  readonly cellNs: number;
  readonly path: PathColumns;
  /** By event: 1 where a segment of that path names it, or where it is kept anyway. */
  readonly own: Uint8Array;
}

type PathColumns = Pick<Timeline, 'pathStart' | 'pathEnd' | 'pathPosition' | 'pathKind' | 'pathBoundBy' | 'pathCount'>;

function ownEvents({ position }: Timeline, { pathPosition }: PathColumns, kept: ReadonlySet<number>): Uint8Array {
  const wanted = new Set(pathPosition);
  for (const each of kept) wanted.add(each);
  return Uint8Array.from(position, (each) => (wanted.has(each) ? 1 : 0));
}

const costOf = (timeline: Timeline, { cellNs, path, own }: Grid): number =>
  countItems(timeline, own, cellNs) +
  path.pathStart.length +
  (cellNs === 0 ? timeline.counterTime : reduceCounters(timeline, cellNs).counterTime).length;

/** How many events from `e` on are one item. */
function itemLength({ start, end }: Timeline, own: Uint8Array, e: number, rowEnd: number, cellNs: number): number {
  if (cellNs === 0 || isOwn(e)) return 1;
  const cell = Math.floor(start[e] / cellNs);
  let next = e + 1;
  while (next < rowEnd && !isOwn(next) && Math.floor(start[next] / cellNs) === cell) next++;
  return next - e;

  function isOwn(event: number): boolean {
    return own[event] === 1 || end[event] - start[event] >= cellNs;
  }
}

function countItems(timeline: Timeline, own: Uint8Array, cellNs: number): number {
  const { rowFirst } = timeline;
  let items = 0;
  for (let row = 0; row + 1 < rowFirst.length; row++) {
    for (let e = rowFirst[row]; e < rowFirst[row + 1]; items++) {
      e += itemLength(timeline, own, e, rowFirst[row + 1], cellNs);
    }
  }
  return items;
}

function reduceTo(timeline: Timeline, { cellNs, path, own }: Grid): Reduction {
  const mergedSegments = path.pathCount.reduce((sum, count) => sum + (count > 1 ? count : 0), 0);
  const items = countItems(timeline, own, cellNs);
  if (cellNs === 0) return { timeline, merged: 0, mergedSegments, cellNs };
  const { rowFirst, start, end, position, kind } = timeline;
  const names = new Names(timeline.names);
  const columns = {
    rowFirst: new Int32Array(rowFirst.length),
    start: new Float64Array(items),
    end: new Float64Array(items),
    name: new Int32Array(items),
    position: new Int32Array(items),
    kind: new Uint8Array(items),
    count: new Int32Array(items),
    covered: new Float64Array(items),
  };
  let at = 0;
  for (let row = 0; row + 1 < rowFirst.length; row++) {
    columns.rowFirst[row] = at;
    for (let e = rowFirst[row]; e < rowFirst[row + 1]; at++) {
      const count = itemLength(timeline, own, e, rowFirst[row + 1], cellNs);
      let longest = e;
      for (let each = e; each < e + count; each++) {
        columns.covered[at] += end[each] - start[each];
        if (end[each] - start[each] > end[longest] - start[longest]) longest = each;
      }
      columns.start[at] = start[e];
      columns.end[at] = end[e + count - 1];
      columns.kind[at] = kind[longest];
      columns.count[at] = count;
      columns.position[at] = count === 1 ? position[e] : -1;
      columns.name[at] = count === 1 ? names.of(timeline.name[e]) : names.ofMerged();
      e += count;
    }
  }
  columns.rowFirst[rowFirst.length - 1] = at;
  const merged = columns.count.reduce((sum, count) => sum + (count > 1 ? count : 0), 0);
  const counters = reduceCounters(timeline, cellNs);
  const { pathStart, pathEnd, pathPosition, pathKind, pathBoundBy, pathCount } = path;
  const reduced = { ...timeline, ...columns, ...counters, names: names.list };
  return {
    timeline: { ...reduced, pathStart, pathEnd, pathPosition, pathKind, pathBoundBy, pathCount },
    merged,
    mergedSegments,
    cellNs,
  };
}

/** Names that are still used. */
class Names {
  readonly list: string[] = [];
  readonly #all: readonly string[];
  readonly #of: Int32Array;
  #merged = -1;

  constructor(all: readonly string[]) {
    this.#all = all;
    this.#of = new Int32Array(all.length).fill(-1);
  }

  of(name: number): number {
    if (this.#of[name] === -1) this.#of[name] = this.list.push(this.#all[name]) - 1;
    return this.#of[name];
  }

  ofMerged(): number {
    if (this.#merged === -1) this.#merged = this.list.push(MERGED_NAME) - 1;
    return this.#merged;
  }
}

/** Of the steps in one cell two remain: the largest value from the first of them on, and the last one. */
function reduceCounters({ counterFirst, counterTime, counterValue }: Timeline, cellNs: number) {
  const [time, value]: [number[], number[]] = [[], []];
  const first = [0];
  for (let c = 0; c + 1 < counterFirst.length; c++) {
    for (let i = counterFirst[c]; i < counterFirst[c + 1];) {
      const cell = Math.floor(counterTime[i] / cellNs);
      const from = i;
      let most = counterValue[i];
      while (i < counterFirst[c + 1] && Math.floor(counterTime[i] / cellNs) === cell) {
        most = Math.max(most, counterValue[i++]);
      }
      time.push(counterTime[from]);
      value.push(most);
      if (i - 1 === from) continue;
      time.push(counterTime[i - 1]);
      value.push(counterValue[i - 1]);
    }
    first.push(time.length);
  }
  return {
    counterFirst: Int32Array.from(first),
    counterTime: Float64Array.from(time),
    counterValue: Float64Array.from(value),
  };
}
