import type { WindowRequest } from '../../graph/window-request.ts';

export interface CriticalPathOptions {
  readonly window: WindowRequest;
  /** Only what the trace says: no inferred waits. */
  readonly exact: boolean;
  /** A regular expression of further data-loading names. */
  readonly dataLoading?: string;
}
