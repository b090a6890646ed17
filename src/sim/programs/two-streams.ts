import { type Action, type Costs, EXACT_COSTS, type Job } from '../program.ts';

export interface TwoStreamKnobs {
  readonly seed: number;
  readonly costs: Costs;
  readonly steps: number;
  /** Of the kernels that are waited for, of the one in between, and of the one that waits, ns. */
  readonly sourceNs: number;
  readonly betweenNs: number;
  readonly sinkNs: number;
}

export const TWO_STREAMS: TwoStreamKnobs = {
  seed: 1,
  costs: EXACT_COSTS,
  steps: 1,
  sourceNs: 200_000,
  betweenNs: 30_000,
  sinkNs: 50_000,
};

/** The case that this product began with. */
export function twoStreams(knobs: Partial<TwoStreamKnobs> = {}): Job {
  const { seed, costs, steps, sourceNs, betweenNs, sinkNs } = { ...TWO_STREAMS, ...knobs };
  const on = (stream: number): { device: number; stream: number } => ({ device: 0, stream });
  const mul = (stream: number, ns: number): Action => ({
    kind: 'op',
    name: 'aten::mm',
    beforeNs: 4_000,
    afterNs: 1_500,
    body: [{ kind: 'launch', name: 'ampere_sgemm_128x64_nn', ns, on: on(stream) }],
  });
  const step: Action = {
    kind: 'annotation',
    name: 'ProfilerStep#{i}',
    body: [
      mul(20, sourceNs),
      { kind: 'record', event: 1, on: on(20) },
      mul(28, betweenNs),
      { kind: 'wait', event: 1, on: on(24) },
      mul(24, sinkNs),
      { kind: 'device-sync', device: 0 },
    ],
  };
  return {
    name: 'two-streams',
    story:
      'An event recorded on stream 20, a kernel launched on stream 28, and a wait on stream 24: the wait holds the kernel on 24 for the one on 20, not for the one on 28.',
    seed,
    costs,
    groups: [],
    ranks: [{ threads: [{ name: 'python', body: [{ kind: 'repeat', times: steps, body: [step] }] }] }],
  };
}
