import { Random } from '../draws.ts';
import type { Action, Job } from '../program.ts';
import { COMMON, type CommonKnobs, rankTraits } from './knobs.ts';
import {
  COMPUTE,
  FLASH,
  NORM,
  annotation,
  awaitCollective,
  collective,
  frame,
  item,
  linear,
  pointwise,
} from './parts.ts';

export interface MoeKnobs extends CommonKnobs {
  readonly layers: number;
  readonly gemmNs: number;
  readonly hostNs: number;
  /** Of the tokens of a rank, to and from the experts. */
  readonly tokenBytes: number;
  /** How unevenly tokens fall on experts: 0 evenly; 1: the busiest gets about twice its share. */
  readonly skew: number;
  /** One expert that gets so many times the tokens of each other, beside the skew. */
  readonly hot: { readonly rank: number; readonly factor: number } | undefined;
}

export const MOE: MoeKnobs = {
  ...COMMON,
  ranks: 4,
  layers: 6,
  gemmNs: 150_000,
  hostNs: 3_000,
  tokenBytes: 16e6,
  skew: 0.6,
  hot: undefined,
};

const COMM = { device: 0, stream: 20 };

/** Tokens go to experts on other ranks and come back, a different number to each. */
export function moe(knobs: Partial<MoeKnobs> = {}): Job {
  const all = { ...MOE, ...knobs };
  const ranks = Array.from({ length: all.ranks }, (_, rank) => rank);
  const loads = expertLoads(all);
  return {
    name: 'moe',
    story:
      'Mixture of experts: tokens go to experts on other ranks and come back, unevenly; all wait for the rank whose expert has the most tokens.',
    seed: all.seed,
    costs: all.costs,
    groups: [{ name: 'ep', description: 'expert_parallel', ranks }],
    ranks: ranks.map((rank) => {
      const { dataScale: _, ...traits } = rankTraits(all, rank);
      const layers = loads.map((load, n) => layer(all, load, rank, n)).flat();
      const step = annotation('ProfilerStep#{i}', [frame('moe.py(77): forward', layers), item()]);
      const body: Action[] = [{ kind: 'repeat', times: all.steps, body: [step] }];
      return { threads: [{ name: 'python', body }], ...traits };
    }),
  };
}

/** By layer and rank: the tokens of its expert, as a multiple of its share. */
function expertLoads({ seed, layers, ranks, skew, hot }: MoeKnobs): number[][] {
  const random = new Random(seed);
  return Array.from({ length: layers }, () => {
    const weights = Array.from({ length: ranks }, (__, rank) => {
      const drawn = 1 + skew * (2 * random.next() - 1);
      return rank === hot?.rank ? drawn * hot.factor : drawn;
    });
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => (weight * ranks) / sum);
  });
}

function layer(knobs: MoeKnobs, load: readonly number[], rank: number, n: number): Action[] {
  const { gemmNs, hostNs } = knobs;
  return [
    pointwise('aten::layer_norm', NORM, gemmNs / 12, hostNs),
    linear(gemmNs, hostNs),
    pointwise('aten::_flash_attention_forward', FLASH, gemmNs / 2, hostNs),
    pointwise(
      'aten::topk',
      'void at::native::sbtopk::gatherTopK<c10::BFloat16, unsigned int, 2, false>',
      12_000,
      hostNs,
    ),
    exchange(knobs, load, 10 * n),
    awaitCollective(101 + 10 * n),
    linear(2 * gemmNs * load[rank], hostNs),
    linear(2 * gemmNs * load[rank], hostNs),
    exchange(knobs, load, 10 * n + 5),
    awaitCollective(101 + 10 * n + 5),
  ];
}

/** A rank's part takes as long as what its expert gets. */
function exchange({ tokenBytes, network }: MoeKnobs, load: readonly number[], event: number): Action {
  const ns = load.map((share) => Math.round(network.latencyNs + (tokenBytes * share) / network.gbPerS));
  const events = { readyEvent: 1 + event, doneEvent: 101 + event };
  return collective({ op: 'all_to_all', group: 'ep', on: COMM, after: COMPUTE, ns, bytes: tokenBytes, ...events });
}
