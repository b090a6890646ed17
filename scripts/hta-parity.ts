// node scripts/run-ts.mjs scripts/hta-parity.ts: writes the tables of docs/hta-differences.md on all analyses but the path.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parityOf, tracesWithNumbers } from './hta-parity/all.ts';
import type { ParityRow } from './hta-parity/row.ts';

const PAGE = 'docs/hta-differences.md';
const [BEGIN, END] = ['<!-- parity -->', '<!-- /parity -->'];

/** The rows of all traces, as the page has them. */
export function parityTables(): string {
  const byMethod = new Map<string, ParityRow[]>();
  for (const row of tracesWithNumbers().flatMap(parityOf)) {
    const rows = byMethod.get(row.method) ?? [];
    rows.push(row);
    byMethod.set(row.method, rows);
  }
  const all = [...byMethod.values()].flat();
  const equal = all.filter(({ why }) => why === '').length;
  const head = `${all.length} numbers, or groups of numbers: ${equal} are equal, and of ${all.length - equal} the reason is shown.`;
  return [head, ...[...byMethod].map(([method, rows]) => tableOf(method, rows))].join('\n\n');
}

function tableOf(method: string, rows: readonly ParityRow[]): string {
  const lines = rows.map(({ trace, quantity, hta, ours, why }) =>
    [trace.replace('__', '/'), quantity, hta, ours, why === '' ? 'equal' : why].map(cell).join(' | '),
  );
  return [
    `### ${cell(method)}`,
    '',
    '| trace | what | HTA | longpole | |',
    '|---|---|---|---|---|',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
}

/** Texts come from traces. */
const cell = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replace(/[|<>*_`[\]]/g, (mark) => `\\${mark}`)
    .replace(/\s+/g, ' ');

/** What the page has between its marks. */
export function tablesOfPage(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${PAGE} lacks the marks ${BEGIN} and ${END}`);
  return page.slice(begin + BEGIN.length, end).trim();
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1]) {
  const path = join(process.cwd(), PAGE);
  const page = readFileSync(path, 'utf8');
  const known = tablesOfPage(page);
  writeFileSync(
    path,
    page.replace(known === '' ? `${BEGIN}\n\n${END}` : known, () =>
      known === '' ? `${BEGIN}\n\n${parityTables()}\n\n${END}` : parityTables(),
    ),
  );
}
