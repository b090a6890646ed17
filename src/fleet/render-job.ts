import type { Outcome, RenderOptions } from '../analyses/contract.ts';
import {
  escapeText,
  fitText,
  formatCount,
  formatDur,
  formatInstant,
  formatPlural,
  formatRows,
  formatShare,
  wrapText,
} from '../base/format.ts';
import type { JobLeg, JobPathAnswer } from './job-path-answer.ts';
import type { CallsAnswer, ClocksAnswer, JobRankRow, JobReport } from './job-report.ts';
import { type GroupFamily, type GroupsAnswer, SURE } from './parallel-groups.ts';
import type { RankSpan } from '../trace/job.ts';

const WIDTH = 100;
const COLUMN = 12;

/** One screen of a job: its ranks, what they have in common, and what is not known. */
export function renderJob(report: JobReport, options: RenderOptions): string {
  const sections = [
    headLines(report, options),
    rankLines(report, options),
    [
      ...answerLines('path', report.path, (answer) => pathTexts(answer, options), options),
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

/** What each rank did by itself. */
function rankLines({ ranks }: JobReport, { limit, style }: RenderOptions): string[] {
  const shown = ranks.slice(0, Math.max(limit, 1));
  const rows = shown.map((row) => [
    String(row.rank),
    row.medianNs === undefined ? '–' : formatDur(row.medianNs),
    row.windows > 1 ? `×${row.windows}` : '',
    ...(row.medianNs === undefined
      ? ['–', '–', '–', '–']
      : [row.computationNs, row.communicationNs, row.exposedNs, row.idleNs].map(formatDur)),
    row.noPath === undefined ? fitText(escapeText(row.file), 40) : `no answer: ${escapeText(row.noPath)}`,
  ]);
  const titles = ['rank', 'window', '', 'computes', 'communicates', 'exposed', 'idle', 'file'];
  const [head = '', ...table] = formatRows([titles, ...rows], '>><>>>>~', WIDTH - 2);
  const lines = [style('dim', `  ${head}`), ...table.map((line) => `  ${line}`)];
  const more = ranks.length - shown.length;
  if (more > 0) lines.push(style('dim', `  ${formatPlural(more, 'more rank')}: --limit`));
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

function callsText(answer: CallsAnswer): string {
  const { calls, matched, mismatched, ambiguous, unmatched, by, meetings, incomplete } = answer;
  const how = Object.entries(by).map(([name, count]) => `${formatCount(count)} by ${name}`);
  const left = [
    ...(unmatched > 0 ? [`${formatCount(unmatched)} unmatched`] : []),
    ...(ambiguous > 0 ? [`${formatCount(ambiguous)} ambiguous`] : []),
    ...(mismatched > 0 ? [`${formatCount(mismatched)} desynchronised (same key, other op or size)`] : []),
  ];
  const whole = incomplete === 0 ? 'all with every member' : `${formatCount(incomplete)} of them without all members`;
  return [
    `${formatCount(matched)} of ${formatPlural(calls, 'call')} matched${how.length === 0 ? '' : ` (${how.join(', ')})`}`,
    ...(meetings === 0 ? [] : [`${formatPlural(meetings, 'meeting')}, ${whole}`]),
    ...left,
  ].join('; ');
}

function clocksText(answer: ClocksAnswer): string {
  const { ranks, parts, hosts, withoutHost, checked, violated, worstNs, medianResidualNs, largestResidualNs } = answer;
  const known = ranks.flatMap(({ uncertaintyNs }) => (uncertaintyNs === undefined ? [] : [uncertaintyNs]));
  const skews = ranks.map(({ skewNs }) => skewNs);
  const spread = Math.max(...skews) - Math.min(...skews);
  const alone = hosts === 0 ? 'no two ranks seem to be of one host' : `${formatPlural(hosts, 'host')} by the clocks`;
  return [
    known.length === 0 ? 'not comparable' : `known to ±${formatDur(Math.max(...known))}, ${formatDur(spread)} apart`,
    ...(parts > 1 ? [`${formatCount(parts)} parts that no call ties together`] : []),
    hosts > 0 && withoutHost > 0 ? `${alone}, ${formatPlural(withoutHost, 'rank')} of none` : alone,
    ...(checked === 0
      ? []
      : [
          violated === 0
            ? `none of ${formatPlural(checked, 'end')} before what it needs`
            : `${formatCount(violated)} of ${formatPlural(checked, 'end')} before what they need, by up to ${formatDur(Math.round(worstNs))}`,
          `residual ${formatDur(Math.round(medianResidualNs))}, at most ${formatDur(Math.round(largestResidualNs))}`,
        ]),
  ].join('; ');
}

function pathTexts(
  { windows, totalNs, breakdown, byRank, legs, notes }: JobPathAnswer,
  { limit }: RenderOptions,
): string[] {
  const walls = windows.map(({ wallNs }) => wallNs).sort((a, b) => a - b);
  const [label = ''] = windows.map((window) => fitText(escapeText(window.label), 40));
  const what =
    windows.length === 1
      ? label
      : `${formatPlural(windows.length, 'window')}, median ${formatDur(walls[(walls.length - 1) >> 1] ?? 0)}`;
  const kinds = breakdown.slice(0, 4).map(({ kind, share }) => `${formatShare(share, 0)} ${kind}`);
  const ranks = byRank.slice(0, 3).map(({ rank, share }) => `rank ${rank} ${formatShare(share, 0)}`);
  const more = legs.length - Math.max(limit, 1);
  return [
    `${what}: ${formatDur(totalNs)} across ranks: ${kinds.join(', ')}; ${ranks.join(', ')}`,
    ...legs.slice(0, Math.max(limit, 1)).map(legText),
    ...(more > 0 ? [`${formatPlural(more, 'more leg')}: --limit`] : []),
    ...notes.map((note) => `note: ${escapeText(note)}`),
  ];
}

/** `rank 7 from 0 ns for 10.9 ms: 70 % before-window; it came last to a call, 504.7 µs after rank 6`. */
function legText({ rank, startNs, endNs, kinds, event, left }: JobLeg): string {
  const most = kinds.slice(0, 3).map(({ kind, share }) => `${formatShare(share, 0)} ${kind}`);
  const seen = event === undefined ? '' : ` (r-${rank}/e-${event})`;
  return `rank ${rank} from ${formatInstant(startNs)} for ${formatDur(endNs - startNs)}: ${most.join(', ')}${seen}${leftText(left)}`;
}

function leftText(left: JobLeg['left']): string {
  if (left === undefined) return '';
  if (left.marginNs === undefined || left.next === undefined) return '; then a call that it was the last to reach';
  const margin = `${formatDur(left.marginNs)} after rank ${left.next}`;
  return left.isTie
    ? `; then a call that it or rank ${left.next} reached last (a tie: ${formatDur(left.marginNs)} is within what the clocks tell)`
    : `; then a call that it reached last, ${margin}`;
}

function groupsText({ families }: GroupsAnswer, { limit }: RenderOptions): string[] {
  const lines = families.slice(0, Math.max(limit, 1)).map(familyText);
  return families.length > lines.length
    ? [...lines, `${formatCount(families.length - lines.length)} more: --limit`]
    : lines;
}

/** `data parallel: group of 8 (default_pg), 1,200 all-reduce`; of what is not sure only the shape. */
function familyText(family: GroupFamily): string {
  const { kind, confidence, evidence, ops, groups, description } = family;
  const shape = shapeText(family);
  const label = description === '' ? '' : ` (${fitText(escapeText(description), 40)})`;
  const several = groups > 1 ? `, ${formatCount(groups)} of them` : '';
  const calls = ops.slice(0, 3).map(({ op, calls: count }) => `${formatCount(count)} ${op}`);
  const isSure = kind !== undefined && confidence >= SURE;
  const head = isSure
    ? `${kind} parallel, ${formatShare(confidence, 0)} sure from ${evidence.join(' and ')}: ${shape}`
    : shape;
  return `${head}${label}${several}: ${calls.join(', ')}`;
}

function shapeText({ size, stride, ranks }: GroupFamily): string {
  if (size === undefined) return 'group of unknown size';
  if (stride !== undefined) return `group of ${formatCount(size)}, stride ${stride}`;
  return ranks === undefined ? `group of ${formatCount(size)}` : `group of ${formatCount(size)}, ranks irregular`;
}
