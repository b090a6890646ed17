import { type Bounds, MOST_DRIFT, fitBounds, intervalAt } from './clock-bounds.ts';
import { deviationFrom, medianOf } from './shift.ts';

/** Ends of symmetric calls that two ranks have in common: the other one's clock against this one's. Lists of one length, by call. */
export interface Ends {
  /** When the call ended by this rank's clock, ns. */
  readonly at: number[];
  /** When it ended by the other's, minus that. */
  readonly apart: number[];
  /** Number of its operation, type and size. */
  readonly sort: number[];
  /** The transfer, as far as it is known: of all members' durations the shortest. */
  readonly transfer: number[];
  /** How much later it may end on one of its members than on another, always on the same one. */
  readonly slack: number[];
}

/** How long a sort's transfer takes this rank and the other, where both have come last often enough to tell. */
export type Measured = (sort: number) => { readonly differenceNs: number; readonly errorNs: number } | undefined;

/** The other's clock = this one's + `apart` + `slope` × (this one's − `center`). */
export interface Link {
  readonly apart: number;
  readonly center: number;
  /** 0 where the data cannot show one. */
  readonly slope: number;
  /** One standard deviation of `apart`, and of what an unseen slope makes of it up to the first and the last call, ns. */
  readonly noiseNs: number;
  /** What no number of calls averages out: some members end later than others in all calls. */
  readonly biasNs: number;
  readonly slopeError: number;
  readonly isInterval: boolean;
}

/** Fewer calls than these do not tell how much ends vary. */
const ENOUGH_CALLS = 5;
/** A drift is shown where it is so many times its error. */
const SHOWN = 4;
/** Times are whole nanoseconds, and a device's are off by some more. */
const LEAST_NOISE_NS = 200;
/** How much ends vary, of a transfer, where a sort has too few calls to tell. */
const TYPICAL_NOISE = 0.05;
/** The standard deviation of a normal distribution with a median distance of 1. */
const SIGMA = 1.4826;

/** Of taking outliers' part away. */
const MOST_ROUNDS = 8;

interface Sort {
  readonly calls: number[];
  transferNs: number;
  slackNs: number;
  noiseNs: number;
}

/**
 * How one clock stands against another: of each sort of calls the median difference of ends, and those weighed by how much they vary and by how
 * far they may be off altogether. `resolutionNs`: of the times. `undefined` where nothing is known. O(n log n).
 */
export function fitLink(ends: Ends, bounds: Bounds, measured: Measured, resolutionNs: number): Link | undefined {
  const count = ends.at.length;
  if (count < ENOUGH_CALLS) return byInterval(ends, bounds, resolutionNs);
  const sorts = sortsOf(ends);
  let slope = slopeOf(ends, sorts);
  setNoise(ends, sorts, slope.value, resolutionNs);
  slope = slopeOf(ends, sorts);
  const isShown = Math.abs(slope.value) > SHOWN * slope.error && Math.abs(slope.value) <= 2 * MOST_DRIFT;
  const center = medianOf(ends.at);
  const b = isShown ? slope.value : 0;
  setNoise(ends, sorts, b, resolutionNs);
  const { apart, noiseNs, biasNs } = weigh(ends, sorts, b, center, measured);
  let reach = 0;
  for (const at of ends.at) reach = Math.max(reach, Math.abs(at - center));
  const left = intervalAt(bounds, center, b);
  const kept = left.high >= left.low ? Math.min(left.high, Math.max(left.low, apart)) : apart;
  const slopeError = Math.min(slope.error, MOST_DRIFT / 2);
  const room = left.high >= left.low ? Math.max(left.high - kept, kept - left.low) : Infinity;
  return {
    apart: kept,
    center,
    slope: b,
    noiseNs: Math.hypot(noiseNs, slopeError * reach),
    biasNs: Math.min(biasNs, room) + resolutionNs,
    slopeError,
    isInterval: false,
  };
}

/** A few calls: all that is certain is that none ends before its last arrival. */
export function byInterval({ at, apart }: Ends, bounds: Bounds, resolutionNs: number): Link | undefined {
  const times = [...at, ...bounds.atLow, ...bounds.atHigh];
  if (times.length === 0) return undefined;
  const center = medianOf(times);
  const fitted = fitBounds(bounds, center);
  if (fitted === undefined) return undefined;
  const { slope } = fitted;
  const left = intervalAt(bounds, center, slope);
  // Where ends say more than the middle of the interval, they say it inside of it.
  const said = apart.length === 0 ? fitted.value : medianOf(apart.map((each, i) => each - slope * (at[i] - center)));
  const value = left.low <= left.high ? Math.min(left.high, Math.max(left.low, said)) : fitted.value;
  return {
    apart: value,
    center,
    slope,
    noiseNs: 0,
    biasNs: fitted.uncertaintyNs + Math.abs(value - fitted.value) + resolutionNs,
    slopeError: MOST_DRIFT / 2,
    isInterval: true,
  };
}

