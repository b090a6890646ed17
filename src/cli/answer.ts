/** What all commands do with an outcome: JSON or text, the state of the data, the exit code. */
import type { Outcome, RenderOptions } from '../analyses/contract.ts';
import { formatPlural } from '../base/format.ts';
import { explainDiagnostics, listDiagnostics, summarizeDiagnostics } from '../library/data-health.ts';
import type { Session } from '../session/session.ts';
import { limitOf, type Flags } from './args.ts';
import { ExitCode } from './exit.ts';
import type { Command } from './input.ts';
import { jsonChunks } from './json.ts';
import { styleForStdout, writeError, writeNote, writeOut } from './output.ts';

interface Wording<T> {
  /** Rows of a list, unless `--limit` says otherwise. */
  readonly limit: number;
  readonly toText: (result: T, options: RenderOptions) => string;
  /** The document without its schema; `limit` is that of `--limit`, if given. */
  readonly toJson: (result: T, limit: number | undefined) => object;
  /** Printed before the reason where there is no answer. */
  readonly health?: (options: RenderOptions) => string;
}

export async function answer<T>(
  command: Command,
  session: Session,
  flags: Flags,
  outcome: Outcome<T>,
  { limit, toText, toJson, health }: Wording<T>,
): Promise<ExitCode> {
  const { trace } = session;
  const schema = `longpole.${command}/1`;
  const explained = flags.diagnostics ? { diagnostics: explainDiagnostics(trace.diagnostics, trace.file) } : {};
  const code = outcome.status === 'ok' ? ExitCode.answered : ExitCode.notApplicable;
  if (flags.json) {
    const document = outcome.status === 'ok' ? toJson(outcome.result, limitOf(flags)) : outcome;
    const skipped = trace.skippedRows > 0 ? { skippedRows: trace.skippedRows } : {};
    await writeOut(jsonChunks({ schema, ...document, ...skipped, ...explained }));
    return code;
  }
  const options: RenderOptions = {
    limit: limitOf(flags) ?? limit,
    fullNames: flags.fullNames === true,
    style: styleForStdout(),
  };
  const text = outcome.status === 'ok' ? toText(outcome.result, options) : (health?.(options) ?? '');
  const damage = flags.diagnostics
    ? listDiagnostics(trace.diagnostics).join('\n')
    : summarizeDiagnostics(trace.diagnostics);
  // In the report and where it was asked for, the state of the data is part of the answer; elsewhere it is a warning beside it.
  const isAnswer = command === 'report' || command === 'info' || flags.diagnostics === true;
  await writeOut(text + (isAnswer && damage !== undefined ? `${damage}\n` : ''));
  if (!isAnswer && damage !== undefined) writeNote(damage);
  if (trace.skippedRows > 0) writeNote(`left out by --skip: ${formatPlural(trace.skippedRows, 'row')}`);
  if (outcome.status !== 'ok') writeError(`${trace.file}: ${command} does not apply: ${outcome.reason}`);
  return code;
}
