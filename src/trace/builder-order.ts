/** Buckets of one pass of the radix sort. */
const RADIX_BITS = 12;
const RADIX = 1 << RADIX_BITS;
/** Runs of equal starts up to this length are sorted by insertion. */
const SHORT_RUN = 32;

/**
 * The row numbers in the order (start, −dur, row); `undefined` where the rows already stand so. Starts are whole numbers.
 * O(rows × bits of the span of starts / 12): no comparisons, since starts are nearly sorted in pieces but not as a whole.
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
  let order = new Int32Array(length);
  let other = new Int32Array(length);
  for (let row = 0; row < length; row++) order[row] = row;
  const count = new Int32Array(RADIX);
  for (let scale = 1; scale <= highest - lowest; scale *= RADIX) {
    count.fill(0);
    for (let row = 0; row < length; row++) count[Math.floor((start[row] - lowest) / scale) % RADIX]++;
    for (let digit = 0, sum = 0; digit < RADIX; digit++) {
      const here = count[digit];
      count[digit] = sum;
      sum += here;
    }
    for (let index = 0; index < length; index++) {
      const row = order[index];
      other[count[Math.floor((start[row] - lowest) / scale) % RADIX]++] = row;
    }
    [order, other] = [other, order];
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
