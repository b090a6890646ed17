import type { ScopeOptions } from '../scope.ts';
import type { OpsBy, OpsSort, OpsTree } from './result.ts';

/** What `ops` can be asked with. */
export interface OpsOptions extends ScopeOptions {
  readonly by: OpsBy;
  readonly sort: OpsSort;
  /** Also the tree of calls. */
  readonly tree?: OpsTree;
  /** Also which kernels each op launches, in which order. */
  readonly sequences?: true;
  /** Also all stacks with their weight. */
  readonly folded?: 'host' | 'device';
}
