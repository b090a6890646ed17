// The section of a job's report that shows where each rank waited.
import type { ReportCell, ReportHeat, ReportSection, ReportTable } from '../analyses/report/document.ts';
import { fitText, formatDur, formatPlural } from '../base/format.ts';
import type { JobReport } from './job-report.ts';
import type { WaitRow, WaitsAnswer } from './job-waits-answer.ts';
import type { HeatBlock, HeatRow, WaitHeatMap } from './wait-heat-map.ts';

/** A group's name in a cell's words, of which there are thousands. */
const NAME_WIDTH = 32;

export function heatSection({ waits }: Pick<JobReport, 'waits'>): ReportSection {
  const head = { id: 'wait-heat', heading: 'Where each rank waited' };
  if (waits.status !== 'ok') return { ...head, paragraphs: [`No answer: ${waits.reason}.`] };
  const { rows, heatMap } = waits.result;
  if (rows.length === 0) return { ...head, paragraphs: ['No picture: no call was matched.'] };
  const most = longestOf(heatMap);
  if (most === undefined || most.waitNs === 0) {
    const calls =
      rows.length === 1 ? 'the one call that was matched' : `any of the ${rows.length} calls that were matched`;
    return { ...head, paragraphs: [`No picture: no rank waited in ${calls}.`] };
  }
  return { ...head, paragraphs: cautionsOf(rows), heat: heatOf(waits.result, most), table: tableOf(rows, heatMap) };
}

type Longest = NonNullable<HeatRow['longest']>;

const longestOf = ({ rows }: WaitHeatMap): Longest | undefined =>
  rows
    .flatMap(({ longest }) => longest ?? [])
    .reduce<Longest | undefined>(
      (most, each) => (most === undefined || each.waitNs > most.waitNs ? each : most),
      undefined,
    );

/** What no colour shows. */
function cautionsOf(rows: readonly WaitRow[]): string[] {
  const cautions: string[] = [];
  const offNs = rows.reduce((worst, { uncertaintyNs }) => Math.max(worst, uncertaintyNs), 0);
  if (offNs > 0 && offNs < Infinity) {
    cautions.push(`The clocks may be off by up to ±${formatDur(offNs)}: what is shorter may be no wait at all.`);
  }
  if (rows.some(({ isComplete }) => !isComplete)) {
    cautions.push('Where members of a call are not here, this is the wait for those that are.');
  }
  return cautions;
}

function heatOf({ rows, heatMap }: WaitsAnswer, most: Longest): ReportHeat {
  const { columns, longestNs } = heatMap;
  const isMerged = heatMap.rows.some(isSeveral) || columns.some(isSeveral);
  return {
    rows: heatMap.rows.map(rankText),
    columns: columns.map((column) => ({ label: String(column.first + 1), title: callText(column, rows) })),
    values: longestNs.map((row) => row.map((ns) => (ns < 0 ? undefined : ns))),
    none: 'not in the call',
    says: isMerged ? 'waited at most' : 'waited',
    axis: 'calls that were matched, in order of time',
    caption: `The stronger its colour, the longer a rank waited in a call for the last to arrive. ${readingOf(heatMap, rows)}`,
    summary: `Heat map of ${formatPlural(ranksOf(heatMap.rows), 'rank')} and ${formatPlural(rows.length, 'call')}: the longest wait is ${formatDur(most.waitNs)}, of rank ${most.rank} in ${callText({ first: most.call, last: most.call }, rows)}. The table below has the longest of each row.`,
  };
}

/** What to look for, and what was merged: then it is not to be seen any more. */
function readingOf({ rows, columns }: WaitHeatMap, calls: readonly WaitRow[]): string {
  const [areRanks, areCalls] = [rows.some(isSeveral), columns.some(isSeveral)];
  const size = [
    ...(areRanks ? [formatPlural(Math.max(...rows.map(({ ranks }) => ranks)), 'rank')] : []),
    ...(areCalls ? [formatPlural(Math.max(...columns.map(({ first, last }) => last - first + 1)), 'call')] : []),
  ];
  return [
    areRanks
      ? 'One rank that the others wait for does not show among its neighbours: see who came last.'
      : weakRowText(calls),
    ...(size.length > 0
      ? [
          `There are too many to draw each: a cell is the longest wait of up to ${size.join(' in up to ')} that follow each other.`,
        ]
      : []),
  ].join(' ');
}

/** Nobody is blamed for a tie, nor where a rank that is not here may have come last of all. */
function weakRowText(calls: readonly WaitRow[]): string {
  const told = calls.filter(({ isTie, isTransfer }) => isTransfer && !isTie).length;
  if (told === 0) return 'In none of them can be told who came last.';
  const where = told === calls.length ? '' : ` in the ${told} of ${calls.length} calls where that can be told`;
  return `A row that stays weak is the one they waited for${where}.`;
}

const ranksOf = (rows: readonly HeatRow[]): number => rows.reduce((sum, { ranks }) => sum + ranks, 0);

const isSeveral = ({ first, last }: HeatBlock): boolean => last > first;

const rankText = ({ first, last }: HeatBlock): string => (first === last ? `rank ${first}` : `ranks ${first}–${last}`);

function callText({ first, last }: HeatBlock, rows: readonly WaitRow[]): string {
  const [from, to] = [rows[first], rows[last]];
  if (from === undefined || to === undefined) return '';
  if (first !== last) {
    return `calls ${first + 1}–${last + 1}, ${formatDur(from.arrivedNs)} to ${formatDur(to.arrivedNs)}`;
  }
  const group = from.group === '' ? '' : ` in ${fitText(from.group, NAME_WIDTH)}`;
  return `call ${first + 1}, ${from.op}${group} at ${formatDur(from.arrivedNs)}`;
}

function tableOf(rows: readonly WaitRow[], heatMap: WaitHeatMap): ReportTable {
  // Of several ranks in a row, one has the longest.
  const isMerged = heatMap.rows.some(isSeveral);
  return {
    columns: [
      { name: isMerged ? 'ranks' : 'rank', unit: 'text' },
      { name: 'longest wait', unit: 'ns' },
      ...(isMerged ? [{ name: 'of rank', unit: 'text' } as const] : []),
      { name: 'in call', unit: 'count' },
      { name: 'which is', unit: 'text' },
      { name: 'of group', unit: 'name' },
      { name: 'arrived', unit: 'ns' },
    ],
    rows: heatMap.rows.map(({ first, last, longest }): ReportCell[] => {
      const name = first === last ? String(first) : `${first}–${last}`;
      if (longest === undefined || longest.waitNs === 0) return [name, longest?.waitNs];
      const call = rows[longest.call];
      const who = isMerged ? [String(longest.rank)] : [];
      return [name, longest.waitNs, ...who, longest.call + 1, call?.op, call?.group, call?.arrivedNs];
    }),
  };
}
