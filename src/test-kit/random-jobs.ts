import { EXACT_COSTS, type Job } from '../sim/program.ts';
import { EVERYTHING, type RandomOptions, randomCase } from '../sim/random.ts';

/** Seeded random jobs of several ranks that meet, with everything mixed; clocks are exact. */
export function randomJobs(count: number, options: Partial<RandomOptions> = {}): (readonly [string, () => Job])[] {
  const jobs: (readonly [string, () => Job])[] = [];
  for (let seed = 1; jobs.length < count; seed++) {
    const { job } = randomCase(seed, { ...EVERYTHING, fullQueues: false, loss: false, ...options });
    if (job.ranks.length < 2) continue;
    jobs.push([job.name, () => withExactClocks(job)]);
  }
  return jobs;
}

/** Of each rank's clock what is not the job's is taken away. */
export const withExactClocks = (job: Job): Job => ({
  ...job,
  costs: { ...EXACT_COSTS, ...job.costs },
  ranks: job.ranks.map((rank) => ({ ...rank, clock: { offsetNs: 0, driftPpm: 0 } })),
});
