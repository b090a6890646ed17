import { assert } from '../../base/assert.ts';
import { formatCount } from '../../base/format.ts';
import { tableOfChart } from './chart-table.ts';
import type {
  ReportCell,
  ReportChart,
  ReportColumn,
  ReportDocument,
  ReportSection,
  ReportTable,
  ReportText,
} from './document.ts';
import { formatCell, hasPieces, isNumeric } from './format-cell.ts';
import { escapeHtml } from './html-text.ts';
import { pageCharts } from './page-charts.ts';
import { heatFigure } from './render-heat.ts';

/** The page's own script and style, and what its policy names them by: the base64 of their SHA-256. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
  readonly scriptHash: string;
  readonly styleHash: string;
}

/** What makes the timeline a view of the page; without it, the page is the report alone. */
export interface PageTimeline {
  /** The style of that view, and the base64 of its SHA-256. */
  readonly style: string;
  readonly styleHash: string;
  /** What lies in the page for it, as plain data. */
  readonly snapshot: unknown;
  /** The engine that reads a trace which is opened on the page: a script, in gzip, as base64. */
  readonly engine: string;
}

interface Placed {
  readonly section: ReportSection;
  readonly id: string;
}

/** One file that needs nothing else: all words and numbers are in the markup; the script draws the charts, and the timeline. */
export function renderHtml(report: ReportDocument, assets: PageAssets, timeline?: PageTimeline): string {
  const placed = placesOf(report.sections);
  const charts = placed.flatMap(({ section: { chart }, id }) =>
    chart === undefined ? [] : [{ id: chartId(id), chart }],
  );
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(assets, timeline)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(report.title)} – longpole</title>
<style${timeline === undefined ? '' : ' id="report-style"'}>${enclosed(assets.style, 'style')}</style>
${timeline === undefined ? '' : `<style id="page-style" media="not all">${enclosed(timeline.style, 'style')}</style>\n`}</head>
<body>
<main>
${headerOf(report)}
${placed.length > 2 ? navOf(placed) : ''}
${placed.map((each) => sectionOf(each)).join('\n')}
${notesOf(report.notes)}
</main>
<script type="application/json" id="charts">${dataOf(pageCharts(charts))}</script>
${timeline === undefined ? '' : timelineOf(timeline)}<script>${enclosed(assets.script, 'script')}</script>
</body>
</html>
`;
}

const timelineOf = ({ snapshot, engine }: PageTimeline): string =>
  `<script type="application/json" id="snapshot">${dataOf(snapshot)}</script>
<script type="text/plain" id="engine">${engine}</script>
`;

/** The engine is a worker made from a text of the page, and its scanner is WebAssembly. */
const policyOf = ({ scriptHash, styleHash }: PageAssets, timeline: PageTimeline | undefined): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'${timeline === undefined ? '' : " 'wasm-unsafe-eval'"}`,
    `style-src 'sha256-${styleHash}'${timeline === undefined ? '' : ` 'sha256-${timeline.styleHash}'`}`,
    ...(timeline === undefined ? [] : ['worker-src blob:']),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

function headerOf({ title, about, verdict }: ReportDocument): string {
  return `<header>
<p class="kind">longpole report</p>
<h1>${quoted(title)}</h1>
<p class="verdict">${textOf(verdict)}</p>
<ul class="about">
${about.map((line) => `<li>${textOf(line)}</li>`).join('\n')}
</ul>
</header>`;
}

const navOf = (placed: readonly Placed[]): string => `<nav aria-label="Sections">
<ul>
${placed.map(({ section, id }) => `<li><a href="#${id}">${escapeHtml(section.heading)}</a></li>`).join('\n')}
</ul>
</nav>`;

function sectionOf({ section, id }: Placed): string {
  const { heading, paragraphs, chart, heat, table, command } = section;
  const hasTable = table !== undefined && table.rows.length > 0;
  const hasChart = chart !== undefined && chart.rows.length > 0;
  const blocks = [
    `<h2 id="${id}">${escapeHtml(heading)}</h2>`,
    ...paragraphs.map((paragraph) => `<p>${textOf(paragraph)}</p>`),
    ...(hasChart ? [figureOf(heading, id)] : []),
    ...(heat === undefined ? [] : [heatFigure(heat, heading, chartId(id))]),
    ...(hasTable ? [tableOf(table, heading, true)] : []),
    ...(hasChart && !(hasTable && saysAll(table, chart)) ? [numbersOf(chart, heading, hasTable)] : []),
    ...(command === undefined ? [] : [`<p class="command">More: <code>${escapeHtml(command)}</code></p>`]),
  ];
  return `<section aria-labelledby="${id}">\n${blocks.join('\n')}\n</section>`;
}

