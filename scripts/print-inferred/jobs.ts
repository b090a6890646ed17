// The jobs on which inferred waits are measured.
import { dataParallel } from '../../src/sim/programs/data-parallel.ts';
import { decode } from '../../src/sim/programs/decode.ts';
import { fsdp } from '../../src/sim/programs/fsdp.ts';
import type { CommonKnobs } from '../../src/sim/programs/knobs.ts';
import { moe } from '../../src/sim/programs/moe.ts';
import { pipeline } from '../../src/sim/programs/pipeline.ts';
import { twoStreams } from '../../src/sim/programs/two-streams.ts';
import { EXACT_COSTS, type Job, NOISY_COSTS } from '../../src/sim/program.ts';

const SLOW = { gbPerS: 20, latencyNs: 30_000 };
const MIDDLE = { gbPerS: 60, latencyNs: 25_000 };
const SEEDS = [1, 2, 3];

/** By group: every ready program with several knobs, with and without jitter. */
export function readyJobs(): Map<string, Job[]> {
  const jobs = new Map<string, Job[]>();
  const add = (name: string, make: (common: Partial<CommonKnobs>) => Job): void => {
    const made: Job[] = [];
    for (const seed of SEEDS) {
      for (const costs of [EXACT_COSTS, NOISY_COSTS]) {
        if (costs === EXACT_COSTS && seed > 1) continue;
        made.push(make({ seed, costs }));
      }
    }
    jobs.set(name, made);
  };
  add('data-parallel', (common) => dataParallel(common));
  add('data-parallel, slow network', (common) => dataParallel({ ...common, ranks: 4, network: SLOW }));
  add('data-parallel, slow host', (common) =>
    dataParallel({ ...common, hostNs: 20_000, gemmNs: 60_000, network: MIDDLE }),
  );
  add('data-parallel, straggler', (common) =>
    dataParallel({ ...common, ranks: 4, network: MIDDLE, straggler: { rank: 2, kind: 'device', factor: 1.15 } }),
  );
  add('fsdp', (common) => fsdp(common));
  add('fsdp, no prefetch', (common) => fsdp({ ...common, prefetch: false, network: MIDDLE }));
  add('fsdp, slow network', (common) => fsdp({ ...common, network: SLOW }));
  add('pipeline', (common) => pipeline(common));
  add('pipeline, slow network', (common) => pipeline({ ...common, network: SLOW, microbatches: 4 }));
  add('moe', (common) => moe(common));
  add('moe, skewed', (common) => moe({ ...common, skew: 0.9, network: MIDDLE }));
  add('two-streams', (common) => twoStreams({ ...common, steps: 6 }));
  add('decode', (common) => decode(common));
  add('launch-bound', (common) => decode({ ...common, usesGraph: false, kernelNs: 4_000, layers: 12, steps: 6 }));
  return jobs;
}
