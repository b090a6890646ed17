import { realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { ResultOf } from '../analyses/registry.ts';
import { escapeText, formatPlural } from '../base/format.ts';
import { writeForecast } from '../session/overlay/write-forecast.ts';
import { type RewriteOptions, writeOverlay } from '../session/overlay/write-overlay.ts';
import type { Session } from '../session/session.ts';
import { UsageError } from './exit.ts';
import { catchInterrupt } from './interrupt.ts';
import { startProgress, writeNote } from './output.ts';

interface FileRequest {
  readonly from: string;
  readonly to: string;
}

interface OverlayRequest extends FileRequest {
  readonly onlyCritical: boolean;
}

/** Before anything is read: can the file be written at all, and is it another one than the trace? */
export async function checkOverlay({ from, to }: FileRequest): Promise<void> {
  if (to === '-') throw new UsageError('--overlay needs a file; standard output is for the answer');
  const folder = dirname(to);
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`--overlay ${to}: no such folder: ${folder}`);
  const source = await stat(from).catch(() => undefined);
  if (source !== undefined && !source.isFile() && !source.isDirectory()) {
    throw new UsageError(`--overlay reads the trace a second time, which ${from} cannot give; save it to a file first`);
  }
  const target = await stat(to).catch(() => undefined);
  if (target === undefined) return;
  if (target.isDirectory()) throw new UsageError(`--overlay ${to}: a folder; name a file in it`);
  if (source !== undefined && source.dev === target.dev && source.ino === target.ino) {
    throw new UsageError(`--overlay ${to} is the trace itself, which must not be overwritten; name another file`);
  }
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
  // Through a link, so that what it points at is replaced and not the link.
  const to = await realpath(request.to).catch(() => request.to);
  catchInterrupt();
  const progress = startProgress('writing', basename(to));
  const written = await write({ from: request.from, to, onProgress: (bytes) => progress.update(bytes) }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === undefined) throw error;
      throw new UsageError(`--overlay ${request.to}: cannot be written (${error.code})`);
    },
  );
  progress.done();
  return written;
}
