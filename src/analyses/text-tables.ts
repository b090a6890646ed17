import { formatCount, formatPlural, formatRows } from '../base/format.ts';
import type { RenderOptions } from './contract.ts';

/** Characters of a line at most. */
const WIDTH = 100;

/** The sections that have lines, with an empty line between them. */
export const joinSections = (sections: readonly (readonly string[])[]): string =>
  `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;

/** A table below its title. Its first row is its head; `more`: rows that the limit cut. */
export function titledTable(
  title: string,
  rows: readonly (readonly string[])[],
  align: string,
  { style }: RenderOptions,
  more = 0,
): string[] {
  const [head = '', ...table] = formatRows(rows, align, WIDTH - 2);
  const lines = [style('bold', title), style('dim', `  ${head}`), ...table.map((line) => `  ${line}`)];
  if (more > 0) lines.push(style('dim', `  ${formatCount(more)} more: --limit`));
  return lines;
}

/** A table of rows from the largest on, as wide as full names need. `more`: smaller ones that the limit cut. */
export function rankedTable(
  titles: readonly string[],
  cells: readonly (readonly string[])[],
  align: string,
  more: number,
  { style, fullNames }: RenderOptions,
): string[] {
  const [head = '', ...lines] = formatRows([titles, ...cells], align, fullNames ? Infinity : WIDTH - 2);
  return [
    style('dim', `  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatPlural(more, 'smaller one')}: --limit`)] : []),
  ];
}
