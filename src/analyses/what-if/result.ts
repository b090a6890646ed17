import type { Coverage } from '../../graph/coverage.ts';
import type { ConstraintKind } from '../../graph/constraints.ts';
import type { BreakdownRow } from '../critical-path/result.ts';
import type { EventReference } from '../reference.ts';

/** The forecast, or why it is not given. */
export type WhatIfResult = WhatIfPrediction | WhatIfWithheld | WhatIfUnmatched;

/** What changes do to a window. */
export interface WhatIfPrediction {
  readonly status: 'predicted';
  readonly traces: readonly {
    readonly file: string;
    readonly rank: number;
    readonly events: number;
    readonly originUnixNs: string;
  }[];
  readonly changes: readonly WhatIfChange[];
  readonly window: {
    readonly label: string;
    readonly measuredNs: number;
    readonly predictedNs: number;
    /** measured − predicted: below 0 it gets slower. */
    readonly winNs: number;
    /** Of the measured time. */
    readonly winShare: number;
  };
  /** In time order; their walls add up to the window's. */
  readonly windows: readonly {
    readonly label: string;
    readonly measuredNs: number;
    readonly predictedNs: number;
    readonly winNs: number;
  }[];
  readonly holdOut: HoldOutResult;
  /** What the path is spent on, each the largest first. */
  readonly measured: { readonly breakdown: readonly BreakdownRow[] };
  readonly predicted: { readonly breakdown: readonly BreakdownRow[] };
  /** Which events shift most within their own window, the furthest of each name, the furthest first. */
  readonly moved: readonly MovedEvent[];
  /** Constraints that bind on the new path and did not before, so that their lag is typical, not measured; the most frequent first. */
  readonly assumed: readonly AssumedLag[];
  /** Only where it was asked for: each event of the windows, by position. */
  readonly timeline?: readonly TimelineEvent[];
  readonly coverage: Coverage;
  readonly notes: readonly string[];
}

/** A change, and how much of the trace it is about. */
export interface WhatIfChange {
  /** As it was asked for. */
  readonly text: string;
  /** How many ops of the whole trace it is about; absent where it selects none by name. */
  readonly hostOps?: number;
  readonly deviceOps?: number;
  /** Gaps between host ops. */
  readonly gaps?: number;
}

/** How well steps of this trace foretell each other. */
export interface HoldOutResult {
  /**
   * `good`; `fair`: above 5 %; `poor`: above 15 %; `untested`: forecasts were mostly copied from the step that they foretell; `one-step`:
   * no two steps are alike.
   */
  readonly verdict: 'good' | 'fair' | 'poor' | 'untested' | 'one-step';
  readonly pairs: number;
  /** The median over the pairs of max(error, null), as a share of a step: how wrong a forecast may be. Absent without pairs. */
  readonly share?: number;
  /** The largest of them. */
  readonly worst?: number;
  /** Medians: of the forecasts, of doing nothing, and the share of a forecast that was taken over from the host of the other step. */
  readonly error?: number;
  /** 0…1 of a step. */
  readonly null?: number;
  /** 0…1 of the forecast. */
  readonly copied?: number;
}

/** An event that comes at another time. */
export interface MovedEvent {
  readonly event: EventReference;
  /** Its start from its window's start. */
  readonly measuredNs: number;
  readonly predictedNs: number;
  /** predicted − measured: below 0 it comes earlier. */
  readonly movedNs: number;
}

/** A lag that the forecast assumes and the trace does not show. */
export interface AssumedLag {
  readonly kind: ConstraintKind;
  /** The call that launched what was held, or that was held. */
  readonly api?: string;
  readonly lagNs: number;
  readonly count: number;
}

/** When an event would run, in ns since the trace’s origin. */
export interface TimelineEvent {
  /** Position in the file's `traceEvents`. */
  readonly event: number;
  readonly startNs: number;
  readonly endNs: number;
}

/** The hold-out says that forecasts of this trace are too far off. */
export interface WhatIfWithheld {
  readonly status: 'withheld';
  readonly reason: string;
  readonly holdOut: HoldOutResult;
}

/** A change is about nothing in this trace. */
export interface WhatIfUnmatched {
  readonly status: 'unmatched';
  /** The change as it was asked for. */
  readonly change: string;
  /** What it looked for. */
  readonly by: 'name' | 'kind' | 'lane' | 'annotation' | 'python';
  readonly text: string;
  /** No op has such a name, but these do. */
  readonly elsewhere?: 'annotation' | 'python' | 'lane';
  /** What there is of that sort in the trace, by time spent, the most first. */
  readonly known: readonly string[];
}
