/** A table as comma-separated values. */

export type CsvCell = string | number | undefined;

/**
 * RFC 4180, with a header. A text that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line's end) gets
 * an apostrophe before it. Numbers are exact.
 */
export function csvOf(header: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: CsvCell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
