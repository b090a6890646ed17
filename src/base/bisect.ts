interface Sorted {
  readonly length: number;
  readonly [row: number]: number;
}

/** The first index whose value is ≥ `wanted`, or `length`. `values` ascending; O(log n). */
export function lowerBound(values: Sorted, wanted: number, from = 0, to = values.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first index whose value is > `wanted`, or `length`. `values` ascending; O(log n). */
export function upperBound(values: Sorted, wanted: number, from = 0, to = values.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] <= wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first index whose row's value is ≥ `wanted`, or `rows.length`: `values[rows[i]]` ascending; O(log n). */
export function lowerBoundBy(rows: Sorted, values: Sorted, wanted: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[rows[middle]] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first index whose row's value is > `wanted`, or `rows.length`: `values[rows[i]]` ascending; O(log n). */
export function upperBoundBy(rows: Sorted, values: Sorted, wanted: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[rows[middle]] <= wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Do the rows stand in order already? Rows of one value may stand in any. */
export function ascendsBy(rows: Sorted, values: Sorted): boolean {
  for (let i = 1; i < rows.length; i++) if (values[rows[i]] < values[rows[i - 1]]) return false;
  return true;
}
