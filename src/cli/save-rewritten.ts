import { basename } from 'node:path';
import type { RewriteOptions } from '../session/overlay/write-overlay.ts';
import { isReplaced } from '../session/write-whole.ts';
import { catchInterrupt } from './interrupt.ts';
import { startProgress, writeNote } from './output.ts';
import { type FileRequest, refusalOf, targetOf } from './target.ts';

/** Writes `flag`'s file, the trace with other rows; says where it is as damaged as the trace. */
export async function saveRewritten<T>(
  flag: string,
  request: FileRequest,
  write: (options: RewriteOptions) => Promise<T>,
): Promise<T> {
  const to = await targetOf(request.to);
  // Into a pipe nothing unfinished is left, and while nobody reads from it no handler could end the process.
  if (await isReplaced(to)) catchInterrupt();
  const progress = startProgress('writing', basename(to));
  let isDamaged = false;
  const options: RewriteOptions = {
    from: request.from,
    to,
    onProgress: (bytes) => progress.update(bytes),
    onDamage: () => (isDamaged = true),
  };
  const written = await write(options).catch(refusalOf(flag, request.to));
  progress.done();
  if (isDamaged) writeNote('note: the damage of the trace was copied with it: other programs may refuse the file');
  return written;
}
