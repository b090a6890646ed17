/** What a list of numbers is like. Quantiles lie between two neighbours in proportion (as numpy and pandas have them). */
export interface Distribution {
  readonly total: number;
  readonly min: number;
  readonly median: number;
  readonly mean: number;
  readonly p95: number;
  readonly max: number;
}

/** `undefined` of no numbers. The list is not changed. O(n log n). */
export function distributionOf(values: ArrayLike<number>): Distribution | undefined {
  if (values.length === 0) return undefined;
  const sorted = new Float64Array(values).sort();
  let total = 0;
  for (let i = 0; i < sorted.length; i++) total += sorted[i];
  return {
    total,
    min: sorted[0],
    median: quantileOf(sorted, 0.5),
    mean: total / sorted.length,
    p95: quantileOf(sorted, 0.95),
    max: sorted[sorted.length - 1],
  };
}

/** `sorted` ascending, not empty; `share` 0…1. */
export function quantileOf(sorted: ArrayLike<number>, share: number): number {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/** The sample standard deviation: over n − 1, as pandas has it. `undefined` of fewer than two numbers. */
export function deviationOf(values: ArrayLike<number>): number | undefined {
  if (values.length < 2) return undefined;
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  const mean = total / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] - mean) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}
