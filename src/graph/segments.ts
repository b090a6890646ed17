/** What a stretch of the path was spent on. */
export const SEGMENT_KINDS = [
  'host-work',
  'host-gap',
  'data-loading',
  'sync-overhead',
  'launch',
  'kernel',
  'collective',
  'copy',
  'stream-gap',
  'wait-for-rank',
  'transfer-or-unseen-rank',
  'before-window',
  'unexplained',
] as const;
/** One of `SEGMENT_KINDS`. */
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

/** The number of a kind in columns: its place in the list. */
export const segmentCode = (kind: SegmentKind): number => SEGMENT_KINDS.indexOf(kind);

/**
 * What can be said of time that no constraint of the graph explains:
 * `other-lane-busy`: another stream of the device ran meanwhile, so an unseen wait or contention is likely;
 * `device-idle`: the whole device was idle;
 * `graph-rows-missing`: a graph launch on that device left no rows in that time;
 * `before-capture`: the chain leads to before the trace began;
 * `no-launch`: the op has no launch call in the trace.
 */
export const UNEXPLAINED_CAUSES = [
  'other-lane-busy',
  'device-idle',
  'graph-rows-missing',
  'before-capture',
  'no-launch',
] as const;
/** One of `UNEXPLAINED_CAUSES`. */
export type UnexplainedCause = (typeof UNEXPLAINED_CAUSES)[number];
