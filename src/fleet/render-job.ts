import type { Outcome, RenderOptions } from '../analyses/contract.ts';
import { escapeText, formatDur, formatPlural, formatRows, wrapText } from '../base/format.ts';
import { bubbleTexts, hasGroups } from './bubble-words.ts';
import { expertTexts } from './expert-words.ts';
import {
  callsText,
  clocksText,
  groupsText,
  pathTexts,
  reportHeadTexts,
  stragglerTexts,
  verdictText,
} from './job-words.ts';
import type { JobRankRow, JobReport } from './job-report.ts';
import type { RankWaits } from './wait-totals.ts';
import { waitLines } from './render-waits.ts';

const WIDTH = 100;
const COLUMN = 14;

/** One screen of a job: its ranks, who waited for whom, the path from rank to rank, and what is not known. */
export function renderJob(report: JobReport, options: RenderOptions): string {
  const sections = [
    headLines(report, options),
    [options.style('bold', wrapText(verdictText(report), WIDTH))],
    rankLines(report, options),
    report.waits.status === 'ok' ? waitLines(report.waits.result, options) : [],
    // Why there are none is said above.
    report.mixed.length > 0
      ? []
      : [
          ...answerLines('path', report.path, (answer) => pathTexts(answer, options), options),
          ...answerLines('stragglers', report.stragglers, (answer) => stragglerTexts(answer, options), options),
          ...answerLines('calls', report.calls, callsText, options),
          ...answerLines('clocks', report.clocks, clocksText, options),
          ...answerLines('groups', report.groups, (answer) => groupsText(answer, options), options),
          ...(hasGroups(report, 'pipeline')
            ? answerLines('bubbles', report.bubbles, (answer) => bubbleTexts(answer, options), options)
            : []),
          ...(hasGroups(report, 'expert')
            ? answerLines('experts', report.experts, (answer) => expertTexts(answer, options), options)
            : []),
        ],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** What was read, and what could not be. */
function headLines(report: JobReport, { style }: RenderOptions): string[] {
  const [first = '', ...others] = reportHeadTexts(report);
  return [style('dim', wrapText(first, WIDTH, 2)), ...others.map((text) => wrapText(text, WIDTH, 2))];
}

/** What each rank did by itself, and how long it waited for others where that is known. */
function rankLines({ ranks, waits, mixed }: JobReport, { limit, style }: RenderOptions): string[] {
  const shown = ranks.slice(0, Math.max(limit, 1));
  const known = waits.status === 'ok' ? waits.result.ranks : [];
  const unsure = known.some(({ unknownNs }) => unknownNs > 0);
  const titles = ['window', '', 'computes', 'exposed', 'idle'];
  const across = known.length === 0 ? [] : ['waits', unsure ? 'transfer?' : 'transfer', 'last'];
  const byRank = new Map(known.map((each) => [each.rank, each]));
  const rows = shown.map((row) => [
    mixed.length > 0 ? '' : String(row.rank),
    ...ownCells(row),
    ...(known.length === 0 ? [] : acrossCells(byRank.get(row.rank))),
    escapeText(row.noPath === undefined ? row.file : `${row.file}: ${row.noPath}`),
  ]);
  const head = [mixed.length > 0 ? '' : 'rank', ...titles, ...across, 'file'];
  const align = `>${'><>>>'}${'>'.repeat(across.length)}~`;
  const [first = '', ...table] = formatRows([head, ...rows], align, WIDTH - 2);
  const lines = [style('dim', `  ${first}`), ...table.map((line) => `  ${line}`)];
  const more = ranks.length - shown.length;
  if (more > 0) {
    lines.push(style('dim', `  ${formatPlural(more, mixed.length > 0 ? 'more file' : 'more rank')}: --limit`));
  }
  if (unsure) lines.push(style('dim', '  transfer?: where ranks are not here, also the wait for one of them'));
  return lines;
}

function ownCells({ medianNs, windows, computationNs, exposedNs, idleNs }: JobRankRow): string[] {
  if (medianNs === undefined) return ['–', '', '–', '–', '–'];
  return [formatDur(medianNs), windows > 1 ? `×${windows}` : '', ...[computationNs, exposedNs, idleNs].map(formatDur)];
}

function acrossCells(waited: RankWaits | undefined): string[] {
  if (waited === undefined) return ['–', '–', '–'];
  const { waitNs, transferNs, unknownNs, timesLast } = waited;
  return [formatDur(waitNs), formatDur(transferNs + unknownNs), String(timesLast)];
}

function answerLines<T>(
  name: string,
  outcome: Outcome<T>,
  toText: (answer: T) => string | readonly string[],
  { style }: RenderOptions,
): string[] {
  const words = outcome.status === 'ok' ? toText(outcome.result) : `no answer: ${escapeText(outcome.reason)}`;
  const lines = (typeof words === 'string' ? [words] : words).flatMap((each) =>
    wrapText(each, WIDTH - COLUMN, 2).split('\n'),
  );
  const text = lines.map((line, at) => `${at === 0 ? `  ${name}`.padEnd(COLUMN) : ' '.repeat(COLUMN)}${line}`);
  return outcome.status === 'ok' ? text : text.map((line) => style('dim', line));
}
