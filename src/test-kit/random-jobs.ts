import type { Job } from '../sim/program.ts';
import { proofCase } from './proof-case.ts';

/** Seeded random jobs of several ranks that meet, with everything mixed; clocks are exact. */
export function randomJobs(count: number): (readonly [string, () => Job])[] {
  const jobs: (readonly [string, () => Job])[] = [];
  for (let seed = 1; jobs.length < count; seed++) {
    const { job } = proofCase(seed);
    if (job.ranks.length < 2) continue;
    jobs.push([job.name, () => withExactClocks(job)]);
  }
  return jobs;
}

/** Of each rank's clock what is not the job's is taken away. */
const withExactClocks = (job: Job): Job => ({
  ...job,
  ranks: job.ranks.map((rank) => ({ ...rank, clock: { offsetNs: 0, driftPpm: 0 } })),
});
