/** A job's report on its way out: text, JSON, Markdown or a page. */
import { COMPOSITIONS } from '../analyses/registry.ts';
import { jobDocument } from '../fleet/job-document.ts';
import type { Job } from '../fleet/job.ts';
import { reportJob, type JobReport } from '../fleet/job-report.ts';
import { renderJob } from '../fleet/render-job.ts';
import { limitOf, type Flags } from './args.ts';
import { ExitCode } from './exit.ts';
import type { Command } from './input.ts';
import { jsonChunks, limitList } from './json.ts';
import { LIMITS } from './limits.ts';
import { readNamedGroups } from './named-groups.ts';
import { styleForStdout, writeError, writeOut } from './output.ts';
import { documentPage } from '../session/report-page.ts';
import { type Form, savePage } from './report-forms.ts';

/** `form`: of `formOf`, which was asked before anything was read. */
export async function writeJobReport(
  command: Command,
  job: Job,
  flags: Flags,
  form: Form | undefined,
): Promise<ExitCode> {
  const report = reportJob(job, flags.groups === undefined ? {} : { named: await readNamedGroups(flags.groups) });
  const limit = limitOf(flags);
  if (form?.kind === 'markdown') await writeOut(COMPOSITIONS.report.renderMarkdown(jobDocument(report), { limit }));
  else if (form?.kind === 'html') await savePage(await documentPage(jobDocument(report)), form.to);
  else if (flags.json) await writeOut(jsonChunks({ schema: 'longpole.report/1', ...documentOf(report, limit) }));
  else {
    await writeOut(
      renderJob(report, {
        limit: limit ?? LIMITS.report,
        fullNames: flags.fullNames === true,
        style: styleForStdout(),
      }),
    );
  }
  return exitCodeOf(command, report);
}

/** Ranks that could be read are an answer; files of several runs are none, and a window that no rank has is none. */
function exitCodeOf(command: Command, { ranks, mixed }: JobReport): ExitCode {
  if (ranks.length === 0) {
    writeError(`${command}: none of the files can be read`);
    return ExitCode.usage;
  }
  const [first] = mixed;
  if (first !== undefined) {
    writeError(`${command}: the files are not of one run: ${first}; name those that are`);
    return ExitCode.notApplicable;
  }
  const reason = ranks[0]?.noPath;
  if (reason === undefined || ranks.some(({ noPath }) => noPath === undefined)) return ExitCode.answered;
  writeError(`${command} does not apply: ${reason}`);
  return ExitCode.notApplicable;
}

/** Files that are not of one run have no ranks: numbers that only order them are not written. */
function documentOf({ ranks, waits, ...rest }: JobReport, limit: number | undefined): object {
  const { status } = waits;
  const cut =
    status === 'ok' ? { status, result: { ...waits.result, ...limitList('rows', waits.result.rows, limit) } } : waits;
  const shown = rest.mixed.length === 0 ? ranks : ranks.map((row) => ({ ...row, rank: undefined }));
  return {
    job: {
      ...rest,
      ...limitList<'ranks', object>('ranks', shown, limit),
      waits: cut,
    },
  };
}
