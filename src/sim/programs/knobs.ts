import type { Action, Clock, Costs } from '../program.ts';
import { NOISY_COSTS } from '../program.ts';
import { FAST_NETWORK, type Network } from './parts.ts';

/** What every ready program can be told. */
export interface CommonKnobs {
  readonly seed: number;
  readonly steps: number;
  readonly ranks: number;
  readonly network: Network;
  readonly costs: Costs;
  /** One rank that is slower. */
  readonly straggler: Straggler | undefined;
  /** Clocks of ranks that differ by up to so much, ns; 0 for none. */
  readonly clockSpreadNs: number;
}

export interface Straggler {
  readonly rank: number;
  /** `device`: its kernels take longer; `host`: its host work; `data`: its data loader. */
  readonly kind: 'device' | 'host' | 'data';
  readonly factor: number;
}

export const COMMON: CommonKnobs = {
  seed: 1,
  steps: 3,
  ranks: 2,
  network: FAST_NETWORK,
  costs: NOISY_COSTS,
  straggler: undefined,
  clockSpreadNs: 0,
};

/** How a rank's speed and clock differ from the others'. */
export function rankTraits(
  { straggler, clockSpreadNs, seed }: CommonKnobs,
  rank: number,
): { hostScale: number; deviceScale: number; dataScale: number; clock: Clock } {
  const factor = straggler?.rank === rank ? straggler.factor : 1;
  const spread = Math.imul(seed + 31 * rank, 2_654_435_761) >>> 0;
  const share = spread / 4_294_967_296 - 0.5;
  return {
    hostScale: straggler?.kind === 'host' ? factor : 1,
    deviceScale: straggler?.kind === 'device' ? factor : 1,
    dataScale: straggler?.kind === 'data' ? factor : 1,
    clock: {
      offsetNs: Math.round(2 * share * clockSpreadNs),
      driftPpm: clockSpreadNs === 0 ? 0 : Math.round(share * 20),
    },
  };
}

/** The same list for ranks whose data loader is equally fast: a job of many ranks holds few programs. */
export function sharedBodies(make: (dataScale: number) => readonly Action[]): (dataScale: number) => readonly Action[] {
  const made = new Map<number, readonly Action[]>();
  return (dataScale) => {
    const known = made.get(dataScale) ?? make(dataScale);
    made.set(dataScale, known);
    return known;
  };
}
