import type { Change } from '../../graph/changes.ts';
import type { GraphOptions } from '../../graph/graph-options.ts';
import type { WindowRequest } from '../../graph/window-request.ts';

export interface WhatIfOptions extends GraphOptions {
  readonly window: WindowRequest;
  /** Made one after the other. */
  readonly changes: readonly AskedChange[];
  /** Answer even where the hold-out says that forecasts of this trace are not to be trusted. */
  readonly force?: boolean;
  /** A regular expression of further data-loading names. */
  readonly dataLoading?: string;
  /** List every event of the windows with its forecast times, as an overlay needs them. */
  readonly timeline?: boolean;
}

/** A change, and the words in which it was asked for. */
export interface AskedChange {
  readonly text: string;
  readonly change: Change;
}
