/** `info` of several ranks: what is in each file, and what is missing. */
import { type Job } from '../fleet/job.ts';
import { renderJobInfo } from '../fleet/render-job-info.ts';
import { explainDiagnostics } from '../library/data-health.ts';
import { limitOf, type Flags } from './args.ts';
import { ExitCode } from './exit.ts';
import type { JobInput } from './input.ts';
import { openJobInput } from './job-input.ts';
import { jsonChunks } from './json.ts';
import { LIMITS } from './limits.ts';
import { styleForStdout, writeError, writeOut } from './output.ts';

export async function writeJobInfo(input: JobInput, flags: Flags): Promise<ExitCode> {
  const job = await openJobInput(input, flags);
  if (flags.json) await writeOut(jsonChunks(documentOf(job)));
  else {
    const options = { limit: limitOf(flags) ?? LIMITS.info, fullNames: false, style: styleForStdout() };
    await writeOut(renderJobInfo(job, options, flags.diagnostics === true));
  }
  if (job.members.length === 0) {
    writeError('info: none of the files can be read');
    return ExitCode.usage;
  }
  const [mixed] = job.mixed;
  if (mixed === undefined) return ExitCode.answered;
  writeError(`info: the files are not of one run: ${mixed}; name those that are`);
  return ExitCode.notApplicable;
}

/** The list of ranks as `info` has it of one file, and what the files are together. */
function documentOf({ members, unread, from, worldSize, missing, mixed }: Job): object {
  return {
    schema: 'longpole.info/1',
    job: { rankFrom: from, ...(worldSize === undefined ? {} : { worldSize }), missing, mixed, unread },
    // Numbers that only order files of several runs are nobody's rank.
    ranks: members.map(({ rank, file, summary: { info } }) => ({
      ...info,
      file,
      ...(mixed.length === 0 ? { rank } : {}),
    })),
    diagnostics: members.flatMap(({ file, summary }) => explainDiagnostics(summary.diagnostics, file)),
  };
}
