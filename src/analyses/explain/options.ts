import type { GraphOptions } from '../../graph/graph-options.ts';

/** Which event is meant: its position in `traceEvents`, or what has a correlation (device work before calls). */
export type EventHandle =
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'correlation'; readonly correlation: number };

/** What `explain` can be asked with. */
export interface ExplainOptions extends GraphOptions {
  readonly event: EventHandle;
  /** Links of a chain at most. */
  readonly links: number;
}
