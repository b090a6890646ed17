import { ANALYSES } from '../../analyses/registry.ts';
import { answer } from '../answer.ts';
import type { Flags } from '../args.ts';
import type { ExitCode } from '../exit.ts';
import { openInput, type JobInput } from '../input.ts';
import { LIMITS } from '../limits.ts';

export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const session = await openInput('info', paths, flags);
  return answer('info', session, flags, session.run('info', { exact: true }), {
    limit: LIMITS.info,
    toText: ANALYSES.info.renderText,
    toJson: (result) => result,
  });
}

/** Of several ranks together. */
export async function runJob(input: JobInput, flags: Flags): Promise<ExitCode> {
  return (await import('../job-info.ts')).writeJobInfo(input, flags);
}
