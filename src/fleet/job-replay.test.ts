import { describe, expect, test } from 'vitest';
import { type Job, NOISY_COSTS } from '../sim/program.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { fsdp } from '../sim/programs/fsdp.ts';
import { moe } from '../sim/programs/moe.ts';
import { pipeline } from '../sim/programs/pipeline.ts';
import { randomJobs } from '../test-kit/random-jobs.ts';
import { seededRandom } from '../test-kit/random.ts';
import { replayFull, trueJob } from '../test-kit/true-job.ts';
import { seeds } from '../test-kit/seeds.ts';
import { toJob } from './job-clock.ts';
import { jobReplayError, replayJob } from './job-replay.ts';
import { mergeJob } from './merge.ts';
import type { Clocks } from './model.ts';
import { keptCode } from './skeleton.ts';

const JOBS: readonly (readonly [string, () => Job])[] = [
  ['data-parallel', () => dataParallel({ ranks: 3, steps: 2, costs: NOISY_COSTS })],
  ['clocks apart', () => dataParallel({ ranks: 3, steps: 2, clockSpreadNs: 60_000_000_000 })],
  ['fsdp', () => fsdp({ ranks: 2, steps: 2, layers: 4 })],
  ['pipeline', () => pipeline({ ranks: 4, steps: 2, microbatches: 4 })],
  ['moe', () => moe({ ranks: 3, steps: 2, layers: 3 })],
  ...randomJobs(seeds(20, 80)),
];

describe('unchanged, every kept moment of a job comes as it was measured', () => {
  test.each(JOBS)('%s', (_, make) => {
    const { merged } = trueJob(make());
    expect(jobReplayError(merged, replayJob(merged))).toBe(0);
    expect(merged.order.length).toBe(merged.rankOf.length + merged.gates.meeting.length);
  });

  test('whatever the clocks are said to be', () => {
    const { ranks, meetings } = trueJob(dataParallel({ ranks: 3, steps: 2 }));
    const clocks = {
      offsetNs: Float64Array.of(0.3, -1_234_567.8, 60e9 + 0.1),
      driftPpm: Float64Array.of(0, 31.7, -48.2),
      component: new Int32Array(3),
      uncertaintyNs: () => 0,
    } as unknown as Clocks;
    const merged = mergeJob(ranks, meetings, clocks);
    expect(jobReplayError(merged, replayJob(merged))).toBe(0);
  });
});

describe('with other transfers, the ranks meet as their full graphs would', () => {
  test.each(JOBS)('%s', (name, make) => {
    const { merged, ranks } = trueJob(make());
    const { first, gates, gateOf, arrivalOf, rankOf, clocks } = merged;
    const random = seededRandom(name.length);
    const transferNs = merged.transferNs.map((ns) => Math.round(ns * (0.2 + 3 * random())));
    const { timeNs } = replayJob(merged, transferNs);
    ranks.forEach((rank, i) => {
      const { endOf, moments } = rank.skeleton;
      const full = replayFull(
        rank,
        Array.from(endOf, (end) => timeNs[first[i] + end]),
      );
      moments.moment.forEach((moment, kept) => {
        if (![keptCode('arrival'), keptCode('call-end'), keptCode('lane')].includes(moments.kind[kept])) return;
        expect(timeNs[first[i] + kept]).toBe(full[moment]);
      });
    });
    // Each call ends its transfer after the last of the arrivals that count, or later where its stream says so.
    for (let end = 0; end < rankOf.length; end++) {
      if (arrivalOf[end] === -1) continue;
      const at = (moment: number): number => Math.round(toJob(clocks, rankOf[moment], timeNs[moment]));
      const arrivals = [arrivalOf[end]];
      const gate = gateOf[end];
      if (gate !== -1) arrivals.push(...gates.arrival.subarray(gates.first[gate], gates.first[gate + 1]));
      expect(at(end)).toBeGreaterThanOrEqual(Math.max(...arrivals.map(at)) + transferNs[end]);
    }
  });
});
