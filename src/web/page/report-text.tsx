import { escapeText, formatCount } from '../../base/format.ts';
import { formatCell, hasPieces, isNumeric } from '../../analyses/report/format-cell.ts';
import type { ReportCell, ReportColumn, ReportSection, ReportText } from '../../analyses/report/document.ts';

/** Words of a report; what is quoted from a trace as code. */
export function Words({ text }: { readonly text: ReportText }) {
  if (typeof text === 'string') return <>{escapeText(text)}</>;
  return (
    <>
      {text.map((piece, i) =>
        typeof piece === 'string' ? escapeText(piece) : <code key={i}>{escapeText(piece.code)}</code>,
      )}
    </>
  );
}

const ROWS = 20;

/** A section, folded: its words and the first rows of its table. */
export function Section({ section }: { readonly section: ReportSection }) {
  const { heading, paragraphs, table, command } = section;
  const rows = table?.rows.slice(0, ROWS) ?? [];
  const total = table?.total ?? table?.rows.length ?? 0;
  return (
    <details>
      <summary>{heading}</summary>
      {paragraphs.map((text, i) => (
        <p key={i}>
          <Words text={text} />
        </p>
      ))}
      {table === undefined || rows.length === 0 ? null : (
        <div class="scroll" role="region" aria-label={heading} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {table.columns.map((column) => (
                  <th key={column.name} scope="col" class={isNumeric(column) ? 'number' : ''}>
                    {column.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, i) => (
                <tr key={i}>
                  {table.columns.map((column, at) => (
                    <Cell key={column.name} cell={row[at]} column={column} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {total > rows.length && rows.length > 0 ? <p class="more">{formatCount(total - rows.length)} more</p> : null}
      {command === undefined ? null : (
        <p class="more">
          More: <code>{command}</code>
        </p>
      )}
    </details>
  );
}

function Cell({ cell, column }: { readonly cell: ReportCell; readonly column: ReportColumn }) {
  // JSON has no undefined: what is not known comes as null.
  const known = cell ?? undefined;
  const content = hasPieces(known) ? <Words text={known} /> : formatCell(known, column);
  return <td class={isNumeric(column) ? 'number' : ''}>{column.unit === 'name' ? <code>{content}</code> : content}</td>;
}
