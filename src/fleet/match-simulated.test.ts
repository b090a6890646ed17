import { describe, expect, test } from 'vitest';
import { Random } from '../sim/draws.ts';
import { NO_LOSS } from '../sim/kineto-options.ts';
import {
  type FleetOptions,
  type ReadFleet,
  clockErrors,
  matchErrors,
  randomFleet,
  readFleet,
} from '../test-kit/random-fleet.ts';
import { seeds } from '../test-kit/seeds.ts';
import { fitClocks } from './clocks.ts';
import { matchCalls } from './match.ts';
import { waitsOf } from './waits.ts';

/** Jobs of all sorts, from minutes of clock offset to none, with tails, uneven all-to-alls, eager sends and roots that leave early. */
function optionsOf(seed: number): FleetOptions {
  const random = new Random(seed + 1000);
  return {
    ranks: random.pick([2, 3, 4, 8, 8, 16]),
    steps: random.pick([1, 2, 3, 6, 12]),
    clockNs: random.pick([0, 3e5, 1.2e11]),
    driftPpm: random.pick([0, 5, 50]),
    isNoisy: random.chance(0.7),
    isUneven: random.chance(0.6),
    hasTransfers: random.chance(0.4),
    hasRooted: random.chance(0.4),
    pauseNs: random.pick([0, 1e7, 5e8]),
    kineto: {
      collectiveArgs: random.pick(['all', 'all', 'op', 'none'] as const),
      collectiveSequence: random.chance(0.6),
      resolution: random.chance(0.2) ? 'us' : 'ns',
      epoch: random.chance(0.5) ? 'base' : 'absolute',
    },
  };
}

interface Tried extends ReadFleet {
  readonly seed: number;
  readonly options: FleetOptions;
}

function* jobs(seeds: number): Generator<Tried> {
  for (let seed = 1; seed <= seeds; seed++) {
    const options = optionsOf(seed);
    yield { seed, options, ...readFleet(randomFleet(seed, options), options.kineto) };
  }
}

const SEEDS = seeds(25, 400);

interface Outcome {
  /** What was matched wrongly, or not at all though the trace has names. */
  readonly unmatched: string[];
  /** Calls of traces without args. */
  readonly unnamed: { found: number; missed: number };
  readonly clocks: { pairs: number; beyond: number; readonly farBeyond: string[] };
  /** Who did not come last, though the margin is above the uncertainty. */
  readonly notLast: string[];
}

let outcome: Outcome | undefined;

/** All seeds, once for all tests. */
function outcomeOf(): Outcome {
  if (outcome !== undefined) return outcome;
  outcome = {
    unmatched: [],
    unnamed: { found: 0, missed: 0 },
    clocks: { pairs: 0, beyond: 0, farBeyond: [] },
    notLast: [],
  };
  for (const fleet of jobs(SEEDS)) judge(fleet, outcome);
  return outcome;
}

function judge(fleet: Tried, { unmatched, unnamed, clocks, notLast }: Outcome): void {
  const { seed, options, ranks } = fleet;
  const { meetings, report } = matchCalls(ranks);
  const { wrong, missed } = matchErrors(fleet, meetings);
  const hasNames = options.kineto.collectiveArgs !== 'none';
  if (wrong > 0 || (hasNames && missed > 0)) unmatched.push(`seed ${seed}: ${wrong} wrong, ${missed} missed`);
  if (!hasNames) {
    unnamed.found += report.matched;
    unnamed.missed += missed;
  }
  const fitted = fitClocks(ranks, meetings);
  for (const { a, b, errorNs, admittedNs } of clockErrors(fleet, fitted)) {
    clocks.pairs++;
    if (errorNs > admittedNs) clocks.beyond++;
    if (errorNs > 3 * admittedNs) clocks.farBeyond.push(`seed ${seed}: ${a} and ${b}: ${errorNs} of ${admittedNs}`);
  }
  for (const { isTie, last, marginNs, meeting } of waitsOf(ranks, meetings, fitted)) {
    const { op, members } = meetings[meeting];
    if (isTie || last === -1 || op === 'send' || marginNs === Infinity) continue;
    const truth = fleet.meetingOf[members[0].rank][members[0].call];
    const seen = members.map(({ rank }) => truth?.arrivals[truth.ranks.indexOf(rank)] ?? Number.NaN);
    if (seen[last] < Math.max(...seen)) notLast.push(`seed ${seed}: ${op} by ${marginNs}`);
  }
}

