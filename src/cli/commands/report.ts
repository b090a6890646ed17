import { COMPOSITIONS } from '../../analyses/registry.ts';
import { answer } from '../answer.ts';
import { criticalPathOptionsOf, type Flags } from '../args.ts';
import type { ExitCode } from '../exit.ts';
import { openInput } from '../input.ts';
import { LIMITS } from '../limits.ts';
import { pathDocument } from './critical-path.ts';

export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const options = criticalPathOptionsOf(flags);
  const session = await openInput('report', paths, flags);
  const { info, outcome } = session.report(options);
  const answered = outcome.status === 'ok' ? outcome : { ...outcome, info };
  return answer('report', session, flags, answered, {
    limit: LIMITS.report,
    toText: COMPOSITIONS.report.renderText,
    toJson: ({ criticalPath, verdict }, limit) => ({ info, criticalPath: pathDocument(criticalPath, limit), verdict }),
    health: (rendering) => `${COMPOSITIONS.report.renderHealth(info, rendering).join('\n')}\n`,
  });
}
