import { ANALYSES } from '../../analyses/registry.ts';
import { answer } from '../answer.ts';
import { graphOptionsOf, type Flags } from '../args.ts';
import type { ExitCode } from '../exit.ts';
import { openInput } from '../input.ts';
import { limitList } from '../json.ts';
import { LIMITS } from '../limits.ts';

export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const options = await graphOptionsOf(flags);
  const session = await openInput('sync', paths, flags);
  return answer('sync', session, flags, session.run('sync', options), {
    limit: LIMITS.sync,
    toText: ANALYSES.sync.renderText,
    toJson: ({ records, edges, ...rest }, limit) => ({
      ...limitList('records', records, limit),
      ...limitList('edges', edges, limit),
      ...rest,
    }),
  });
}
