/** What the page's script draws: charts that are small, clean and have their colours. */
import { escapeText } from '../../base/format.ts';
import type { ReportChart } from './document.ts';

export interface PageChart {
  /** Of the figure that it belongs into. */
  readonly id: string;
  readonly unit: ReportChart['unit'];
  /** As stacked; `colour` counts the palette of `page.css`, whose last one is for what is folded together. */
  readonly parts: readonly { readonly name: string; readonly colour: number }[];
  readonly rows: readonly { readonly label: string; readonly values: readonly number[] }[];
  /** Rows of the whole chart, where they are too many to draw. */
  readonly total: number;
}

const COLOURS = 7;
const FOLDED = COLOURS;
const FOLDED_NAME = 'smaller parts';
const MAX_ROWS = 100;

/** A name has one colour on the whole page, as far as the palette goes. */
export function pageCharts(charts: readonly { readonly id: string; readonly chart: ReportChart }[]): PageChart[] {
  const palette = new Map<string, number>();
  return charts.map(({ id, chart }) => pageChart(id, chart, palette));
}

function pageChart(id: string, { unit, parts, rows }: ReportChart, palette: Map<string, number>): PageChart {
  const drawn = rows.slice(0, MAX_ROWS).map(({ label, values }) => ({
    label: escapeText(label),
    values: parts.map((_, part) => (values[part] > 0 && values[part] < Infinity ? values[part] : 0)),
  }));
  const sums = parts.map((_, part) => drawn.reduce((sum, { values }) => sum + values[part], 0));
  const bySize = parts.map((_, part) => part).filter((part) => sums[part] > 0);
  bySize.sort((a, b) => sums[b] - sums[a]);
  const shown = bySize.slice(0, COLOURS).sort((a, b) => a - b);
  const folded = bySize.slice(COLOURS);
  const colours = coloursOf(
    shown.map((part) => parts[part]),
    palette,
  );
  const named = shown.map((part, at) => ({ name: escapeText(parts[part]), colour: colours[at] }));
  const rest = folded.length === 0 ? [] : [{ name: FOLDED_NAME, colour: FOLDED }];
  return {
    id,
    unit,
    parts: [...named, ...rest],
    rows: drawn.map(({ label, values }) => {
      const restSum = folded.reduce((sum, part) => sum + values[part], 0);
      return { label, values: [...shown.map((part) => values[part]), ...rest.map(() => restSum)] };
    }),
    total: rows.length,
  };
}

/** The colours that names have already, and for new ones those that no chart has used, or at least not this one. */
function coloursOf(names: readonly string[], palette: Map<string, number>): number[] {
  const here = new Set<number>();
  const kept = names.map((name) => {
    const colour = palette.get(name);
    if (colour === undefined || here.has(colour)) return undefined;
    here.add(colour);
    return colour;
  });
  const elsewhere = new Set(palette.values());
  const all = Array.from({ length: COLOURS }, (_, colour) => colour);
  return names.map((name, at) => {
    const free = all.filter((colour) => !here.has(colour));
    const colour = kept[at] ?? free.find((each) => !elsewhere.has(each)) ?? free[0];
    here.add(colour);
    elsewhere.add(colour);
    if (!palette.has(name)) palette.set(name, colour);
    return colour;
  });
}
