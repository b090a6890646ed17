import type { Action, Job, Place, TransferAction } from '../program.ts';
import { COMMON, type CommonKnobs, rankTraits } from './knobs.ts';
import {
  ADAM,
  COMPUTE,
  GEMM_DGRAD,
  GEMM_WGRAD,
  annotation,
  awaitCollective,
  backwardOp,
  dataLoader,
  frame,
  launch,
  linear,
  op,
  toDevice,
} from './parts.ts';

export interface PipelineKnobs extends CommonKnobs {
  readonly microbatches: number;
  readonly layersPerStage: number;
  readonly gemmNs: number;
  readonly hostNs: number;
  readonly activationBytes: number;
}

export const PIPELINE: PipelineKnobs = {
  ...COMMON,
  ranks: 4,
  microbatches: 8,
  layersPerStage: 2,
  gemmNs: 200_000,
  hostNs: 3_000,
  activationBytes: 8e6,
};

const FROM_BEFORE: Place = { device: 0, stream: 20 };
const TO_AFTER: Place = { device: 0, stream: 24 };
const FROM_AFTER: Place = { device: 0, stream: 28 };
const TO_BEFORE: Place = { device: 0, stream: 32 };

/** Each rank holds a stage; micro-batches go forward and backward in turns (1F1B). */
export function pipeline(knobs: Partial<PipelineKnobs> = {}): Job {
  const all = { ...PIPELINE, ...knobs };
  const ranks = Array.from({ length: all.ranks }, (_, rank) => rank);
  return {
    name: 'pipeline',
    story:
      'Pipeline-parallel training, one forward then one backward: stages wait for their neighbours while the pipeline fills and drains; the slowest stage sets the pace.',
    seed: all.seed,
    costs: all.costs,
    groups: [{ name: 'pp', description: 'pipeline', ranks }],
    ranks: ranks.map((rank) => {
      const { dataScale, ...traits } = rankTraits(all, rank);
      const body: Action[] = [
        { kind: 'repeat', times: all.steps, body: [step(all, rank, 200_000 * dataScale)] },
        { kind: 'device-sync', device: 0 },
      ];
      return {
        threads: [
          { name: 'python', body },
          { name: 'pt_autograd_0', body: [] },
        ],
        ...traits,
      };
    }),
  };
}

function step(knobs: PipelineKnobs, rank: number, dataNs: number): Action {
  const { ranks, microbatches } = knobs;
  const warmup = Math.min(microbatches, ranks - 1 - rank);
  const actions: Action[] = rank === 0 ? [dataLoader(dataNs), toDevice(2e6)] : [];
  for (let n = 0; n < warmup; n++) actions.push(...forward(knobs, rank));
  for (let n = warmup; n < microbatches; n++) actions.push(...forward(knobs, rank), ...backward(knobs, rank));
  for (let n = 0; n < warmup; n++) actions.push(...backward(knobs, rank));
  const adam = launch({ name: ADAM, ns: 90_000 * knobs.layersPerStage });
  return annotation('ProfilerStep#{i}', [
    frame('pipeline.py(201): run_schedule', actions),
    annotation('Optimizer.step#AdamW.step', [op('aten::_fused_adamw_', 40_000, [adam])]),
    { kind: 'stream-sync', on: COMPUTE },
  ]);
}

function forward(knobs: PipelineKnobs, rank: number): Action[] {
  const { ranks, layersPerStage, gemmNs, hostNs } = knobs;
  const layers = Array.from({ length: layersPerStage }, (_, n) => linear(2 * gemmNs, hostNs, n));
  return [
    ...(rank > 0 ? receive(knobs, rank - 1, FROM_BEFORE, 1) : []),
    frame('stage.py(33): forward_one_chunk', layers),
    ...(rank < ranks - 1 ? send(knobs, rank + 1, TO_AFTER, 11) : []),
  ];
}

function backward(knobs: PipelineKnobs, rank: number): Action[] {
  const { ranks, layersPerStage, gemmNs, hostNs } = knobs;
  const gradients = [
    { name: GEMM_DGRAD, ns: 2 * gemmNs },
    { name: GEMM_WGRAD, ns: 2 * gemmNs },
  ];
  const layers = Array.from({ length: layersPerStage }, (_, n) =>
    backwardOp('AddmmBackward0', hostNs, gradients, layersPerStage - 1 - n),
  );
  return [
    ...(rank < ranks - 1 ? receive(knobs, rank + 1, FROM_AFTER, 21) : []),
    frame('stage.py(58): backward_one_chunk', [
      { kind: 'fork', thread: 1, body: layers },
      { kind: 'join', thread: 1 },
    ]),
    ...(rank > 0 ? send(knobs, rank - 1, TO_BEFORE, 31) : []),
  ];
}

function transfer(knobs: PipelineKnobs, kind: 'send' | 'receive', peer: number, on: Place): TransferAction {
  const { activationBytes, network } = knobs;
  const ns = Math.round(network.latencyNs + activationBytes / network.gbPerS);
  const name = 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)';
  return { kind, group: 'pp', on, name, peer, ns, isEager: true, elements: activationBytes / 2, dtype: 'BFloat16' };
}

/** What was computed goes to a neighbour while this stage goes on. */
function send(knobs: PipelineKnobs, peer: number, on: Place, event: number): Action[] {
  const kernel = transfer(knobs, 'send', peer, on);
  const body: Action[] = [
    { kind: 'record', event, on: COMPUTE },
    { kind: 'wait', event, on },
    annotation('nccl:send', [kernel]),
    { kind: 'record', event: event + 1, on },
  ];
  return [op('c10d::send', 3_000, [op('record_param_comms', 3_000, body, { comm: kernel })])];
}

/** The stage waits for its neighbour. */
function receive(knobs: PipelineKnobs, peer: number, on: Place, event: number): Action[] {
  const kernel = transfer(knobs, 'receive', peer, on);
  const body: Action[] = [
    { kind: 'record', event, on: COMPUTE },
    { kind: 'wait', event, on },
    annotation('nccl:recv', [kernel]),
    { kind: 'record', event: event + 1, on },
  ];
  return [
    op('c10d::recv_', 3_000, [op('record_param_comms', 3_000, body, { comm: kernel })]),
    awaitCollective(event + 1),
  ];
}
