import { ANALYSES, type ResultOf } from '../../analyses/registry.ts';
import { answer } from '../answer.ts';
import { scopeOptionsOf, type Flags } from '../args.ts';
import { UsageError, type ExitCode } from '../exit.ts';
import { openInput, type JobInput } from '../input.ts';
import { limitList } from '../json.ts';
import { LIMITS } from '../limits.ts';

export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const options = { ...(await scopeOptionsOf(flags)), ...(flags.slack === true ? { slack: true as const } : {}) };
  const [path = ''] = paths;
  if (flags.onlyCritical && flags.overlay === undefined) {
    throw new UsageError('--only-critical says what the overlay holds; add --overlay FILE');
  }
  const overlay = flags.overlay === undefined ? undefined : await import('../overlay.ts');
  const request = { from: path, to: flags.overlay ?? '', onlyCritical: flags.onlyCritical === true };
  await overlay?.checkOverlay(request);
  const session = await openInput('critical-path', paths, flags);
  const outcome = session.run('critical-path', options);
  if (outcome.status === 'ok') await overlay?.saveOverlay(session, outcome.result, request);
  return answer('critical-path', session, flags, outcome, {
    limit: LIMITS['critical-path'],
    toText: ANALYSES['critical-path'].renderText,
    toJson: pathDocument,
  });
}

export function pathDocument(result: ResultOf<'critical-path'>, limit: number | undefined): object {
  const { segments, ...path } = result.path;
  const { slack, ...rest } = result;
  const room = slack && { slack: { ...slack, ...limitList('events', slack.events, limit) } };
  return { ...rest, path: { ...path, ...limitList('segments', segments, limit) }, ...room };
}

/** Of several ranks together. */
export async function runJob(input: JobInput, flags: Flags): Promise<ExitCode> {
  return (await import('../job-path.ts')).writeJobPath(input, flags);
}
