import type { Action, Job } from '../program.ts';
import { COMMON, type CommonKnobs, rankTraits, sharedBodies } from './knobs.ts';
import {
  ADAM,
  ADD,
  COMPUTE,
  GELU,
  GEMM_DGRAD,
  GEMM_WGRAD,
  MS,
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

export interface DataParallelKnobs extends CommonKnobs {
  readonly layers: number;
  /** Of a layer's matrix product, ns; others follow from it. */
  readonly gemmNs: number;
  /** Of each small host op, ns. */
  readonly hostNs: number;
  /** Of a layer's gradients. */
  readonly layerBytes: number;
  readonly layersPerBucket: number;
  readonly dataNs: number;
  /** Ends each step with `loss.item()`. */
  readonly readsLoss: boolean;
}

export const DATA_PARALLEL: DataParallelKnobs = {
  ...COMMON,
  layers: 8,
  gemmNs: 180_000,
  hostNs: 3_000,
  layerBytes: 24e6,
  layersPerBucket: 2,
  dataNs: 300_000,
  readsLoss: true,
};

const COMM = { device: 0, stream: 20 };
/** Events 1… are of buckets that are ready, 101… of buckets that are reduced. */
const READY = 1;
const DONE = 101;

/** Each rank computes gradients of its own batch; buckets of them are summed over all ranks while the backward pass goes on. */
export function dataParallel(knobs: Partial<DataParallelKnobs> = {}): Job {
  const all = { ...DATA_PARALLEL, ...knobs };
  const ranks = Array.from({ length: all.ranks }, (_, rank) => rank);
  const bodyOf = sharedBodies((dataScale) => [
    { kind: 'repeat', times: all.steps, body: [step(all, all.dataNs * dataScale)] },
    { kind: 'device-sync', device: 0 },
  ]);
  return {
    name: 'data-parallel',
    story:
      'Data-parallel training: gradient buckets are summed on a stream of their own while the backward pass goes on; where the network is slow, the last buckets are exposed.',
    seed: all.seed,
    costs: all.costs,
    groups: [{ name: '0', description: 'default_pg', ranks }],
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

function step(knobs: DataParallelKnobs, dataNs: number): Action {
  const { layers, layersPerBucket } = knobs;
  const buckets = Math.ceil(layers / layersPerBucket);
  return annotation('ProfilerStep#{i}', [
    frame('train.py(41): train_step', [
      dataLoader(dataNs),
      toDevice(4e6),
      frame('model.py(88): forward', Array.from({ length: layers }, (_, n) => forwardLayer(knobs, n)).flat()),
      pointwise('aten::cross_entropy_loss', 'void cunn_SoftMaxForward<8, float>', 40_000, 4_000),
      frame('torch/_tensor.py(570): backward', [
        { kind: 'fork', thread: 1, body: backward(knobs) },
        { kind: 'join', thread: 1 },
      ]),
      ...Array.from({ length: buckets }, (_, bucket) => awaitCollective(DONE + bucket)),
      optimizer(knobs),
      ...(knobs.readsLoss ? [frame('train.py(57): log', [item()])] : []),
    ]),
  ]);
}

function forwardLayer({ gemmNs, hostNs }: DataParallelKnobs, n: number): Action[] {
  const sequence = 10 * n;
  return [
    pointwise('aten::layer_norm', NORM, gemmNs / 12, hostNs, sequence + 1),
    linear(gemmNs, hostNs, sequence + 2),
    pointwise('aten::gelu', GELU, gemmNs / 10, hostNs, sequence + 3),
    linear(gemmNs, hostNs, sequence + 4),
    pointwise('aten::add_', ADD, gemmNs / 14, hostNs),
  ];
}

function backward(knobs: DataParallelKnobs): Action[] {
  const { layers, layersPerBucket, layerBytes, ranks, network } = knobs;
  const actions: Action[] = [];
  for (let n = layers - 1; n >= 0; n--) {
    actions.push(...backwardLayer(knobs, n));
    if (n % layersPerBucket !== 0) continue;
    const bucket = n / layersPerBucket;
    const bytes = layerBytes * Math.min(layersPerBucket, layers - n);
    const ns = ringNs('allreduce', bytes, ranks, network);
    const events = { readyEvent: READY + bucket, doneEvent: DONE + bucket };
    actions.push(collective({ op: 'allreduce', group: '0', on: COMM, after: COMPUTE, ns, bytes, ...events }));
  }
  return actions;
}

function backwardLayer({ gemmNs, hostNs }: DataParallelKnobs, n: number): Action[] {
  const sequence = 10 * n;
  const gradients = [
    { name: GEMM_DGRAD, ns: gemmNs },
    { name: GEMM_WGRAD, ns: gemmNs },
  ];
  return [
    backwardOp('AddmmBackward0', hostNs, gradients, sequence + 4),
    backwardOp('GeluBackward0', hostNs, [{ name: GELU, ns: gemmNs / 8 }], sequence + 3),
    backwardOp('AddmmBackward0', hostNs, gradients, sequence + 2),
    backwardOp('NativeLayerNormBackward0', hostNs, [{ name: NORM, ns: gemmNs / 8 }], sequence + 1),
  ];
}

function optimizer({ layers, layerBytes }: DataParallelKnobs): Action {
  // Reads and writes parameters, gradients and two moments.
  const ns = Math.round((layerBytes * 8) / 1_500);
  const chunks = Array.from({ length: Math.ceil(layers / 4) }, () => launch({ name: ADAM, ns: 4 * ns }));
  return annotation('Optimizer.step#AdamW.step', [op('aten::_fused_adamw_', 0.05 * MS, chunks)]);
}
