import {
  escapeText,
  fitText,
  formatCount,
  formatDur,
  formatPlural,
  formatRows,
  formatShare,
  wrapText,
} from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import { quantileOf } from '../../base/distribution.ts';
import type { RenderOptions } from '../contract.ts';
import { joinSections, rankedTable } from '../text-tables.ts';
import { windowLabels } from '../window-labels.ts';
import type { KernelsResult, KernelsRow, ShapeRow } from './result.ts';
import { inputsText } from './inputs-text.ts';

const WIDTH = 100;
/** Rows of what varies. */
const MOST_VARYING = 5;
/** Less than this of the windows' mean length is no variation that a person would follow up, 0…1. */
const LEAST_VARIATION = 0.001;

export function renderKernels(result: KernelsResult, options: RenderOptions): string {
  const { rows, shapes, notes } = result;
  const short = options.fullNames ? undefined : shortKernelNames(rows.map(({ name }) => name));
  const nameOf = (name: string): string => escapeText(short?.get(name) ?? name);
  const sections = [
    [...titleLines(result, options), ...classLines(result)],
    rowLines(rows, nameOf, options),
    varyingLines(result, nameOf, options),
    shapeLines(shapes, nameOf, options),
    notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return joinSections(sections);
}

function titleLines(
  { window, windows, count, rows, opTimeNs, devices }: KernelsResult,
  { style }: RenderOptions,
): string[] {
  const busy = devices.map(
    ({ device, busyNs }) =>
      `device ${device} busy ${formatDur(busyNs)} (${formatShare(window.wallNs > 0 ? busyNs / window.wallNs : 0)})`,
  );
  const several = windows.length > 1 ? ` in ${formatPlural(windows.length, 'window')}` : '';
  const ran = `${formatPlural(count, 'device op')} of ${formatPlural(rows.length, 'kernel')} took ${formatDur(opTimeNs)}`;
  return [
    style('bold', fitText(`kernels of ${escapeText(window.label)}: ${formatDur(window.wallNs)}${several}`, WIDTH)),
    wrapText(`${ran}; ${busy.join(', ')}`, WIDTH, 2),
  ];
}

function classLines({ classes }: KernelsResult): string[] {
  const rows = classes.map(({ class: name, totalNs, share, pathNs, count, kernels }) => [
    name,
    formatDur(totalNs),
    formatShare(share),
    `${formatDur(pathNs)} on the path`,
    formatPlural(count, 'op'),
    formatPlural(kernels, 'name'),
  ]);
  return formatRows(rows, '<>>>>>').map((line) => `  ${line}`);
}

/** What is not computation is marked before its name. */
const marked = ({ class: name }: Pick<KernelsRow, 'class'>, text: string): string =>
  name === 'communication' ? `[comm] ${text}` : name === 'other' ? `[other] ${text}` : text;

function rowLines(rows: readonly KernelsRow[], nameOf: (name: string) => string, options: RenderOptions): string[] {
  const shown = rows.slice(0, options.limit);
  if (shown.length === 0) return [];
  const cells = shown.map((row) => [
    formatDur(row.totalNs),
    formatShare(row.share),
    pathText(row),
    `${formatCount(row.count)}×`,
    formatDur(row.medianNs),
    `e-${row.largest.event}`,
    marked(row, nameOf(row.name)),
  ]);
  const titles = ['time', 'share', 'on path', '', 'median', 'longest', 'kernel'];
  const hasSlack = shown.some(({ pathNs, slackNs }) => pathNs === 0 && slackNs !== undefined);
  return [
    ...rankedTable(titles, cells, '>>>>><~', rows.length - shown.length, options),
    ...(hasSlack
      ? [options.style('dim', '  +: not on the path; how much one of them may grow before the end moves')]
      : []),
  ];
}

/** On the path, or by how much it is not. */
function pathText({ pathNs, slackNs }: Pick<KernelsRow, 'pathNs' | 'slackNs'>): string {
  if (pathNs > 0) return formatDur(pathNs);
  return slackNs === undefined ? '–' : `+${formatDur(slackNs)}`;
}

/** The kernels whose time differs most from window to window. What lies between steps is not like them, and no part of this. */
function varyingLines(
  { rows, windows: all }: KernelsResult,
  nameOf: (name: string) => string,
  options: RenderOptions,
): string[] {
  const windows = all.filter(({ isBetween }) => isBetween !== true);
  if (windows.length < 2) return [];
  const ofWindows = (values: readonly number[]): number[] => values.filter((_, w) => all[w]?.isBetween !== true);
  const labels = windowLabels(windows);
  const wallNs = windows.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
  const least = (LEAST_VARIATION * wallNs) / windows.length;
  const varying = rows
    .map((row) => {
      const totals = ofWindows(row.perWindow.totalNs);
      const sorted = Float64Array.from(totals).sort();
      const [low, high] = [sorted[0], sorted[sorted.length - 1]];
      const most = labels[totals.indexOf(high)] ?? '';
      return { row, low, median: quantileOf(sorted, 0.5), high, spread: high - low, most };
    })
    .filter(({ spread }) => spread >= least)
    .sort((a, b) => b.spread - a.spread)
    .slice(0, Math.min(MOST_VARYING, options.limit));
  if (varying.length === 0) return [];
  const cells = varying.map(({ row, low, median, high, most }) => [
    formatDur(low),
    formatDur(Math.round(median)),
    formatDur(high),
    countsText(ofWindows(row.perWindow.count)),
    most,
    marked(row, nameOf(row.name)),
  ]);
  const titles = ['least', 'median', 'most', 'each', 'most in', 'kernel'];
  return [
    options.style('bold', 'what differs most from window to window'),
    ...rankedTable(titles, cells, '>>>>~~', 0, options),
  ];
}

function countsText(counts: readonly number[]): string {
  let [low, high] = [Infinity, 0];
  for (const count of counts) [low, high] = [Math.min(low, count), Math.max(high, count)];
  return low === high ? `${formatCount(low)}×` : `${formatCount(low)}–${formatCount(high)}×`;
}

function shapeLines(shapes: readonly ShapeRow[], nameOf: (name: string) => string, options: RenderOptions): string[] {
  const known = shapes.filter(({ op }) => op !== undefined);
  const shown = known.slice(0, options.limit);
  if (shown.length === 0) return [];
  const hasShapes = shown.some(({ inputDims }) => inputDims !== undefined);
  const cells = shown.map((row) => [
    formatDur(row.totalNs),
    pathText(row),
    `${formatCount(row.count)}×`,
    escapeText(row.op ?? ''),
    ...(hasShapes ? [escapeText(inputsText(row.inputDims, row.inputTypes))] : []),
    nameOf(row.name),
  ]);
  const titles = ['time', 'on path', '', 'launched by', ...(hasShapes ? ['with'] : []), 'kernel'];
  return [
    options.style('bold', `by the operator that launched them${hasShapes ? ' and its inputs' : ''}`),
    ...rankedTable(titles, cells, hasShapes ? '>>>~~~' : '>>>~~', known.length - shown.length, options),
  ];
}
