import type { ScopeResult } from '../scope.ts';

/**
 * What device work is for. Copies are copies and fills; `other` is what a file of rules (`--rules`) calls so, and nothing without one.
 */
export const WORK_CLASSES = ['computation', 'communication', 'copy', 'other'] as const;
/** One of `WORK_CLASSES`. */
export type WorkClass = (typeof WORK_CLASSES)[number];

/** The time of one class on a device: the union of its ops over all streams. */
export interface ClassTime {
  readonly class: WorkClass;
  /** When at least one op of the class ran. */
  readonly totalNs: number;
  /** Of the wall time, 0…1. */
  readonly share: number;
  /** Of computation: nothing else ran. Of the others: no computation ran, so that it costs time. */
  readonly exposedNs: number;
  /** Of computation: something else ran too. Of the others: computation ran too. `exposedNs + overlappedNs = totalNs`. */
  readonly overlappedNs: number;
}

/** The time in which exactly these classes ran at once. */
export interface CombinationTime {
  /** In the order of `WORK_CLASSES`; at least one. */
  readonly classes: readonly WorkClass[];
  readonly totalNs: number;
  /** Of the wall time, 0…1. */
  readonly share: number;
}

/** How a device's time divides: Σ `combinations` + `idleNs` = `wallNs`, exactly. */
export interface TimeParts {
  readonly wallNs: number;
  /** When any op ran. */
  readonly busyNs: number;
  readonly idleNs: number;
  /** Of the wall time, 0…1. */
  readonly idleShare: number;
  /** One row a class: `computation`, `communication`, `copy` always, `other` where there is any. */
  readonly classes: readonly ClassTime[];
  /** What occurred, the longest first. */
  readonly combinations: readonly CombinationTime[];
  /** Of the time of communication, the part in which computation ran too, 0…1; absent without communication. */
  readonly overlapShare?: number;
}

export interface DeviceBreakdown extends TimeParts {
  readonly rank: number;
  readonly device: number;
}

/** How the time of each device divides in one window. */
export interface WindowBreakdown {
  readonly label: string;
  readonly startNs: number;
  readonly endNs: number;
  readonly complete: boolean;
  /** One a device, as in `devices`. */
  readonly devices: readonly DeviceBreakdown[];
}

export interface BreakdownResult extends ScopeResult {
  /** Over all windows; one a device that has ops in the trace. */
  readonly devices: readonly DeviceBreakdown[];
  /** In order of time; they tile `window`. */
  readonly windows: readonly WindowBreakdown[];
}
