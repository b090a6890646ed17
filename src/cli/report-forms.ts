/** The report in forms that are passed on: Markdown, and a page. */
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { COMPOSITIONS, type OptionsOf } from '../analyses/registry.ts';
import { escapeText, formatBytes } from '../base/format.ts';
import { listDiagnostics, summarizeDiagnostics } from '../library/data-health.ts';
import type { Report } from '../library/session.ts';
import type { Session } from '../session/session.ts';
import { limitOf, sizeFlag, type Flags } from './args.ts';
import { ExitCode, UsageError } from './exit.ts';
import { writeError, writeNote, writeOut } from './output.ts';
import { ensureTarget, writeTarget } from './target.ts';

export type Form =
  | { readonly kind: 'markdown'; readonly flags: Flags }
  /** `to`: a file; without one, standard output. */
  | { readonly kind: 'html'; readonly to: string | undefined; readonly maxBytes: number; readonly flags: Flags };

/** What a mail or a store of artefacts takes. */
const MAX_SIZE = '20MB';

const FORMS = ['json', 'markdown', 'html'] as const;

/** Which form was asked for; `undefined` where it is text or JSON. Before anything is read: can its file be written? */
export async function formOf([from = '']: readonly string[], flags: Flags): Promise<Form | undefined> {
  const given = FORMS.filter((form) => flags[form] !== undefined);
  if (given.length > 1) {
    const names = given.map((form) => `--${form}`).join(' and ');
    throw new UsageError(`${names} are different forms of one answer; give one of them`);
  }
  const maxBytes = sizeFlag('--max-size', flags.maxSize ?? MAX_SIZE);
  if (flags.maxSize !== undefined && flags.html === undefined) {
    throw new UsageError('--max-size is the size of the page that --html FILE writes; give both');
  }
  if (flags.markdown === true) return { kind: 'markdown', flags };
  if (flags.html === undefined) return undefined;
  if (flags.html === '') throw new UsageError('--html is empty; name a file, for example --html report.html');
  if (flags.html === '-') return { kind: 'html', to: undefined, maxBytes, flags };
  await ensureTarget('--html', { from, to: flags.html });
  return { kind: 'html', to: flags.html, maxBytes, flags };
}

/** What a document is made of. */
interface Written {
  readonly session: Session;
  readonly answer: Report;
  /** Whose path it is. */
  readonly path: OptionsOf<'critical-path'>;
  /** Where the trace was read. */
  readonly file: string;
}

export async function writeDocument({ session, answer, path, file }: Written, form: Form): Promise<ExitCode> {
  const { report } = COMPOSITIONS;
  const { info, outcome } = answer;
  const { fullNames = false } = form.flags;
  const document =
    outcome.status === 'ok'
      ? report.documentOf(outcome.result, { fullNames })
      : report.healthDocument(info, outcome.reason);
  const whole = { ...document, notes: [...document.notes, ...damageOf(session, form.flags)] };
  if (form.kind === 'markdown') await writeOut(report.renderMarkdown(whole, { limit: limitOf(form.flags) }));
  else {
    const { reportPage } = await import('../session/report-page.ts');
    const { maxBytes } = form;
    const page = await reportPage({ session, report: answer, document: whole, path, file, maxBytes });
    if (!page.ok) {
      const least = formatBytes(page.error.leastBytes);
      throw new UsageError(`--max-size is too small for the page, which takes ${least} at least`);
    }
    await savePage(page.value, form.to);
  }
  if (outcome.status === 'ok') return ExitCode.answered;
  writeError(`${session.trace.file}: report does not apply: ${outcome.reason}`);
  return ExitCode.notApplicable;
}

function damageOf({ trace: { diagnostics } }: Session, flags: Flags): readonly string[] {
  if (flags.diagnostics) return listDiagnostics(diagnostics).map((line) => line.replace(/\s+/g, ' '));
  const summary = summarizeDiagnostics(diagnostics);
  return summary === undefined ? [] : [summary];
}

/** `to`: a file; without one, standard output. */
export async function savePage(page: string, to: string | undefined): Promise<void> {
  if (to === undefined) await writeOut(page);
  else await save(page, to);
}

async function save(page: string, to: string): Promise<void> {
  await writeTarget('--html', to, Readable.from([page]));
  const stats = await stat(to).catch(() => undefined);
  const size = stats?.isFile() === true ? stats.size : Buffer.byteLength(page);
  writeNote(`wrote ${escapeText(to)}: ${formatBytes(size)}, one file that needs no network`);
}
