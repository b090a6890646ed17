import type { PageChart } from '../../analyses/report/page-charts.ts';
import { drawChart } from './draw-chart.ts';

/** Draws the report's charts from the numbers that lie in the page. */
export function startCharts(): void {
  const data = document.getElementById('charts');
  const charts = JSON.parse(data?.textContent ?? '[]') as readonly PageChart[];
  for (const chart of charts) {
    const figure = document.getElementById(chart.id);
    if (figure !== null) keepDrawn(figure, chart);
  }
  // On paper nothing can be opened.
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
}

/** Drawn for the width that there is, and again when that changes. */
function keepDrawn(figure: HTMLElement, chart: PageChart): void {
  let drawn = 0;
  const draw = (): void => {
    const width = Math.floor(figure.parentElement?.clientWidth ?? 0);
    if (width === 0 || width === drawn) return;
    drawn = width;
    drawChart(figure, chart, width);
  };
  draw();
  // Not within its own turn: a drawing changes the height that is being observed.
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(figure.parentElement ?? figure);
}