describe('random jobs', { timeout: 120_000 }, () => {
  test('no call is put together with another one, and with names all are found, with and without Seq', () => {
    expect(outcomeOf().unmatched).toEqual([]);
  });

  test('without args many are found all the same', () => {
    // Sends do not say their peer there, and on a stream of several groups roots leave no trace of their own.
    const { found, missed } = outcomeOf().unnamed;
    expect(found).toBeGreaterThan(1.5 * missed);
    expect(missed).toBeGreaterThan(0);
  });

  test('clocks are off by at most what is admitted, in 99 of 100 pairs, and never by three times that', () => {
    const { pairs, beyond, farBeyond } = outcomeOf().clocks;
    expect(pairs).toBeGreaterThan(seeds(700, 10_000));
    expect(beyond).toBeLessThanOrEqual(pairs / 100);
    expect(farBeyond).toEqual([]);
  });

  test('who came last by more than the uncertainty did come last', () => {
    expect(outcomeOf().notLast).toEqual([]);
  });
});

describe('jobs without args whose groups do the same at about the same time', () => {
  const inStep = { clockNs: 3e5, driftPpm: 5, isUneven: false, hasTransfers: false, hasRooted: false };
  test.each([
    ['groups of one rank', 190, { ...inStep, ranks: 4, steps: 6, isNoisy: false, pauseNs: 5e8 }],
    ['pairs that arrive together', 38, { ...inStep, ranks: 8, steps: 2, isNoisy: false, pauseNs: 5e8 }],
    [
      'pairs that end together, twice',
      43,
      { ...inStep, ranks: 8, steps: 1, driftPpm: 50, isNoisy: true, hasRooted: true, pauseNs: 5e8 },
    ],
    [
      'ranks whose own groups have no clock in common',
      191,
      { ...inStep, ranks: 8, steps: 2, clockNs: 0, isNoisy: false, pauseNs: 0 },
    ],
    [
      'some of two groups, of which another one is waited for',
      1225,
      { ...inStep, ranks: 16, steps: 6, clockNs: 1.2e11, driftPpm: 0, isNoisy: true, pauseNs: 0 },
    ],
  ] as const)('%s', (_, seed, options) => {
    const collectiveSequence = seed === 38 || seed === 1225;
    const kineto = { collectiveArgs: 'none', collectiveSequence, epoch: 'base' } as const;
    const fleet = readFleet(randomFleet(seed, { ...options, kineto }), kineto);
    expect(matchErrors(fleet, matchCalls(fleet.ranks).meetings).wrong).toBe(0);
  });
});

const PLAIN: FleetOptions = {
  ranks: 8,
  steps: 6,
  clockNs: 1.2e11,
  driftPpm: 50,
  isNoisy: true,
  isUneven: true,
  hasTransfers: true,
  hasRooted: true,
  pauseNs: 5e8,
  kineto: {},
};

test('64 ranks', { timeout: 60_000 }, () => {
  const fleet = readFleet(randomFleet(5, { ...PLAIN, ranks: 64, steps: 3 }), {});
  const { meetings, report } = matchCalls(fleet.ranks);
  expect(matchErrors(fleet, meetings)).toEqual({ wrong: 0, missed: 0 });
  expect(report.unmatched).toBe(0);
  const errors = clockErrors(fleet, fitClocks(fleet.ranks, meetings));
  expect(errors).toHaveLength(2016);
  expect(errors.filter(({ errorNs, admittedNs }) => errorNs > admittedNs).length).toBeLessThan(21);
});

test('a part of the ranks: their calls are matched, and incomplete', () => {
  const fleet = readFleet(randomFleet(11, { ...PLAIN, hasTransfers: false }), {}, [1, 4, 5]);
  const { meetings, report } = matchCalls(fleet.ranks);
  expect(matchErrors(fleet, meetings)).toEqual({ wrong: 0, missed: 0 });
  expect(meetings.some(({ isComplete }) => isComplete)).toBe(false);
  expect(report.mismatched).toBe(0);
});

test('lost rows leave holes, and no wrong match', () => {
  const loss = { ...NO_LOSS, deviceRows: 0.15, seed: 3 };
  const fleet = readFleet(randomFleet(12, { ...PLAIN, hasTransfers: false }), { loss });
  const { meetings } = matchCalls(fleet.ranks);
  expect(matchErrors(fleet, meetings)).toEqual({ wrong: 0, missed: 0 });
});

test('drift is told where the run is long enough', () => {
  const fleet = readFleet(randomFleet(13, { ...PLAIN, isUneven: false, steps: 12 }), {});
  const clocks = fitClocks(fleet.ranks, matchCalls(fleet.ranks).meetings);
  const drifts = fleet.job.ranks.map(({ clock }) => clock?.driftPpm ?? 0);
  for (let rank = 1; rank < drifts.length; rank++) {
    const told = clocks.driftPpm[rank] - clocks.driftPpm[0];
    // A clock that runs fast shows too much: the job's time is less of it.
    expect(told).toBeCloseTo(drifts[0] - drifts[rank], 0);
  }
});
