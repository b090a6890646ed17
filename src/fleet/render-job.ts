import type { Outcome, RenderOptions } from '../analyses/contract.ts';
import { escapeText, fitText, formatDur, formatPlural, formatRows, wrapText } from '../base/format.ts';
import {
  callsText,
  clocksText,
  groupsText,
  pathTexts,
  reportHeadTexts,
  stragglerTexts,
  verdictText,
} from './job-words.ts';
import type { JobReport } from './job-report.ts';
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
    [
      ...answerLines('path', report.path, (answer) => pathTexts(answer, options), options),
      ...answerLines('stragglers', report.stragglers, (answer) => stragglerTexts(answer, options), options),
      ...answerLines('calls', report.calls, callsText, options),
      ...answerLines('clocks', report.clocks, clocksText, options),
      ...answerLines('groups', report.groups, (answer) => groupsText(answer, options), options),
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

/** What each rank did by itself, and how long it waited for others. */
function rankLines({ ranks, waits }: JobReport, { limit, style }: RenderOptions): string[] {
  const shown = ranks.slice(0, Math.max(limit, 1));
  const byRank = new Map(waits.status === 'ok' ? waits.result.ranks.map((each) => [each.rank, each]) : []);
  const time = (ns: number | undefined): string => (ns === undefined ? '–' : formatDur(ns));
  const rows = shown.map((row) => {
    const waited = byRank.get(row.rank);
    return [
      String(row.rank),
      time(row.medianNs),
      row.windows > 1 ? `×${row.windows}` : '',
      ...(row.medianNs === undefined ? ['–', '–', '–'] : [row.computationNs, row.exposedNs, row.idleNs].map(formatDur)),
      time(waited?.waitNs),
      time(waited === undefined ? undefined : waited.transferNs + waited.unknownNs),
      waited === undefined ? '–' : String(waited.timesLast),
      row.noPath === undefined ? fitText(escapeText(row.file), 40) : `no answer: ${escapeText(row.noPath)}`,
    ];
  });
  const unsure = waits.status === 'ok' && waits.result.ranks.some(({ unknownNs }) => unknownNs > 0);
  const rest = unsure ? 'transfer?' : 'transfer';
  const titles = ['rank', 'window', '', 'computes', 'exposed', 'idle', 'waits', rest, 'last', 'file'];
  const [head = '', ...table] = formatRows([titles, ...rows], '>><>>>>>>~', WIDTH - 2);
  const lines = [style('dim', `  ${head}`), ...table.map((line) => `  ${line}`)];
  const more = ranks.length - shown.length;
  if (more > 0) lines.push(style('dim', `  ${formatPlural(more, 'more rank')}: --limit`));
  if (unsure) lines.push(style('dim', '  transfer?: where ranks are not here, also the wait for one of them'));
  return lines;
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
