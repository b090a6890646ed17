// What changes within ranks are predicted to do to a job, against the simulator's own run of the changed job.
import { describe, expect, test } from 'vitest';
import type { Change } from '../graph/changes.ts';
import { wholeTrace } from '../graph/windows.ts';
import type { Action, Job } from '../sim/program.ts';
import { randomCase } from '../sim/random.ts';
import { beginsWithLoop, isCopy, isKernel, scaled, withSleeps } from '../test-kit/program-changes.ts';
import { seeds } from '../test-kit/seeds.ts';
import { KNOWN_COSTS, TOLD } from '../test-kit/simulated.ts';
import { untoldPart } from '../test-kit/told.ts';
import { type TrueJob, trueJob } from '../test-kit/true-job.ts';
import { changeRanks } from './balance.ts';
import { toJob } from './job-clock.ts';
import { type JobTimes, replayJob } from './job-replay.ts';
import type { JobGraph } from './merge.ts';
import { changedSkeletonOf } from './skeleton-of.ts';

interface Case {
  readonly name: string;
  readonly changes: readonly Change[];
  readonly inProgram: (job: Job) => Job;
  /** It is of the whole machine: not of some ranks. */
  readonly isOfAll?: true;
  readonly isPossible?: (job: Job) => boolean;
}

const byKind = (text: string) => ({ by: 'kind', text, isPattern: false }) as const;
const scale = (kind: string, factor: number): Change => ({ kind: 'scale', select: byKind(kind), factor });

const CASES: readonly Case[] = [
  ...[0.3, 0.9, 3].map((factor) => ({
    name: `kernels × ${factor}`,
    changes: [scale('kernel', factor)],
    inProgram: scaled(isKernel, factor),
  })),
  { name: 'copies × 2', changes: [scale('copy', 2)], inProgram: scaled(isCopy, 2) },
  {
    name: 'kernels × 2, copies × 0.5',
    changes: [scale('kernel', 2), scale('copy', 0.5)],
    inProgram: (job) => scaled(isCopy, 0.5)(scaled(isKernel, 2)(job)),
  },
  {
    name: 'no host gaps',
    changes: [{ kind: 'no-host-gaps' }],
    inProgram: (job) => withSleeps(job, 1, 0),
    isPossible: (job) => !beginsWithLoop(job),
  },
  ...[0, 9_000].map((ns) => ({
    name: `launches of ${ns} ns`,
    changes: [{ kind: 'launch-latency', ns } as const],
    inProgram: (job: Job) => ({ ...job, costs: { ...job.costs, launchNs: ns } }),
    isOfAll: true as const,
  })),
];

/** When each rank has ended, in true time. */
function endsOf(job: JobGraph, { timeNs }: JobTimes): number[] {
  return job.ranks.map(({ skeleton }, rank) =>
    Math.round(toJob(job.clocks, rank, timeNs[job.first[rank] + skeleton.windows[0].end])),
  );
}

const read = (job: Job): TrueJob => trueJob(job, (graph) => [wholeTrace(graph)]);

function forecastEnds({ ranks, merged }: TrueJob, changes: readonly Change[], isChanged: (rank: number) => boolean) {
  const changed = new Map(
    ranks.flatMap(({ graph, calls }) =>
      isChanged(calls.rank)
        ? [[calls.rank, { skeleton: changedSkeletonOf(graph, calls, changes, [wholeTrace(graph)]) }] as const]
        : [],
    ),
  );
  const after = changeRanks(merged, [{ kind: 'ranks', changed }]);
  return endsOf(after, replayJob(after));
}

/** Random jobs of several ranks that meet; of what is in them a trace tells all, and the machine has the latencies that are assumed. */
function* jobs(count: number): Generator<Job> {
  for (let seed = 1, found = 0; found < count; seed++) {
    const { job } = randomCase(seed, { ...TOLD, ranks: true });
    if (job.ranks.length < 2) continue;
    found++;
    const ranks = job.ranks.map((rank) => ({ ...rank, hostScale: 1, clock: { offsetNs: 0, driftPpm: 0 } }));
    yield { ...job, ranks, costs: KNOWN_COSTS };
  }
}

const isSendThatWaits = ({ kind, isEager }: { kind: string; isEager?: boolean }): boolean =>
  kind === 'send' && isEager !== true;
/** Whether a send waited for its receiver a trace seldom says. */
const hasSendThatWaits = ({ ranks }: Job): boolean =>
  ranks.some(({ threads }) => threads.some(({ body }) => has(body)));
const has = (actions: readonly Action[]): boolean =>
  actions.some(
    (action) => isSendThatWaits(action) || ('body' in action && action.body !== undefined && has(action.body)),
  );

