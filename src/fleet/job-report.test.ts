import { expect, test } from 'vitest';
import { COMPOSITIONS } from '../analyses/registry.ts';
import { mapRank } from '../library/map-rank.ts';
import { kinetoText } from '../sim/kineto.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { JobRun } from '../sim/run.ts';
import { readJson } from '../test-kit/draw.ts';
import { assembleJob, type Job } from './job.ts';
import { jobDocument } from './job-document.ts';
import { type ClocksAnswer, reportJob } from './job-report.ts';
import type { JobForecast } from './job-what-if.ts';
import { clocksText, verdictText } from './job-words.ts';
import { encodeSummary, decodeSummary, type RankSummary } from './rank-summary.ts';
import { renderJob } from './render-job.ts';
import { renderJobInfo } from './render-job-info.ts';
import { renderForecast } from './render-job-what-if.ts';

const HOSTILE = '<img src=x onerror=alert(1)>\u001b[31m\u202e';
const PLAIN = { limit: 10, fullNames: false, style: (_: string, text: string) => text };

function summaries(ranks: number, steps: number, hostile = false): RankSummary[] {
  const made = dataParallel({ ranks, steps, layers: 2 });
  const job = hostile ? { ...made, groups: made.groups.map((group) => ({ ...group, description: HOSTILE })) } : made;
  const run = new JobRun(job);
  return job.ranks.map((_, rank) => {
    const decoded = decodeSummary(
      encodeSummary(mapRank(readJson(kinetoText(job, run.truthOf(rank)), `rank${rank}.json`))),
    );
    if (decoded === undefined) throw new Error('no summary');
    return decoded;
  });
}

const jobOf = (list: readonly RankSummary[], file = (at: number): string => `rank${at}.json`): Job =>
  assembleJob(
    list.map((summary, at) => ({ name: file(at), folder: 'job', summary })),
    [],
  );

test('the report is the same in whatever order its ranks come', () => {
  const job = jobOf(summaries(4, 2));
  const reversed = assembleJob(
    job.members.toReversed().map(({ name, folder, summary }) => ({ name, folder, summary })),
    [],
  );
  expect(renderJob(reportJob(reversed), PLAIN)).toBe(renderJob(reportJob(job), PLAIN));
});

test('a rank that is not here makes no transfer of what may be a wait, and no path', () => {
  const report = reportJob(jobOf(summaries(4, 2).slice(1)));
  expect(report.missing).toEqual([{ first: 0, last: 0 }]);
  if (report.waits.status !== 'ok') throw new Error(report.waits.reason);
  for (const { transferNs, unknownNs, timesLast } of report.waits.result.ranks) {
    expect({ transferNs, timesLast }).toEqual({ transferNs: 0, timesLast: 0 });
    expect(unknownNs).toBeGreaterThan(0);
  }
  expect(report.path.status).toBe('not-applicable');
});

test('a document admits what may be the wait for a rank that is not here, and draws it', () => {
  const report = reportJob(jobOf(summaries(4, 2).slice(1)));
  if (report.waits.status !== 'ok') throw new Error(report.waits.reason);
  const [ranks, heat, waits] = jobDocument(report).sections;
  expect(heat?.paragraphs).toContainEqual(expect.stringMatching(/members of a call are not here, this is the wait/));
  const at = ranks?.table?.columns.findIndex(({ name }) => name === 'transfer?') ?? -1;
  expect(ranks?.table?.rows.map((row) => row[at])).toEqual(report.waits.result.ranks.map((each) => each.unknownNs));
  expect(ranks?.chart?.parts).toEqual(['waits', 'transfer?']);
  expect(ranks?.chart?.rows.map(({ values }) => values[1])).toEqual(
    report.waits.result.ranks.map((each) => each.unknownNs),
  );
  expect(waits?.paragraphs[0]).toMatch(/the rank that all others that are here waited for/);
  const transfer = waits?.table?.columns.findIndex(({ name }) => name === 'transfer') ?? -1;
  for (const row of waits?.table?.rows ?? []) expect(row[transfer]).toMatch(/s\?$/);
  const [whole, , known] = jobDocument(reportJob(jobOf(summaries(2, 1)))).sections;
  expect(whole?.chart?.parts).toEqual(['waits', 'transfer']);
  expect(known?.paragraphs[0]).toMatch(/the rank that all others waited for/);
});

test('the heat map has all that ranks waited, each in its row', () => {
  const report = reportJob(jobOf(summaries(4, 3)));
  if (report.waits.status !== 'ok') throw new Error(report.waits.reason);
  const { ranks, rows } = report.waits.result;
  const { heat } = jobDocument(report).sections.find(({ id }) => id === 'wait-heat') ?? {};
  expect(heat?.rows).toEqual(['rank 0', 'rank 1', 'rank 2', 'rank 3']);
  heat?.values.forEach((row, at) => {
    const sum = row.reduce<number>((total, ns = 0) => total + ns, 0);
    // Each cell is rounded by itself.
    expect(Math.abs(sum - (ranks[at]?.waitNs ?? 0))).toBeLessThanOrEqual(row.length);
  });
  rows.forEach(({ longestWaitNs }, call) => {
    expect(Math.max(...(heat?.values ?? []).map((row) => row[call] ?? 0))).toBe(longestWaitNs);
  });
});

