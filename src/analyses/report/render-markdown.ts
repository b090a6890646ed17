import { fitText, formatCount } from '../../base/format.ts';
import { tableOfChart } from './chart-table.ts';
import type { ReportCell, ReportColumn, ReportDocument, ReportSection, ReportTable } from './document.ts';
import { formatCell, hasPieces, isNumeric } from './format-cell.ts';
import { codeOf, markdownOf, summaryOf } from './markdown-text.ts';

/** Rows of a table that a reviewer reads; the command beside it has them all. */
const ROWS = 10;
/** A section with more rows is folded, but the first. */
const OPEN_ROWS = 5;
/** GitHub refuses a comment of more than 65,536 characters. */
const MAX_LENGTH = 60_000;

interface MarkdownOptions {
  /** Rows of a table at most. */
  readonly limit?: number | undefined;
}

/** A report for a pull request: the verdict first, what is long folded away, and all texts shown as they are. */
export function renderMarkdown(report: ReportDocument, { limit = ROWS }: MarkdownOptions = {}): string {
  const { title, about, verdict, sections, notes } = report;
  const head = [
    `### longpole: ${codeOf(title)}`,
    `**${markdownOf(verdict)}**`,
    ...about.map((line) => markdownOf(line)),
  ];
  const blocks = head.filter((block) => block !== '****');
  const tail = notes.length === 0 ? [] : [foldedOf('Notes', [notes.map((note) => `- ${markdownOf(note)}`).join('\n')])];
  let length = [...blocks, ...tail].join('\n\n').length;
  const left: ReportSection[] = [];
  for (const [at, section] of sections.entries()) {
    const text = sectionOf(section, limit, at === 0);
    const fits = left.length === 0 && length + text.length <= MAX_LENGTH;
    if (fits) blocks.push(text);
    else left.push(section);
    length += text.length + 2;
  }
  return `${[...blocks, ...leftOutOf(left), ...tail].join('\n\n')}\n`;
}

function sectionOf(section: ReportSection, limit: number, isFirst: boolean): string {
  const { heading, paragraphs, chart, table, command } = section;
  const shown = table ?? (chart && tableOfChart(chart, heading));
  const blocks = [
    ...paragraphs.map((paragraph) => markdownOf(paragraph)),
    ...(shown === undefined || shown.rows.length === 0 ? [] : [tableOf(shown, limit)]),
    ...commandOf(command),
  ].filter((block) => block !== '');
  if (!isFirst && shown !== undefined && shown.rows.length > OPEN_ROWS) return foldedOf(heading, blocks);
  return [`#### ${markdownOf(heading)}`, ...blocks].join('\n\n');
}

/** The sections for which there is no room. */
function leftOutOf(sections: readonly ReportSection[]): string[] {
  if (sections.length === 0) return [];
  const names = sections.slice(0, 10).map(({ heading }) => fitText(heading, 60));
  const more = sections.length > names.length ? ', …' : '';
  return [markdownOf(`Left out, as a comment has no room: ${names.join(', ')}${more}.`)];
}

const commandOf = (command: string | undefined): string[] =>
  command === undefined ? [] : [`More: ${codeOf(command, false, Infinity)}`];

const foldedOf = (summary: string, blocks: readonly string[]): string =>
  [`<details>\n<summary>${summaryOf(summary)}</summary>`, ...blocks, '</details>'].join('\n\n');

function tableOf({ columns, rows, total = rows.length }: ReportTable, limit: number): string {
  const shown = rows.slice(0, limit);
  const lines = [
    columns.map(({ name }) => markdownOf(name, true)),
    columns.map((column) => (isNumeric(column) ? '---:' : '---')),
    ...shown.map((row) => columns.map((column, at) => cellOf(row[at], column))),
  ];
  const left = Math.max(total, rows.length) - shown.length;
  const more = left > 0 ? `\n\n${formatCount(left)} more` : '';
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n') + more;
}

function cellOf(cell: ReportCell, column: ReportColumn): string {
  if (hasPieces(cell)) return markdownOf(cell, true);
  const text = formatCell(cell, column);
  return column.unit === 'name' && cell !== undefined ? codeOf(text, true) : markdownOf(text, true);
}