function sortsOf({ sort, transfer, slack }: Ends): Map<number, Sort> {
  const sorts = new Map<number, Sort>();
  sort.forEach((each, i) => {
    const known = sorts.get(each);
    if (known === undefined) sorts.set(each, { calls: [i], transferNs: 0, slackNs: 0, noiseNs: 0 });
    else known.calls.push(i);
  });
  for (const each of sorts.values()) {
    // Where ranks differ in their transfers, the longer ones among those that were seen.
    each.transferNs = longOf(each.calls.map((i) => transfer[i]));
    each.slackNs = longOf(each.calls.map((i) => slack[i]));
    each.noiseNs = LEAST_NOISE_NS + TYPICAL_NOISE * each.transferNs;
  }
  return sorts;
}

/** Nine in ten are not longer. */
const longOf = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor((values.length - 1) * 0.9)];

/** How much the differences of each sort vary once the slope is taken out. */
function setNoise({ at, apart }: Ends, sorts: ReadonlyMap<number, Sort>, slope: number, resolutionNs: number): void {
  for (const sort of sorts.values()) {
    const { calls, transferNs } = sort;
    const least = Math.max(LEAST_NOISE_NS, resolutionNs / 3);
    if (calls.length < 4) {
      sort.noiseNs = least + TYPICAL_NOISE * transferNs;
      continue;
    }
    const level = calls.map((i) => apart[i] - slope * (at[i] - at[calls[0]]));
    // A median distance of few values is often too small by chance.
    sort.noiseNs = Math.max(least, SIGMA * deviationFrom(level, medianOf(level)) * (1 + 2 / calls.length));
  }
}

/** The common slope within the sorts, by least squares of which outliers have no part. Between sorts nothing is compared. */
function slopeOf({ at, apart }: Ends, sorts: ReadonlyMap<number, Sort>): { value: number; error: number } {
  const x: number[] = [];
  const y: number[] = [];
  const weight: number[] = [];
  for (const { calls, noiseNs } of sorts.values()) {
    if (calls.length < 2) continue;
    const [middleX, middleY] = [medianOf(calls.map((i) => at[i])), medianOf(calls.map((i) => apart[i]))];
    for (const i of calls) {
      x.push(at[i] - middleX);
      y.push(apart[i] - middleY);
      weight.push(1 / noiseNs ** 2);
    }
  }
  const free = x.length - sorts.size;
  if (free < 3) return { value: 0, error: Infinity };
  let value = 0;
  let error = Infinity;
  const robust = new Float64Array(x.length).fill(1);
  const rest = new Float64Array(x.length);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let [xx, xy] = [0, 0];
    for (let i = 0; i < x.length; i++) {
      xx += weight[i] * robust[i] * x[i] * x[i];
      xy += weight[i] * robust[i] * x[i] * y[i];
    }
    if (xx === 0) return { value: 0, error: Infinity };
    const before = value;
    value = xy / xx;
    for (let i = 0; i < rest.length; i++) rest[i] = (y[i] - value * x[i]) * Math.sqrt(weight[i]);
    const scale = Math.max(0.3, SIGMA * deviationFrom(rest, 0));
    for (let i = 0; i < rest.length; i++) robust[i] = Math.min(1, (2 * scale) / Math.max(Math.abs(rest[i]), 1e-9));
    error = (scale / Math.sqrt(xx)) * Math.sqrt(x.length / free);
    if (round > 0 && Math.abs(value - before) < error / 10) break;
  }
  return { value, error };
}

/** The sorts together. What is off altogether adds up; what varies averages out. */
function weigh(
  { at, apart }: Ends,
  sorts: ReadonlyMap<number, Sort>,
  slope: number,
  center: number,
  measured: Measured,
): { readonly apart: number; readonly noiseNs: number; readonly biasNs: number } {
  const levels = [...sorts].map(([sort, { calls, noiseNs, slackNs }]) => ({
    sort,
    slackNs,
    plain: medianOf(calls.map((i) => apart[i] - slope * (at[i] - center))),
    noise: (1.25 * noiseNs) / Math.sqrt(calls.length),
  }));
  let [total, sum, squares, bias] = [0, 0, 0, 0];
  for (const { sort, slackNs, plain, noise: own } of levels) {
    const told = measured(sort);
    const corrected = plain - (told?.differenceNs ?? 0);
    // A difference of transfers that another sort rules out is none: then calls of one sort are not alike.
    const isPossible = levels.every((other) => Math.abs(other.plain - corrected) <= other.slackNs + 3 * other.noise);
    const known = isPossible ? told : undefined;
    const level = isPossible ? corrected : plain;
    const noise = Math.hypot(own, known?.errorNs ?? 0);
    const off = known === undefined ? slackNs : 0;
    const weight = 1 / (noise ** 2 + off ** 2);
    total += weight;
    sum += weight * level;
    squares += (weight * noise) ** 2;
    bias += weight * off;
  }
  const told = { apart: sum / total, noiseNs: Math.sqrt(squares) / total, biasNs: bias / total };
  // Sorts that contradict each other by more than they may be off show that they may be off by more.
  let contradiction = 1;
  for (const { slackNs, plain, noise, sort } of levels) {
    const room = slackNs + 3 * noise + told.biasNs + 3 * told.noiseNs;
    if (measured(sort) === undefined) contradiction = Math.max(contradiction, Math.abs(plain - told.apart) / room);
  }
  return { ...told, biasNs: told.biasNs * contradiction };
}
