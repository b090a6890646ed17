import type { Change } from '../../graph/changes.ts';
import type { ScopeOptions } from '../scope.ts';

/** What `what-if` can be asked with. */
export interface WhatIfOptions extends ScopeOptions {
  /** Made one after the other. */
  readonly changes: readonly AskedChange[];
  /** Answer even where the hold-out says that forecasts of this trace are not to be trusted. */
  readonly force?: boolean;
  /** List every event of the windows with its forecast times, as an overlay needs them. */
  readonly timeline?: boolean;
}

/** A change, and the words in which it was asked for. */
export interface AskedChange {
  readonly text: string;
  readonly change: Change;
}
