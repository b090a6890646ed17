// What changes are predicted to do, against the simulator's own run of the changed job.
import { describe, expect, test } from 'vitest';
import { changeJob } from '../sim/change.ts';
import type { Job } from '../sim/program.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { fsdp } from '../sim/programs/fsdp.ts';
import type { Straggler } from '../sim/programs/knobs.ts';
import { moe } from '../sim/programs/moe.ts';
import { pipeline } from '../sim/programs/pipeline.ts';
import { KNOWN_COSTS } from '../test-kit/simulated.ts';
import { type TrueJob, trueJob } from '../test-kit/true-job.ts';
import { type JobChange, changeRanks } from './balance.ts';
import { replayJob } from './job-replay.ts';
import { findJobWindows } from './job-windows.ts';
import { findRoles } from './roles.ts';
import { changedSkeletonOf } from './skeleton-of.ts';

/** Of each window its length, from the first completion on. */
function walls({ merged }: Pick<TrueJob, 'merged'>, changes: readonly JobChange[] = []): number[] {
  const job = changeRanks(merged, changes);
  const found = findJobWindows(job, replayJob(job));
  if (!found.ok) throw new Error(found.reason);
  return found.windows.map(({ startNs, endNs }) => endNs - startNs);
}

const known = { costs: KNOWN_COSTS, steps: 3 };
const JOBS: Readonly<Record<string, (straggler?: Straggler) => Job>> = {
  'data-parallel': (straggler) => dataParallel({ ...known, ranks: 4, straggler }),
  fsdp: (straggler) => fsdp({ ...known, ranks: 3, layers: 4, straggler }),
  'fsdp without prefetch': (straggler) => fsdp({ ...known, ranks: 3, layers: 4, prefetch: false, straggler }),
  moe: (straggler) => moe({ ...known, ranks: 4, layers: 3, skew: 0, straggler }),
};
const STRAGGLERS: readonly Straggler[] = [
  { rank: 1, kind: 'device', factor: 1.3 },
  { rank: 2, kind: 'host', factor: 6 },
  { rank: 0, kind: 'data', factor: 12 },
];

describe('a job in which each rank is as its role’s median is the job without its straggler', () => {
  const cases = Object.entries(JOBS).flatMap(([name, make]) =>
    STRAGGLERS.map((straggler) => [`${name}, ${straggler.kind}`, make, straggler] as const),
  );
  test.each(cases)('%s', (_, make, straggler) => {
    const slow = trueJob(make(straggler));
    const wanted = walls(trueJob(make()));
    expect(walls(slow, [{ kind: 'balance' }])).toEqual(wanted);
    expect(walls(slow, [{ kind: 'balance', ranks: [straggler.rank] }])).toEqual(wanted);
  });

  test('stages of a pipeline, which call in another order each, have no peers', () => {
    const { merged } = trueJob(pipeline({ ...known, ranks: 4, microbatches: 5 }));
    expect(findRoles(merged.ranks).map(({ members }) => members)).toEqual([[0], [1], [2], [3]]);
  });
});

describe('transfers that take another time', () => {
  const cases = Object.entries(JOBS).flatMap(([name, make]) => [0.5, 2].map((factor) => [name, factor, make] as const));
  test.each(cases)('%s × %d', (_, factor, make) => {
    const job = make(STRAGGLERS[0]);
    const changed = changeJob(job, ({ kind }) =>
      kind === 'collective' || kind === 'send' || kind === 'receive' ? { kind: 'scale', factor } : { kind: 'keep' },
    );
    expect(walls(trueJob(job), [{ kind: 'transfers', factor }])).toEqual(walls(trueJob(changed)));
  });
});

describe('one rank that computes at another pace', () => {
  test.each([0.5, 1.7])('× %d', (factor) => {
    const make = (straggler?: Straggler): Job => dataParallel({ ...known, ranks: 3, straggler });
    const before = trueJob(make());
    const { graph, calls } = before.ranks[1];
    const changes = ['kernel', 'copy'].map(
      (text) => ({ kind: 'scale', select: { by: 'kind', text, isPattern: false }, factor }) as const,
    );
    const skeleton = changedSkeletonOf(graph, calls, changes);
    expect(walls(before, [{ kind: 'ranks', changed: new Map([[1, { skeleton }]]) }])).toEqual(
      walls(trueJob(make({ rank: 1, kind: 'device', factor }))),
    );
  });
});

describe('all ranks changed within, by their own graphs', () => {
  /** Kernels and collectives at another pace, in the program and in each rank. */
  const cases = Object.entries(JOBS).flatMap(([name, make]) =>
    [0.5, 1.7].map((factor) => [name, factor, make] as const),
  );
  test.each(cases)('%s × %d', (_, factor, make) => {
    const job = make(STRAGGLERS[0]);
    const before = trueJob(job);
    const isDevice = (kind: string): boolean => ['launch', 'copy', 'fill', 'graph'].includes(kind);
    const after = changeJob(job, ({ kind }) => (isDevice(kind) ? { kind: 'scale', factor } : { kind: 'keep' }));
    const changes = ['kernel', 'copy'].map(
      (text) => ({ kind: 'scale', select: { by: 'kind', text, isPattern: false }, factor }) as const,
    );
    const changed = new Map(
      before.ranks.map(({ graph, calls }) => [calls.rank, { skeleton: changedSkeletonOf(graph, calls, changes) }]),
    );
    expect(walls(before, [{ kind: 'ranks', changed }])).toEqual(walls(trueJob(after)));
  });

  test('transfers of one rank by call', () => {
    const before = trueJob(JOBS['moe'](STRAGGLERS[0]));
    const changed = new Map(
      before.ranks.map(({ skeleton, calls }) => [
        calls.rank,
        { skeleton, transferFactor: new Float64Array(calls.calls.length).fill(0.5) },
      ]),
    );
    expect(walls(before, [{ kind: 'ranks', changed }])).toEqual(walls(before, [{ kind: 'transfers', factor: 0.5 }]));
  });
});
