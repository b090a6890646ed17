/** How much of the trace's dependencies the graph holds. Every answer carries it. Counts are over the whole trace. */
export interface Coverage {
  /** `total`: calls that enqueue device work, with or without a device row; `linked`: those with at least one device row. */
  readonly launches: { readonly total: number; readonly linked: number };
  /** Device ops, and those whose launch call is in the trace. */
  readonly deviceOps: { readonly total: number; readonly linked: number };
  /** Rows of stream waits and event synchronisations (not queries). Its parts without `callsWithoutRow` sum to `total`. */
  readonly waits: {
    readonly total: number;
    readonly resolved: number;
    readonly empty: number;
    readonly sameStream: number;
    readonly noSink: number;
    readonly future: number;
    readonly unresolved: number;
    readonly heuristic: number;
    /** `*StreamWaitEvent` and `*EventSynchronize` calls that have no row. */
    readonly callsWithoutRow: number;
  };
  /** Waits that the trace does not hold and its gaps show, by rule. */
  readonly inferred: { readonly 'wait-call': number; readonly c10d: number; readonly 'end-start': number };
  /** Rows of category `cuda_sync`. */
  readonly syncRows: { readonly total: number };
  /** Collectives, and those matched with the same one of other ranks. */
  readonly collectives: { readonly total: number; readonly matched: number };
  /** Constraints whose effect came before its cause by the clock. */
  readonly inversions: { readonly count: number; readonly maxNs: number };
  /** Device ops that began before an op that was enqueued before them on their stream. */
  readonly orderConflicts: number;
  /** Moments for whose binding constraint another constraint came almost as late. */
  readonly ambiguous: number;
  /** Host ops that were cut: at the end of the op around them, or at the border of a fork or join. */
  readonly cutOps: number;
  /** Pairs of neighbours on one stream that overlap in time. */
  readonly laneOverlaps: number;
}
