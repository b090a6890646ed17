import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { naturalOrder } from '../../base/natural-order.ts';

/** How traces are named in a folder. What is named otherwise must be named itself. */
const TRACE_NAME = /\.json(\.gz|\.zst)?$/i;

/** A file that may be the trace of a rank. */
export interface RankFile {
  readonly path: string;
  /** Its name, as reports show it. */
  readonly name: string;
  /** The name of the folder that it is in: tells apart files of one name. */
  readonly folder: string;
}

/** What a list of paths names. */
export type FoundFiles =
  | { readonly kind: 'files'; readonly files: readonly RankFile[] }
  /** A path that is not there, or a folder without traces. */
  | { readonly kind: 'none'; readonly path: string; readonly why: 'missing' | 'empty-folder' | 'no-match' };

/**
 * The files of a job: of a folder those in it that are named as traces are, of a pattern (`run/rank*.json`, with `*` and `?` within names)
 * those that match, else the path itself. No file twice, in the order of their names, numbers by their value. Rejects with Node's error.
 */
export async function findRankFiles(paths: readonly string[]): Promise<FoundFiles> {
  const found = new Map<string, RankFile>();
  for (const path of paths) {
    const expanded = await expand(path);
    if (typeof expanded === 'string') return { kind: 'none', path, why: expanded };
    for (const file of expanded) found.set(file, rankFileOf(file));
  }
  return { kind: 'files', files: [...found.values()].sort(byName) };
}

const rankFileOf = (path: string): RankFile => ({ path, name: basename(path), folder: basename(dirname(path)) });

const byName = (a: RankFile, b: RankFile): number =>
  naturalOrder(a.name, b.name) || naturalOrder(a.folder, b.folder) || (a.path < b.path ? -1 : 1);

async function expand(path: string): Promise<readonly string[] | 'missing' | 'empty-folder' | 'no-match'> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() === true) {
    const files = await tracesIn(path);
    return files.length > 0 ? files : 'empty-folder';
  }
  if (stats !== undefined) return [path];
  if (!/[*?]/.test(path)) return 'missing';
  const matches = await filesLike(path);
  return matches.length > 0 ? matches : 'no-match';
}

async function tracesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => TRACE_NAME.test(name) && !name.startsWith('.'));
  const files: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    // What cannot be looked at is named when it is read.
    if (stats?.isDirectory() !== true) files.push(path);
  }
  return files;
}

/** Files that match a pattern, folder by folder: `*` and `?` stand for no `/`. */
async function filesLike(pattern: string): Promise<string[]> {
  const [first = '', ...parts] = pattern.split('/');
  let folders = [first === '' ? '/' : '.'];
  const steps = first === '' ? parts : [first, ...parts];
  for (const [at, step] of steps.entries()) {
    const next: string[] = [];
    for (const folder of folders) next.push(...(await matchesIn(folder, step, at === steps.length - 1)));
    folders = next;
  }
  return folders;
}

async function matchesIn(folder: string, step: string, isLast: boolean): Promise<string[]> {
  if (step === '' || step === '.' || step === '..') return [join(folder, step)];
  const isLike = matcherOf(step);
  const entries = await readdir(folder).catch(emptyIfNoFolder);
  const matching = entries.filter(isLike).map((name) => join(folder, name));
  const kept: string[] = [];
  for (const path of matching) {
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined && stats.isDirectory() !== isLast) kept.push(path);
  }
  return kept;
}

/** What is no folder, or is gone, has nothing in it; a folder that may not be read is no empty one. */
function emptyIfNoFolder(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}

/**
 * Does a name match? From left to right, going back to the last `*` where it does not fit: no pattern takes longer than the product of
 * both lengths. A hidden name matches only a pattern that begins with a point.
 */
export function matcherOf(pattern: string): (name: string) => boolean {
  return (name) => {
    if (name.startsWith('.') && !pattern.startsWith('.')) return false;
    let [at, in_, star, from] = [0, 0, -1, 0];
    while (in_ < name.length) {
      if (at < pattern.length && (pattern[at] === '?' || (pattern[at] === name[in_] && pattern[at] !== '*'))) {
        at++;
        in_++;
      } else if (pattern[at] === '*') {
        star = at++;
        from = in_;
      } else if (star !== -1) {
        at = star + 1;
        in_ = ++from;
      } else return false;
    }
    while (pattern[at] === '*') at++;
    return at === pattern.length;
  };
}
