import type { Selector } from './selectors.ts';

/** What a what-if changes. Changes apply one after the other. */
export type Change =
  /** The length of device ops, and the host time inside host ops, times `factor`. */
  | { readonly kind: 'scale'; readonly select: Selector; readonly factor: number }
  /** As if they had not been: device ops with their launch calls, host ops with all that they launch. */
  | { readonly kind: 'remove'; readonly select: Selector }
  /** Every launch takes this long where nothing else is in the way, instead of its typical lag, in ns. */
  | { readonly kind: 'launch-latency'; readonly ns: number }
  /** No host time between top-level ops. */
  | { readonly kind: 'no-host-gaps' }
  /** Collectives hold nothing up but what waits for them by an event. */
  | { readonly kind: 'overlap'; readonly select: Selector }
  /** Runs of kernels shorter than this, launched one after the other, become one graph launch each, in ns. */
  | { readonly kind: 'graph-launch'; readonly shorterThanNs: number };
