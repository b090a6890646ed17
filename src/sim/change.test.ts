import { describe, expect, test } from 'vitest';
import { changeJob, changeStep, KEEP } from './change.ts';
import { EXACT_COSTS } from './program.ts';
import { decode } from './programs/decode.ts';
import { countRows } from './random-actions.ts';
import { EVERYTHING, randomCase } from './random.ts';
import { JobRun } from './run.ts';
import { shrink } from './shrink.ts';
import { ItemKind, type RankTruth } from './truth.ts';

const lengths = ({ items }: RankTruth, kind: ItemKind): Map<number, number> =>
  new Map(
    Array.from({ length: items.length }, (_, item) => item)
      .filter((item) => items.kind[item] === kind)
      .map((item) => [items.place[item], items.end[item] - items.start[item]]),
  );

const NOISY_ONE_RANK = { ...EVERYTHING, ranks: false, polls: false, dependentLaunches: false };

describe('changed programs', () => {
  test('scaling one kernel halves it and leaves all other draws alone', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { job } = randomCase(seed, NOISY_ONE_RANK);
      const scaled = changeJob(job, (action) =>
        action.kind === 'launch' && action.name === 'softmax_kernel' ? { kind: 'scale', factor: 0.5 } : KEEP,
      );
      const before = new JobRun(job).truthOf(0);
      const after = new JobRun(scaled).truthOf(0);
      const now = lengths(after, ItemKind.device);
      const { items, names, actions } = before;
      for (let item = 0; item < items.length; item++) {
        if (items.kind[item] !== ItemKind.device) continue;
        const was = items.end[item] - items.start[item];
        const halved = names[items.name[item]] === 'softmax_kernel' && actions[item]?.kind === 'launch';
        expect(now.get(items.place[item]), `seed ${seed}`).toBe(halved ? Math.round(was / 2) : was);
      }
    }
  });

  test('removing ops takes their rows away and keeps the lengths of all others', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { job } = randomCase(seed, NOISY_ONE_RANK);
      const isRemoved = (name: string): boolean => name === 'aten::relu';
      const less = changeJob(job, (action) =>
        action.kind === 'op' && isRemoved(action.name) ? { kind: 'remove' } : KEEP,
      );
      const before = lengths(new JobRun(job).truthOf(0), ItemKind.device);
      const after = new JobRun(less).truthOf(0);
      expect(after.names.filter(isRemoved)).toEqual([]);
      for (const [place, length] of lengths(after, ItemKind.device)) expect(before.get(place)).toBe(length);
    }
  });

  test('one step of several can be changed', () => {
    const job = decode({ steps: 3, layers: 2, costs: EXACT_COSTS });
    const slower = changeStep(job, 1, (action) => (action.kind === 'graph' ? { kind: 'scale', factor: 2 } : KEEP));
    const { items, actions } = new JobRun(slower).truthOf(0);
    const nodes = Array.from({ length: items.length }, (_, item) => item).filter(
      (item) => items.kind[item] === ItemKind.device && actions[item]?.kind === 'graph',
    );
    const sums = [0, 1, 2].map((step) =>
      nodes.slice(18 * step, 18 * (step + 1)).reduce((sum, item) => sum + items.end[item] - items.start[item], 0),
    );
    expect(sums).toEqual([88_664, 177_328, 88_664]);
  });

  test('places in the program are unique but for none', () => {
    const { items } = new JobRun(randomCase(5).job).truthOf(0);
    expect(new Set(Array.from({ length: items.length }, (_, item) => items.place[item])).size).toBe(items.length);
  });
});

describe('shrinking', () => {
  test('finds a program with little more than what makes it fail', () => {
    for (const seed of [4, 8, 15, 16]) {
      const { job } = randomCase(seed);
      const fails = (tried: typeof job): boolean => {
        const { records, syncs } = new JobRun(tried).truthOf(0);
        return records.length > 0 && syncs.some(({ kind }) => kind === 'stream-wait');
      };
      expect(fails(job), `seed ${seed}`).toBe(true);
      const small = shrink(job, fails);
      expect(small.ranks[0]?.threads.map(({ body }) => countRows(body)).reduce((a, b) => a + b)).toBe(2);
    }
  });
});
