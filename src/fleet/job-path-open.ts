// The segments of a job's path, where the ranks that it visits are at hand.
import type { ConstraintKind } from '../graph/constraints.ts';
import { type Segment } from '../graph/path-rows.ts';
import { type PathContext, segmentsBack } from '../graph/path.ts';
import type { SegmentKind, UnexplainedCause } from '../graph/segments.ts';
import { toJob } from './job-clock.ts';
import type { Arrival, InRank, JobPath, JobSegment, MayWait } from './job-path.ts';
import type { JobGraph } from './merge.ts';
import { segmentAfter } from './skeleton-kinds.ts';

/** A stretch of the path, down to one event of one rank. Job time, ns. */
export interface OpenSegment {
  readonly rank: number;
  readonly startNs: number;
  readonly endNs: number;
  /** `in-rank`: the rank could not be opened. */
  readonly kind: SegmentKind | 'transfer' | 'in-rank';
  /** Whose time it is: position in the rank's `traceEvents`, printed as `r-3/e-123`; −1 where nothing is known to run. */
  readonly event: number;
  readonly boundBy?: ConstraintKind | 'window-start';
  readonly ambiguous?: boolean;
  readonly cause?: UnexplainedCause;
  readonly arrival?: Arrival;
  readonly mayWait?: MayWait;
}

/**
 * The path of an unchanged job. `open` is asked once for each rank on it, in ascending order, for its graph as the skeleton was made of it;
 * what it does not have stays one segment a stretch.
 */
export function openJobPath(
  job: JobGraph,
  { segments }: JobPath,
  open: (rank: number) => PathContext | undefined,
): OpenSegment[] {
  const visited = [...new Set(segments.flatMap(({ kind, rank }) => (kind === 'in-rank' ? [rank] : [])))];
  const opened: OpenSegment[][] = segments.map((segment) => (segment.kind === 'in-rank' ? [] : [closed(job, segment)]));
  for (const rank of visited.sort((a, b) => a - b)) {
    const context = open(rank);
    segments.forEach((segment, i) => {
      if (segment.kind !== 'in-rank' || segment.rank !== rank) return;
      opened[i] = context === undefined ? [closed(job, segment)] : insideOf(job, segment, context);
    });
  }
  return opened.flat();
}

function closed({ ranks }: JobGraph, segment: JobSegment): OpenSegment {
  const { rank, startNs, endNs, kind } = segment;
  const about = { rank, startNs, endNs, kind };
  switch (segment.kind) {
    case 'in-rank':
      return { ...about, event: segment.top[0]?.event ?? -1 };
    case 'unexplained':
      return { ...about, event: segment.event };
    case 'before-window':
      return { ...about, event: -1 };
    case 'transfer':
    case 'transfer-or-unseen-rank': {
      const { skeleton } = ranks[ranks.findIndex(({ calls }) => calls.rank === rank)];
      const { arrival } = segment;
      const mayWait = segment.kind === 'transfer' ? segment.mayWait : undefined;
      return {
        ...about,
        event: skeleton.callEvent[segment.call],
        ...(arrival === undefined ? {} : { arrival }),
        ...(mayWait === undefined ? {} : { mayWait }),
      };
    }
  }
}

function insideOf(job: JobGraph, segment: InRank & JobSegment, context: PathContext): OpenSegment[] {
  const { graph } = context;
  const rank = job.ranks.findIndex(({ calls }) => calls.rank === segment.rank);
  const { position } = graph.trace.events;
  const at = (ns: number): number => {
    // Borders are the stretch's own, whatever a drifting clock makes of them.
    if (ns === segment.rankEndNs) return segment.endNs;
    if (ns === segment.rankEndNs - segment.lengthNs) return segment.startNs;
    return Math.min(segment.endNs, Math.max(segment.startNs, toJob(job.clocks, rank, ns)));
  };
  return walkStretch(job, rank, segment, context).map(({ start, end, event, ...rest }) => ({
    ...rest,
    rank: segment.rank,
    startNs: at(start),
    endNs: at(end),
    event: event < 0 ? -1 : position[event],
  }));
}

function walkStretch(
  { ranks }: JobGraph,
  rank: number,
  { to, rankEndNs, lengthNs }: InRank,
  context: PathContext,
): readonly Segment[] {
  const { graph } = context;
  const moment = ranks[rank].skeleton.moments.moment[to];
  const start = rankEndNs - lengthNs;
  const span = { start, end: Math.min(rankEndNs, Math.max(start, graph.time[moment])), thread: -1, annotated: false };
  const segments = segmentsBack(context, moment, span);
  return span.end < rankEndNs ? [...segments, segmentAfter(graph, moment, span.end, rankEndNs)] : segments;
}
