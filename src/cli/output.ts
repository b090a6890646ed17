/** stdout is the answer, stderr is progress, warnings and errors. */
import { styleText } from 'node:util';
import type { RenderOptions } from '../analyses/contract.ts';
import { escapeText, formatBytes } from '../base/format.ts';
import { ExitCode } from './exit.ts';
import { host } from './host.ts';

/** A reader that went away (`| head`) has what it wanted: not an error. A full disk is one. */
export function watchStdout(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    writeError(`cannot write the answer: ${error.message}`);
    process.exit(ExitCode.usage);
  });
  process.stderr.on('error', () => {
    // Nobody listens: there is nobody left to tell.
  });
}

/** Written as fast as the reader takes it, so that no answer is held in memory twice. */
export async function writeOut(chunks: Iterable<string> | string): Promise<void> {
  const { stdout } = host();
  for (const chunk of typeof chunks === 'string' ? [chunks] : chunks) {
    if (stdout.write(chunk)) continue;
    await new Promise<void>((resolve) => stdout.once('drain', resolve));
  }
}

/** One line. What is quoted in it from outside must not steer the terminal. */
export function writeError(message: string): void {
  host().stderr.write(`longpole: ${escapeText(message)}\n`);
}

/** Lines of warnings, already escaped. */
export function writeNote(text: string): void {
  host().stderr.write(`${text}\n`);
}

function hasColours(): boolean {
  const { stdout, env } = host();
  return stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

export function styleForStdout(): RenderOptions['style'] {
  if (!hasColours()) return (_, text) => text;
  return (format, text) =>
    text
      .split('\n')
      .map((line) => styleText(format, line, { validateStream: false }))
      .join('\n');
}

export interface Progress {
  /** `amount`: bytes, unless told otherwise; `share`: of the work, where that is known. */
  update(amount: number, share?: number): void;
  done(): void;
}

const SHOWN_EVERY_MS = 100;

/** A line on a terminal that is wiped when the work is over; nothing anywhere else. */
export function startProgress(verb: string, name: string, format: (amount: number) => string = formatBytes): Progress {
  const { stderr } = host();
  if (stderr.isTTY !== true) return { update: () => undefined, done: () => undefined };
  let shownAt = 0;
  return {
    update(amount, share) {
      const now = performance.now();
      if (now - shownAt < SHOWN_EVERY_MS) return;
      shownAt = now;
      const percent = share === undefined ? '' : `${Math.floor(share * 100)} %, `;
      stderr.write(`\r\u001b[K${verb} ${escapeText(name).slice(0, 50)}: ${percent}${format(amount)}`);
    },
    done() {
      if (shownAt > 0) stderr.write('\r\u001b[K');
    },
  };
}
