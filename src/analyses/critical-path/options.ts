import type { GraphOptions } from '../../graph/graph-options.ts';
import type { WindowRequest } from '../../graph/window-request.ts';

export interface CriticalPathOptions extends GraphOptions {
  readonly window: WindowRequest;
  /** A regular expression of further data-loading names. */
  readonly dataLoading?: string;
  /** Also how much each event may grow, and what the largest groups of ops can win. */
  readonly slack?: boolean;
}
