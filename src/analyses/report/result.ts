import type { SegmentKind } from '../../graph/segments.ts';
import type { AnnotationsResult } from '../annotations/result.ts';
import type { BreakdownResult } from '../breakdown/result.ts';
import type { CommunicationResult } from '../communication/result.ts';
import type { Outcome } from '../contract.ts';
import type { BreakdownRow, CriticalPathResult, PathWin } from '../critical-path/result.ts';
import type { IdleResult } from '../idle/result.ts';
import type { InfoResult } from '../info/result.ts';
import type { KernelsResult } from '../kernels/result.ts';
import type { LaunchesResult } from '../launches/result.ts';
import type { OpsResult } from '../ops/result.ts';
import type { EventReference } from '../reference.ts';
import type { StepsResult } from '../steps/result.ts';

/** One of the largest parts of the path. */
export interface ReportPart {
  readonly kind: SegmentKind;
  readonly totalNs: number;
  /** Of the wall time, 0…1. */
  readonly share: number;
  readonly segments: number;
  /** Of kind `kernel`: time in device ops of class `other`, which are neither computation nor transfer; absent without any. */
  readonly otherNs?: number;
  /** Time of it that belongs to no event: such as a gap that no op of the trace follows. */
  readonly unnamedNs: number;
  /** What it is made of, by the name of the event, largest first; at most three. */
  readonly names: readonly ReportName[];
}

/** The time of a part of the path in ops of one name. */
export interface ReportName {
  /** The event's name as written: of a gap, the event that it came before. */
  readonly name: string;
  /** Where the trace has one: the Python frame of the longest of its segments. */
  readonly python?: string;
  readonly totalNs: number;
  readonly share: number;
  readonly segments: number;
  /** The event of the longest of its segments. */
  readonly longest: EventReference;
  /** What the windows would win where all ops of this name took half of their time, or none; absent where that was not asked. */
  readonly win?: Pick<PathWin, 'halfNs' | 'goneNs'>;
}

/** The steady state: what one step takes, and what bounds it. */
export interface ReportVerdict {
  /** `step`: of several steps; `instance`: of several windows of one name; `window`: of the only one. */
  readonly unit: 'step' | 'instance' | 'window';
  /** What they are called together. */
  readonly label: string;
  /** How many windows the median is taken of: those that count. */
  readonly count: number;
  /** Those that count, in order of time: without time between steps, and without steps that are cut off or warm up, where others are not. */
  readonly windows: readonly { readonly startNs: number; readonly endNs: number }[];
  /** Their lengths, summed: what shares are of. */
  readonly wallNs: number;
  /** Steps of the path that do not count, and why; time between steps. */
  readonly leftOut: {
    readonly steps: readonly { readonly label: string; readonly why: string }[];
    readonly betweenNs: number;
  };
  readonly medianNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** The path of the windows that count, by kind: descending, Σ = `wallNs`. */
  readonly breakdown: readonly BreakdownRow[];
  /** The largest parts of that: three, and all others of 5 % or more. The first is the long pole. */
  readonly parts: readonly ReportPart[];
  /** Of the ops with the most time on the path, by name: those by which the windows would win most. Time between ops is none. Absent for a range. */
  readonly largestWin?: Omit<PathWin, 'byWindow'>;
}

/** What the other analyses say of the same windows, or why they have no answer. */
export interface ReportAnswers {
  readonly breakdown: Outcome<BreakdownResult>;
  readonly idle: Outcome<IdleResult>;
  readonly steps: Outcome<StepsResult>;
  readonly kernels: Outcome<KernelsResult>;
  readonly ops: Outcome<OpsResult>;
  readonly communication: Outcome<CommunicationResult>;
  readonly launches: Outcome<LaunchesResult>;
  readonly annotations: Outcome<AnnotationsResult>;
}

/** The answers of the other questions, and what they say together. */
export interface ReportResult {
  readonly info: InfoResult;
  readonly criticalPath: CriticalPathResult;
  readonly verdict: ReportVerdict;
  readonly answers: ReportAnswers;
}
