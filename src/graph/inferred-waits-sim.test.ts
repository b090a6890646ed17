// Inferred waits against the truth of simulated jobs: a small part of what scripts/print-inferred.ts measures for docs/accuracy.md.
import { describe, expect, test } from 'vitest';
import { PLAIN_KINETO } from '../sim/kineto-options.ts';
import { NOISY_COSTS } from '../sim/program.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { fsdp } from '../sim/programs/fsdp.ts';
import { pipeline } from '../sim/programs/pipeline.ts';
import { EVERYTHING, randomCase } from '../sim/random.ts';
import { type Hidden, type InferredScore, noScore, scoreJob } from '../test-kit/inferred-truth.ts';

function sums({ edges }: InferredScore): { made: number; right: number } {
  const all = Object.values(edges);
  return {
    made: all.reduce((sum, { made }) => sum + made, 0),
    right: all.reduce((sum, { right }) => sum + right, 0),
  };
}

function expectGood(score: InferredScore, fewest: number): void {
  const { made, right } = sums(score);
  expect(score.bound).toBeGreaterThan(fewest);
  expect(right / made, score.wrong.join('\n')).toBeGreaterThanOrEqual(0.98);
  expect(score.found / score.bound, score.missed.join('\n')).toBeGreaterThanOrEqual(0.9);
}

const JOBS = [
  dataParallel({ costs: NOISY_COSTS, seed: 11 }),
  fsdp({ costs: NOISY_COSTS, seed: 12, prefetch: false }),
  pipeline({ costs: NOISY_COSTS, seed: 13 }),
];

describe.each<{ without: string; hidden: readonly Hidden[] }>([
  { without: 'sync rows', hidden: [] },
  { without: 'records', hidden: ['records'] },
  { without: 'collective ops', hidden: ['records', 'collective ops'] },
  { without: 'wait calls', hidden: ['records', 'wait calls'] },
])('without $without', ({ hidden }) => {
  test('ready programs', () => {
    const score = noScore();
    for (const job of JOBS) scoreJob({ job, kineto: PLAIN_KINETO, hidden, ranks: 1 }, score);
    expectGood(score, 200);
  });

  test('no late op that shares the device is taken for one that waits', () => {
    const score = noScore();
    for (const job of JOBS) scoreJob({ job, kineto: PLAIN_KINETO, hidden, lateShare: 0.1, ranks: 1 }, score);
    const { made, right } = sums(score);
    expect(right / made, score.wrong.join('\n')).toBeGreaterThanOrEqual(0.98);
  });

  test.skipIf(hidden.includes('wait calls'))('random programs', () => {
    const score = noScore();
    for (let seed = 90_001; seed <= 90_060; seed++) {
      const { job, kineto } = randomCase(seed, { ...EVERYTHING, loss: false, size: 150 });
      scoreJob({ job, kineto, hidden }, score);
    }
    expectGood(score, 50);
  });
});
