import type { Outcome, RenderOptions } from '../analyses/contract.ts';
import { escapeText, fitText, formatCount, formatDur, formatPlural, formatRows, wrapText } from '../base/format.ts';
import type { RankSpan } from '../trace/job.ts';
import { callsText, clocksText, groupsText, pathTexts, stragglerTexts, verdictText } from './job-words.ts';
import type { JobRankRow, JobReport } from './job-report.ts';
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

const SOURCE_WORDS: Readonly<Record<JobReport['from'], string>> = {
  'distributed-info': 'as the traces say',
  'file-name': 'by the names of the files',
  'rank-arg': 'by the Rank of their collectives',
  order: 'only numbered in the order of their names, since nothing says which rank each is',
};

function headLines(report: JobReport, { style }: RenderOptions): string[] {
  const { ranks, worldSize, from, missing, mixed, unread } = report;
  const of = worldSize === undefined ? '' : ` of ${formatCount(worldSize)}`;
  const lines = [`${formatPlural(ranks.length, 'rank')}${of}, ${SOURCE_WORDS[from]}: ${whatRan(ranks)}`].map((line) =>
    style('dim', wrapText(line, WIDTH, 2)),
  );
  if (mixed.length === 0 && missing.length > 0) lines.push(wrapText(`not here: ${spansText(missing)}`, WIDTH, 2));
  for (const reason of mixed) {
    lines.push(wrapText(`not one run: ${escapeText(reason)}; so nothing is said across these files`, WIDTH, 2));
  }
  for (const { file, why } of unread) {
    lines.push(wrapText(`cannot be read: ${fitText(escapeText(file), 60)}: ${escapeText(why)}`, WIDTH, 2));
  }
  for (const row of ranks) {
    if (row.damage.length > 0) lines.push(wrapText(`damaged: ${nameOf(row)}: ${damageText(row)}`, WIDTH, 2));
  }
  return lines;
}

const nameOf = ({ rank, file }: JobRankRow): string => `rank ${rank}, ${fitText(escapeText(file), 50)}`;

function damageText({ damage }: JobRankRow): string {
  const sorted = damage.toSorted((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
  const shown = sorted.slice(0, 3).map(({ kind, count }) => `${formatCount(count)} ${kind}`);
  return shown.join(', ') + (sorted.length > 3 ? `, ${formatPlural(sorted.length - 3, 'more kind')}` : '');
}

/** `Tesla V100, 3,290 to 3,412 events`. */
function whatRan(ranks: readonly JobRankRow[]): string {
  const devices = [...new Set(ranks.flatMap(({ device }) => (device === undefined ? [] : [device])))].sort();
  const names = devices.slice(0, 2).map((name) => fitText(escapeText(name), 40));
  if (devices.length > 2) names.push(`${devices.length - 2} other devices`);
  const events = ranks.map((row) => row.events);
  const [least, most] = [Math.min(...events), Math.max(...events)];
  const span = least === most ? formatCount(least) : `${formatCount(least)} to ${formatCount(most)}`;
  return [...names, `${span} events each`].join(', ');
}

/** `1, 3 to 6 and 12 more`. */
function spansText(spans: readonly RankSpan[]): string {
  const shown = spans.slice(0, 6).map(({ first, last }) => (first === last ? String(first) : `${first} to ${last}`));
  const rest = spans.slice(6).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  return `rank ${shown.join(', ')}${rest > 0 ? ` and ${formatPlural(rest, 'more rank')}` : ''}`;
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
