import { SEGMENT_KINDS } from '../graph/segments.ts';
import type { JobGraph } from './merge.ts';
import { type Alone, runAlone } from './roles.ts';
import { keptCode, partsOf } from './skeleton.ts';

/** Beside the kinds of segments: `AloneParts[TRANSFER]` is what its calls take after it has arrived. */
export const TRANSFER = SEGMENT_KINDS.length;

/** Of what a rank's own time is made: ns, by `SEGMENT_KINDS` and `TRANSFER`. */
export type AloneParts = Float64Array;

/** What each window of the rank's skeleton takes, ns, when it never waits for another; each begins where the one before is complete, the first where the rank begins. */
export function aloneWalls(job: JobGraph, rank: number): Float64Array {
  const { skeleton } = job.ranks[rank];
  const { timeNs } = runAlone(job, rank);
  let until = skeleton.startNs;
  return Float64Array.from(skeleton.windows, ({ end }) => {
    const from = until;
    until = Math.max(until, timeNs[end]);
    return until - from;
  });
}

/** What bounds these windows of the rank's skeleton then, all together. */
export function aloneParts(job: JobGraph, rank: number, windows: readonly number[]): AloneParts {
  const { skeleton } = job.ranks[rank];
  const alone = runAlone(job, rank);
  const asked = new Set(windows);
  const sums = new Float64Array(SEGMENT_KINDS.length + 1);
  let until = skeleton.startNs;
  skeleton.windows.forEach(({ end }, at) => {
    const from = until;
    until = Math.max(until, alone.timeNs[end]);
    if (until <= from || !asked.has(at)) return;
    partsOfWindow(job, rank, alone, end, from).forEach((ns, kind) => (sums[kind] += ns));
  });
  return sums;
}

/**
 * By kind, of the chain that bounds a kept moment, back to an instant. Of a stretch that lies on the instant's both sides the parts are
 * taken in proportion: their order is not known.
 */
function partsOfWindow(job: JobGraph, rank: number, { timeNs, by }: Alone, end: number, fromNs: number): AloneParts {
  const { skeleton } = job.ranks[rank];
  const { entries, moments, arrivalOf } = skeleton;
  const { firstPart, partKind, partNs } = partsOf(skeleton);
  const sums = new Float64Array(SEGMENT_KINDS.length + 1);
  let moment = end;
  while (timeNs[moment] > fromNs) {
    const entry = by[moment];
    if (entry === -1 && moments.kind[moment] !== keptCode('call-end')) break;
    const source = entry === -1 ? arrivalOf[moments.subject[moment]] : entries.from[entry];
    const length = timeNs[moment] - timeNs[source];
    const share = length <= 0 ? 0 : (timeNs[moment] - Math.max(timeNs[source], fromNs)) / length;
    if (entry === -1) sums[TRANSFER] += length * share;
    else for (let p = firstPart[entry]; p < firstPart[entry + 1]; p++) sums[partKind[p]] += partNs[p] * share;
    moment = source;
  }
  return sums;
}
