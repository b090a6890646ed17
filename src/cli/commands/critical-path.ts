import { ANALYSES, type ResultOf } from '../../analyses/registry.ts';
import { answer } from '../answer.ts';
import { criticalPathOptionsOf, type Flags } from '../args.ts';
import { UsageError, type ExitCode } from '../exit.ts';
import { openInput, STDIN } from '../input.ts';
import { limitList } from '../json.ts';

export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const options = criticalPathOptionsOf(flags);
  const [path = ''] = paths;
  if (flags.onlyCritical && flags.overlay === undefined) {
    throw new UsageError('--only-critical says what the overlay holds; add --overlay FILE');
  }
  if (flags.overlay !== undefined && path === STDIN) {
    throw new UsageError('--overlay reads the trace a second time, which standard input cannot give; save it to a file first');
  }
  const session = await openInput('critical-path', paths, flags);
  const outcome = session.run('critical-path', options);
  if (flags.overlay !== undefined && outcome.status === 'ok') {
    const { saveOverlay } = await import('../overlay.ts');
    await saveOverlay(session, outcome.result, { from: path, to: flags.overlay, onlyCritical: flags.onlyCritical === true });
  }
  return answer('critical-path', session, flags, outcome, {
    limit: 10,
    toText: ANALYSES['critical-path'].renderText,
    toJson: pathDocument,
  });
}

export function pathDocument(result: ResultOf<'critical-path'>, limit: number | undefined): object {
  const { segments, ...path } = result.path;
  return { ...result, path: { ...path, ...limitList('segments', segments, limit) } };
}
