import { formatCount } from '../../base/format.ts';
import { openMapped } from '../../session/job/open-job.ts';
import { SummaryGone } from '../../session/job/parts-reader.ts';
import type { Flags } from '../args.ts';
import { type ExitCode, UsageError } from '../exit.ts';
import { writeJobReport } from '../job-report.ts';
import { startProgress } from '../output.ts';
import { formOf } from '../report-forms.ts';

/** The other half of a job's report: the same bytes as `report` of the files that were mapped. */
export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const [folder, ...others] = paths;
  if (folder === undefined || others.length > 0) {
    throw new UsageError('reduce needs the one folder that map wrote to; for example: longpole reduce summaries');
  }
  const form = await formOf([], flags);
  const progress = startProgress('reading', folder, formatCount);
  const opened = await openMapped(folder, (done, total) => progress.update(done, done / total));
  progress.done();
  if (!opened.ok) throw new UsageError(`${folder}: ${opened.error}`);
  return writeJobReport('reduce', opened.value, flags, form).catch((error: unknown) => {
    throw error instanceof SummaryGone ? new UsageError(error.message) : error;
  });
}
