/** Buckets of one pass of the radix sort. */
const RADIX_BITS = 11;
const RADIX = 1 << RADIX_BITS;
const WORD = 2 ** 32;
/** Runs of equal starts up to this length are sorted by insertion. */
const SHORT_RUN = 32;

/**
 * The row numbers in the order (start, −dur, row); `undefined` where the rows already stand so. Starts are whole numbers.
 * O(rows × bits of the span of starts / 11): no comparisons, since starts are nearly sorted in pieces but not as a whole.
 */
export function sortRows(start: Float64Array, dur: Float64Array, length: number): Int32Array | undefined {
  if (isSorted(start, dur, length)) return undefined;
  const order = sortByStart(start, length);
  for (let from = 0; from < length;) {
    let to = from + 1;
    while (to < length && start[order[to]] === start[order[from]]) to++;
    if (to - from > 1) sortRun(order, dur, from, to);
    from = to;
  }
  return order;
}

function isSorted(start: Float64Array, dur: Float64Array, length: number): boolean {
  for (let row = 1; row < length; row++) {
    if (start[row] < start[row - 1] || (start[row] === start[row - 1] && dur[row] > dur[row - 1])) return false;
  }
  return true;
}

function sortByStart(start: Float64Array, length: number): Int32Array {
  let lowest = Infinity;
  let highest = -Infinity;
  for (let row = 0; row < length; row++) {
    if (start[row] < lowest) lowest = start[row];
    if (start[row] > highest) highest = start[row];
  }
  const order = new Int32Array(length);
  for (let row = 0; row < length; row++) order[row] = row;
  const keys = new Uint32Array(length);
  const span = highest - lowest;
  for (let row = 0; row < length; row++) keys[row] = (start[row] - lowest) % WORD;
  const sorted = sortByKeys(keys, order, Math.min(span, WORD - 1));
  if (span < WORD) return sorted;
  for (let index = 0; index < length; index++) keys[index] = Math.floor((start[sorted[index]] - lowest) / WORD);
  return sortByKeys(keys, sorted, Math.floor(span / WORD));
}

/** `order` sorted by `keys` (of the same index), which are at most `highest`; equal keys keep their order. Both arrays are used up. */
function sortByKeys(
  keys: Uint32Array<ArrayBuffer>,
  order: Int32Array<ArrayBuffer>,
  highest: number,
): Int32Array<ArrayBuffer> {
  const { length } = keys;
  const count = new Int32Array(RADIX);
  let otherKeys = new Uint32Array(length);
  let otherOrder = new Int32Array(length);
  for (let shift = 0; shift < 32 && highest >>> shift > 0; shift += RADIX_BITS) {
    count.fill(0);
    for (let index = 0; index < length; index++) count[(keys[index] >>> shift) & (RADIX - 1)]++;
    for (let digit = 0, sum = 0; digit < RADIX; digit++) {
      const here = count[digit];
      count[digit] = sum;
      sum += here;
    }
    for (let index = 0; index < length; index++) {
      const key = keys[index];
      const place = count[(key >>> shift) & (RADIX - 1)]++;
      otherKeys[place] = key;
      otherOrder[place] = order[index];
    }
    [keys, otherKeys] = [otherKeys, keys];
    [order, otherOrder] = [otherOrder, order];
  }
  return order;
}

/** Rows of one start: the longest first, ties in the order of the file. */
function sortRun(order: Int32Array, dur: Float64Array, from: number, to: number): void {
  if (to - from > SHORT_RUN) {
    order.subarray(from, to).sort((a, b) => dur[b] - dur[a] || a - b);
    return;
  }
  for (let index = from + 1; index < to; index++) {
    const row = order[index];
    let place = index;
    for (; place > from && dur[order[place - 1]] < dur[row]; place--) order[place] = order[place - 1];
    order[place] = row;
  }
}
