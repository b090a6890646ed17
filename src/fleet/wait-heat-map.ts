// Rank × call of waits, small enough to draw: neighbours are merged where there are too many.
import type { WaitHeat } from './wait-totals.ts';

/** Neighbours that are one row or column, by their place in the list. */
export interface HeatBlock {
  readonly first: number;
  readonly last: number;
}

export interface HeatRow extends HeatBlock {
  /** How many it stands for; between its first and last, some may be missing. */
  readonly ranks: number;
  /** The longest wait in it, whole ns, its rank and its call; absent where none of its ranks is in a call. */
  readonly longest?: { readonly waitNs: number; readonly rank: number; readonly call: number };
}

/** All ranks and all matched calls, in their order. */
export interface WaitHeatMap {
  /** `first` and `last` are ranks. */
  readonly rows: readonly HeatRow[];
  /** `first` and `last` count calls from 0, in order of time. */
  readonly columns: readonly HeatBlock[];
  /** By row, then column: the longest wait of any of its ranks in any of its calls, whole ns; −1 where none is in one. */
  readonly longestNs: readonly (readonly number[])[];
}

const MOST_ROWS = 64;
const MOST_COLUMNS = 200;

/** O(ranks × calls). The longest is kept, not the mean: one long wait among many short ones is what one looks for. */
export function heatMapOf({ ranks, meetings, waitNs }: WaitHeat): WaitHeatMap {
  const columns = blocksOf(meetings.length, MOST_COLUMNS);
  const places = blocksOf(ranks.length, MOST_ROWS);
  const longestNs = places.map(() => columns.map(() => -1));
  const rows = places.map(({ first, last }, y): HeatRow => {
    let longest: HeatRow['longest'];
    for (let place = first; place <= last; place++) {
      columns.forEach((column, x) => {
        for (let call = column.first; call <= column.last; call++) {
          // NaN, where the rank is not in the call, is above nothing.
          const ns = Math.round(waitNs[place * meetings.length + call]);
          if (ns > longestNs[y][x]) longestNs[y][x] = ns;
          if (ns > (longest?.waitNs ?? -1)) longest = { waitNs: ns, rank: ranks[place], call };
        }
      });
    }
    const count = last - first + 1;
    return { first: ranks[first], last: ranks[last], ranks: count, ...(longest === undefined ? {} : { longest }) };
  });
  return { rows, columns, longestNs };
}

/** As few neighbours in each as leave at most `most` blocks. */
function blocksOf(count: number, most: number): HeatBlock[] {
  const size = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / size) }, (_, block) => ({
    first: block * size,
    last: Math.min((block + 1) * size, count) - 1,
  }));
}
