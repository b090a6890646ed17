import { formatCount, formatDur, formatShare } from '../../../base/format.ts';
import type { KernelsPanel as Kernels } from '../../../protocol/calls.ts';
import { exactNameQuery } from '../../timeline/search.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { fileName } from '../download.ts';
import { EventLink } from '../event-link.tsx';
import { type Model, NONE } from '../model.ts';

type Row = Kernels['rows'][number];

/** Device ops by name. */
export function KernelsPanel({ model, kernels }: { readonly model: Model; readonly kernels: Kernels }) {
  const selected = model.selected.value;
  const name = selected === NONE ? undefined : model.timeline.names[model.timeline.name[selected] ?? 0];
  return (
    <>
      <p class="panel-head">
        {kernels.classes.map((each) => (
          <span key={each.class}>
            {each.class}: {formatDur(each.totalNs)} ({formatShare(each.share)}), {formatDur(each.pathNs)} of it on the
            path.{' '}
          </span>
        ))}
      </p>
      <DataTable
        label="Kernels"
        caption={`${formatCount(kernels.rows.length)} of ${formatCount(kernels.total)} names of device ops, most time first. A name shows its longest; “all” marks each of them.`}
        columns={columnsOf(model)}
        rows={kernels.rows}
        isSelected={(row) => row.name === name}
        empty="No device op runs in the windows."
        fileName={fileName(model.timeline.file, 'kernels.csv')}
      />
    </>
  );
}

function columnsOf(model: Model): Column<Row>[] {
  const dur = (column: string, of: (row: Row) => number | undefined): Column<Row> => ({
    name: column,
    csv: `${column} (ns)`,
    isNumber: true,
    show: (row) => {
      const ns = of(row);
      return ns === undefined ? '–' : formatDur(Math.round(ns));
    },
    value: of,
  });
  return [
    {
      name: 'name',
      show: ({ name, largest }) => <EventLink model={model} to={{ ...largest, name }} />,
      value: ({ name }) => name,
    },
    {
      name: 'events',
      isNumber: true,
      show: ({ count, name }) => (
        <>
          {formatCount(count)}{' '}
          <button
            type="button"
            class="small"
            title="Marks all of them; N goes to the next"
            onClick={() => (model.query.value = exactNameQuery(name))}
          >
            all
          </button>
        </>
      ),
      value: ({ count }) => count,
    },
    { name: 'class', show: (row) => row.class, value: (row) => row.class },
    dur('time', ({ totalNs }) => totalNs),
    { name: 'share', isNumber: true, show: ({ share }) => formatShare(share), value: ({ share }) => share },
    dur('on the path', ({ pathNs }) => pathNs),
    dur('median', ({ medianNs }) => medianNs),
    dur('longest', ({ maxNs }) => maxNs),
    dur('slack', ({ slackNs }) => slackNs),
  ];
}
