import { describe, expect, test } from 'vitest';
import type { Job } from '../sim/program.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { fsdp } from '../sim/programs/fsdp.ts';
import type { CommonKnobs, Straggler } from '../sim/programs/knobs.ts';
import { moe } from '../sim/programs/moe.ts';
import { trueJob } from '../test-kit/true-job.ts';
import { seeds } from '../test-kit/seeds.ts';
import { replayJob } from './job-replay.ts';
import { findJobWindows } from './job-windows.ts';
import { type Stragglers, findStragglers } from './stragglers.ts';

function stragglersOf(job: Job): Stragglers {
  const { merged } = trueJob(job);
  const times = replayJob(merged);
  const found = findJobWindows(merged, times);
  if (!found.ok) throw new Error(found.reason);
  return findStragglers(merged, times, found.windows);
}

const named = ({ ranks }: Stragglers): string[] =>
  ranks.flatMap(({ rank, verdict, cause }) => (verdict === 'straggler' ? [`${rank}: ${cause?.kind}`] : []));

/** Of how many ranks jobs are. */
const RANKS = [2, 8, 4].slice(0, seeds(2, 3));

type Make = (knobs: Partial<CommonKnobs>) => Job;
/** Bound by the device; by the host, whose kernels are short; and with a loader that takes a part of each step. */
const PROGRAMS: Readonly<Record<string, { readonly make: Make; readonly kinds: readonly Straggler['kind'][] }>> = {
  'data-parallel': { make: (knobs) => dataParallel({ steps: 5, layers: 4, ...knobs }), kinds: ['device', 'data'] },
  'data-parallel, host-bound': {
    make: (knobs) => dataParallel({ steps: 5, layers: 4, gemmNs: 4_000, layerBytes: 1e5, hostNs: 6_000, ...knobs }),
    kinds: ['host'],
  },
  fsdp: { make: (knobs) => fsdp({ steps: 5, layers: 4, ...knobs }), kinds: ['device', 'data'] },
  moe: { make: (knobs) => moe({ steps: 5, layers: 3, skew: 0, ...knobs }), kinds: ['device'] },
};
const CAUSES: Readonly<Record<Straggler['kind'], RegExp>> = {
  device: /kernel/,
  host: /host-work|host-gap/,
  data: /data-loading/,
};
const FACTORS: Readonly<Record<Straggler['kind'], number>> = { device: 1.15, host: 1.6, data: 6 };

describe('a straggler is named with its cause', () => {
  const cases = Object.entries(PROGRAMS).flatMap(([name, { make, kinds }]) =>
    kinds.flatMap((kind) => RANKS.map((ranks) => [name, kind, ranks, make] as const)),
  );
  test.each(cases)('%s, %s, %d ranks', (_, kind, ranks, make) => {
    for (let seed = 1; seed <= seeds(1, 3); seed++) {
      const rank = seed % ranks;
      const found = named(stragglersOf(make({ seed, ranks, straggler: { rank, kind, factor: FACTORS[kind] } })));
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(new RegExp(`^${rank}: `));
      expect(found[0]).toMatch(CAUSES[kind]);
    }
  });
});

describe('none is named where there is none', () => {
  const cases = Object.entries(PROGRAMS).flatMap(([name, { make }]) =>
    RANKS.map((ranks) => [name, ranks, make] as const),
  );
  test.each(cases)('%s, %d ranks', (_, ranks, make) => {
    for (let seed = 1; seed <= seeds(2, 6); seed++) expect(named(stragglersOf(make({ seed, ranks })))).toEqual([]);
  });
});

test('the others are its victims, and would gain what it costs', () => {
  const knobs = { ranks: 4, steps: 5 };
  const { ranks } = stragglersOf(dataParallel({ ...knobs, straggler: { rank: 2, kind: 'device', factor: 1.3 } }));
  expect(ranks.map(({ verdict }) => verdict)).toEqual(['victim', 'victim', 'straggler', 'victim']);
  expect(ranks[0].victimOf?.rank).toBe(2);
  for (const { steps } of ranks) {
    for (const { excessNs, intrinsicNs, inheritedNs } of steps) expect(intrinsicNs + inheritedNs).toBe(excessNs);
  }
});
