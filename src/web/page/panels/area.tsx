import { useMemo } from 'preact/hooks';
import { formatCount, formatDur, formatPlural, formatShare } from '../../../base/format.ts';
import { type AreaSums, sumArea } from '../../timeline/area.ts';
import { exactText } from '../../timeline/view.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { fileName } from '../download.ts';
import { EventLink } from '../event-link.tsx';
import { type Model, NONE } from '../model.ts';
import { KIND_NAMES } from '../palette.ts';
import { useCalm } from './events.tsx';

/** Sums of what lies in the area, cut at its borders. */
export function AreaPanel({ model }: { readonly model: Model }) {
  const area = useCalm(model.area.value);
  const shown = model.order.value;
  const lanes = useMemo(() => model.lanesOf(area), [model, area, shown]);
  const sums = useMemo(
    () => (area === undefined ? undefined : sumArea(model.timeline, area, lanes)),
    [model, area, lanes],
  );
  if (area === undefined || sums === undefined) {
    return (
      <p class="empty">
        No area is chosen. Drag over lanes with Shift held (over the axis: in all lanes), or press R: it takes the
        selected event’s time, or what is in view.
      </p>
    );
  }
  const length = area.end - area.start;
  return (
    <div class="area">
      <p class="panel-head">
        <b>{formatDur(Math.round(length))}</b> from {exactText(area.start)} to {exactText(area.end)},{' '}
        {area.lanes === undefined ? 'all lanes that are shown' : formatPlural(lanes.length, 'lane')}. Times are cut at
        its borders; what is nested counts in each.{' '}
        <button type="button" class="small" onClick={() => model.zoomTo()}>
          Zoom to it (Z)
        </button>{' '}
        <button type="button" class="small" onClick={() => (model.area.value = undefined)}>
          Clear
        </button>
      </p>
      <div class="sums">
        <Names model={model} sums={sums} length={length} />
        <Kinds model={model} sums={sums} />
        <Lanes model={model} sums={sums} length={length} />
      </div>
    </div>
  );
}

interface Props {
  readonly model: Model;
  readonly sums: AreaSums;
}
type NameRow = AreaSums['names'][number];
type KindRow = AreaSums['kinds'][number];
type LaneRow = AreaSums['lanes'][number];
type AnyRow = { readonly count: number; readonly totalNs: number; readonly longest: number };

const EMPTY = 'Nothing runs in this area.';

const countOf: Column<AnyRow> = {
  name: 'events',
  isNumber: true,
  show: ({ count }) => formatCount(count),
  value: ({ count }) => count,
};
const timeOf: Column<AnyRow> = {
  name: 'time',
  csv: 'time (ns)',
  isNumber: true,
  show: ({ totalNs }) => formatDur(Math.round(totalNs)),
  value: ({ totalNs }) => totalNs,
};
const longestOf = (model: Model): Column<AnyRow> => ({
  name: 'longest',
  show: ({ longest }) =>
    longest === NONE ? null : (
      <EventLink
        model={model}
        to={{ event: model.positionOf(longest), name: `e-${model.positionOf(longest)}` }}
        text={`e-${model.positionOf(longest)}`}
      />
    ),
  value: ({ longest }) => (longest === NONE ? '' : `e-${model.positionOf(longest)}`),
});

function Names({ model, sums, length }: Props & { readonly length: number }) {
  const selected = model.selected.value;
  const columns: Column<NameRow>[] = [
    {
      name: 'name',
      show: ({ name, longest }) =>
        longest === NONE ? (
          model.shown[name]
        ) : (
          <EventLink model={model} to={{ event: model.positionOf(longest), name: model.shown[name] ?? '' }} />
        ),
      value: ({ name }) => model.shown[name],
    },
    { name: 'kind', show: ({ kind }) => KIND_NAMES[kind], value: ({ kind }) => kind },
    countOf,
    timeOf,
    {
      name: 'of the span',
      isNumber: true,
      show: ({ totalNs }) => formatShare(totalNs / length),
      value: ({ totalNs }) => totalNs / length,
    },
  ];
  return (
    <DataTable
      label="Sums by name"
      caption={`By name: ${formatCount(sums.names.length)}.`}
      columns={columns}
      rows={sums.names}
      isSelected={({ name }) => selected !== NONE && model.timeline.name[selected] === name}
      empty={EMPTY}
      fileName={fileName(model.timeline.file, 'area-names.csv')}
    />
  );
}

function Kinds({ model, sums }: Props) {
  const columns: Column<KindRow>[] = [
    { name: 'class', show: ({ kind }) => KIND_NAMES[kind], value: ({ kind }) => kind },
    countOf,
    timeOf,
    longestOf(model),
  ];
  const selected = model.selected.value;
  return (
    <DataTable
      label="Sums by class"
      caption="By class."
      columns={columns}
      rows={sums.kinds}
      isSelected={({ kind }) => selected !== NONE && model.kindOf(selected) === kind}
      empty={EMPTY}
      fileName={fileName(model.timeline.file, 'area-classes.csv')}
    />
  );
}

function Lanes({ model, sums, length }: Props & { readonly length: number }) {
  const columns: Column<LaneRow>[] = [
    {
      name: 'lane',
      show: ({ lane }) => model.timeline.lanes[lane]?.title,
      value: ({ lane }) => model.timeline.lanes[lane]?.id,
    },
    countOf,
    timeOf,
    {
      name: 'busy',
      csv: 'busy (ns)',
      isNumber: true,
      show: ({ busyNs }) => `${formatDur(Math.round(busyNs))}, ${formatShare(busyNs / length)}`,
      value: ({ busyNs }) => busyNs,
    },
    longestOf(model),
  ];
  return (
    <DataTable
      label="Sums by lane"
      caption="By lane."
      columns={columns}
      rows={sums.lanes}
      empty={EMPTY}
      fileName={fileName(model.timeline.file, 'area-lanes.csv')}
    />
  );
}
