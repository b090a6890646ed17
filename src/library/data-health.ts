import { formatCount, formatPlural, formatRows, wrapText } from '../base/format.ts';
import { DIAGNOSTICS, type Diagnostic } from '../trace/diagnostics.ts';

const WIDTH = 100;
const SHOWN = 3;

export type ExplainedDiagnostic = Diagnostic & { readonly file: string; readonly meaning: string };

/** Damage, with the sentence that says what became of it. */
export function explainDiagnostics(diagnostics: readonly Diagnostic[], file: string): ExplainedDiagnostic[] {
  return diagnostics.map((each) => ({ ...each, file, meaning: DIAGNOSTICS[each.kind] }));
}

/** One line where there is damage, else `undefined`: `data: 3 negative-duration, 1 malformed-event; …`. */
export function summarizeDiagnostics(diagnostics: readonly Diagnostic[]): string | undefined {
  if (diagnostics.length === 0) return undefined;
  const sorted = diagnostics.toSorted((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
  const shown = sorted.slice(0, SHOWN).map(({ kind, count }) => `${formatCount(count)} ${kind}`);
  const more = sorted.length > SHOWN ? `, ${formatPlural(sorted.length - SHOWN, 'more kind')}` : '';
  const first = Math.min(...sorted.map(({ firstByteOffset }) => firstByteOffset));
  return `data: ${shown.join(', ')}${more} (first at byte ${first}); --diagnostics explains`;
}

/** All kinds, with count, first place and meaning. */
export function listDiagnostics(diagnostics: readonly Diagnostic[]): string[] {
  if (diagnostics.length === 0) return ['data: no damage'];
  const rows = diagnostics.map(({ kind, count, firstByteOffset }) => [
    kind,
    formatPlural(count, 'time'),
    `first at byte ${firstByteOffset}`,
  ]);
  const lines = formatRows(rows, '<><');
  return diagnostics.flatMap(({ kind }, at) => [
    `data: ${lines[at] ?? ''}`,
    `      ${wrapText(DIAGNOSTICS[kind], WIDTH - 6, 6)}`,
  ]);
}
