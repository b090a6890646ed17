/** Beyond so many insertions and deletions two lists are too different to be aligned: only their common ends are. */
const MOST_DIFFERENCES = 1_500;

/**
 * By place in `a`: the place in `b` that stands for it, or −1: ascending, and as many as can be (Myers). O((n + m) × differences).
 */
export function align(a: readonly number[], b: readonly number[]): Int32Array {
  const matched = new Int32Array(a.length).fill(-1);
  let begin = 0;
  while (begin < a.length && begin < b.length && a[begin] === b[begin]) matched[begin] = begin++;
  let [endA, endB] = [a.length, b.length];
  while (endA > begin && endB > begin && a[endA - 1] === b[endB - 1]) matched[--endA] = --endB;
  const [n, m] = [endA - begin, endB - begin];
  if (n === 0 || m === 0) return matched;
  const most = Math.min(n + m, MOST_DIFFERENCES);
  const reach = new Int32Array(2 * most + 3);
  const history: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    history.push(reach.slice());
    for (let k = -d; k <= d; k += 2) {
      const at = k + most + 1;
      let x = k === -d || (k !== d && reach[at - 1] < reach[at + 1]) ? reach[at + 1] : reach[at - 1] + 1;
      while (x < n && x - k < m && x - k >= 0 && a[begin + x] === b[begin + x - k]) x++;
      reach[at] = x;
      if (x >= n && x - k >= m) {
        traceBack(history, most, n, m, d, (x0, y0) => {
          matched[begin + x0] = begin + y0;
        });
        return matched;
      }
    }
  }
  return matched;
}

function traceBack(
  history: readonly Int32Array[],
  most: number,
  n: number,
  m: number,
  differences: number,
  match: (x: number, y: number) => void,
): void {
  let [x, y] = [n, m];
  for (let d = differences; d >= 0; d--) {
    const reach = history[d];
    const k = x - y;
    const at = k + most + 1;
    const before = k === -d || (k !== d && reach[at - 1] < reach[at + 1]) ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : reach[before + most + 1];
    const fromY = d === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) match(--x, --y);
    [x, y] = [fromX, fromY];
  }
}
