import type { ScopeOptions } from '../scope.ts';

/** What `counters` can be asked with. */
export interface CountersOptions extends ScopeOptions {
  /** Also every step of every series. */
  readonly points?: boolean;
}
