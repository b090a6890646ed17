// Forecasts of one step of a job from another one, against the simulator's own runs.
import { describe, expect, test } from 'vitest';
import { type Change, changeStep } from '../sim/change.ts';
import type { Action, Job } from '../sim/program.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { fsdp } from '../sim/programs/fsdp.ts';
import { moe } from '../sim/programs/moe.ts';
import { KNOWN_COSTS } from '../test-kit/simulated.ts';
import { type TrueJob, trueJob } from '../test-kit/true-job.ts';
import type { Replayed } from './job-analysis.ts';
import { holdOutJob, summarizeJobHoldOut } from './job-hold-out.ts';
import { replayJob } from './job-replay.ts';
import { type JobWindow, findJobWindows } from './job-windows.ts';

function windowsOf({ merged }: TrueJob): { job: Replayed; windows: readonly JobWindow[] } {
  const times = replayJob(merged);
  const found = findJobWindows(merged, times);
  if (!found.ok) throw new Error(found.reason);
  return { job: { graph: merged, times }, windows: found.windows };
}

const wallOf = (job: Job, step: number): number => {
  const { startNs, endNs } = windowsOf(trueJob(job)).windows[step];
  return endNs - startNs;
};

const isCompute = ({ kind }: Action): boolean => ['launch', 'copy', 'fill', 'graph'].includes(kind);
const isTransfer = ({ kind }: Action): boolean => kind === 'collective';
const scale =
  (which: (action: Action) => boolean, factor: number) =>
  (action: Action): Change =>
    which(action) ? { kind: 'scale', factor } : { kind: 'keep' };

const known = { costs: KNOWN_COSTS, steps: 4, straggler: { rank: 1, kind: 'device', factor: 1.3 } } as const;
const JOBS: Readonly<Record<string, () => Job>> = {
  'data-parallel': () => dataParallel({ ...known, ranks: 3, layers: 4 }),
  fsdp: () => fsdp({ ...known, ranks: 3, layers: 4 }),
  moe: () => moe({ ...known, ranks: 4, layers: 3, skew: 0 }),
};

describe.each(Object.entries(JOBS))('%s', (_, make) => {
  test('a step whose work alone differs is foretold exactly', () => {
    const { job, windows } = windowsOf(trueJob(changeStep(make(), 2, scale(isCompute, 1.6))));
    const pairs = holdOutJob(job, windows.slice(1)).filter(({ to }) => to === windows[2].label);
    expect(pairs).toHaveLength(2);
    for (const pair of pairs) {
      expect(pair.error).toBe(0);
      expect(pair.null).toBeGreaterThan(0.1);
    }
  });

  test('a step whose work and transfers differ is foretold as the run with that work, and the other transfers', () => {
    const work = changeStep(make(), 2, scale(isCompute, 0.7));
    const wanted = wallOf(work, 2);
    const both = changeStep(make(), 2, (action) =>
      isTransfer(action) ? { kind: 'scale', factor: 3 } : scale(isCompute, 0.7)(action),
    );
    const { job, windows } = windowsOf(trueJob(both));
    const [pair] = holdOutJob(job, windows.slice(1)).filter(({ to }) => to === windows[2].label);
    expect(pair).toMatchObject({ from: windows[1].label, forecastNs: wanted, measuredNs: wallOf(both, 2) });
    expect(pair.error).toBeGreaterThan(0);
  });
});

test('where next to nothing of a step is transfers, nothing is tested', () => {
  const { job, windows } = windowsOf(
    trueJob(dataParallel({ ...known, ranks: 2, layers: 2, layerBytes: 1_000, costs: KNOWN_COSTS })),
  );
  const { verdict, pairs, copied } = summarizeJobHoldOut(job, windows);
  expect({ verdict, pairs }).toEqual({ verdict: 'untested', pairs: 12 });
  expect(copied).toBeGreaterThan(0.95);
});

test('one window that is asked about is foretold as all steps are; one step, and steps with other calls, not at all', () => {
  const three = windowsOf(trueJob(dataParallel({ ...known, steps: 3, ranks: 2, layers: 2 })));
  expect(holdOutJob(three.job, three.windows.slice(1, 2))).toHaveLength(6);
  const one = windowsOf(trueJob(dataParallel({ ...known, steps: 1, ranks: 2, layers: 2 })));
  expect(summarizeJobHoldOut(one.job, one.windows)).toEqual({ verdict: 'one-step', pairs: 0 });
  const lessInOne = changeStep(
    dataParallel({ ...known, steps: 2, ranks: 2, layers: 4 }),
    1,
    (() => {
      let seen = 0;
      return (action: Action): Change => (isTransfer(action) && seen++ === 0 ? { kind: 'remove' } : { kind: 'keep' });
    })(),
  );
  const other = windowsOf(trueJob(lessInOne));
  expect(summarizeJobHoldOut(other.job, other.windows)).toEqual({ verdict: 'one-step', pairs: 0 });
});
