/** What a trace says, for other programs: one line of the table is one format. */
import { basename } from 'node:path';
import type { Outcome } from '../../analyses/contract.ts';
import { summarizeDiagnostics } from '../../library/data-health.ts';
import type { Session } from '../../session/session.ts';
import { type Flags, quote } from '../args.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { openInput } from '../input.ts';
import { writeError, writeNote } from '../output.ts';
import { findNearest } from '../suggest.ts';
import { ensureRereadable, ensureTarget } from '../target.ts';

export interface ExportRequest {
  /** The trace, as it was named; `-` for standard input. */
  readonly from: string;
  /** The file to write; `undefined`: standard output. */
  readonly to: string | undefined;
  readonly flags: Flags;
}

export interface ExportFormat {
  /** For the list of formats. */
  readonly about: string;
  /** Flags that only some formats have, and this one has. */
  readonly flags: readonly (keyof Flags)[];
  /** The trace is read a second time, and the answer is no text for a terminal: a file on either side. */
  readonly needsFiles?: true;
  /** Writes it, and says so on standard error; or why there is nothing to write. */
  readonly load: () => Promise<(session: Session, request: ExportRequest) => Promise<Outcome<void>>>;
}

const FORMATS: Readonly<Record<string, ExportFormat>> = {
  chrome: {
    about: 'the trace itself, with rows added for Perfetto and Chrome (--counters: queue depth and memory bandwidth)',
    flags: ['counters'],
    needsFiles: true,
    load: async () => (await import('../export-chrome.ts')).exportChrome,
  },
  folded: {
    about: 'stacks with their time, a line each, for flame graphs (flamegraph.pl, speedscope)',
    flags: ['weight'],
    load: async () => (await import('../export-folded.ts')).exportFolded,
  },
};

/** Flags that belong to some formats only. */
const FORMAT_FLAGS = ['weight', 'counters'] as const satisfies readonly (keyof Flags)[];

export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const format = formatOf(flags);
  const request = await requestOf(paths, flags, format);
  const write = await format.load();
  const session = await openInput('export', paths, flags);
  const damage = summarizeDiagnostics(session.trace.diagnostics);
  if (damage !== undefined) writeNote(damage);
  const outcome = await write(session, request);
  if (outcome.status === 'ok') return ExitCode.answered;
  writeError(`${session.trace.file}: export does not apply: ${outcome.reason}`);
  return ExitCode.notApplicable;
}

function formatOf(flags: Flags): ExportFormat {
  const names = Object.keys(FORMATS).join(', ');
  if (flags.format === undefined) {
    throw new UsageError(`export needs a format (${names}); for example --format folded --out stacks.txt`);
  }
  const format = Object.hasOwn(FORMATS, flags.format) ? FORMATS[flags.format] : undefined;
  if (format === undefined) {
    const near = findNearest(flags.format, Object.keys(FORMATS));
    const hint = near === undefined ? `the formats are ${names}` : `did you mean ${near}?`;
    throw new UsageError(`--format ${quote(flags.format)}: no such format; ${hint}`);
  }
  const foreign = FORMAT_FLAGS.find((flag) => flags[flag] !== undefined && !format.flags.includes(flag));
  if (foreign !== undefined) throw new UsageError(`--format ${flags.format} has no --${foreign}`);
  return format;
}

async function requestOf(paths: readonly string[], flags: Flags, format: ExportFormat): Promise<ExportRequest> {
  const [from = ''] = paths;
  const to = flags.out === '-' ? undefined : flags.out;
  if (format.needsFiles === true && to === undefined) {
    throw new UsageError(`--format ${flags.format} needs a file; for example --out trace.${flags.format}.json.gz`);
  }
  if (format.needsFiles === true) await ensureRereadable(`--format ${flags.format}`, from);
  if (to === '') throw new UsageError('--out is empty; name a file, for example --out stacks.txt');
  if (to !== undefined && basename(to) !== '') await ensureTarget('--out', { from, to });
  return { from, to, flags };
}
