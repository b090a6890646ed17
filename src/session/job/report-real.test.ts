// What the report says of each folder of public traces, as a person reads it.
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { analysisOf } from '../../analyses/registry.ts';
import type { RenderOptions } from '../../analyses/contract.ts';
import { reportJob } from '../../fleet/job-report.ts';
import { renderJob } from '../../fleet/render-job.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import { realTrace, realTraceFiles } from '../../test-kit/traces.ts';
import { openJob } from './open-job.ts';
import { findRankFiles } from './rank-files.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

test.each([...new Set(realTraceFiles().map((file) => dirname(file)))])('%s', async (folder) => {
  const found = await findRankFiles([realTrace(folder)]);
  if (found.kind === 'none') throw new Error(found.why);
  // A folder with one file is that file: its text is among the single ones.
  if (found.files.length === 1) return;
  const report = reportJob(await openJob(found.files, analysisOf('critical-path').defaults));
  const text = renderJob(report, PLAIN);
  expect(text).not.toMatch(/NaN|Infinity|undefined|null|\[object/);
  for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
  expectGolden(import.meta.url, `golden/report/${folder.replaceAll('/', '.')}.txt`, text);
});

test('eight real ranks: all calls matched, waits by rank, who came last, and the path from rank to rank', async () => {
  const found = await findRankFiles([realTrace('ranks/dlrm_v100_8')]);
  if (found.kind === 'none') throw new Error(found.why);
  const { calls, waits, clocks, path, stragglers } = reportJob(
    await openJob(found.files, analysisOf('critical-path').defaults),
  );
  expect(calls).toMatchObject({ status: 'ok', result: { calls: 64, matched: 64 } });
  if (waits.status !== 'ok' || clocks.status !== 'ok' || path.status !== 'ok' || stragglers.status !== 'ok') {
    throw new Error('no answer');
  }
  const us = waits.result.ranks.map(({ waitNs }) => waitNs / 1000);
  const known = [5580, 11_125, 3280, 9571, 6370, 6041, 3342, 1534];
  us.forEach((wait, rank) => expect(Math.abs(wait / (known[rank] ?? 0) - 1), `rank ${rank}`).toBeLessThan(0.02));
  expect(waits.result.rows.map(({ last }) => last)).toEqual([7, 7, 7, 7, 7, 5, 5, 4]);
  expect(waits.result.rows.map(({ marginNs }) => marginNs)).toMatchObject({ 4: 9000, 7: 14_000 });
  expect(clocks.result).toMatchObject({ hosts: 1, withoutHost: 0, violated: 0 });
  for (const { skewNs } of clocks.result.ranks) expect(Math.abs(skewNs)).toBeLessThanOrEqual(2000);
  expect(clocks.result.largestResidualNs).toBeLessThanOrEqual(4100);
  expect(Math.round(path.result.totalNs / 1000)).toBe(20_970);
  expect(path.result.legs.map(({ rank }) => rank)).toEqual([7, 4]);
  const verdicts = new Map(stragglers.result.named.map((each) => [each.rank, each]));
  expect(verdicts.get(7)?.verdict).toBe('late-start');
  expect(verdicts.get(1)).toMatchObject({ verdict: 'victim', victimOf: { rank: 7 } });
});

test('two ranks of 128: five calls matched, and it says why there is no path', async () => {
  const found = await findRankFiles([realTrace('ranks/sampled_2of128')]);
  if (found.kind === 'none') throw new Error(found.why);
  const { calls, path, stragglers, groups, missing } = reportJob(
    await openJob(found.files, analysisOf('critical-path').defaults),
  );
  expect(calls).toMatchObject({
    status: 'ok',
    result: { calls: 20, matched: 10, unmatched: 10, meetings: 5, incomplete: 5 },
  });
  expect(path.status === 'ok' ? '' : path.reason).toMatch(/has members that are not here/);
  expect(stragglers.status).toBe('not-applicable');
  expect(groups).toMatchObject({ status: 'ok', result: { families: [{ size: 64 }] } });
  expect(missing).toEqual([{ first: 2, last: 127 }]);
});
