import type { Job } from '../program.ts';
import { dataParallel } from './data-parallel.ts';
import { decode } from './decode.ts';
import { fsdp } from './fsdp.ts';
import { moe } from './moe.ts';
import { pipeline } from './pipeline.ts';
import { twoStreams } from './two-streams.ts';

/** The ready programs with their knobs as they are. */
export const READY_PROGRAMS = {
  'data-parallel': () => dataParallel(),
  fsdp: () => fsdp(),
  pipeline: () => pipeline(),
  moe: () => moe(),
  decode: () => decode(),
  'two-streams': () => twoStreams(),
  'launch-bound': () => decode({ usesGraph: false, kernelNs: 4_000, layers: 12, steps: 6 }),
  'exposed-all-reduce': () => dataParallel({ ranks: 4, network: { gbPerS: 20, latencyNs: 30_000 } }),
  'data-loader': () => dataParallel({ dataNs: 9_000_000 }),
} as const satisfies Readonly<Record<string, () => Job>>;

/** The job that `demo` shows: eight ranks, of which one has slow kernels and all have a slow network. */
export const demoJob = ({ steps = 4 }: { readonly steps?: number } = {}): Job =>
  dataParallel({
    ranks: 8,
    steps,
    layers: 12,
    network: { gbPerS: 60, latencyNs: 25_000 },
    straggler: { rank: 5, kind: 'device', factor: 1.15 },
    clockSpreadNs: 300_000,
  });
