import type { SegmentKind } from '../../graph/segments.ts';
import type { CriticalPathResult } from '../critical-path/result.ts';
import type { InfoResult } from '../info/result.ts';

/** One of the largest parts of the path. */
export interface ReportPart {
  readonly kind: SegmentKind;
  readonly totalNs: number;
  /** Of the wall time, 0…1. */
  readonly share: number;
  readonly segments: number;
  /** What it is made of, by the name of the event, largest first; at most three. */
  readonly names: readonly ReportName[];
}

export interface ReportName {
  /** The event's name as written: of a gap, the event that it came before. */
  readonly name: string;
  /** Where the trace has one: the Python frame of the longest of its segments. */
  readonly python?: string;
  readonly totalNs: number;
  readonly share: number;
  readonly segments: number;
}

/** The steady state: what one step takes, and what bounds it. */
export interface ReportVerdict {
  /** `step`: of several steps; `instance`: of several windows of one name; `window`: of the only one. */
  readonly unit: 'step' | 'instance' | 'window';
  /** How many windows the median is taken of; time between steps is none. */
  readonly count: number;
  readonly medianNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** The largest parts of the path over all windows, at most three; the first is the long pole. */
  readonly parts: readonly ReportPart[];
}

export interface ReportResult {
  readonly info: InfoResult;
  readonly criticalPath: CriticalPathResult;
  readonly verdict: ReportVerdict;
}
