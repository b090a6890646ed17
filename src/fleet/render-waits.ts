// Who came last to which call, and a picture of who waited where.
import type { RenderOptions } from '../analyses/contract.ts';
import { escapeText, fitText, formatDur, formatInstant, formatPlural, formatRows } from '../base/format.ts';
import type { WaitPicture, WaitRow, WaitsAnswer } from './job-waits-answer.ts';

const WIDTH = 100;
/** Columns of the picture, a call each. */
const PICTURE = 72;
const SHADES = ' ░▒▓█';

export function waitLines({ rows, picture, ties }: WaitsAnswer, options: RenderOptions): string[] {
  const { limit, style } = options;
  const count = Math.max(limit, 1);
  const chosen = new Set(rows.toSorted((a, b) => b.waitNs - a.waitNs).slice(0, count));
  const shown = rows.filter((row) => chosen.has(row));
  if (shown.length === 0) return [];
  const titles = ['call', 'arrived', 'last', 'after the next by', '', 'all waited', 'transfer'];
  const [head = '', ...table] = formatRows([titles, ...shown.map(cellsOf)], '~>>><>>', WIDTH - 2);
  const of = rows.length > shown.length ? `, the ${shown.length} with most waiting of ${rows.length}` : '';
  const unseen = rows.some(({ isComplete }) => !isComplete) ? ', of the ranks that are here' : '';
  const tied = ties === 0 ? '' : `; ${formatPlural(ties, 'tie')}, which blame nobody`;
  return [
    style('bold', `who came last${unseen}${of}${tied}`),
    style('dim', `  ${head}`),
    ...table.map((line) => `  ${line}`),
    ...pictureLines(picture, rows, options),
  ];
}

function cellsOf({
  op,
  group,
  arrivedNs,
  last,
  event,
  marginNs,
  uncertaintyNs,
  isTie,
  waitNs,
  restNs,
  isTransfer,
}: WaitRow): string[] {
  const name = group === '' ? op : `${op} in ${fitText(escapeText(group), 24)}`;
  const who = last === undefined ? '–' : event === undefined ? `r-${last}` : `r-${last}/e-${event}`;
  return [
    name,
    formatInstant(arrivedNs),
    isTie ? `(${who})` : who,
    marginNs === undefined ? '–' : formatDur(marginNs),
    isTie ? `tie: ±${formatDur(uncertaintyNs)}` : `±${formatDur(uncertaintyNs)}`,
    formatDur(waitNs),
    isTransfer ? formatDur(restNs) : `${formatDur(restNs)}?`,
  ];
}

/** A row a rank, a column a call in order of time: the darker, the longer it waited there. */
function pictureLines(
  { ranks, calls, waitNs }: WaitPicture,
  rows: readonly WaitRow[],
  { limit, style }: RenderOptions,
): string[] {
  const longest = Math.max(...waitNs.flat(), 0);
  if (longest === 0 || calls.length < 2) return [];
  const columns = calls.slice(0, PICTURE);
  const shown = ranks.slice(0, Math.max(limit, 1));
  const width = String(Math.max(...shown)).length;
  const lines = shown.map((rank, at) => {
    const cells = columns.map((_, column) => shadeOf(waitNs[at]?.[column] ?? -1, longest));
    return `  ${String(rank).padStart(width)} |${cells.join('')}|`;
  });
  const what =
    columns.length < rows.length ? `the ${columns.length} calls with most waiting` : `${columns.length} calls`;
  return [style('dim', `  waits by rank over ${what}: █ is ${formatDur(longest)}, · not in it`), ...lines];
}

function shadeOf(ns: number, longest: number): string {
  if (ns < 0) return '·';
  const step = Math.ceil((ns / longest) * (SHADES.length - 1));
  return SHADES[step] ?? '█';
}
