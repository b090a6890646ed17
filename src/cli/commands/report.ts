import { COMPOSITIONS } from '../../analyses/registry.ts';
import { answer } from '../answer.ts';
import { executorOf, scopeOptionsOf, type Flags } from '../args.ts';
import type { ExitCode } from '../exit.ts';
import { openInput, type JobInput } from '../input.ts';
import { LIMITS } from '../limits.ts';
import { reportDocument } from '../report-document.ts';
import { formOf, writeDocument } from '../report-forms.ts';

export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const form = await formOf(paths, flags);
  const options = await scopeOptionsOf(flags);
  const session = await openInput('report', paths, flags);
  const report = session.report(options);
  if (form !== undefined) return writeDocument({ session, answer: report, path: options, file: paths[0] ?? '-' }, form);
  const { info, outcome } = report;
  const answered = outcome.status === 'ok' ? outcome : { ...outcome, info };
  return answer('report', session, flags, answered, {
    limit: LIMITS.report,
    toText: COMPOSITIONS.report.renderText,
    toJson: reportDocument,
    health: (rendering) => `${COMPOSITIONS.report.renderHealth(info, rendering).join('\n')}\n`,
  });
}

/** Of several ranks together. */
export async function runJob(input: JobInput, flags: Flags): Promise<ExitCode> {
  const form = await formOf([], flags);
  if (executorOf(flags) === 'slurm') return (await import('../slurm.ts')).reportOnSlurm(input, flags);
  const [{ openJobInput }, { writeJobReport }] = await Promise.all([
    import('../job-input.ts'),
    import('../job-report.ts'),
  ]);
  return writeJobReport('report', await openJobInput(input, flags), flags, form);
}
