import type { Coverage } from '../../graph/coverage.ts';
import type { EventReference } from '../reference.ts';

export interface SourceReference extends EventReference {
  /** The correlation of the record whose wait brought this source to the stream; absent for the stream's own last op. */
  readonly via?: number;
}

/** An event that was recorded, and what it captured. */
export interface SyncRecord {
  readonly correlation: number;
  readonly device?: number;
  readonly stream?: number;
  /** The number that the runtime gave the event. */
  readonly cudaEventId?: number;
  /** `unknown-stream`: nobody waited, so the trace does not say. */
  readonly status: 'resolved' | 'empty' | 'unknown-stream';
  readonly sources: readonly SourceReference[];
  /** Correlations of waits, synchronisations and queries that name the record. */
  readonly waiters: readonly number[];
}

/** What waits, and how. */
export type SyncEdgeKind = 'stream-wait' | 'event-sync' | 'stream-sync' | 'device-sync' | 'copy-sync' | 'inferred-wait';

/** The first that applies, in this order. */
export type SyncEdgeStatus =
  | 'future'
  | 'unresolved'
  | 'same-stream'
  | 'empty'
  | 'no-sink'
  | `heuristic:${string}`
  | 'resolved';

/** One source; a wait without a source has one edge that says why. */
export interface SyncEdge {
  readonly kind: SyncEdgeKind;
  readonly status: SyncEdgeStatus;
  /** How the source was found where the row's own record could not be used. */
  readonly fallback?: 'earlier-record' | 'event-id';
  /** Is it the constraint that bound its sink. */
  readonly binds: boolean;
  /** Correlation of the call that waits. */
  readonly wait?: number;
  /** Correlation of the record that it waits for. */
  readonly record?: number;
  readonly source?: SourceReference;
  /** An op, or the host call. */
  readonly sink?: EventReference;
  /** Of an inferred wait: what speaks for it. */
  readonly support?: string;
}

/** The records and waits of the trace. */
export interface SyncResult {
  readonly records: readonly SyncRecord[];
  readonly edges: readonly SyncEdge[];
  readonly coverage: Coverage;
  /** What a reader should know: which fallbacks were used and why. */
  readonly notes: readonly string[];
}
