import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../base/format.ts';
import { type CsvCell, csvOf } from '../timeline/csv.ts';
import { download } from './download.ts';

export interface Column<Row> {
  readonly name: string;
  readonly isNumber?: true;
  readonly show: (row: Row) => ComponentChildren;
  /** Exact, for sorting and for a spreadsheet; of times in ns, as its name in the file says. */
  readonly value: (row: Row) => CsvCell;
  /** What the column is called in a file, with its unit. */
  readonly csv?: string;
}

interface Props<Row> {
  readonly label: string;
  readonly caption: ComponentChildren;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Whether the row is about what is selected. The first such row is brought into view. */
  readonly isSelected?: (row: Row) => boolean;
  /** Why there are no rows. */
  readonly empty: string;
  readonly fileName: string;
}

/** Rows that are made at most: a table of more is no longer read, but saved. */
const SHOWN = 300;

/** A table that sorts by a click on a column's name, and can be saved. */
export function DataTable<Row>({ label, caption, columns, rows, isSelected, empty, fileName }: Props<Row>) {
  const [order, setOrder] = useState<{ readonly at: number; readonly isDown: boolean } | undefined>(undefined);
  const chosen = useRef<HTMLTableRowElement>(null);
  const sorted = order === undefined ? rows : sortedBy(rows, columns[order.at], order.isDown);
  const shown = sorted.slice(0, SHOWN);
  const selected = isSelected === undefined ? -1 : shown.findIndex(isSelected);
  useEffect(() => reveal(chosen.current), [selected]);
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const save = (): void =>
    download(
      fileName,
      csvOf(
        columns.map(({ name, csv }) => csv ?? name),
        sorted.map((row) => columns.map(({ value }) => value(row))),
      ),
      'text/csv',
    );
  return (
    <div class="scroll data" role="region" aria-label={label} tabIndex={0}>
      <table>
        <caption>
          {caption}{' '}
          {rows.length > shown.length
            ? `${formatCount(shown.length)} of ${formatCount(rows.length)} rows are here. `
            : ''}
          <button type="button" class="small" onClick={save}>
            Save as CSV
          </button>
        </caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }, at) => (
              <th
                key={name}
                scope="col"
                class={isNumber ? 'number' : ''}
                aria-sort={order?.at === at ? (order.isDown ? 'descending' : 'ascending') : 'none'}
              >
                <button
                  type="button"
                  class="sort"
                  onClick={() => setOrder({ at, isDown: order?.at === at ? !order.isDown : isNumber === true })}
                >
                  {name}
                  {order?.at === at ? (order.isDown ? ' ▾' : ' ▴') : ''}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, i) => (
            <tr
              key={i}
              class={isSelected?.(row) === true ? 'selected' : ''}
              {...(i === selected ? { ref: chosen } : {})}
            >
              {columns.map(({ name, isNumber, show }, at) =>
                at === 0 ? (
                  <th key={name} scope="row">
                    {show(row)}
                  </th>
                ) : (
                  <td key={name} class={isNumber ? 'number' : ''}>
                    {show(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Scrolls the table, and nothing around it, so that the row is seen: as the first one below the head, which then cuts none. */
function reveal(row: HTMLElement | null): void {
  const box = row?.closest('.data');
  if (row === null || box === null || box === undefined) return;
  const [inner, outer] = [row.getBoundingClientRect(), box.getBoundingClientRect()];
  const head = box.querySelector('thead')?.getBoundingClientRect().height ?? 0;
  const isSeen = inner.top >= outer.top + head && inner.bottom <= outer.bottom;
  if (!isSeen) box.scrollTop += inner.top - outer.top - head;
}

function sortedBy<Row>(rows: readonly Row[], column: Column<Row> | undefined, isDown: boolean): readonly Row[] {
  if (column === undefined) return rows;
  const sign = isDown ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [column.value(a), column.value(b)];
    // What is not known comes last, whichever way.
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    if (typeof left === 'number' && typeof right === 'number') return sign * (left - right);
    return sign * (String(left) < String(right) ? -1 : String(left) > String(right) ? 1 : 0);
  });
}
