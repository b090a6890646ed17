/** What causality leaves of how far one clock is ahead of another, as instants of the second and bounds on the difference, ns. */
export interface Bounds {
  /** The difference at `atLow[i]` is at least `low[i]`; at `atHigh[i]` at most `high[i]`. */
  readonly atLow: readonly number[];
  readonly low: readonly number[];
  readonly atHigh: readonly number[];
  readonly high: readonly number[];
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** What is left at `center` if the difference grows by `slope` a nanosecond. Infinite where one side says nothing. O(n). */
export function intervalAt({ atLow, low, atHigh, high }: Bounds, center: number, slope: number): Interval {
  let [least, most] = [-Infinity, Infinity];
  for (let i = 0; i < low.length; i++) least = Math.max(least, low[i] - slope * (atLow[i] - center));
  for (let i = 0; i < high.length; i++) most = Math.min(most, high[i] - slope * (atHigh[i] - center));
  return { low: least, high: most };
}

/** No clock of a computer runs so much faster than another. */
export const MOST_DRIFT = 1e-4;

/**
 * The slope that leaves most room, and how far the difference may be off anywhere between the first and the last bound: what is left of it in the
 * earlier and in the later half, each told by the half's own bounds. `undefined` where a side has no bound. O(n).
 */
export function fitBounds(
  bounds: Bounds,
  center: number,
): { readonly value: number; readonly slope: number; readonly uncertaintyNs: number } | undefined {
  if (bounds.low.length === 0 || bounds.high.length === 0) return undefined;
  // What is left is a concave function of the slope.
  let [from, to] = [-MOST_DRIFT, MOST_DRIFT];
  const room = (slope: number): number => {
    const { low, high } = intervalAt(bounds, center, slope);
    return high - low;
  };
  const still = room(0);
  for (let i = 0; i < 40; i++) {
    const [left, right] = [from + (to - from) / 3, to - (to - from) / 3];
    if (room(left) < room(right)) from = left;
    else to = right;
  }
  const slope = still >= 0 ? 0 : (from + to) / 2;
  const { low, high } = intervalAt(bounds, center, slope);
  const value = (low + high) / 2;
  let uncertaintyNs = Math.abs(high - low) / 2;
  for (const half of halvesOf(bounds, center)) {
    const { low: least, high: most } = intervalAt(half, center, slope);
    // A half without bounds is as far off as clocks can have run apart.
    const open = uncertaintyNs + MOST_DRIFT * reachOf(half, bounds, center);
    uncertaintyNs = Math.max(uncertaintyNs, Math.min(open, Math.max(most - value, value - least)));
  }
  return { value, slope, uncertaintyNs };
}

function halvesOf({ atLow, low, atHigh, high }: Bounds, center: number): Bounds[] {
  return [true, false].map((isEarly): Bounds => {
    const inHalf = (at: number): boolean => at < center === isEarly;
    return {
      atLow: atLow.filter(inHalf),
      low: low.filter((_, i) => inHalf(atLow[i])),
      atHigh: atHigh.filter(inHalf),
      high: high.filter((_, i) => inHalf(atHigh[i])),
    };
  });
}

function reachOf(half: Bounds, { atLow, atHigh }: Bounds, center: number): number {
  let reach = 0;
  for (const at of half.low.length + half.high.length > 0 ? [...half.atLow, ...half.atHigh] : [...atLow, ...atHigh]) {
    reach = Math.max(reach, Math.abs(at - center));
  }
  return reach;
}