/** Empty, and so unseen, until the script draws it. */
function figureOf(heading: string, id: string): string {
  const label = escapeHtml(`Chart: ${heading}. Its numbers are in the table below.`);
  return `<figure id="${chartId(id)}" role="img" aria-label="${label}"></figure>`;
}

function saysAll(table: ReportTable, { rows }: ReportChart): boolean {
  const said = new Set(table.rows.flat());
  return rows.length === 1 && rows[0].values.every((value) => value === 0 || said.has(value));
}

/** A chart's numbers, for those who cannot see it; folded where the section has a table of its own. */
function numbersOf(chart: ReportChart, heading: string, isFolded: boolean): string {
  const table = tableOf(tableOfChart(chart, heading), `${heading}: the numbers of the chart`, false);
  return isFolded ? `<details>\n<summary>The numbers of the chart</summary>\n${table}\n</details>` : table;
}

/**
 * It may be wider than a small screen: then it is scrolled by itself, also by keyboard. `isNamed`: the heading above says what it is to
 * those who see it.
 */
function tableOf({ columns, rows, total = rows.length }: ReportTable, caption: string, isNamed: boolean): string {
  const more = total > rows.length ? ` (${formatCount(rows.length)} of ${formatCount(total)} rows)` : '';
  const name = escapeHtml(caption + more);
  return `<div class="scroll" role="region" aria-label="${name}" tabindex="0">
<table>
<caption${isNamed && more === '' ? ' class="unseen"' : ''}>${name}</caption>
<thead><tr>${columns.map(headCellOf).join('')}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${columns.map((column, at) => cellOf(row[at], column, at === 0)).join('')}</tr>`).join('\n')}
</tbody>
</table>
</div>`;
}

const headCellOf = (column: ReportColumn): string =>
  `<th scope="col"${isNumeric(column) ? ' class="number"' : ''}>${escapeHtml(column.name)}</th>`;

function cellOf(cell: ReportCell, column: ReportColumn, isFirst: boolean): string {
  const kind = isNumeric(column) ? ' class="number"' : '';
  const content = contentOf(cell, column);
  return isFirst ? `<th scope="row"${kind}>${content}</th>` : `<td${kind}>${content}</td>`;
}

function contentOf(cell: ReportCell, column: ReportColumn): string {
  if (hasPieces(cell)) return textOf(cell);
  const text = formatCell(cell, column);
  if (isNumeric(column)) return escapeHtml(text);
  return column.unit === 'name' && cell !== undefined ? codeOf(text) : quoted(text);
}

function notesOf(notes: readonly ReportText[]): string {
  if (notes.length === 0) return '';
  const list = notes.map((note) => `<li>${textOf(note)}</li>`).join('\n');
  return `<section aria-labelledby="notes">\n<h2 id="notes">Notes</h2>\n<ul>\n${list}\n</ul>\n</section>`;
}

function textOf(text: ReportText): string {
  const pieces = typeof text === 'string' ? [text] : text;
  return pieces.map((piece) => (typeof piece === 'string' ? wordsOf(piece) : codeOf(piece.code))).join('');
}

/** A number stays with its unit. */
const wordsOf = (text: string): string =>
  escapeHtml(text).replace(/(?<=\d) (?=(?:%|ns|µs|ms|s|B|[KMGT]iB)(?!\w))/g, '&nbsp;');

/** A text from elsewhere runs in its own direction without turning round what stands beside it. */
const quoted = (text: string): string => `<bdi>${escapeHtml(text)}</bdi>`;
const codeOf = (text: string): string => `<code><bdi>${escapeHtml(text)}</bdi></code>`;

/** JSON that no text in it can end the element of. */
const dataOf = (data: unknown): string =>
  JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Its hash is of these bytes, so it cannot be escaped: it has to be free of what would end the element. */
function enclosed(source: string, element: 'script' | 'style'): string {
  assert(!/<\/(?:script|style)|<!--|<script/i.test(source), `the page's ${element} would end too early`);
  return source;
}

/** Anchors: the first of a name has it, later ones are numbered. The page's own elements have these names already. */
function placesOf(sections: readonly ReportSection[]): Placed[] {
  const taken = new Set(['notes', 'charts', 'snapshot', 'engine', 'page', 'report-style', 'page-style']);
  return sections.map((section) => {
    const name = section.id.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    let id = name;
    for (let copy = 2; taken.has(id); copy++) id = `${name}-${copy}`;
    taken.add(id);
    return { section, id };
  });
}

const chartId = (id: string): string => `chart-${id}`;
