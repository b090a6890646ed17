/** Which of a command's paths are one trace, and which are a job. */
import { findRankFiles, type RankFile } from '../session/job/rank-files.ts';
import { peekRanks } from '../session/job/peek-rank.ts';
import { type Flags, quote, wholeNumberFlag } from './args.ts';
import { UsageError } from './exit.ts';
import { STDIN, type Command } from './input.ts';

export type Input =
  | { readonly kind: 'trace'; readonly paths: readonly string[] }
  | { readonly kind: 'job'; readonly files: readonly RankFile[] };

/** Why a path names no rank's file, in words. */
export const WHY_NONE = {
  missing: 'no such file',
  'empty-folder': 'a folder without a trace (*.json, *.json.gz, *.json.zst)',
  'no-match': 'no file matches',
} as const;

/**
 * A folder, several files and a pattern are a job, unless there is only one file in them or `--rank` names one. What is not there is left
 * to whoever opens a trace: it knows what may have been meant.
 */
export async function chooseInput(command: Command, paths: readonly string[], flags: Flags): Promise<Input> {
  const asTrace: Input = { kind: 'trace', paths };
  if (paths.length === 0 || paths.includes(STDIN) || paths.includes('')) return asTrace;
  const found = await findRankFiles(paths).catch(refuse);
  if (found.kind === 'none') {
    if (found.why === 'missing') return asTrace;
    throw new UsageError(`${found.path}: ${WHY_NONE[found.why]}; name a rank's file, or a folder of them`);
  }
  const files = flags.rank === undefined ? found.files : await filesOfRanks(command, found.files, flags.rank);
  const [only] = files;
  return files.length === 1 && only !== undefined ? { kind: 'trace', paths: [only.path] } : { kind: 'job', files };
}

/** Of a folder that may not be read. What is no error of the system is our bug. */
function refuse(error: NodeJS.ErrnoException): never {
  if (error.code === undefined || error.path === undefined) throw error;
  throw new UsageError(`${error.path}: cannot be read (${error.code})`);
}

/** Those of `--rank 0,3..5`. */
async function filesOfRanks(command: Command, files: readonly RankFile[], text: string): Promise<readonly RankFile[]> {
  const wanted = spansOf('--rank', text);
  const ranks = await peekRanks(files);
  const isWanted = (rank: number): boolean => wanted.some(([first, last]) => rank >= first && rank <= last);
  const chosen = files.filter((_, at) => isWanted(ranks[at] ?? -1));
  if (chosen.length > 0) return chosen;
  const sorted = ranks.toSorted((a, b) => a - b);
  const span =
    files.length === 1 ? `it is rank ${sorted[0]}` : `there are ${files.length}, from ${sorted[0]} to ${sorted.at(-1)}`;
  throw new UsageError(
    `--rank ${text}: no such rank here; ${span}, for example: longpole ${command} … --rank ${sorted[0]}`,
  );
}

/** `0,3..5`: first and last of each span. */
export function spansOf(flag: string, text: string): (readonly [number, number])[] {
  return text.split(',').map((each) => {
    const [from = '', to = from, ...more] = each.split('..');
    if (more.length > 0) throw new UsageError(`${flag} ${quote(text)} is no list of ranks; for example ${flag} 0,3..5`);
    const first = wholeNumberFlag(flag, from, `${flag} 0,3..5`);
    const last = wholeNumberFlag(flag, to, `${flag} 0,3..5`);
    if (last < first) throw new UsageError(`${flag} ${quote(text)} ends before it starts; for example ${flag} 3..5`);
    return [first, last] as const;
  });
}

/** Of a command that answers for one rank only. */
export function oneRankOnly(command: Command, paths: readonly string[], files: readonly RankFile[]): UsageError {
  const what = paths.length === 1 ? `${paths[0]}: ${files.length} ranks` : `${files.length} files`;
  return new UsageError(
    `${what}, and ${command} answers for one; add --rank 0, or ask for the job: longpole report ${paths[0]}`,
  );
}
