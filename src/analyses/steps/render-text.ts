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
import type { RenderOptions } from '../contract.ts';
import { joinSections } from '../text-tables.ts';
import { windowLabels } from '../window-labels.ts';
import type { StepDifference, StepRow, StepsResult } from './result.ts';

const WIDTH = 100;
/** Steps whose differences are told, and parts of each. */
const TOLD_STEPS = 3;
const TOLD_PARTS = 4;

export function renderSteps(result: StepsResult, options: RenderOptions): string {
  const { window, notes } = result;
  const { style } = options;
  const sections = [
    [style('bold', fitText(`steps of ${escapeText(window.label)}`, WIDTH)), wrapText(summaryText(result), WIDTH, 2)],
    tableLines(result, options),
    ...toldSteps(result).map((row) => differenceLines(row, result, options)),
    notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return joinSections(sections);
}

function summaryText({ rows, summary, outlierRule, foundBy }: StepsResult): string {
  const steps = formatPlural(rows.length, foundBy === 'window' ? 'window' : 'step');
  if (summary === undefined) return `${steps}, none of which counts`;
  const { count, medianNs, minNs, maxNs, spread } = summary;
  if (count === 1) return `${formatDur(medianNs)}, the only one${rows.length === 1 ? '' : ` that counts of ${steps}`}`;
  const span = `${formatDur(minNs)} to ${formatDur(maxNs)}, spread ${formatShare(spread)}`;
  const outliers = rows.filter(({ isOutlier }) => isOutlier).length;
  const rule =
    outlierRule === undefined
      ? ''
      : `; ${outliers === 0 ? 'no outliers' : formatPlural(outliers, 'outlier')} (more than ${formatDur(outlierRule.limitNs)} from the median)`;
  const counted = count === rows.length ? steps : `the ${formatCount(count)} that count of ${steps}`;
  return `median ${formatDur(medianNs)} of ${counted} (${span})${rule}`;
}

function tableLines(result: StepsResult, { limit, style, fullNames }: RenderOptions): string[] {
  const { rows } = result;
  const shown = rows.slice(0, limit);
  const labels = windowLabels(rows);
  const median = medianRow(result);
  const hasDevices = rows.some(({ devices }) => devices.length > 0);
  const cells = shown.map((row, at) => [
    labels[at] ?? '',
    formatDur(row.wallNs),
    row.fromMedian === undefined || row === median ? '' : signedShare(row.fromMedian),
    row.path
      .slice(0, 2)
      .map(({ kind, share }) => `${kind} ${formatShare(share, 0)}`)
      .join(', '),
    ...(hasDevices ? [busyText(row)] : []),
    markText(row, row === median),
  ]);
  const titles = ['step', 'wall', 'of median', 'path', ...(hasDevices ? ['device busy'] : []), ''];
  const [head = '', ...lines] = formatRows(
    [titles, ...cells],
    `~>><${hasDevices ? '<' : ''}<`,
    fullNames ? Infinity : WIDTH - 2,
  );
  const more = rows.length - shown.length;
  return [
    style('dim', `  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatCount(more)} more: --limit`)] : []),
  ];
}

/** Of several devices, the least and the most busy. */
function busyText({ devices, wallNs }: StepRow): string {
  if (wallNs === 0 || devices.length === 0) return '';
  const shares = devices.map(({ busyNs }) => busyNs / wallNs);
  const least = formatShare(Math.min(...shares), 0);
  return devices.length > 1 ? `${least} to ${formatShare(Math.max(...shares), 0)}` : least;
}

const medianRow = ({ rows, summary }: StepsResult): StepRow | undefined => summary && rows[summary.medianRow];

function markText({ distrust, isOutlier }: StepRow, isMedian: boolean): string {
  if (distrust.length > 0) return distrust.join(', ');
  if (isOutlier) return 'outlier';
  return isMedian ? 'median' : '';
}

/** Outliers and warm-up; without any the slowest that counts. */
function toldSteps({ rows }: StepsResult): readonly StepRow[] {
  const far = rows.filter(
    ({ isOutlier, distrust, differs }) => differs !== undefined && (isOutlier || distrust.includes('warm-up')),
  );
  const size = ({ fromMedian = 0 }: StepRow): number => Math.abs(fromMedian);
  if (far.length > 0) return far.toSorted((a, b) => size(b) - size(a)).slice(0, TOLD_STEPS);
  const slow = rows.filter(
    ({ distrust, differs, fromMedian = 0 }) => differs !== undefined && distrust.length === 0 && fromMedian > 0,
  );
  return slow.toSorted((a, b) => size(b) - size(a)).slice(0, 1);
}

function differenceLines(row: StepRow, result: StepsResult, { style, fullNames }: RenderOptions): string[] {
  const { differs } = row;
  const median = medianRow(result);
  if (differs === undefined || median === undefined) return [];
  const labels = windowLabels(result.rows);
  const [label, against] = [row, median].map((each) => fitText(labels[result.rows.indexOf(each)] ?? '', 60));
  const what = result.foundBy === 'window' ? 'window' : 'step';
  const deltaNs = differs.byKind.reduce((sum, each) => sum + each.deltaNs, 0);
  const kinds = differs.byKind.slice(0, TOLD_PARTS).map((each) => `${each.kind} ${signedDur(each.deltaNs)}`);
  const names = differs.largest.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const short = fullNames ? undefined : shortKernelNames(names);
  const cells = differs.largest
    .slice(0, TOLD_PARTS)
    .map((each) => [
      signedDur(each.deltaNs),
      each.kind,
      whatText(each, short),
      each.longest === undefined ? '' : `e-${each.longest.event}`,
    ]);
  return [
    style('bold', wrapText(`${label}: ${signedDur(deltaNs)} against ${against}, the median ${what}`, WIDTH, 2)),
    wrapText(`on its path ${kinds.join(', ')}`, WIDTH, 2),
    ...formatRows(cells, '><~<', fullNames ? Infinity : WIDTH - 2).map((line) => `  ${line}`),
  ];
}

function whatText({ kind, name }: StepDifference, short: ReadonlyMap<string, string> | undefined): string {
  if (name === undefined) return '';
  const text = escapeText(short?.get(name) ?? name);
  const isBefore = kind === 'host-gap' || kind === 'launch' || kind === 'stream-gap' || kind === 'unexplained';
  return isBefore ? `before ${text}` : text;
}

const signedDur = (ns: number): string => (ns > 0 ? `+${formatDur(ns)}` : ns < 0 ? `−${formatDur(-ns)}` : formatDur(0));
const signedShare = (share: number): string => {
  if (share === 0) return '0 %';
  const percent = (100 * share).toFixed(1);
  if (Number(percent) === 0) return '<0.1 %';
  return share >= 0 ? `+${percent} %` : `−${percent.replace('-', '')} %`;
};
