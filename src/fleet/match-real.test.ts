import { expect, test } from 'vitest';
import { realGraph } from '../test-kit/traces.ts';
import { rankCalls } from './calls.ts';
import { type FittedClocks, fitClocks } from './clocks.ts';
import { matchCalls } from './match.ts';
import type { Meeting, RankCalls } from './model.ts';
import { lastBySteps, waitHeat, waitsByRank } from './wait-totals.ts';
import { type MeetingWaits, waitsOf } from './waits.ts';

interface Read {
  readonly ranks: RankCalls[];
  readonly meetings: Meeting[];
  readonly report: ReturnType<typeof matchCalls>['report'];
  readonly clocks: FittedClocks;
  readonly waits: MeetingWaits[];
}

function read(files: readonly string[]): Read {
  const ranks = files.map((file, rank) => rankCalls(realGraph(file), rank));
  const { meetings, report } = matchCalls(ranks);
  const clocks = fitClocks(ranks, meetings);
  return { ranks, meetings, report, clocks, waits: waitsOf(ranks, meetings, clocks) };
}

const DLRM = Array.from({ length: 8 }, (_, rank) => `ranks/dlrm_v100_8/worker${rank}.pt.trace.json.gz`);
const SAMPLED = [0, 1].map((rank) => `ranks/sampled_2of128/rank-${rank}.json.gz`);
const lastOf = ({ meetings }: Read, { meeting, last }: MeetingWaits): number => meetings[meeting].members[last].rank;

test('eight ranks of a DLRM step, without Seq: all calls are matched, by order', () => {
  const { ranks, meetings, report } = read(DLRM);
  expect(ranks.map(({ calls }) => calls.length)).toEqual(Array.from({ length: 8 }, () => 8));
  expect(report).toEqual({ matched: 64, mismatched: 0, ambiguous: 0, unmatched: 0, desynchronised: [] });
  expect(meetings.map(({ op, how, isComplete, members }) => `${op} ${how} ${isComplete} ${members.length}`)).toEqual([
    ...Array.from({ length: 4 }, () => 'all-to-all heuristic:order true 8'),
    'all-reduce heuristic:order true 8',
    'all-to-all heuristic:order true 8',
    'all-reduce heuristic:order true 8',
    'all-reduce heuristic:order true 8',
  ]);
});

test('their clocks are one', () => {
  const { clocks } = read(DLRM);
  expect(Math.max(...clocks.skewNs.map(Math.abs))).toBeLessThanOrEqual(2_000);
  expect([...clocks.hosts.host]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  expect(new Set(clocks.component)).toEqual(new Set([0]));
  expect(clocks.check.largestResidualNs).toBeLessThanOrEqual(4_000);
  expect(clocks.check).toMatchObject({ checked: 56, violated: 0 });
  expect(clocks.uncertaintyNs(0, 7)).toBeLessThan(9_000);
});

test('who waited for whom', () => {
  const job = read(DLRM);
  const { ranks, meetings, waits } = job;
  expect(waits.map((each) => lastOf(job, each))).toEqual([7, 7, 7, 7, 7, 5, 5, 4]);
  expect([waits[4].marginNs, waits[7].marginNs]).toEqual([9_000, 14_000]);
  expect(waits.map(({ isTie }) => isTie)).toEqual(Array.from({ length: 8 }, () => false));
  const totals = waitsByRank(ranks, meetings, waits);
  expect(totals.map(({ waitNs }) => waitNs / 1_000)).toEqual([5580, 11125, 3280, 9571, 6370, 6041, 3342, 1534]);
  expect(totals.map(({ timesLast }) => timesLast)).toEqual([0, 0, 0, 0, 1, 2, 0, 5]);
  for (const { restNs, isTransfer } of waits) {
    expect(isTransfer).toBe(true);
    expect(Math.min(...restNs)).toBeGreaterThan(0);
  }
  expect(lastBySteps(ranks, meetings, waits)).toEqual([
    {
      step: 'ProfilerStep#10',
      calls: 8,
      ties: 0,
      last: [
        { rank: 7, times: 5 },
        { rank: 5, times: 2 },
        { rank: 4, times: 1 },
      ],
    },
  ]);
  const heat = waitHeat(ranks, meetings, waits);
  expect(heat.waitNs).toHaveLength(64);
  expect([heat.waitNs[0], heat.waitNs[8], heat.waitNs[56]]).toEqual([2_135_000, 7_624_000, 0]);
});

test('two sampled ranks of 128: half of the calls are matched, and nothing is said of transfers', () => {
  const { ranks, meetings, report, waits, clocks } = read(SAMPLED);
  expect(ranks.map(({ calls }) => calls.length)).toEqual([10, 10]);
  expect(report).toEqual({ matched: 10, mismatched: 0, ambiguous: 0, unmatched: 10, desynchronised: [] });
  expect(meetings.map(({ members }) => members.map(({ call }) => call))).toEqual([
    [1, 0],
    [2, 2],
    [4, 4],
    [8, 8],
    [9, 9],
  ]);
  expect(meetings.every(({ isComplete }) => !isComplete)).toBe(true);
  // The shapes of the all-gather tell how many ranks take part in it.
  expect(ranks[0].groups.map(({ size }) => size)).toEqual([undefined, 64]);
  expect(waits.every(({ isTransfer }) => !isTransfer)).toBe(true);
  expect(waits.every(({ algorithmGBps }) => algorithmGBps === undefined)).toBe(true);
  expect(waitsByRank(ranks, meetings, waits).map(({ transferNs, timesLast }) => [transferNs, timesLast])).toEqual([
    [0, 0],
    [0, 0],
  ]);
  expect(lastBySteps(ranks, meetings, waits)).toEqual([]);
  expect(clocks.check.violated).toBe(0);
});
