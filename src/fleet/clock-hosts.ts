import type { Clocks } from './model.ts';
import { medianOf } from './shift.ts';

/** Ranks whose clocks are one: those of one host, as far as clocks can tell. */
export interface Hosts {
  /** By index of rank: the number of its host; −1 where no neighbour has its clock. */
  readonly host: Int32Array;
  readonly count: number;
  /** How far the clocks of two ranks may be off because the fit of their host scatters by so much; Infinity where they are not of one. */
  withinNs(a: number, b: number): number;
}

/** Clocks that no one set to each other are rarely so close. */
const SAME_NS = 5_000;
const SAME_PPM = 1;
/** Two clocks may be close by chance, so many not. */
const ENOUGH = 4;

/** Runs of ranks whose Unix times agree: a host's ranks are neighbours. O(n). */
export function findHosts({ skewNs, driftPpm, component }: Clocks & { readonly skewNs: Float64Array }): Hosts {
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
      spread.push(at - first >= ENOUGH ? scatterOf(skewNs.subarray(first, at)) : Infinity);
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
  return 2 * most + 1_000;
}
