// The skeleton of a rank: all of its graph that other ranks can move, and nothing else.

/** What a kept moment is: the row in the comment beside it is its `subject`. */
export const KEPT_KINDS = [
  /** Comes as it was measured, whatever else moves: nothing of the trace holds it. The event's position in `traceEvents`, or −1. */
  'anchor',
  /** The first kernel of a call begins. Index into `RankCalls.calls`. */
  'arrival',
  /** The last kernel of a call ends: what other ranks move. Index into `RankCalls.calls`. */
  'call-end',
  /** The last moment of a thread or stream when a call ended, where chains join that began at different calls. The event's position. */
  'lane',
  /** A window is complete. Index into `Skeleton.windows`. */
  'window-end',
] as const;
export type KeptKind = (typeof KEPT_KINDS)[number];
export const keptCode = (kind: KeptKind): number => KEPT_KINDS.indexOf(kind);

/** How many of the longest segments of an entry are named. */
export const TOP_SEGMENTS = 2;

/**
 * An exact contraction of a rank's graph: each kept moment comes at the latest of its entries' source plus lag. (A call's end also comes
 * no earlier than its meeting allows; that is not known here.) Since all moments are maxima of sums, kept moments equal those of
 * the full graph for any times of the calls' ends. Plain data; times in ns since the rank's trace origin.
 */
export interface Skeleton {
  readonly rank: number;
  /** When the earliest op begins, or what labels say that its thread was at before it; and when the latest has ended. */
  readonly startNs: number;
  readonly endNs: number;
  readonly windows: readonly SkeletonWindow[];
  /** Kept moments, in an order in which every entry goes forward. */
  readonly moments: KeptMoments;
  readonly entries: KeptEntries;
  /** What their lags are made of: here, or fetched when somebody asks (`partsOf`). Few ask, and it takes more room than all else. */
  readonly parts: EntryParts | (() => EntryParts);
  /** By call: the kept moments of its arrival and its end; −1 where its kernels are not in the graph. */
  readonly arrivalOf: Int32Array;
  readonly endOf: Int32Array;
  /** By call: the position in `traceEvents` of its first kernel. */
  readonly callEvent: Int32Array;
  /** Calls in the order in which the rank enqueued them. */
  readonly callOrder: Int32Array;
}

export interface SkeletonWindow {
  readonly label: string;
  /** Where it begins: at the completion of the step before it, else at its annotation's start, or at the first event of a whole trace. */
  readonly startNs: number;
  /** It begins at the completion of a step before it. */
  readonly follows: boolean;
  readonly complete: boolean;
  /** The kept moment. */
  readonly end: number;
}

export interface KeptMoments {
  /** Index into `KEPT_KINDS`. */
  readonly kind: Uint8Array;
  readonly subject: Int32Array;
  readonly timeNs: Float64Array;
  /** The moment of the rank's graph: the same whenever the same file is read with the same options. Of a window's end that by which it came; −1: none. */
  readonly moment: Int32Array;
}

/** In compressed rows: those on kept moment k are `first[k]` … `first[k + 1] − 1`. */
export interface KeptEntries {
  readonly first: Int32Array;
  /** A kept moment. */
  readonly from: Int32Array | Uint16Array;
  /** ns, signed. */
  readonly lagNs: Float64Array | Int32Array;
  /** By kept moment: the entry that bound it; −1 for an anchor, and for a call's end that only its meeting holds. */
  readonly bound: Int32Array;
}

export interface EntryParts {
  /** What the lag is made of, in compressed rows by entry: index into `SEGMENT_KINDS`, and ns. They sum to the lag, or to 0 for one below it. */
  readonly firstPart: Int32Array;
  readonly partKind: Uint8Array;
  readonly partNs: Float64Array | Uint32Array;
  /** By entry `TOP_SEGMENTS` of its longest segments: the event's position in `traceEvents` (−1: none), index into `SEGMENT_KINDS`, ns. */
  readonly topEvent: Int32Array;
  readonly topKind: Uint8Array;
  readonly topNs: Float64Array | Uint32Array;
}

export const partsOf = ({ parts }: Skeleton): EntryParts => (typeof parts === 'function' ? parts() : parts);
