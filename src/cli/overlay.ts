import { basename } from 'node:path';
import type { ResultOf } from '../analyses/registry.ts';
import { escapeText, formatPlural } from '../base/format.ts';
import { writeForecast } from '../session/overlay/write-forecast.ts';
import { type RewriteOptions, writeOverlay } from '../session/overlay/write-overlay.ts';
import type { Session } from '../session/session.ts';
import { isStdout } from '../session/write-whole.ts';
import { UsageError } from './exit.ts';
import { catchInterrupt } from './interrupt.ts';
import { startProgress, writeNote } from './output.ts';
import { type FileRequest, ensureRereadable, ensureTarget, refusalOf, targetOf } from './target.ts';

interface OverlayRequest extends FileRequest {
  readonly onlyCritical: boolean;
}

/** Before anything is read: can the file be written at all, and can the trace be read again? */
export async function checkOverlay({ from, to }: FileRequest): Promise<void> {
  if (to === '-' || isStdout(to)) {
    throw new UsageError('--overlay needs a file; standard output is for the answer');
  }
  await ensureRereadable('--overlay', from);
  await ensureTarget('--overlay', { from, to });
}

export async function saveOverlay(
  session: Session,
  result: ResultOf<'critical-path'>,
  request: OverlayRequest,
): Promise<void> {
  const counts = await save(request, (options) =>
    writeOverlay(session.trace, result, { ...options, onlyCritical: request.onlyCritical }),
  );
  const arrows = formatPlural(counts.arrows, 'arrow');
  writeNote(`wrote ${escapeText(request.to)}: ${formatPlural(counts.events, 'event')} of the path, ${arrows}`);
}

/** The trace with a forecast's rows beside its own. */
export async function saveForecast(
  session: Session,
  timeline: Parameters<typeof writeForecast>[1],
  request: FileRequest,
): Promise<void> {
  const rows = await save(request, (options) => writeForecast(session.trace, timeline, options));
  writeNote(`wrote ${escapeText(request.to)}: ${formatPlural(rows, 'event')} re-simulated, beside the measured ones`);
}

async function save<T>(request: FileRequest, write: (options: RewriteOptions) => Promise<T>): Promise<T> {
  const to = await targetOf(request.to);
  catchInterrupt();
  const progress = startProgress('writing', basename(to));
  const options = { from: request.from, to, onProgress: (bytes: number) => progress.update(bytes) };
  const written = await write(options).catch(refusalOf('--overlay', request.to));
  progress.done();
  return written;
}
