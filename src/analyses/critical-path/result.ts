import type { Coverage } from '../../graph/coverage.ts';
import type { ConstraintKind } from '../../graph/constraints.ts';
import type { SegmentKind, UnexplainedCause } from '../../graph/segments.ts';
import type { EventReference } from '../reference.ts';

/** The time of the path in segments of one kind. */
export interface BreakdownRow {
  readonly kind: SegmentKind;
  readonly totalNs: number;
  /** Of the wall time, 0…1. */
  readonly share: number;
  readonly segments: number;
}

/** A stretch of the path. Segments follow each other without gaps, so that their lengths add up to the windows. */
export interface PathSegment {
  readonly kind: SegmentKind;
  readonly startNs: number;
  readonly endNs: number;
  readonly rank: number;
  /** Whose time it is: the op that ran, the op that waited, or the op that a host gap came before. */
  readonly event?: EventReference;
  /**
   * Of a device op the kind of constraint that bound its start, of any other stretch the kind that joins its two ends; `window-start`
   * where the window cuts it.
   */
  readonly boundBy: ConstraintKind | 'window-start';
  /** Another constraint arrived within the typical lag of the one that bound. */
  readonly ambiguous?: true;
  /** Of an `unexplained` segment only. */
  readonly cause?: UnexplainedCause;
  /** Where the trace has one: the Python frame of a host segment, innermost. */
  readonly python?: string;
}

/** One window, and what its path was spent on. */
export interface PathWindow {
  readonly label: string;
  readonly startNs: number;
  readonly endNs: number;
  readonly wallNs: number;
  readonly complete: boolean;
  readonly breakdown: readonly BreakdownRow[];
}

/** What the windows win where some ops take less time. */
export interface Leverage {
  readonly by: 'kernel' | 'op' | 'python' | 'annotation';
  readonly name: string;
  /** Their time within the windows, host and device, in ns. */
  readonly timeNs: number;
  /** Stretches of host or device time that it is made of. */
  readonly ops: number;
  /** One replay of the whole trace each: what is left of their time, and what the windows win by it. */
  readonly wins: readonly { readonly factor: number; readonly winNs: number }[];
}

/** How much ops may grow, and what can be won. */
export interface Slack {
  /** Ops that run in the windows and that the last one's end depends on: how much each may grow before that moves. Least first. */
  readonly events: readonly { readonly event: number; readonly slackNs: number }[];
  /** Ops in the windows that may grow for ever. */
  readonly unlimited: number;
  /** What wins most comes first. */
  readonly leverage: readonly Leverage[];
}

/** What the windows would win where all ops of one name took less time. */
export interface PathWin {
  /** The kind of most of its time on the path. */
  readonly kind: SegmentKind;
  readonly name: string;
  /** On the path. */
  readonly pathNs: number;
  /** By half of their time, and by all of it: another chain may take over. */
  readonly halfNs: number;
  readonly goneNs: number;
  /** The same of each window, in the order of `windows`: they sum to it. */
  readonly byWindow: readonly { readonly halfNs: number; readonly goneNs: number }[];
}

/** What bounds the windows. */
export interface CriticalPathResult {
  readonly traces: readonly {
    readonly file: string;
    readonly rank: number;
    readonly events: number;
    readonly originUnixNs: string;
  }[];
  readonly window: {
    readonly label: string;
    readonly startNs: number;
    readonly endNs: number;
    /** The end of the host's part (the annotation's own end, or the main thread's last op). */
    readonly hostEndNs: number;
    /** The end of the last device op launched in the window; absent without device ops. */
    readonly deviceEndNs?: number;
    readonly wallNs: number;
  };
  /** In time order; they tile `window`. */
  readonly windows: readonly PathWindow[];
  readonly path: {
    /** = `window.wallNs`, always. */
    readonly totalNs: number;
    /** How much more would be unexplained without inferred waits: how far the path leans on them. */
    readonly inferredNs: number;
    /** Descending by time. */
    readonly breakdown: readonly BreakdownRow[];
    /** In time order; each starts where the one before it ends. */
    readonly segments: readonly PathSegment[];
  };
  readonly graph: { readonly moments: number; readonly constraints: Readonly<Record<ConstraintKind, number>> };
  readonly replay: { readonly maxErrorNs: number };
  /** Where it was asked for. */
  readonly slack?: Slack;
  /** Where it was asked for: what wins most comes first; none for a range, whose end is fixed. */
  readonly wins?: readonly PathWin[];
  readonly coverage: Coverage;
  /** What a reader should know before acting on it. */
  readonly notes: readonly string[];
}
