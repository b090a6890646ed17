import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { defaultCacheFolder, type CacheOptions } from '../session/cache/cached-trace.ts';
import type { RankFile } from '../session/job/rank-files.ts';
import type { Result } from '../base/result.ts';
import type { ReadError } from '../ingest/read-trace.ts';
import type { FileOptions } from '../session/open-node.ts';
import { openSession, type Session } from '../session/session.ts';
import { maxBytesOf, type Flags } from './args.ts';
import { UsageError } from './exit.ts';
import { host } from './host.ts';
import { releaseInterrupt } from './interrupt.ts';
import { LIMITS } from './limits.ts';
import { startProgress, writeNote } from './output.ts';
import { findNearest } from './suggest.ts';

/** `export`, `serve` and `map` print no list that could have a limit. */
export type Command = keyof typeof LIMITS | 'export' | 'serve' | 'map';
export const COMMANDS = [...Object.keys(LIMITS), 'export', 'serve', 'map'] as Command[];

/** The files of a job, and what of the arguments is no file. */
export interface JobInput {
  readonly files: readonly RankFile[];
  readonly rest: readonly string[];
}

export const STDIN = '-';
const OWN_STDIN: ReadonlySet<string> = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** As it is named to people. */
export const fileNameOf = ([path = STDIN]: readonly string[]): string =>
  path === STDIN ? 'standard input' : basename(path);

/** Opens the one trace that the arguments name. Every way in which they may not is a `UsageError`. */
export const openInput = (command: Command, paths: readonly string[], flags: Flags): Promise<Session> =>
  openInputWith(command, paths, flags, openSession);

/** The same, with another way to open it. */
export async function openInputWith<T>(
  command: Command,
  paths: readonly string[],
  flags: Flags,
  open: (path: string, options: FileOptions) => Promise<Result<T, ReadError>>,
): Promise<T> {
  const path = await checkPaths(command, paths);
  const file = fileNameOf([path]);
  const maxBytes = maxBytesOf(flags);
  const progress = startProgress('reading', file);
  const opened = await open(path, {
    file,
    onProgress: (bytes: number, share?: number) => progress.update(bytes, share),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(flags.skip === undefined ? {} : { skip: flags.skip }),
    ...cacheOf(flags),
  });
  progress.done();
  releaseInterrupt();
  if (opened.ok) return opened.value;
  const { message, byteOffset, hint } = opened.error;
  const where = byteOffset === undefined || message.includes('at byte') ? '' : `, byte ${byteOffset}`;
  throw new UsageError(`${path === STDIN ? file : path}${where}: ${message}${hint === undefined ? '' : `; ${hint}`}`);
}

/** Large traces are kept where the system keeps such things; `LONGPOLE_CACHE` names another folder, or says `off`. */
function cacheOf(flags: Flags): { readonly cache?: CacheOptions } {
  const { LONGPOLE_CACHE: folder = '' } = host().env;
  if (flags.cache === false || folder === 'off') return {};
  const onFailure = (error: unknown): void =>
    writeNote(`the trace is not kept for the next time: ${error instanceof Error ? error.message : String(error)}`);
  return { cache: { folder: folder === '' ? defaultCacheFolder() : folder, onFailure } };
}

async function checkPaths(command: Command, paths: readonly string[]): Promise<string> {
  const [path, ...others] = paths;
  if (path === undefined) {
    throw new UsageError(
      `no trace given; for example: longpole ${command === 'report' ? '' : `${command} `}trace.json.gz`,
    );
  }
  if (path === '') throw new UsageError('the path is empty; give a trace, for example: longpole trace.json.gz');
  if (path === STDIN) {
    if (others.length > 0) {
      throw new UsageError('standard input is one trace; give files, or a folder, for several ranks');
    }
    if (process.stdin.isTTY === true) {
      throw new UsageError('standard input is a terminal; pipe a trace into it, or give a file');
    }
    return path;
  }
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (stats instanceof Error) throw await notFound(path, paths, stats);
  // A socket (what Node gives a child) cannot be opened by its name.
  return OWN_STDIN.has(path) && !stats.isFile() ? STDIN : path;
}

async function notFound(path: string, paths: readonly string[], error: NodeJS.ErrnoException): Promise<UsageError> {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') {
    return new UsageError(`${path}: cannot be read (${error.code ?? error.message})`);
  }
  const command = /[./\\]/.test(path) ? undefined : findNearest(path, COMMANDS);
  if (command !== undefined) {
    const rest = paths.slice(1);
    const example = rest.length > 0 ? rest.join(' ') : 'trace.json.gz';
    const what = command === path ? 'a command comes first' : `no such command or file; did you mean ${command}?`;
    return new UsageError(
      `${path}: ${what} For example: longpole ${command} ${example}`.replace('first For', 'first, for'),
    );
  }
  const folder = dirname(path);
  const beside = await readdir(folder).catch(() => []);
  const near = findNearest(basename(path), beside);
  const hint = near === undefined ? 'see longpole --help' : `did you mean ${join(folder, near)}?`;
  return new UsageError(`${path}: no such file; ${hint}`);
}
