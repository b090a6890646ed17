import { expect, test } from 'vitest';
import { realGraph } from '../test-kit/traces.ts';
import { rankCalls } from './calls.ts';
import { fitClocks } from './clocks.ts';
import { walkJobPath } from './job-path.ts';
import { openJobPath } from './job-path-open.ts';
import { type JobTimes, jobReplayError, replayJob } from './job-replay.ts';
import { findJobWindows } from './job-windows.ts';
import { matchCalls } from './match.ts';
import { type JobGraph, mergeJob } from './merge.ts';
import { pathContextOf, skeletonOf } from './skeleton-of.ts';
import { findStragglers } from './stragglers.ts';

function read(files: readonly string[]): { job: JobGraph; times: JobTimes } {
  const ranks = files.map((file, rank) => {
    const graph = realGraph(file);
    const calls = rankCalls(graph, rank);
    return { calls, skeleton: skeletonOf(graph, calls) };
  });
  const calls = ranks.map((rank) => rank.calls);
  const { meetings } = matchCalls(calls);
  const job = mergeJob(ranks, meetings, fitClocks(calls, meetings));
  return { job, times: replayJob(job) };
}

const DLRM = Array.from({ length: 8 }, (_, rank) => `ranks/dlrm_v100_8/worker${rank}.pt.trace.json.gz`);
const SAMPLED = [0, 1].map((rank) => `ranks/sampled_2of128/rank-${rank}.json.gz`);

test('the path of the DLRM step begins before rank 7’s trace does and ends on rank 4', () => {
  const { job, times } = read(DLRM);
  expect(jobReplayError(job, times)).toBe(0);
  expect(job.impossible).toBe(0);
  const found = findJobWindows(job, times);
  if (!found.ok) throw new Error(found.reason);
  expect(found.windows.map(({ label }) => label)).toEqual(['ProfilerStep#10']);
  const path = walkJobPath(job, times, found.windows[0]);
  const first = path.segments[0];
  expect([first.rank, first.kind]).toEqual([7, 'before-window']);
  expect(path.segments.map(({ rank }) => rank).filter((rank, i, all) => rank !== all[i - 1])).toEqual([7, 4]);
  const total = path.segments.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
  expect(Math.round(total / 1000)).toBe(20_970);
  const crossing = path.segments.find(({ kind }) => kind === 'transfer');
  expect(crossing).toMatchObject({ rank: 4, arrival: { rank: 7, next: 6, isTie: false } });
  const opened = openJobPath(job, path, (rank) => pathContextOf(realGraph(DLRM[rank])));
  expect(Math.round(opened.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0) / 1000)).toBe(20_970);
  expect(opened.filter(({ kind }) => kind === 'in-rank')).toEqual([]);
});

test('rank 7 began late and is not slow; rank 1, which began first, is its victim', () => {
  const { job, times } = read(DLRM);
  const found = findJobWindows(job, times);
  if (!found.ok) throw new Error(found.reason);
  const { ranks, roles } = findStragglers(job, times, found.windows);
  expect(roles).toBe(1);
  expect(ranks.filter(({ verdict }) => verdict === 'straggler')).toEqual([]);
  expect(ranks[7].verdict).toBe('late-start');
  const walls = ranks.map(({ steps }) => steps[0].wallNs);
  expect(walls.indexOf(Math.min(...walls))).toBe(7);
  expect(ranks[7].intrinsicNs).toBeLessThan(0);
  const begins = ranks.map(({ steps }) => steps[0].beforeNs);
  expect(begins.indexOf(Math.max(...begins))).toBe(7);
  expect(begins.indexOf(Math.min(...begins))).toBe(1);
  expect(ranks[1]).toMatchObject({ verdict: 'victim', victimOf: { rank: 7 } });
});

test('two sampled ranks of 128 have no path, and it says why', () => {
  const { job, times } = read(SAMPLED);
  const found = findJobWindows(job, times);
  expect(found).toMatchObject({ ok: false });
  expect(found.ok ? '' : found.reason).toMatch(/members that are not here .* of up to 64, of which 2 ranks are here/);
});