const nowEnds = ({ merged }: TrueJob): number[] => endsOf(merged, replayJob(merged));

const JOBS = [...jobs(seeds(20, 200))].flatMap((job) => (hasSendThatWaits(job) ? [] : [{ job, known: read(job) }]));

describe.each(CASES)(
  'random jobs of which the traces tell all: $name',
  ({ changes, inProgram, isOfAll, isPossible }) => {
    test.each(isOfAll === true ? ['all ranks'] : ['all ranks', 'rank 1'])('in %s', (which) => {
      const isChanged = (rank: number): boolean => which === 'all ranks' || rank === 1;
      let [moved, movedOthers] = [0, 0];
      const wrong: string[] = [];
      for (const { job, known } of JOBS) {
        if (isPossible?.(job) === false) continue;
        const other = inProgram(job);
        const after = read({ ...other, ranks: job.ranks.map((rank, i) => (isChanged(i) ? other.ranks[i] : rank)) });
        if (known.ranks.some(({ truth }, i) => untoldPart(truth, after.ranks[i].truth) !== undefined)) continue;
        const [now, wanted, ends] = [nowEnds(known), nowEnds(after), forecastEnds(known, changes, isChanged)];
        if (ends.join() !== wanted.join()) wrong.push(`${job.name}: ${ends.join()} and not ${wanted.join()}`);
        if (wanted.join() !== now.join()) moved++;
        if (wanted.some((end, rank) => !isChanged(rank) && end !== now[rank])) movedOthers++;
      }
      expect(wrong).toEqual([]);
      // What moves nothing proves nothing.
      expect(moved).toBeGreaterThan(0);
      if (which !== 'all ranks' && changes[0]?.kind === 'scale') expect(movedOthers).toBeGreaterThan(0);
    });
  },
);

const COMPUTE = { device: 0, stream: 7 };
const collective = (stream: number): Action => ({
  kind: 'collective',
  op: 'allreduce',
  group: 'all',
  on: { device: 0, stream },
  name: 'ncclDevKernel_AllReduce',
  ns: 70_000,
  elements: 1_000,
  dtype: 'Float',
});
const kernel = (name: string, ns: number): Action => ({ kind: 'launch', name, ns, on: COMPUTE });

/** Three ranks that compute at another pace each, what `body` says. */
const jobOf = (body: readonly Action[]): Job => ({
  name: 'drawn',
  story: '',
  seed: 1,
  costs: KNOWN_COSTS,
  groups: [{ name: 'all', description: '', ranks: [0, 1, 2] }],
  ranks: [1, 1.4, 0.7].map((deviceScale) => ({ threads: [{ name: 'python', body }], deviceScale })),
});

function compareRuns(before: Job, after: Job, change: Change): void {
  const known = read(before);
  const wanted = nowEnds(read(after));
  expect(forecastEnds(known, [change], () => true)).toEqual(wanted);
  expect(wanted).not.toEqual(nowEnds(known));
}

test('collectives that hold nothing up are as those on streams of their own', () => {
  /** With no host time for the events that tie a collective to what it reduces. */
  const aside = (n: number): Action[] => [
    { kind: 'record', event: n, on: COMPUTE, callNs: 0 },
    { kind: 'wait', event: n, on: { device: 0, stream: 20 + n }, callNs: 0 },
    collective(20 + n),
  ];
  const bodyOf = (reduce: (n: number) => Action[]): Action[] =>
    [1, 2, 3].flatMap((n) => [kernel('gemm', 60_000), ...reduce(n), kernel('relu', 20_000)]);
  compareRuns(jobOf(bodyOf(() => [collective(7)])), jobOf(bodyOf(aside)), {
    kind: 'overlap',
    select: byKind('collective'),
  });
});

test('runs of small kernels are as the graphs of them', () => {
  // The host takes longer to launch them than the device to run them.
  const lengths = Array.from({ length: 40 }, (_, n) => 600 + 100 * (n % 7));
  const name = (n: number): string => `small ${n}`;
  const one = lengths.map((ns, n) => kernel(name(n), ns));
  const nodes = lengths.map((ns, n) => ({ name: name(n), ns, after: n === 0 ? [] : [n - 1] }));
  const asGraph: Action = { kind: 'graph', on: COMPUTE, nodes, callNs: KNOWN_COSTS.callNs.launch };
  const bodyOf = (run: readonly Action[]): Action[] =>
    [1, 2, 3].flatMap(() => [...run, kernel('gemm', 60_000), collective(7)]);
  compareRuns(jobOf(bodyOf(one)), jobOf(bodyOf([asGraph])), { kind: 'graph-launch', shorterThanNs: 20_000 });
});