test('files that are not of one run have no ranks, in whatever form', () => {
  const two = summaries(2, 1);
  const job = jobOf([...two, ...two.slice(1)], (at) => `copy${at}.json`);
  expect(job.mixed).not.toEqual([]);
  const report = reportJob(job);
  expect(jobDocument(report).sections[0]?.table?.rows.map(([rank]) => rank)).toEqual([undefined, undefined, undefined]);
  expect(jobDocument(report).title).toMatch(/, 3 files$/);
  const info = renderJobInfo(job, PLAIN, true);
  expect(info).toMatch(/\n {2}events +span/);
  expect(info).not.toMatch(/\n +2 +\d.*copy2/);
});

test('ranks of which none has the window are not one rank alone', () => {
  const bare = summaries(3, 1).map((each): RankSummary => {
    const { skeleton, ...rest } = each;
    expect(skeleton).toBeDefined();
    return { ...rest, noPath: 'no such step' };
  });
  expect(reportJob(jobOf(bare)).path).toEqual({
    status: 'not-applicable',
    reason: 'none of the 3 ranks has a path of its own: no such step',
  });
});

test('the verdict names the rank with most of the path where that is neither its begin nor its end', () => {
  const report = reportJob(jobOf(summaries(4, 2)));
  if (report.path.status !== 'ok') throw new Error(report.path.reason);
  const { result } = report.path;
  const [leg] = result.legs;
  if (leg === undefined) throw new Error('no leg');
  const verdictOf = (most: number): string =>
    verdictText({
      ...report,
      path: {
        status: 'ok',
        result: {
          ...result,
          legs: [
            { ...leg, rank: 0 },
            { ...leg, rank: 2 },
            { ...leg, rank: 1 },
          ],
          byRank: [
            { rank: most, totalNs: 75, share: 0.75 },
            { rank: 3 - most, totalNs: 25, share: 0.25 },
          ],
        },
      },
    });
  expect(verdictOf(2)).toContain('begins on rank 0 and ends on rank 1, 75 % of it on rank 2,');
  expect(verdictOf(1)).not.toContain('on rank 2');
});

test('clocks that are taken as one are said to be, whatever the fit found', () => {
  const skew = (rank: number): ClocksAnswer['ranks'][number] => ({
    rank,
    skewNs: rank * 300,
    driftPpm: 0,
    part: 0,
    uncertaintyNs: 4000,
    sharesClock: true,
  });
  const answer: ClocksAnswer = {
    ranks: [0, 1, 2, 3].map(skew),
    parts: 1,
    hosts: 1,
    withoutHost: 0,
    checked: 0,
    violated: 0,
    worstNs: 0,
    medianResidualNs: 0,
    largestResidualNs: 0,
  };
  expect(clocksText(answer)).toMatch(/^known to ±4\.000 µs, fitted 900 ns apart, taken as one clock; 1 host/);
  const apart = answer.ranks.map((each) => ({ ...each, sharesClock: false }));
  expect(clocksText({ ...answer, ranks: apart })).toMatch(/^known to ±4\.000 µs, 900 ns apart;/);
});

test('a window that grows reads with the sign of typeset numbers', () => {
  const forecast: JobForecast = {
    changes: ['--balance'],
    measuredNs: 1000,
    predictedNs: 34_000,
    winNs: -33_000,
    winShare: -33,
    windows: [{ label: 'a', measuredNs: 1000, predictedNs: 34_000, winNs: -33_000 }],
    replayErrorNs: 0,
    holdOut: { verdict: 'one-step', pairs: 0 },
    roles: 1,
    lonely: 0,
    measured: { breakdown: [], byRank: [] },
    predicted: { breakdown: [], byRank: [] },
    notes: [],
  };
  expect(renderForecast(forecast, PLAIN)).toContain('\u221233.0 µs');
});

test('what traces and files are called steers no terminal and opens no tag', () => {
  const job = jobOf(summaries(2, 1, true), (at) => `${HOSTILE}${at}.json`);
  const report = reportJob(job);
  const texts = [renderJob(report, PLAIN), renderJobInfo(job, PLAIN, true)];
  // oxlint-disable-next-line no-control-regex
  for (const text of texts) expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  expect(texts[0]).toContain('<img');
  const page = COMPOSITIONS.report.renderHtml(jobDocument(report), {
    script: '',
    style: '',
    scriptHash: '',
    styleHash: '',
  });
  expect(page).not.toContain('<img');
  const markdown = COMPOSITIONS.report.renderMarkdown(jobDocument(report), { limit: undefined });
  expect(markdown.replaceAll(/`[^`\n]*`/g, '')).not.toContain('<img');
});

test('one rank alone, and none, say why there is nothing across ranks', () => {
  const one = reportJob(jobOf(summaries(2, 1).slice(0, 1)));
  expect(one.calls).toEqual({ status: 'not-applicable', reason: 'one rank alone meets nobody' });
  expect(renderJob(one, PLAIN)).toContain('one rank alone meets nobody');
  const none = reportJob(assembleJob([], [{ name: 'a.json', folder: '', why: 'no JSON' }]));
  expect(renderJob(none, PLAIN)).toContain('cannot be read: a.json: no JSON');
});
