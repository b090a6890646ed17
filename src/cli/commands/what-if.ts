import { ANALYSES, type ResultOf } from '../../analyses/registry.ts';
import { answer } from '../answer.ts';
import { scopeOptionsOf, type Flags } from '../args.ts';
import { changesOf, refuseRange } from '../changes.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { openInput, type JobInput } from '../input.ts';
import { jsonChunks, limitList } from '../json.ts';
import { writeError, writeOut } from '../output.ts';
import { unmatchedText } from '../unmatched-change.ts';

type Result = ResultOf<'what-if'>;
type Withheld = Extract<Result, { readonly status: 'withheld' }>;

export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const changes = changesOf(flags);
  const options = await scopeOptionsOf(flags);
  refuseRange(flags);
  const [path = ''] = paths;
  const overlay = flags.overlay === undefined ? undefined : await import('../overlay.ts');
  const request = { from: path, to: flags.overlay ?? '' };
  await overlay?.checkOverlay(request);
  const session = await openInput('what-if', paths, flags);
  const outcome = session.run('what-if', {
    ...options,
    changes,
    ...(flags.force ? { force: true } : {}),
    ...(overlay === undefined ? {} : { timeline: true }),
  });
  if (outcome.status === 'ok') {
    if (outcome.result.status === 'unmatched') throw new UsageError(unmatchedText(outcome.result));
    if (outcome.result.status === 'withheld') return sayWithheld(session.trace.file, outcome.result, flags);
    await overlay?.saveForecast(session, outcome.result.timeline ?? [], request);
  }
  return answer('what-if', session, flags, outcome, {
    limit: 10,
    toText: ANALYSES['what-if'].renderText,
    toJson: whatIfDocument,
  });
}

function whatIfDocument(result: Result, limit: number | undefined): object {
  if (result.status !== 'predicted') return result;
  const { moved, assumed, timeline: _, ...rest } = result;
  return { ...rest, ...limitList('moved', moved, limit), ...limitList('assumed', assumed, limit) };
}

async function sayWithheld(file: string, { reason, holdOut }: Withheld, flags: Flags): Promise<ExitCode> {
  if (flags.json) {
    await writeOut(jsonChunks({ schema: 'longpole.what-if/1', status: 'withheld', reason, holdOut }));
  } else writeError(`${file}: the prediction is withheld: ${reason}; --force prints it all the same`);
  return ExitCode.notApplicable;
}

/** Of several ranks together. */
export async function runJob(input: JobInput, flags: Flags): Promise<ExitCode> {
  return (await import('../job-what-if.ts')).writeJobForecast(input, flags);
}
