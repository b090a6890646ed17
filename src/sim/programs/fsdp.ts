import type { Action, Job } from '../program.ts';
import { COMMON, type CommonKnobs, rankTraits, sharedBodies } from './knobs.ts';
import {
  ADAM,
  COMPUTE,
  FLASH,
  FLASH_BACKWARD,
  GEMM_DGRAD,
  GEMM_WGRAD,
  NORM,
  annotation,
  awaitCollective,
  backwardOp,
  collective,
  dataLoader,
  frame,
  item,
  launch,
  linear,
  op,
  pointwise,
  ringNs,
  toDevice,
} from './parts.ts';

export interface FsdpKnobs extends CommonKnobs {
  readonly layers: number;
  readonly gemmNs: number;
  readonly hostNs: number;
  /** Parameters of a layer, all ranks together. */
  readonly layerBytes: number;
  /** Gathers the next layer while this one computes. */
  readonly prefetch: boolean;
}

export const FSDP: FsdpKnobs = {
  ...COMMON,
  layers: 8,
  gemmNs: 250_000,
  hostNs: 3_000,
  layerBytes: 48e6,
  prefetch: true,
};

const GATHER = { device: 0, stream: 20 };
const SCATTER = { device: 0, stream: 24 };

/** Parameters are sharded: each layer is gathered before it computes, and its gradients are reduced and scattered afterwards. */
export function fsdp(knobs: Partial<FsdpKnobs> = {}): Job {
  const all = { ...FSDP, ...knobs };
  const ranks = Array.from({ length: all.ranks }, (_, rank) => rank);
  const bodyOf = sharedBodies((dataScale) => [
    { kind: 'repeat', times: all.steps, body: [step(all, 200_000 * dataScale)] },
    { kind: 'device-sync', device: 0 },
  ]);
  return {
    name: 'fsdp',
    story:
      'Sharded training: each layer is gathered before it computes, one ahead where it prefetches, and its gradients are scattered; without prefetch every gather is exposed.',
    seed: all.seed,
    costs: all.costs,
    groups: [{ name: '0', description: 'fsdp', ranks }],
    ranks: ranks.map((rank) => {
      const { dataScale, ...traits } = rankTraits(all, rank);
      return {
        threads: [
          { name: 'python', body: bodyOf(dataScale) },
          { name: 'pt_autograd_0', body: [] },
        ],
        ...traits,
      };
    }),
  };
}

function step(knobs: FsdpKnobs, dataNs: number): Action {
  const { layers } = knobs;
  return annotation('ProfilerStep#{i}', [
    dataLoader(dataNs),
    toDevice(2e6),
    frame(
      'fsdp_model.py(120): forward',
      inOrder(knobs, layers, 0, (n) => forwardLayer(knobs, n)),
    ),
    frame('torch/_tensor.py(570): backward', [
      { kind: 'fork', thread: 1, body: inOrder(knobs, layers, 50, (n) => backwardLayer(knobs, layers - 1 - n)) },
      { kind: 'join', thread: 1 },
    ]),
    awaitCollective(301),
    annotation('Optimizer.step#AdamW.step', [
      op('aten::_fused_adamw_', 40_000, [launch({ name: ADAM, ns: 60_000 * layers })]),
    ]),
    item(),
  ]);
}

/** Each layer after its gather; with prefetch the next gather is called before the layer computes. */
function inOrder(knobs: FsdpKnobs, layers: number, events: number, layer: (n: number) => Action[]): Action[] {
  const actions: Action[] = [gather(knobs, events)];
  for (let n = 0; n < layers; n++) {
    const next = n + 1 < layers ? [gather(knobs, events + n + 1)] : [];
    if (knobs.prefetch) actions.push(...next);
    actions.push(awaitCollective(101 + events + n), ...layer(n));
    if (!knobs.prefetch) actions.push(...next);
  }
  return actions;
}

function gather({ layerBytes, ranks, network }: FsdpKnobs, n: number): Action {
  const ns = ringNs('allgather', layerBytes, ranks, network);
  const events = { readyEvent: 1 + n, doneEvent: 101 + n };
  return annotation('FullyShardedDataParallel._pre_forward', [
    collective({ op: 'allgather', group: '0', on: GATHER, after: COMPUTE, ns, bytes: layerBytes, ...events }),
  ]);
}

function forwardLayer({ gemmNs, hostNs }: FsdpKnobs, n: number): Action[] {
  const sequence = 10 * n;
  return [
    pointwise('aten::layer_norm', NORM, gemmNs / 14, hostNs, sequence + 1),
    linear(gemmNs, hostNs, sequence + 2),
    pointwise('aten::_flash_attention_forward', FLASH, gemmNs / 2, hostNs, sequence + 3),
    linear(gemmNs, hostNs, sequence + 4),
  ];
}

function backwardLayer(knobs: FsdpKnobs, n: number): Action[] {
  const { gemmNs, hostNs, layerBytes, ranks, network } = knobs;
  const sequence = 10 * n;
  const gradients = [
    { name: GEMM_DGRAD, ns: gemmNs },
    { name: GEMM_WGRAD, ns: gemmNs },
  ];
  const ns = ringNs('reduce_scatter', layerBytes, ranks, network);
  const events = { readyEvent: 201 + n, doneEvent: 301 + n };
  return [
    backwardOp('AddmmBackward0', hostNs, gradients, sequence + 4),
    backwardOp('FlashAttentionBackward0', hostNs, [{ name: FLASH_BACKWARD, ns: gemmNs }], sequence + 3),
    backwardOp('AddmmBackward0', hostNs, gradients, sequence + 2),
    backwardOp('NativeLayerNormBackward0', hostNs, [{ name: NORM, ns: gemmNs / 8 }], sequence + 1),
    collective({ op: 'reduce_scatter', group: '0', on: SCATTER, after: COMPUTE, ns, bytes: layerBytes, ...events }),
  ];
}
