/** Files that are written: what is refused before anything is read, and how what is there already is treated. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { isDescriptor, writeWhole } from '../session/write-whole.ts';
import { UsageError } from './exit.ts';
import { STDIN } from './input.ts';

export interface FileRequest {
  readonly from: string;
  readonly to: string;
}

/**
 * Before anything is read: can `flag`'s file be written at all, and is it another one than the trace? A file that is there is replaced,
 * a pipe, a terminal or the like written into; nothing else is.
 */
export async function ensureTarget(flag: string, { from, to }: FileRequest): Promise<void> {
  if (isDescriptor(to)) return;
  const folder = dirname(to);
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`${flag} ${to}: no such folder: ${folder}`);
  const target = await stat(to).catch(() => undefined);
  if (target === undefined) return;
  if (target.isDirectory()) throw new UsageError(`${flag} ${to}: a folder; name a file in it`);
  if (target.isBlockDevice() || target.isSocket()) {
    throw new UsageError(`${flag} ${to}: a ${target.isSocket() ? 'socket' : 'disk'}; name a file`);
  }
  const source = await stat(from === STDIN ? '/dev/stdin' : from).catch(() => undefined);
  if (target.isFile() && source !== undefined && source.dev === target.dev && source.ino === target.ino) {
    throw new UsageError(`${flag} ${to} is the trace itself, which must not be overwritten; name another file`);
  }
  // Whoever may write anything (root) still means a file without any write permission to be kept.
  const mayWrite = await access(to, constants.W_OK).then(
    () => !target.isFile() || (target.mode & ANY_WRITE) !== 0,
    () => false,
  );
  if (!mayWrite) throw new UsageError(`${flag} ${to} is read-only; name another file`);
}

const ANY_WRITE = 0o222;

/** What reads the trace a second time needs a file that gives it twice. `what`: a flag or a command. */
export async function ensureRereadable(what: string, from: string): Promise<void> {
  const refused = (name: string): UsageError =>
    new UsageError(`${what} reads the trace a second time, which ${name} cannot give; save it to a file first`);
  if (from === STDIN) throw refused('standard input');
  const source = await stat(from).catch(() => undefined);
  if (source !== undefined && !source.isFile() && !source.isDirectory()) throw refused(from);
}

/** Through a link, so that what it points at is replaced and not the link. */
export const targetOf = async (path: string): Promise<string> =>
  isDescriptor(path) ? path : realpath(path).catch(() => path);

/** Writes `flag`'s file; what the system refuses is one line. */
export async function writeTarget(flag: string, to: string, source: Readable): Promise<void> {
  await writeWhole(await targetOf(to), source).catch(refusalOf(flag, to));
}

/** For `catch`: an error of the system as a line; any other is a bug of ours. */
export const refusalOf =
  (flag: string, to: string) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code === undefined) throw error;
    throw new UsageError(`${flag} ${to}: cannot be written (${error.code})`);
  };
