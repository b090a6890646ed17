import { formatDur } from '../../base/format.ts';
import type { ReportHeat } from './document.ts';
import { heatScale } from './heat-scale.ts';
import { escapeHtml } from './html-text.ts';

/** Of the cells together, px: as wide as the page where they are many, and no wider a cell than this where they are few. */
const MOST_WIDTH = 900;
const MOST_CELL = 28;
const GUTTER = 100;
const AXIS = 34;
/** Below the cells' width from which lines between them help. */
const ROOMY = 8;
/** What the axis's words need below a few cells. */
const LEAST_WIDTH = 280;
const TICKS_APART = 60;

/** Drawn without a script, so that it is there on paper and wherever scripts are not; colours are classes, which follow light and dark. */
export function heatFigure(heat: ReportHeat, heading: string, id: string): string {
  const hatch = `${id}-hatch`;
  return `<figure class="heat">
<figcaption>${escapeHtml(heat.caption)}</figcaption>
${legendOf(heat, hatch)}
<div class="scroll" role="region" aria-label="${escapeHtml(heading)}: picture" tabindex="0">
${pictureOf(heat, hatch)}
</div>
</figure>`;
}

function pictureOf({ rows, columns, values, says, axis, summary }: ReportHeat, hatch: string): string {
  const width = Math.min(MOST_CELL, Math.floor((2 * MOST_WIDTH) / columns.length) / 2);
  const height = rows.length > 32 ? 12 : rows.length > 16 ? 16 : 20;
  const [right, bottom] = [columns.length * width, rows.length * height];
  const [fullWidth, fullHeight] = [GUTTER + Math.max(right + 20, LEAST_WIDTH), bottom + AXIS];
  const { classOf } = heatScale(longestOf(values));
  const cells = rows.flatMap((row, y) =>
    columns.flatMap(({ title }, x) => {
      const value = values[y][x];
      if (value === undefined) return [];
      const words = escapeHtml(`${row}, ${title}: ${says} ${formatDur(value)}`);
      return [`<path class="h${classOf(value)}" d="M${x} ${y}h1v1h-1z"><title>${words}</title></path>`];
    }),
  );
  const names = rows.map((row, y) => `<text x="-8" y="${(y + 0.5) * height}" class="row">${escapeHtml(row)}</text>`);
  return `<svg role="img" aria-label="${escapeHtml(summary)}" width="${fullWidth}" height="${fullHeight}" viewBox="${-GUTTER} 0 ${fullWidth} ${fullHeight}">
${patternOf(hatch)}
<rect width="${right}" height="${bottom}" fill="url(#${hatch})"/>
<g class="cells${width >= ROOMY ? ' roomy' : ''}" transform="scale(${width} ${height})">
${cells.join('\n')}
</g>
${names.join('\n')}
${ticksOf(columns, width, bottom).join('\n')}
<text x="0" y="${bottom + 30}">${escapeHtml(axis)}</text>
</svg>`;
}

/** Where there is no value. */
const patternOf = (id: string): string =>
  `<defs><pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse"><path class="hatch" d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5"/></pattern></defs>`;

function ticksOf(columns: ReportHeat['columns'], width: number, bottom: number): string[] {
  const every = Math.max(1, Math.ceil(TICKS_APART / width));
  return columns.flatMap(({ label }, x) =>
    x % every === 0
      ? [`<text x="${(x + 0.5) * width}" y="${bottom + 14}" class="tick">${escapeHtml(label)}</text>`]
      : [],
  );
}

function legendOf({ values, none }: ReportHeat, hatch: string): string {
  const swatch = (fill: string, words: string): string =>
    `<li><svg viewBox="0 0 12 12" aria-hidden="true"><rect ${fill} width="12" height="12"/></svg>${escapeHtml(words)}</li>`;
  const isHatched = values.some((row) => row.includes(undefined));
  const classes = heatScale(longestOf(values)).labels.map((words, at) => swatch(`class="h${at}"`, words));
  return `<ul class="legend">${classes.join('')}${isHatched ? swatch(`fill="url(#${hatch})"`, none) : ''}</ul>`;
}

const longestOf = (values: ReportHeat['values']): number =>
  values.reduce((longest, row) => row.reduce<number>((most, each = 0) => Math.max(most, each), longest), 0);
