import { useEffect, useRef } from 'preact/hooks';
import { formatDur, formatShare } from '../../../base/format.ts';
import type { PageChart } from '../../../analyses/report/page-charts.ts';
import type { BreakdownPanel } from '../../../protocol/calls.ts';
import { drawChart } from '../../report-page/draw-chart.ts';
import { type WindowPath, deviceChart, pathByWindow, pathChart } from '../../timeline/window-charts.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { fileName } from '../download.ts';
import { fitWindow } from '../keys.ts';
import type { Model } from '../model.ts';

/** How the time of each step divides: of its path, and of each device. */
export function StepsPanel({ model, breakdown }: { readonly model: Model; readonly breakdown: BreakdownPanel }) {
  const windows = pathByWindow(model.timeline);
  const { start, end } = model.view.value;
  const middle = (start + end) / 2;
  const charts = [
    ...(windows.length === 0 ? [] : [pathChart(windows, model.timeline.segmentKinds)]),
    ...(breakdown.windows[0]?.devices ?? []).map(({ device }) => deviceChart(breakdown, device)),
  ];
  return (
    <div class="steps">
      <div class="charts">
        {charts.map((chart) => (
          <section key={chart.id}>
            <h3>
              {chart.id === 'path'
                ? 'The path of each step'
                : `${chart.id.replace('device-', 'Device ')}: what it did in each step`}
            </h3>
            <Chart chart={chart} />
          </section>
        ))}
      </div>
      <DataTable
        label="Steps"
        caption="The steps whose path is shown: a name fits it."
        columns={columnsOf(model)}
        rows={windows}
        isSelected={({ startNs, endNs }) =>
          startNs <= middle && middle < endNs && end - start < 1.5 * (endNs - startNs)
        }
        empty={`There is no path: ${model.timeline.noPath ?? 'no window'}.`}
        fileName={fileName(model.timeline.file, 'steps.csv')}
      />
    </div>
  );
}

type ChartProps = { readonly chart: PageChart };

function Chart({ chart }: ChartProps) {
  const figure = useRef<HTMLElement>(null);
  const told = JSON.stringify(chart);
  useEffect(() => {
    const element = figure.current;
    if (element === null) return undefined;
    let drawn = 0;
    const draw = (): void => {
      const width = Math.floor(element.parentElement?.clientWidth ?? 0);
      if (width === 0 || width === drawn) return;
      drawn = width;
      drawChart(element, chart, width);
    };
    draw();
    const observer = new ResizeObserver(() => requestAnimationFrame(draw));
    observer.observe(element.parentElement ?? element);
    return () => observer.disconnect();
    // The chart is made anew each time; what it tells is what counts.
  }, [told]);
  return <figure ref={figure} />;
}

function columnsOf(model: Model): Column<WindowPath>[] {
  const { segmentKinds } = model.timeline;
  return [
    {
      name: 'step',
      show: (window) => (
        <button type="button" class="link" onClick={() => fitWindow(model, window)}>
          {window.label}
        </button>
      ),
      value: ({ label }) => label,
    },
    {
      name: 'took',
      csv: 'took (ns)',
      isNumber: true,
      show: ({ startNs, endNs }) => <span>{formatDur(endNs - startNs)}</span>,
      value: ({ startNs, endNs }) => endNs - startNs,
    },
    ...usedKinds(model).map((kind): Column<WindowPath> => ({
      name: segmentKinds[kind] ?? '',
      csv: `${segmentKinds[kind] ?? ''} (ns)`,
      isNumber: true,
      show: ({ byKind, startNs, endNs }) => {
        const ns = byKind[kind] ?? 0;
        if (ns === 0) return '–';
        return (
          <>
            <span>{formatDur(ns)},</span> <span>{formatShare(ns / (endNs - startNs))}</span>
          </>
        );
      },
      value: ({ byKind }) => byKind[kind] ?? 0,
    })),
  ];
}

const usedKinds = ({ timeline }: Model): number[] => [...new Set(timeline.pathKind)].toSorted((a, b) => a - b);
