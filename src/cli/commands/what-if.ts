import { ANALYSES, type ResultOf } from '../../analyses/registry.ts';
import { answer } from '../answer.ts';
import { scopeOptionsOf, type Flags, quote } from '../args.ts';
import { changesOf } from '../changes.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { openInput, type JobInput } from '../input.ts';
import { jsonChunks, limitList } from '../json.ts';
import { writeError, writeOut } from '../output.ts';
import { findNearest } from '../suggest.ts';

type Result = ResultOf<'what-if'>;
type Unmatched = Extract<Result, { readonly status: 'unmatched' }>;
type Withheld = Extract<Result, { readonly status: 'withheld' }>;

export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const changes = changesOf(flags);
  const options = await scopeOptionsOf(flags);
  if (options.window.kind === 'range') {
    throw new UsageError('--range has fixed borders, so nothing can make it shorter; take --step or --annotation');
  }
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

/** What was asked for, and what may have been meant. */
function unmatchedText({ change, by, text, elsewhere, known }: Unmatched): string {
  const isOverlap = change.startsWith('--overlap');
  const what = isOverlap ? 'collective' : by === 'name' ? 'op or kernel' : by === 'python' ? 'Python frame' : by;
  if (elsewhere !== undefined) {
    return `${change}: no ${what} of the trace matches, but ${WORDS[elsewhere]} do; write ${elsewhere}: before it`;
  }
  const wanted = text.toLowerCase();
  const near =
    findNearest(text, known) ??
    known.find((name) => name.toLowerCase().includes(wanted)) ??
    known.find((name) => wantedWords(wanted).some((word) => name.toLowerCase().includes(word)));
  const hint =
    near !== undefined
      ? `did you mean ${quote(shortened(near))}?`
      : known.length === 0
        ? 'the trace has none'
        : `it has ${known
            .slice(0, 3)
            .map((name) => quote(shortened(name)))
            .join(', ')}${known.length > 3 ? ' and others' : ''}`;
  return `${change}: no ${what} of the trace matches; ${hint}`;
}

const WORDS = { annotation: 'annotations', python: 'Python frames', lane: 'lanes' } as const;

/** Words of a name or a pattern that are long enough to be recognised. */
const wantedWords = (text: string): readonly string[] => text.split(/[^a-z0-9_]+/).filter((word) => word.length >= 4);

const shortened = (name: string): string => (name.length > 80 ? `${name.slice(0, 79)}…` : name);

/** Of several ranks together. */
export async function runJob(input: JobInput, flags: Flags): Promise<ExitCode> {
  return (await import('../job-what-if.ts')).writeJobForecast(input, flags);
}
