import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './exit.ts';

export interface FileRequest {
  readonly from: string;
  readonly to: string;
}

/** Before anything is read: can `flag`'s file be written at all, and is it another one than the trace? */
export async function ensureTarget(flag: string, { from, to }: FileRequest): Promise<void> {
  const folder = dirname(to);
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`${flag} ${to}: no such folder: ${folder}`);
  const target = await stat(to).catch(() => undefined);
  if (target === undefined) return;
  if (target.isDirectory()) throw new UsageError(`${flag} ${to}: a folder; name a file in it`);
  const source = await stat(from).catch(() => undefined);
  if (source !== undefined && source.dev === target.dev && source.ino === target.ino) {
    throw new UsageError(`${flag} ${to} is the trace itself, which must not be overwritten; name another file`);
  }
}

/** Through a link, so that what it points at is replaced and not the link. */
export const targetOf = (path: string): Promise<string> => realpath(path).catch(() => path);
