import type { ReportCell, ReportChart, ReportTable } from './document.ts';

/** A chart's numbers as a table: a row a bar, and a column a part that is not nothing in all of them. */
export function tableOfChart({ parts, rows, unit }: ReportChart, heading: string): ReportTable {
  const shown = parts.map((_, part) => part).filter((part) => rows.some(({ values }) => values[part] > 0));
  // A single bar reads better downwards.
  if (rows.length === 1) {
    const [{ values }] = rows;
    return {
      columns: [
        { name: 'part', unit: 'text' },
        { name: rows[0].label, unit },
      ],
      rows: shown.map((part) => [parts[part], values[part]]),
    };
  }
  return {
    columns: [{ name: heading, unit: 'name' }, ...shown.map((part) => ({ name: parts[part], unit }))],
    rows: rows.map(({ label, values }): ReportCell[] => [label, ...shown.map((part) => values[part])]),
  };
}
