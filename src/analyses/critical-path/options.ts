import type { ScopeOptions } from '../scope.ts';

/** What `critical-path` can be asked with. */
export interface CriticalPathOptions extends ScopeOptions {
  /** Also how much each event may grow, and what the largest groups of ops can win. */
  readonly slack?: boolean;
  /** Also what the windows would win by the ops of so many names, those with the most time on the path. */
  readonly wins?: number;
}
