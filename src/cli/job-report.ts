/** A job's report on its way out: text, JSON, Markdown or a page. */
import { type Job } from '../fleet/job.ts';
import { reportJob, type JobReport } from '../fleet/job-report.ts';
import { renderJob } from '../fleet/render-job.ts';
import { limitOf, type Flags } from './args.ts';
import { ExitCode } from './exit.ts';
import type { Command } from './input.ts';
import { jsonChunks } from './json.ts';
import { LIMITS } from './limits.ts';
import { styleForStdout, writeError, writeOut } from './output.ts';

export async function writeJobReport(command: Command, job: Job, flags: Flags): Promise<ExitCode> {
  const report = reportJob(job);
  if (flags.json) await writeOut(jsonChunks({ schema: 'longpole.report/1', ...documentOf(report, limitOf(flags)) }));
  else {
    const options = {
      limit: limitOf(flags) ?? LIMITS.report,
      fullNames: flags.fullNames === true,
      style: styleForStdout(),
    };
    await writeOut(renderJob(report, options));
  }
  return exitCodeOf(command, report);
}

/** Ranks that could be read are an answer; files of several runs are none. */
function exitCodeOf(command: Command, { ranks, mixed }: JobReport): ExitCode {
  if (ranks.length === 0) {
    writeError(`${command}: none of the files can be read`);
    return ExitCode.usage;
  }
  if (mixed.length === 0) return ExitCode.answered;
  writeError(`${command}: the files are not of one run: ${mixed[0]}; name those that are`);
  return ExitCode.notApplicable;
}

function documentOf(report: JobReport, limit: number | undefined): object {
  return {
    job:
      limit === undefined
        ? report
        : { ...report, ranks: report.ranks.slice(0, limit), ranksTotal: report.ranks.length },
  };
}
