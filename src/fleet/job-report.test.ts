import { expect, test } from 'vitest';
import { COMPOSITIONS } from '../analyses/registry.ts';
import { mapRank } from '../library/map-rank.ts';
import { kinetoText } from '../sim/kineto.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { JobRun } from '../sim/run.ts';
import { readJson } from '../test-kit/draw.ts';
import { assembleJob, type Job } from './job.ts';
import { jobDocument } from './job-document.ts';
import { reportJob } from './job-report.ts';
import { encodeSummary, decodeSummary, type RankSummary } from './rank-summary.ts';
import { renderJob } from './render-job.ts';
import { renderJobInfo } from './render-job-info.ts';

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
