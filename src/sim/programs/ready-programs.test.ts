import { describe, expect, test } from 'vitest';
import { kinetoText } from '../kineto.ts';
import { EXACT_COSTS, type Job } from '../program.ts';
import { JobRun } from '../run.ts';
import { lastMoment } from '../true-path.ts';
import { ItemKind, type RankTruth, timeOf } from '../truth.ts';
import { readJson } from '../../test-kit/draw.ts';
import { dataParallel } from './data-parallel.ts';
import { decode } from './decode.ts';
import { fsdp } from './fsdp.ts';
import { moe } from './moe.ts';
import { pipeline } from './pipeline.ts';
import { READY_PROGRAMS, demoJob } from './ready-programs.ts';

const wallOf = (truth: RankTruth): number => timeOf(truth, lastMoment(truth));
const wall = (job: Job, rank = 0): number => wallOf(new JobRun(job).truthOf(rank));
const SLOW = { gbPerS: 15, latencyNs: 30_000 };

describe('ready programs', () => {
  test.each(Object.entries({ ...READY_PROGRAMS, demo: demoJob }))(
    '%s runs, and its traces are read without fault',
    (_, make) => {
      const job = make();
      const run = new JobRun(job);
      const truth = run.truthOf(run.rankCount - 1);
      const trace = readJson(kinetoText(job, truth));
      expect(trace.diagnostics).toEqual([]);
      expect(job.story).toMatch(/^[A-Z].*\.$/);
      expect(truth.names.some((name) => /ProfilerStep#0/.test(name))).toBe(true);
      for (const { arrivals } of run.meetings) expect([...arrivals].every((time) => time >= 0)).toBe(true);
    },
  );

  test('a slow network exposes gradient buckets, a slow data loader its wait', () => {
    const usual = wall(dataParallel());
    expect(wall(dataParallel({ network: SLOW }))).toBeGreaterThan(1.2 * usual);
    expect(wall(dataParallel({ dataNs: 5_000_000 }))).toBeGreaterThan(usual + 3 * 4_000_000);
  });

  test('a straggler holds all other ranks', () => {
    const slow = dataParallel({ straggler: { rank: 1, kind: 'device', factor: 1.5 } });
    expect(wall(slow, 0)).toBeGreaterThan(1.3 * wall(dataParallel(), 0));
  });

  test('prefetch hides gathers', () => {
    const network = { gbPerS: 60, latencyNs: 20_000 };
    expect(wall(fsdp({ network, prefetch: false }))).toBeGreaterThan(1.1 * wall(fsdp({ network })));
  });

  test('the bubble of a pipeline is (stages − 1) / micro-batches of its work', () => {
    const knobs = { ranks: 4, microbatches: 8, steps: 1, costs: EXACT_COSTS, activationBytes: 1_000, hostNs: 500 };
    const job = pipeline({ ...knobs, gemmNs: 500_000 });
    const truth = new JobRun(job).truthOf(0);
    // Forward and backward of two layers: 2 × (1 + 2) products of 1 ms; the optimizer takes 0.18 ms.
    const microbatch = 2 * 3 * 1_000_000;
    expect(wallOf(truth) / (microbatch * (8 + 3))).toBeGreaterThan(1);
    expect(wallOf(truth) / (microbatch * (8 + 3))).toBeLessThan(1.05);
  });

  test('uneven experts cost all ranks', () => {
    expect(wall(moe({ skew: 0.9 }))).toBeGreaterThan(1.1 * wall(moe({ skew: 0 })));
  });

  test('replaying a graph saves what launches cost', () => {
    const knobs = { kernelNs: 3_000, steps: 2 };
    expect(wall(decode({ ...knobs, usesGraph: false }))).toBeGreaterThan(1.5 * wall(decode(knobs)));
    const truth = new JobRun(decode({ steps: 1 })).truthOf(0);
    const kinds = Array.from({ length: truth.items.length }, (_, item) => truth.items.kind[item]);
    expect(kinds.filter((kind) => kind === ItemKind.device)).toHaveLength(16 * 9 + 3);
  });
});
