import { constants, createWriteStream, rmSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Names of what the process has open: never replaced, not even where it is a file. */
const DESCRIPTOR = /^\/(dev\/(stdin|stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/;
const STDOUT = /^\/(dev\/(stdout|fd\/1)|proc\/self\/fd\/1)$/;

export const isDescriptor = (path: string): boolean => DESCRIPTOR.test(path);
export const isStdout = (path: string): boolean => STDOUT.test(path);

/**
 * A file that appears whole or not at all; `.gz` is compressed. What is there and is no regular file (a pipe, a terminal, /dev/null) is
 * not replaced but written into. Rejects with the system's error.
 */
export async function writeWhole(to: string, source: Readable): Promise<void> {
  const isCompressed = /\.gz$/i.test(to);
  // As it was opened: a socket, which a parent may give, has no name that could be opened.
  if (isStdout(to)) await pipeline(source, process.stdout, { end: false });
  else if (isDescriptor(to) || (await isNoFile(to))) await write(source, await openAsIs(to), isCompressed);
  else await replace(to, source, isCompressed);
}

const isNoFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => !stats.isFile(),
    () => false,
  );

async function openAsIs(path: string): Promise<Writable> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
  return file.createWriteStream();
}

async function replace(to: string, source: Readable, isCompressed: boolean): Promise<void> {
  const unfinished = `${to}.${process.pid}.unfinished`;
  const cleanUp = (): void => rmSync(unfinished, { force: true });
  process.once('exit', cleanUp);
  try {
    await write(source, createWriteStream(unfinished), isCompressed);
    await rename(unfinished, to);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    process.removeListener('exit', cleanUp);
  }
}

const write = (source: Readable, target: Writable, isCompressed: boolean): Promise<void> =>
  isCompressed ? pipeline(source, createGzip({ level: 3 }), target) : pipeline(source, target);
