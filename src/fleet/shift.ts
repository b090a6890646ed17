/** A pair of calls that may be one: by their places in two lists. */
export interface Shift {
  /** The ith of the first list meets the (i + shift)th of the second. */
  readonly shift: number;
  /** By how much the differences of their ends vary, ns. */
  readonly spreadNs: number;
}

/** No clock of a computer runs so much faster than another. */
export const MOST_DRIFT = 2e-4;
/** Times of early traces are whole µs, so that no smaller spread says anything. */
export const RESOLUTION_NS = 1_000;
/** The second best shift has to be so much worse. */
export const CLEARLY = 3;
/** Windows of ranks rarely differ by more calls of one kind. */
const MOST_SHIFT = 64;

/**
 * Two ranks' calls of one kind, in order, of which either may lack some at its begin or end: the shift at which the differences of their ends vary
 * least, whatever the clocks' offset and (up to 200 ppm) drift. `undefined` where another shift is not three times worse. Needs three calls
 * on each side. O(n × shifts).
 */
export function bestShift(first: ArrayLike<number>, second: ArrayLike<number>): Shift | undefined {
  const shorter = Math.min(first.length, second.length);
  if (shorter < 3) return undefined;
  const overlap = Math.max(3, Math.ceil(shorter / 2));
  let best: Shift | undefined;
  let next = Infinity;
  const from = Math.max(-MOST_SHIFT, overlap - first.length);
  const to = Math.min(MOST_SHIFT, second.length - overlap);
  for (let shift = from; shift <= to; shift++) {
    const spreadNs = spreadAt(first, second, shift);
    if (best === undefined || spreadNs < best.spreadNs) {
      next = best?.spreadNs ?? Infinity;
      best = { shift, spreadNs };
    } else next = Math.min(next, spreadNs);
  }
  return best !== undefined && next >= CLEARLY * Math.max(best.spreadNs, RESOLUTION_NS) ? best : undefined;
}

function spreadAt(first: ArrayLike<number>, second: ArrayLike<number>, shift: number): number {
  const from = Math.max(0, -shift);
  const to = Math.min(first.length, second.length - shift);
  const slopes = new Float64Array(to - from - 1);
  for (let i = from; i + 1 < to; i++) {
    const apart = first[i + 1] - first[i];
    slopes[i - from] = apart === 0 ? 0 : (second[i + 1 + shift] - second[i + shift] - apart) / apart;
  }
  const slope = Math.min(MOST_DRIFT, Math.max(-MOST_DRIFT, medianOf(slopes)));
  const differences = new Float64Array(to - from);
  for (let i = from; i < to; i++) {
    differences[i - from] = second[i + shift] - first[i] - slope * (first[i] - first[from]);
  }
  return deviationFrom(differences, medianOf(differences));
}

/** NaN of none. */
export function medianOf(values: ArrayLike<number>): number {
  // Not `from`, which goes through an iterator.
  const sorted = new Float64Array(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median distance from `center`, which outliers do not move. */
export function deviationFrom(values: ArrayLike<number>, center: number): number {
  const far = new Float64Array(values.length);
  for (let i = 0; i < far.length; i++) far[i] = Math.abs(values[i] - center);
  far.sort();
  const middle = far.length >> 1;
  return far.length % 2 === 1 ? far[middle] : (far[middle - 1] + far[middle]) / 2;
}
