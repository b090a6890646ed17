import type { Action, GraphNode, Job } from '../program.ts';
import { COMMON, type CommonKnobs, rankTraits } from './knobs.ts';
import { ADD, COMPUTE, FLASH, GEMM, NORM, annotation, frame, launch, op } from './parts.ts';

export interface DecodeKnobs extends CommonKnobs {
  readonly layers: number;
  readonly kernelNs: number;
  readonly hostNs: number;
  /** Replays one graph a token; else every kernel is launched by itself. */
  readonly usesGraph: boolean;
  /** Of scheduler and sampler between tokens, ns. */
  readonly betweenNs: number;
}

export const DECODE: DecodeKnobs = {
  ...COMMON,
  ranks: 1,
  steps: 12,
  layers: 16,
  kernelNs: 7_000,
  hostNs: 2_500,
  usesGraph: true,
  betweenNs: 60_000,
};

/** Tokens one by one: inputs go to the device, the model runs, the host waits for the next token. */
export function decode(knobs: Partial<DecodeKnobs> = {}): Job {
  const all = { ...DECODE, ...knobs };
  const story = all.usesGraph
    ? 'Inference: each token replays one captured graph of small kernels, then the host waits for it; what the host does between tokens is exposed.'
    : 'Inference without graphs: each token launches hundreds of small kernels one by one, and the device waits for the launches.';
  const { dataScale: _, ...traits } = rankTraits(all, 0);
  const body: Action[] = [{ kind: 'repeat', times: all.steps, body: [token(all)] }];
  return {
    name: all.usesGraph ? 'decode' : 'launch-bound',
    story,
    seed: all.seed,
    costs: all.costs,
    groups: [],
    ranks: [{ threads: [{ name: 'python', body }], ...traits }],
  };
}

function token(knobs: DecodeKnobs): Action {
  const { hostNs, betweenNs, usesGraph } = knobs;
  const input: Action = { kind: 'copy', on: COMPUTE, direction: 'HtoD', memory: 'pinned', bytes: 2_048, ns: 1_600 };
  const output: Action = { kind: 'copy', on: COMPUTE, direction: 'DtoH', memory: 'pinned', bytes: 1_024, ns: 1_500 };
  const sampler =
    'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float>, unsigned int, long, 4> >';
  return annotation('ProfilerStep#{i}', [
    frame('scheduler.py(310): schedule', [{ kind: 'sleep', ns: betweenNs }]),
    frame('model_runner.py(1052): execute_model', [
      op('aten::copy_', hostNs, [input]),
      ...(usesGraph ? [replay(knobs)] : eager(knobs)),
      op('aten::argmax', hostNs, [launch({ name: sampler, ns: 9_000 })]),
      op('aten::copy_', hostNs, [output]),
      { kind: 'record', event: 1, on: COMPUTE },
      { kind: 'event-sync', event: 1 },
    ]),
  ]);
}

const LAYER = [NORM, GEMM, FLASH, GEMM, ADD, NORM, GEMM, GEMM, ADD] as const;
const isHeavy = (name: string): boolean => name === GEMM || name === FLASH;

function kernelsOf({ layers, kernelNs }: DecodeKnobs): { name: string; ns: number }[] {
  return Array.from({ length: layers }, () =>
    LAYER.map((name) => ({ name, ns: isHeavy(name) ? kernelNs : Math.round(kernelNs / 3) })),
  ).flat();
}

function replay(knobs: DecodeKnobs): Action {
  const nodes = kernelsOf(knobs).map((kernel, n): GraphNode => ({ ...kernel, after: n === 0 ? [] : [n - 1] }));
  return { kind: 'graph', on: COMPUTE, graphId: 1, nodes };
}

function eager(knobs: DecodeKnobs): Action[] {
  return kernelsOf(knobs).map((kernel) =>
    op(isHeavy(kernel.name) ? 'aten::mm' : 'aten::add', knobs.hostNs, [launch(kernel)]),
  );
}
