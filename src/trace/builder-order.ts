/** Buckets of the sort at most: 64 MB of counts. */
const MOST_BUCKETS = 1 << 24;
/** Rows of one bucket are sorted by insertion, up to so many. */
const SHORT_RUN = 32;

/**
 * The row numbers in the order (start, −dur, row); `undefined` where the rows already stand so. Starts are whole numbers.
 * One pass into about as many buckets as there are rows, and an insertion sort of each. A file is a mixture of a few sorted sequences, so
 * that both the buckets and the rows are met nearly one after the other. Where many rows share a bucket, those are sorted again by themselves.
 * O(rows), more only where starts lie in clusters within clusters.
 */
export function sortRows(start: Float64Array, dur: Float64Array, length: number, span: Span): Int32Array | undefined {
  if (isSorted(start, dur, length)) return undefined;
  return sortSome(start, dur, undefined, length, span);
}

/** The least and the greatest start. */
export interface Span {
  readonly lowest: number;
  readonly highest: number;
}

function isSorted(start: Float64Array, dur: Float64Array, length: number): boolean {
  for (let row = 1; row < length; row++) {
    if (start[row] < start[row - 1] || (start[row] === start[row - 1] && dur[row] > dur[row - 1])) return false;
  }
  return true;
}

/** The rows `rows` (ascending), or the first `length`, in order. Their starts lie in the span. */
function sortSome(
  start: Float64Array,
  dur: Float64Array,
  rows: Int32Array | undefined,
  length: number,
  { lowest, highest }: Span,
): Int32Array<ArrayBuffer> {
  const buckets = Math.min(MOST_BUCKETS, 2 ** Math.ceil(Math.log2(Math.max(length, 2))));
  // A product that rounds is still monotone, and below `buckets`.
  const scale = (buckets - 1) / Math.max(highest - lowest, 1);
  const place = new Int32Array(buckets);
  for (let index = 0; index < length; index++) {
    place[keyOf(start[rows === undefined ? index : rows[index]], lowest, scale)]++;
  }
  for (let key = 0, sum = 0; key < buckets; key++) {
    const here = place[key];
    place[key] = sum;
    sum += here;
  }
  const order = new Int32Array(length);
  for (let index = 0; index < length; index++) {
    const row = rows === undefined ? index : rows[index];
    order[place[keyOf(start[row], lowest, scale)]++] = row;
  }
  settle(order, start, dur, place);
  return order;
}

const keyOf = (start: number, lowest: number, scale: number): number => ((start - lowest) * scale) >>> 0;

/** Sorts the rows of each bucket; `ends`: where it ends. */
function settle(order: Int32Array, start: Float64Array, dur: Float64Array, ends: Int32Array): void {
  let from = 0;
  for (let key = 0; key < ends.length; key++) {
    const to = ends[key];
    if (to - from > 1) sortRun(order, start, dur, from, to);
    from = to;
  }
}

/** Rows of one bucket, in the order of the file. */
function sortRun(order: Int32Array, start: Float64Array, dur: Float64Array, from: number, to: number): void {
  if (to - from <= SHORT_RUN) {
    sortByInsertion(order, start, dur, from, to);
    return;
  }
  const run = order.subarray(from, to);
  let lowest = Infinity;
  let highest = -Infinity;
  for (const row of run) {
    if (start[row] < lowest) lowest = start[row];
    if (start[row] > highest) highest = start[row];
  }
  if (lowest < highest) run.set(sortSome(start, dur, run.slice(), run.length, { lowest, highest }));
  else run.sort((a, b) => dur[b] - dur[a] || a - b);
}

function sortByInsertion(order: Int32Array, start: Float64Array, dur: Float64Array, from: number, to: number): void {
  for (let index = from + 1; index < to; index++) {
    const row = order[index];
    const begin = start[row];
    const length = dur[row];
    let place = index;
    for (; place > from; place--) {
      const other = order[place - 1];
      const isBehind = start[other] > begin || (start[other] === begin && dur[other] < length);
      if (!isBehind) break;
      order[place] = other;
    }
    order[place] = row;
  }
}
