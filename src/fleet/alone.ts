import { type SegmentKind, SEGMENT_KINDS } from '../graph/segments.ts';
import type { JobGraph } from './merge.ts';
import { type Alone, runAlone } from './roles.ts';
import { keptCode } from './skeleton.ts';

/** What a window of a rank takes when it never waits for another, and what bounds it then. */
export interface AloneWindow {
  readonly ns: number;
  readonly parts: Readonly<Partial<Record<SegmentKind | 'transfer', number>>>;
}

/** By window of the rank's skeleton; each begins where the one before is complete, the first where the rank begins. */
export function aloneWindows(job: JobGraph, rank: number): AloneWindow[] {
  const { skeleton } = job.ranks[rank];
  const alone = runAlone(job, rank);
  let until = skeleton.startNs;
  return skeleton.windows.map(({ end }) => {
    const from = until;
    until = Math.max(until, alone.timeNs[end]);
    return { ns: until - from, parts: until > from ? partsOf(job, rank, alone, end, from) : {} };
  });
}

/**
 * By kind, of the chain that bounds a kept moment, back to an instant. Of a stretch that lies on the instant's both sides the parts are
 * taken in proportion: their order is not known.
 */
function partsOf(
  job: JobGraph,
  rank: number,
  { timeNs, by }: Alone,
  end: number,
  fromNs: number,
): AloneWindow['parts'] {
  const { entries, moments, arrivalOf } = job.ranks[rank].skeleton;
  const sums: Partial<Record<SegmentKind | 'transfer', number>> = {};
  const add = (kind: SegmentKind | 'transfer', ns: number): void => {
    sums[kind] = (sums[kind] ?? 0) + ns;
  };
  let moment = end;
  while (timeNs[moment] > fromNs) {
    const entry = by[moment];
    if (entry === -1 && moments.kind[moment] !== keptCode('call-end')) break;
    const source = entry === -1 ? arrivalOf[moments.subject[moment]] : entries.from[entry];
    const length = timeNs[moment] - timeNs[source];
    const share = length <= 0 ? 0 : (timeNs[moment] - Math.max(timeNs[source], fromNs)) / length;
    if (entry === -1) add('transfer', length * share);
    else {
      for (let p = entries.firstPart[entry]; p < entries.firstPart[entry + 1]; p++) {
        add(SEGMENT_KINDS[entries.partKind[p]], entries.partNs[p] * share);
      }
    }
    moment = source;
  }
  return sums;
}
