/** A chart → the rectangles to draw, in the axis's unit. No DOM. */
import type { PageChart } from '../../analyses/report/page-charts.ts';
import { formatDur, formatShare } from '../../base/format.ts';

export interface Bar {
  readonly row: number;
  readonly part: number;
  readonly colour: number;
  readonly from: number;
  readonly to: number;
  /** Shown where one points at it. */
  readonly title: string;
}

export interface Bars {
  readonly bars: readonly Bar[];
  readonly max: number;
  readonly axis: string;
}

const TIME_UNITS = [
  { unit: 's', ns: 1e9 },
  { unit: 'ms', ns: 1e6 },
  { unit: 'µs', ns: 1e3 },
] as const;

export function barsOf({ unit, parts, rows }: PageChart): Bars {
  const sums = rows.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const most = Math.max(0, ...sums);
  const { name, size } = axisOf(unit, most);
  const format = unit === 'ns' ? formatDur : (share: number) => formatShare(share);
  const bars = rows.flatMap(({ label, values }, row) => {
    let from = 0;
    return values.map((value, part): Bar => {
      const start = from;
      from += value;
      const share =
        unit === 'ns' && sums[row] !== undefined && sums[row] > 0 ? ` (${formatShare(value / sums[row])})` : '';
      return {
        row,
        part,
        colour: parts[part]?.colour ?? 0,
        from: start / size,
        to: from / size,
        title: `${label}\n${parts[part]?.name ?? ''}: ${format(value)}${share}`,
      };
    });
  });
  return { bars: bars.filter(({ from, to }) => to > from), max: most / size, axis: name };
}

function axisOf(unit: PageChart['unit'], most: number): { name: string; size: number } {
  if (unit === 'share') return { name: '%', size: 0.01 };
  const fits = TIME_UNITS.find(({ ns }) => most >= ns);
  return fits === undefined ? { name: 'ns', size: 1 } : { name: fits.unit, size: fits.ns };
}
