import { describe, expect, test } from 'vitest';
import { wholeTrace } from '../graph/windows.ts';
import type { Job } from '../sim/program.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { fsdp } from '../sim/programs/fsdp.ts';
import type { CommonKnobs } from '../sim/programs/knobs.ts';
import { moe } from '../sim/programs/moe.ts';
import { pipeline } from '../sim/programs/pipeline.ts';
import { randomJobs } from '../test-kit/random-jobs.ts';
import { KNOWN_COSTS } from '../test-kit/simulated.ts';
import { comparePath } from '../test-kit/true-job-path.ts';
import { type TrueJob, inferredJob, trueJob } from '../test-kit/true-job.ts';
import { seeds } from '../test-kit/seeds.ts';
import { openJobPath } from './job-path-open.ts';
import { type JobPath, walkJobPath } from './job-path.ts';
import { replayJob } from './job-replay.ts';
import { findJobWindows } from './job-windows.ts';
import { pathContextOf } from './skeleton-of.ts';

function pathsOf({ merged }: TrueJob): JobPath[] {
  const times = replayJob(merged);
  const found = findJobWindows(merged, times);
  if (!found.ok) throw new Error(found.reason);
  return found.windows.map((window) => walkJobPath(merged, times, window));
}

/** Latencies are those that the graph assumes; lengths vary, so that ranks do not tie. */
const known = { costs: { ...KNOWN_COSTS, hostJitter: 0.3, deviceJitter: 0.05 }, steps: 2 };
const slow = { rank: 1, kind: 'device', factor: 1.3 } as const;
const EXACT: readonly (readonly [string, () => Job])[] = [
  ['data-parallel', () => dataParallel({ ...known, ranks: 4 })],
  ['data-parallel with a straggler', () => dataParallel({ ...known, ranks: 4, straggler: slow })],
  [
    'data-parallel, slow host',
    () => dataParallel({ ...known, ranks: 3, straggler: { ...slow, kind: 'host', factor: 5 } }),
  ],
  ['data-parallel, slow loader', () => dataParallel({ ...known, straggler: { ...slow, kind: 'data', factor: 9 } })],
  ['fsdp', () => fsdp({ ...known, ranks: 3, layers: 4 })],
  ['fsdp with a straggler', () => fsdp({ ...known, ranks: 3, layers: 4, straggler: slow })],
  ['pipeline', () => pipeline({ ...known, ranks: 4, microbatches: 4 })],
  ['pipeline with a straggler', () => pipeline({ ...known, ranks: 4, microbatches: 4, straggler: slow })],
  ['moe', () => moe({ ...known, ranks: 4, layers: 3 })],
];
const RANDOM = randomJobs(seeds(20, 150));

describe('the path across ranks is the truth', () => {
  test.each(EXACT)('%s', (_, make) => {
    const job = make();
    const known = trueJob(job, (graph) => [wholeTrace(graph)]);
    const { same, faults } = comparePath(job, known, pathsOf(known)[0], true);
    expect(faults).toEqual([]);
    expect(same).toBeGreaterThan(0);
  });

  test('in random jobs, wherever the ranks alone are told', () => {
    let same = 0;
    for (const [name, make] of RANDOM) {
      const job = make();
      const known = trueJob(job, (graph) => [wholeTrace(graph)]);
      const found = findJobWindows(known.merged, replayJob(known.merged));
      if (!found.ok) continue;
      const compared = comparePath(job, known, pathsOf(known)[0], false);
      expect(compared.faults.map((fault) => `${name}: ${fault}`)).toEqual([]);
      same += compared.same;
    }
    expect(same).toBeGreaterThan(seeds(10, 100));
  });
});

describe('from traces alone, with clocks apart, it is the truth wherever margins exceed what clocks may be off', () => {
  const apart = { ...known, steps: 4, clockSpreadNs: 90_000_000_000 };
  const MAKES: Readonly<Record<string, (knobs: Partial<CommonKnobs>) => Job>> = {
    'data-parallel': (knobs) => dataParallel({ ...apart, ranks: 4, layers: 4, ...knobs }),
    fsdp: (knobs) => fsdp({ ...apart, ranks: 3, layers: 4, ...knobs }),
    moe: (knobs) => moe({ ...apart, ranks: 4, layers: 3, ...knobs }),
    pipeline: (knobs) => pipeline({ ...apart, ranks: 4, microbatches: 4, ...knobs }),
  };
  test.each(Object.entries(MAKES))('%s', (_, make) => {
    let same = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const straggler = seed % 2 === 0 ? { ...slow, factor: 1.1 } : undefined;
      const job = make({ seed, straggler });
      const inferred = inferredJob(trueJob(job));
      const compared = comparePath(job, inferred, pathsOf(inferred)[0], true);
      expect(compared.faults).toEqual([]);
      same += compared.same;
    }
    expect(same).toBeGreaterThan(10);
  });
});

describe('segments partition the windows, and windows tile the run', () => {
  test.each([...EXACT, ...RANDOM.slice(0, 30)])('%s', (_, make) => {
    const known = trueJob(make());
    if (known.meetings.length === 0) return;
    let until: number | undefined;
    for (const { window, segments } of pathsOf(known)) {
      if (until !== undefined) expect(window.startNs).toBe(until);
      until = window.endNs;
      let at = window.startNs;
      for (const segment of segments) {
        expect(segment.startNs).toBe(at);
        expect(segment.endNs).toBeGreaterThan(at);
        at = segment.endNs;
        if (segment.kind !== 'in-rank') continue;
        expect(segment.lengthNs).toBe(segment.endNs - segment.startNs);
        if (segment.parts === undefined) continue;
        expect(segment.parts.reduce((sum, { ns }) => sum + ns, 0)).toBe(segment.lengthNs);
      }
      expect(at).toBe(window.endNs);
    }
  });
});

describe('the path opened down to events', () => {
  test.each([...EXACT, ...RANDOM.slice(0, 30)])('%s', (_, make) => {
    const known = trueJob(make());
    if (known.meetings.length === 0) return;
    for (const path of pathsOf(known)) {
      const opened = openJobPath(known.merged, path, (rank) => pathContextOf(known.ranks[rank].graph));
      let at = path.window.startNs;
      for (const { startNs, endNs } of opened) {
        expect(startNs).toBe(at);
        expect(endNs).toBeGreaterThan(startNs);
        at = endNs;
      }
      expect(at).toBe(path.window.endNs);
      for (const segment of path.segments) {
        if (segment.kind !== 'in-rank' || segment.parts === undefined) continue;
        const inside = opened.filter(({ startNs, endNs }) => startNs >= segment.startNs && endNs <= segment.endNs);
        expect(sumsOf(inside.map(({ kind, startNs, endNs }) => ({ kind, ns: endNs - startNs })))).toEqual(
          sumsOf(segment.parts),
        );
        for (const { event } of segment.top) {
          if (event !== -1) expect(inside.map((each) => each.event)).toContain(event);
        }
      }
    }
  });
});

function sumsOf(parts: readonly { readonly kind: string; readonly ns: number }[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { kind, ns } of parts) sums[kind] = (sums[kind] ?? 0) + ns;
  return sums;
}
