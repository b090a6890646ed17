/** What a span of time and some lanes hold: sums that are cut at the span's borders. */
import { lowerBound } from '../../base/bisect.ts';
import { EVENT_KINDS, type EventKind, type Timeline, countOf, coveredOf } from '../../protocol/timeline.ts';

export interface Area {
  readonly start: number;
  readonly end: number;
  /** Ids of lanes; absent: all that are shown. */
  readonly lanes?: readonly string[];
}

/** Time in ns within the area, each event on its own: what is nested counts in each. */
export interface AreaSum {
  readonly count: number;
  readonly totalNs: number;
  /** The event with most time in the area; −1 where all are merged with others. */
  readonly longest: number;
}

export interface AreaSums {
  readonly count: number;
  /** Most time first. `name`: its place in the timeline's names. */
  readonly names: readonly (AreaSum & { readonly name: number; readonly kind: EventKind })[];
  readonly kinds: readonly (AreaSum & { readonly kind: EventKind })[];
  /** `busyNs`: when at least one of its events ran. */
  readonly lanes: readonly (AreaSum & { readonly lane: number; readonly busyNs: number })[];
}

/** O(events in the area + names × kinds). `lanes`: places in `timeline.lanes`. */
export function sumArea(timeline: Timeline, { start: from, end: to }: Area, lanes: readonly number[]): AreaSums {
  const { rowFirst, start, end, name, kind, count } = timeline;
  const kinds = EVENT_KINDS.length;
  const byName = new Sums(timeline.names.length * kinds);
  const byKind = new Sums(kinds);
  const byLane = new Sums(timeline.lanes.length);
  const busy = new Float64Array(timeline.lanes.length);
  for (const lane of lanes) {
    const { firstRow, rows } = timeline.lanes[lane];
    for (let row = firstRow; row < firstRow + rows; row++) {
      const rowEnd = rowFirst[row + 1];
      // Events of a row do not overlap, so that their ends ascend too.
      for (let e = lowerBound(end, from, rowFirst[row], rowEnd); e < rowEnd && start[e] <= to; e++) {
        const ns = Math.min(end[e], to) - Math.max(start[e], from);
        // What only touches the border has no part in it; what has no length has, between the borders.
        if (ns <= 0 && (start[e] !== end[e] || start[e] === to)) continue;
        // Of what is merged, as much as it covers.
        const covered = count.length === 0 ? ns : (ns * coveredOf(timeline, e)) / Math.max(1, end[e] - start[e]);
        byName.add(name[e] * kinds + kind[e], covered, e, countOf(timeline, e));
        byKind.add(kind[e], covered, e, countOf(timeline, e));
        byLane.add(lane, covered, e, countOf(timeline, e));
        // What holds others is in the first row.
        if (row === firstRow) busy[lane] += covered;
      }
    }
  }
  return {
    count: byKind.count.reduce((sum, each) => sum + each, 0),
    names: byName.list((key) => ({ name: Math.floor(key / kinds), kind: EVENT_KINDS[key % kinds] })),
    kinds: byKind.list((key) => ({ kind: EVENT_KINDS[key] })),
    lanes: byLane.list((lane) => ({ lane, busyNs: busy[lane] })),
  };
}

class Sums {
  readonly count: Int32Array;
  readonly #total: Float64Array;
  readonly #most: Float64Array;
  readonly #longest: Int32Array;

  constructor(keys: number) {
    this.count = new Int32Array(keys);
    this.#total = new Float64Array(keys);
    this.#most = new Float64Array(keys).fill(-1);
    this.#longest = new Int32Array(keys).fill(-1);
  }

  add(key: number, ns: number, event: number, count: number): void {
    this.count[key] += count;
    this.#total[key] += ns;
    if (count > 1 || ns <= this.#most[key]) return;
    this.#most[key] = ns;
    this.#longest[key] = event;
  }

  list<Key>(keyOf: (key: number) => Key): (AreaSum & Key)[] {
    const keys: number[] = [];
    this.count.forEach((count, key) => count > 0 && keys.push(key));
    keys.sort((a, b) => this.#total[b] - this.#total[a] || this.count[b] - this.count[a] || a - b);
    return keys.map((key) => ({
      ...keyOf(key),
      count: this.count[key],
      totalNs: this.#total[key],
      longest: this.#longest[key],
    }));
  }
}
