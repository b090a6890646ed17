import { createWriteStream, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** A file that appears whole or not at all; `.gz` is compressed. Rejects with the system's error. */
export async function writeWhole(to: string, source: Readable): Promise<void> {
  const unfinished = `${to}.${process.pid}.unfinished`;
  const cleanUp = (): void => rmSync(unfinished, { force: true });
  process.once('exit', cleanUp);
  try {
    const target = createWriteStream(unfinished);
    if (/\.gz$/i.test(to)) await pipeline(source, createGzip({ level: 3 }), target);
    else await pipeline(source, target);
    await rename(unfinished, to);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    process.removeListener('exit', cleanUp);
  }
}
