import type { SegmentKind } from '../../graph/segments.ts';
import type { EventReference } from '../reference.ts';
import type { ScopeResult } from '../scope.ts';

/** Why a step does not count for the median. */
export type Distrust =
  /** Device work from before the step was still to do when it began. */
  | 'earlier-work'
  /** It has no device work, and other steps have. */
  | 'no-device-work'
  /** Launches in it left no device rows. */
  | 'lost-launches'
  /** Its annotation had not ended when the trace was written. */
  | 'cut-off'
  /** The last round of a repetition: no next one says when it was over. */
  | 'open-end'
  /** Among the first steps, and much slower than those behind. */
  | 'warm-up';

/** The time of a step’s path in segments of one kind. */
export interface StepPart {
  readonly kind: SegmentKind;
  readonly totalNs: number;
  /** Of the step's wall time, 0…1. */
  readonly share: number;
}

/** What the path of a step holds more (or, below 0, less) of than that of the median step. */
export interface StepDifference {
  readonly kind: SegmentKind;
  /** The op whose time it is; of gaps and launches, the op that it came before. Absent where nothing is known to run. */
  readonly name?: string;
  readonly deltaNs: number;
  /** Its longest stretch in this step, or in the median step where this one has none. */
  readonly longest?: EventReference;
}

/** One step. */
export interface StepRow {
  readonly label: string;
  /** From the completion of the step before to its own, in ns since the trace's origin. */
  readonly startNs: number;
  readonly endNs: number;
  readonly wallNs: number;
  /** `wallNs` over the median, less 1; absent without a median. */
  readonly fromMedian?: number;
  /** Its annotation; absent where steps were found by repetition. */
  readonly event?: EventReference;
  /** Empty: the step counts. */
  readonly distrust: readonly Distrust[];
  /** Farther from the median than `outlierRule.limitNs`. Only steps that count can be. */
  readonly isOutlier: boolean;
  /** What its path was spent on, the largest first: Σ = `wallNs`. */
  readonly path: readonly StepPart[];
  /** By device: the union of its runs within the step, and the rest of the wall time. */
  readonly devices: readonly { readonly device: number; readonly busyNs: number; readonly idleNs: number }[];
  /** Device ops that began within the step. */
  readonly deviceOps: number;
  /** Against the median step: by kind, Σ = the difference of the walls; and the largest by op, at most ten. Absent in the median step itself. */
  readonly differs?: { readonly byKind: readonly StepDifference[]; readonly largest: readonly StepDifference[] };
}

/** What the steps that are to be trusted are like. */
export interface StepsSummary {
  /** Steps that count: complete, not cut off, not warm-up. */
  readonly count: number;
  readonly medianNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** Median distance from the median. */
  readonly madNs: number;
  /** (max − min) over the median. */
  readonly spread: number;
  /** The step nearest to the median that took any time; of two that are as near the shorter. */
  readonly medianStep: string;
  /** Its place in `rows`: labels may repeat. */
  readonly medianRow: number;
}

/** The steps of the windows. */
export interface StepsResult extends ScopeResult {
  /** How steps were found: by annotations; as the windows that were asked for; or by repetition. */
  readonly foundBy: 'profiler-steps' | 'window' | 'repetition';
  /** Of steps found by repetition. */
  readonly repetition?: {
    /** The name that each round begins with. */
    readonly anchor: string;
    /** What each round has at least in common with the median one, 0…1. */
    readonly alike: number;
    /** Of the main thread's time, 0…1. */
    readonly cover: number;
    readonly confidence: 'high' | 'medium';
  };
  /** Absent where no step counts. */
  readonly summary?: StepsSummary;
  /** A step is an outlier beyond `limitNs`; absent where too few count to say. */
  readonly outlierRule?: { readonly limitNs: number; readonly steps: number };
  /** In order of time. */
  readonly rows: readonly StepRow[];
  /** Time between steps, in none of them. */
  readonly betweenNs: number;
}
