import type { ScopeOptions } from '../scope.ts';

/** What `launches` can be asked with. */
export interface LaunchesOptions extends ScopeOptions {
  /** Calls longer than this are listed; 50 µs where it is left out. */
  readonly minCallNs?: number;
  /** Launches that wait longer than this are listed; 100 µs where it is left out. */
  readonly minDelayNs?: number;
  /** Launches that a stream's queue takes; 1,024 where it is left out. */
  readonly fullQueue?: number;
  /** Also a row for each launch. */
  readonly each?: boolean;
}

export const MIN_CALL_NS = 50_000;
export const MIN_DELAY_NS = 100_000;
export const FULL_QUEUE = 1_024;
