import type { Job } from '../program.ts';
import { dataParallel } from './data-parallel.ts';
import { decode } from './decode.ts';
import { fsdp } from './fsdp.ts';
import { moe } from './moe.ts';
import { pipeline } from './pipeline.ts';
import { twoStreams } from './two-streams.ts';

/** What a ready program can be told by its user. */
export interface ReadyKnobs {
  /** Of the job; one-rank programs have no other number. */
  readonly ranks?: number;
}

/** The ready programs with their knobs as they are. */
export const READY_PROGRAMS = {
  'data-parallel': (knobs: ReadyKnobs = {}) => dataParallel(knobs),
  fsdp: (knobs: ReadyKnobs = {}) => fsdp(knobs),
  pipeline: (knobs: ReadyKnobs = {}) => pipeline(knobs),
  moe: (knobs: ReadyKnobs = {}) => moe(knobs),
  decode: () => decode(),
  'two-streams': () => twoStreams(),
  'launch-bound': () => decode({ usesGraph: false, kernelNs: 4_000, layers: 12, steps: 6 }),
  'exposed-all-reduce': ({ ranks = 4 }: ReadyKnobs = {}) =>
    dataParallel({ ranks, network: { gbPerS: 20, latencyNs: 30_000 } }),
  'data-loader': (knobs: ReadyKnobs = {}) => dataParallel({ ...knobs, dataNs: 9_000_000 }),
} as const satisfies Readonly<Record<string, (knobs?: ReadyKnobs) => Job>>;

/** The job that `demo` shows: one rank has slow kernels (of eight: rank 5), and all have a slow network. */
export const demoJob = ({ steps = 4, ranks = 8 }: ReadyKnobs & { readonly steps?: number } = {}): Job =>
  dataParallel({
    ranks,
    steps,
    layers: 12,
    network: { gbPerS: 60, latencyNs: 25_000 },
    straggler: { rank: Math.min(5, ranks - 1), kind: 'device', factor: 1.15 },
    clockSpreadNs: 300_000,
  });
