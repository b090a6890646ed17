import { ANALYSES } from '../../analyses/registry.ts';
import { answer } from '../answer.ts';
import type { Flags } from '../args.ts';
import type { ExitCode } from '../exit.ts';
import { openInput } from '../input.ts';
import { LIMITS } from '../limits.ts';

export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const session = await openInput('info', paths, flags);
  return answer('info', session, flags, session.run('info', { exact: true }), {
    limit: LIMITS.info,
    toText: ANALYSES.info.renderText,
    toJson: (result) => result,
  });
}
