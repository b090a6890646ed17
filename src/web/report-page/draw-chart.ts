import { axisX, axisY, barX, gridX, plot, pointer, text, tip } from '@observablehq/plot';
import type { PageChart } from '../../analyses/report/page-charts.ts';
import { fitText, formatCount } from '../../base/format.ts';
import { type Bar, barsOf } from './bars.ts';

const ROW = 26;
/** Of a chart with many. */
const LOW_ROW = 17;
const MANY_ROWS = 40;
const CHAR = 7;
const TOP = 4;
const BOTTOM = 26;
const SVG = 'http://www.w3.org/2000/svg';

export function drawChart(figure: HTMLElement, chart: PageChart, width: number): void {
  const { bars, max, axis } = barsOf(chart);
  if (bars.length === 0) return;
  const longest = width < 400 ? 14 : width < 560 ? 20 : 32;
  const labels = chart.rows.map(({ label }) => fitText(label, longest));
  const marginLeft = 12 + CHAR * Math.max(...labels.map((label) => label.length));
  const marginRight = 24;
  const perUnit = (width - marginLeft - marginRight) / max;
  const nameOf = ({ part }: Bar): string => chart.parts[part]?.name ?? '';
  const hasRoom = (bar: Bar): boolean => (bar.to - bar.from) * perUnit > nameOf(bar).length * CHAR + 8;
  const middle = ({ from, to }: Bar): number => (from + to) / 2;
  const svg = plot({
    className: 'chart',
    width,
    height: labels.length * (labels.length > MANY_ROWS ? LOW_ROW : ROW) + TOP + BOTTOM,
    marginLeft,
    marginRight,
    marginTop: TOP,
    marginBottom: BOTTOM,
    style: { fontSize: '12px' },
    x: { domain: [0, max], label: null },
    y: { domain: labels.map((_, row) => row), label: null, padding: 0.15 },
    color: { type: 'identity' },
    marks: [
      gridX({ stroke: 'var(--line)', strokeOpacity: 1 }),
      axisX({ ticks: Math.max(2, Math.floor(width / 110)), tickFormat: (tick: number) => `${tick} ${axis}` }),
      axisY({ tickSize: 0, tickFormat: (row: number) => labels[row] ?? '' }),
      barX(bars, {
        x1: 'from',
        x2: 'to',
        y: 'row',
        fill: ({ colour }: Bar) => `var(--part-${colour})`,
        stroke: 'var(--edge)',
        strokeWidth: 1,
      }),
      text(bars.filter(hasRoom), {
        x: middle,
        y: 'row',
        text: nameOf,
        fill: ({ colour }: Bar) => (colour === 0 ? 'var(--on-0)' : 'var(--on-other)'),
      }),
      tip(bars, pointer({ x: middle, y: 'row', title: 'title' })),
    ],
  });
  // The policy allows the page's own style only, which has these rules.
  for (const style of svg.querySelectorAll('style')) style.remove();
  // One picture; its numbers are in the table below. Plot labels groups, which may have no name.
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `Bars: ${chart.parts.map(({ name }) => name).join(', ')}`);
  for (const group of svg.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label');
  figure.replaceChildren(legendOf(chart), svg, ...cutOf(chart));
}

function legendOf({ parts }: PageChart): HTMLElement {
  const list = document.createElement('ul');
  list.className = 'legend';
  for (const { name, colour } of parts) {
    const swatch = document.createElementNS(SVG, 'svg');
    const square = document.createElementNS(SVG, 'rect');
    for (const side of ['width', 'height']) square.setAttribute(side, '100%');
    square.setAttribute('fill', `var(--part-${colour})`);
    swatch.append(square);
    const row = document.createElement('li');
    row.append(swatch, name);
    list.append(row);
  }
  return list;
}

function cutOf({ rows, total }: PageChart): HTMLElement[] {
  if (total <= rows.length) return [];
  const words = document.createElement('p');
  words.textContent = `The first ${formatCount(rows.length)} of ${formatCount(total)}; the table has the others.`;
  return [words];
}
