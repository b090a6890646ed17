/** Bits of one pass of the radix sort. */
const RADIX_BITS = 11;
const RADIX = 1 << RADIX_BITS;
const MASK = RADIX - 1;
/** Rows that the radix passes do not tell apart are sorted by insertion, up to so many. */
const SHORT_RUN = 32;

/**
 * The row numbers in the order (start, −dur, row); `undefined` where the rows already stand so. Starts are whole numbers.
 * Two passes by the highest 22 bits of the span and an insertion sort of what they leave: O(rows), since a file is a mixture of a
 * few sorted sequences and hardly more rows than that begin in 2⁻²² of it. Where many do, those are sorted again by themselves.
 */
export function sortRows(start: Float64Array, dur: Float64Array, length: number): Int32Array | undefined {
  if (isSorted(start, dur, length)) return undefined;
  return sortSome(start, dur, undefined, length);
}

function isSorted(start: Float64Array, dur: Float64Array, length: number): boolean {
  for (let row = 1; row < length; row++) {
    if (start[row] < start[row - 1] || (start[row] === start[row - 1] && dur[row] > dur[row - 1])) return false;
  }
  return true;
}

/** The rows `rows` (ascending), or the first `length`, in order. */
function sortSome(
  start: Float64Array,
  dur: Float64Array,
  rows: Int32Array | undefined,
  length: number,
): Int32Array<ArrayBuffer> {
  let lowest = Infinity;
  let highest = -Infinity;
  for (let index = 0; index < length; index++) {
    const value = start[rows === undefined ? index : rows[index]];
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
  }
  // A product that rounds is still monotone, and below 2^22.
  const scale = (RADIX * RADIX - 1) / Math.max(highest - lowest, 1);
  const keys = new Uint32Array(length);
  const low = new Int32Array(RADIX);
  const high = new Int32Array(RADIX);
  for (let index = 0; index < length; index++) {
    const key = keyOf(start[rows === undefined ? index : rows[index]], lowest, scale);
    keys[index] = key;
    low[key & MASK]++;
    high[key >>> RADIX_BITS]++;
  }
  toPlaces(low);
  toPlaces(high);
  const otherKeys = new Uint32Array(length);
  const otherOrder = new Int32Array(length);
  for (let index = 0; index < length; index++) {
    const key = keys[index];
    const place = low[key & MASK]++;
    otherKeys[place] = key;
    otherOrder[place] = rows === undefined ? index : rows[index];
  }
  // The first keys are done with: the order takes their place.
  const order = new Int32Array(keys.buffer);
  for (let index = 0; index < length; index++) order[high[otherKeys[index] >>> RADIX_BITS]++] = otherOrder[index];
  settle(order, start, dur, lowest, scale);
  return order;
}

const keyOf = (start: number, lowest: number, scale: number): number => ((start - lowest) * scale) >>> 0;

function toPlaces(count: Int32Array): void {
  for (let digit = 0, sum = 0; digit < RADIX; digit++) {
    const here = count[digit];
    count[digit] = sum;
    sum += here;
  }
}

/** Sorts the rows of each key. */
function settle(order: Int32Array, start: Float64Array, dur: Float64Array, lowest: number, scale: number): void {
  const { length } = order;
  let from = 0;
  let key = -1;
  for (let index = 0; index < length; index++) {
    const next = keyOf(start[order[index]], lowest, scale);
    if (next === key) continue;
    if (index - from > 1) sortRun(order, start, dur, from, index);
    from = index;
    key = next;
  }
  if (length - from > 1) sortRun(order, start, dur, from, length);
}

/** Rows of one key, in the order of the file. */
function sortRun(order: Int32Array, start: Float64Array, dur: Float64Array, from: number, to: number): void {
  if (to - from <= SHORT_RUN) {
    sortByInsertion(order, start, dur, from, to);
    return;
  }
  const run = order.subarray(from, to);
  const first = start[run[0]];
  if (run.some((row) => start[row] !== first)) run.set(sortSome(start, dur, run.slice(), run.length));
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
