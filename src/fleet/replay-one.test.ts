// One rank that works otherwise: what is computed again must be what a replay of the whole, merged job gives.
import { expect, test } from 'vitest';
import type { Job } from '../sim/program.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { fsdp } from '../sim/programs/fsdp.ts';
import { moe } from '../sim/programs/moe.ts';
import { randomJobs } from '../test-kit/random-jobs.ts';
import { inferredJob, trueJob } from '../test-kit/true-job.ts';
import { seeds } from '../test-kit/seeds.ts';
import { changeRanks, inPlaceOf } from './balance.ts';
import { replayJob } from './job-replay.ts';
import type { JobGraph } from './merge.ts';
import { replayChanged } from './replay-one.ts';
import { findRoles } from './roles.ts';

/** Of all pairs of ranks of one role, those of which the short way knew the times; and how many there were. */
function compareAll(job: JobGraph): { known: number; pairs: number } {
  const times = replayJob(job);
  let [known, pairs] = [0, 0];
  for (const { members } of findRoles(job.ranks)) {
    for (const rank of members) {
      for (const as of members) {
        const skeleton = inPlaceOf(job.ranks[rank].skeleton, job.ranks[as].skeleton);
        const changed = replayChanged(job, times, rank, skeleton);
        pairs++;
        if (changed === undefined) continue;
        known++;
        const numbers = { ranks: [job.ranks[rank].calls.rank], as: job.ranks[as].calls.rank };
        const merged = changeRanks(job, [{ kind: 'balance', ...numbers }]);
        const wanted = replayJob(merged).timeNs;
        job.ranks.forEach((_, each) => {
          const { length } = changed.ranks[each].skeleton.moments.kind;
          const [from, whole] = [changed.first[each], merged.first[each]];
          expect(changed.timeNs.slice(from, from + length)).toEqual(wanted.slice(whole, whole + length));
        });
      }
    }
  }
  return { known, pairs };
}

const straggler = { rank: 1, kind: 'device', factor: 1.3 } as const;
const JOBS: readonly (readonly [string, () => Job])[] = [
  ['data-parallel', () => dataParallel({ ranks: 4, steps: 3, straggler, clockSpreadNs: 60_000_000_000 })],
  ['fsdp', () => fsdp({ ranks: 3, steps: 2, layers: 4, straggler })],
  ['moe', () => moe({ ranks: 4, steps: 2, layers: 3, straggler })],
];

test.each(JOBS)('%s: each rank in the place of each other', (_, make) => {
  const { known, pairs } = compareAll(trueJob(make()).merged);
  expect(known).toBe(pairs);
});

test('random jobs, by clocks and meetings as they are found', () => {
  let [known, pairs] = [0, 0];
  for (const [, make] of randomJobs(seeds(20, 80))) {
    const job = trueJob(make());
    for (const { merged } of [job, inferredJob(job)]) {
      const compared = compareAll(merged);
      known += compared.known;
      pairs += compared.pairs;
    }
  }
  // Where ranks call in several groups at once, some need the long way.
  expect(pairs).toBeGreaterThan(100);
  expect(known / pairs).toBeGreaterThan(0.8);
});
