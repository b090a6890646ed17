import { medianOf } from './shift.ts';

/** Ranks whose clocks are one: those of one host, as far as clocks can tell. */
export interface Hosts {
  /** By index of rank: the number of its host; −1 where no neighbour has its clock. */
  readonly host: Int32Array;
  readonly count: number;
  /** How far the clocks of two ranks may be off because the fit of their host scatters by so much; Infinity where they are not of one. */
  readonly withinNs: (a: number, b: number) => number;
}

/** What a fit says of each rank, by index. */
export interface RankClock {
  /** How much later than its own Unix time the job's is, ns. */
  readonly skewNs: Float64Array;
  readonly driftPpm: Float64Array;
  readonly component: Int32Array;
  /** One standard deviation of the skew over the time of its calls, ns. */
  readonly noiseNs: Float64Array;
}

/** Clocks that no one set to each other are rarely so close. */
const SAME_NS = 5_000;
const SAME_PPM = 0.02;
/** Two clocks may be close by chance, so many not. */
const ENOUGH = 4;
/** A device's times are no better, ns. */
const DEVICE_CLOCK_NS = 1_000;

/** Runs of ranks whose Unix times agree: a host's ranks are neighbours. O(n). */
export function findHosts({ skewNs, driftPpm, component, noiseNs }: RankClock): Hosts {
  const host = new Int32Array(skewNs.length).fill(-1);
  const spread: number[] = [];
  let first = 0;
  for (let at = 1; at <= skewNs.length; at++) {
    const isSame =
      at < skewNs.length &&
      component[at] === component[first] &&
      Math.abs(skewNs[at] - skewNs[first]) <= SAME_NS &&
      Math.abs(driftPpm[at] - driftPpm[first]) <= SAME_PPM;
    if (isSame) continue;
    if (at - first > 1) {
      host.fill(spread.length, first, at);
      const noise = noiseNs.subarray(first, at).reduce((most, each) => Math.max(most, each), 0);
      spread.push(at - first < ENOUGH ? Infinity : scatterOf(skewNs.subarray(first, at)) + 3 * noise);
    }
    first = at;
  }
  return {
    host,
    count: spread.length,
    withinNs: (a, b) => (host[a] !== -1 && host[a] === host[b] ? spread[host[a]] : Infinity),
  };
}

/** One clock was measured so many times, and came out so differently. */
function scatterOf(skews: Float64Array): number {
  const middle = medianOf(skews);
  let most = 0;
  for (const each of skews) most = Math.max(most, Math.abs(each - middle));
  return 2 * most + DEVICE_CLOCK_NS;
}

/**
 * Offsets with which the ranks of a host that has enough of them share its clock: their Unix times are right against each other, and the fit says
 * only how their host's stands against the job's. `origins`: Unix time of each rank's time 0, ns since the job's; `middle`: see `RankClock`.
 */
export function shareClocks(
  { host, withinNs }: Hosts,
  { skewNs, driftPpm }: RankClock,
  { offsetNs }: { readonly offsetNs: Float64Array },
  origins: readonly number[],
  middle: Float64Array,
): { readonly offsetNs: Float64Array; readonly driftPpm: Float64Array } {
  const shared = { offsetNs: offsetNs.slice(), driftPpm: driftPpm.slice() };
  for (let first = 0; first < host.length;) {
    let end = first + 1;
    while (end < host.length && host[first] !== -1 && host[end] === host[first]) end++;
    if (end - first > 1 && withinNs(first, first + 1) < Infinity) {
      const drift = medianOf(driftPpm.subarray(first, end));
      const rate = drift * 1e-6;
      const skews = Array.from({ length: end - first }, (_, i) => {
        const at = first + i;
        return skewNs[at] - rate * (middle[at] + origins[at]);
      });
      const skew = medianOf(skews);
      for (let at = first; at < end; at++) {
        shared.driftPpm[at] = drift;
        shared.offsetNs[at] = skew + (1 + rate) * origins[at];
      }
    }
    first = end;
  }
  return shared;
}
