import {
  escapeText,
  fitText,
  formatBar,
  formatCount,
  formatDur,
  formatInstant,
  formatPlural,
  formatRows,
  formatShare,
  wrapText,
} from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { RenderOptions } from '../contract.ts';
import { joinSections } from '../text-tables.ts';
import { windowLabels } from '../window-labels.ts';
import { slackLines } from './render-slack.ts';
import type { BreakdownRow, CriticalPathResult, PathSegment } from './result.ts';

const WIDTH = 100;
const BAR = 40;
/** The longest bar stands for the largest share, or for this where all are small. */
const LEAST_SCALE = 0.25;

export function renderCriticalPath(result: CriticalPathResult, options: RenderOptions): string {
  const { path, windows } = result;
  const sections = [
    titleLines(result, options),
    breakdownLines(path.breakdown),
    windows.length > 1 ? windowLines(result, options) : [],
    groupLines(result, options),
    result.slack === undefined ? [] : slackLines(result.slack, options),
    [
      wrapText(coverageText(result), WIDTH, 2),
      ...result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
    ],
  ];
  return joinSections(sections);
}

function titleLines({ window, traces }: CriticalPathResult, { style }: RenderOptions): string[] {
  const [trace] = traces;
  const from = `${fitText(escapeText(trace.file), 60)}, rank ${trace.rank}`;
  const ends = [`host until +${formatDur(window.hostEndNs - window.startNs)}`];
  if (window.deviceEndNs !== undefined) ends.push(`device until +${formatDur(window.deviceEndNs - window.startNs)}`);
  const span = `${formatInstant(window.startNs)} to ${formatInstant(window.endNs)}`;
  return [
    style('bold', fitText(`critical path of ${escapeText(window.label)}: ${formatDur(window.wallNs)}`, WIDTH)),
    wrapText(`${span} of ${from} (${ends.join(', ')})`, WIDTH, 2),
  ];
}

function breakdownLines(breakdown: readonly BreakdownRow[]): string[] {
  const shown = breakdown.filter(({ totalNs }) => totalNs > 0);
  const scale = Math.max(...shown.map(({ share }) => share), LEAST_SCALE);
  const rows = shown.map(({ kind, totalNs, share, segments }) => [
    kind,
    formatDur(totalNs),
    formatShare(share),
    formatPlural(segments, 'segment'),
    formatBar(share / scale, BAR),
  ]);
  return formatRows(rows, '<>>><').map((line) => `  ${line}`);
}

function windowLines({ windows }: CriticalPathResult, { limit, style }: RenderOptions): string[] {
  const shown = windows.slice(0, limit);
  const labels = windowLabels(windows);
  const rows = shown.map(({ wallNs, complete, breakdown }, at) => [
    labels[at] ?? '',
    formatDur(wallNs),
    complete ? '' : 'not complete',
    breakdown
      .slice(0, 2)
      .map(({ kind, share }) => `${kind} ${formatShare(share, 0)}`)
      .join(', '),
  ]);
  const lines = [style('bold', `${formatPlural(windows.length, 'window')}`)];
  lines.push(...formatRows(rows, '~><<', WIDTH - 2).map((line) => `  ${line}`));
  const more = windows.length - shown.length;
  if (more > 0) lines.push(style('dim', `  ${formatCount(more)} more: --limit`));
  return lines;
}

/** All segments of the path that have one kind and one name. */
interface Group {
  readonly kind: PathSegment['kind'] | 'other work';
  readonly what: string;
  totalNs: number;
  count: number;
  longest: PathSegment;
}

function groupLines(result: CriticalPathResult, options: RenderOptions): string[] {
  const { wallNs } = result.window;
  const groups = groupByName(result.path.segments, options);
  const shown = groups.slice(0, options.limit);
  if (shown.length === 0) return [];
  const rows = shown.map(({ kind, what, totalNs, count, longest }) => [
    formatDur(totalNs),
    formatShare(wallNs > 0 ? totalNs / wallNs : 0),
    `${formatCount(count)}×`,
    kind,
    what,
    longest.event === undefined ? '' : `e-${longest.event.event}`,
    longest.cause === undefined
      ? whyText(longest.boundBy) + (longest.ambiguous === true ? ' (?)' : '')
      : causeText(longest.cause),
  ]);
  const titles = ['time', 'share', '', 'kind', 'what', 'longest', 'which began after'];
  const width = options.fullNames ? Infinity : WIDTH - 2;
  const [head = '', ...table] = formatRows([titles, ...rows], '>>><~<<', width);
  const rest = groups.length - shown.length;
  return [
    options.style('dim', `  ${head}`),
    ...table.map((line) => `  ${line}`),
    ...(rest > 0 ? [options.style('dim', `  ${formatPlural(rest, 'smaller one')}: --limit`)] : []),
  ];
}

/** Largest first. */
function groupByName(segments: readonly PathSegment[], { fullNames }: RenderOptions): Group[] {
  const names = segments.flatMap(({ event }) => (event === undefined ? [] : [event.name]));
  const short = fullNames ? undefined : shortKernelNames(names);
  const groups = new Map<string, Group>();
  for (const segment of segments) {
    const { startNs, endNs } = segment;
    const kind = segment.otherWork === true ? 'other work' : segment.kind;
    const length = endNs - startNs;
    if (length === 0) continue;
    const what = whatText(segment, short);
    const known = groups.get(`${kind} ${what}`);
    if (known === undefined) {
      groups.set(`${kind} ${what}`, { kind, what, totalNs: length, count: 1, longest: segment });
      continue;
    }
    known.totalNs += length;
    known.count++;
    if (length > known.longest.endNs - known.longest.startNs) known.longest = segment;
  }
  return [...groups.values()].sort((a, b) => b.totalNs - a.totalNs || a.longest.startNs - b.longest.startNs);
}

function whatText({ kind, event, python }: PathSegment, short: ReadonlyMap<string, string> | undefined): string {
  const name = event === undefined ? '' : escapeText(short?.get(event.name) ?? event.name);
  const frame = python === undefined ? '' : escapeText(python);
  switch (kind) {
    case 'host-gap':
      return frame !== '' ? frame : name === '' ? '' : `before ${name}`;
    case 'launch':
    case 'stream-gap':
    case 'unexplained':
      return name === '' ? '' : `before ${name}`;
    default:
      return name !== '' ? name : frame;
  }
}

function causeText(cause: NonNullable<PathSegment['cause']>): string {
  switch (cause) {
    case 'other-lane-busy':
      return 'unknown: other stream busy';
    case 'device-idle':
      return 'unknown: device idle';
    case 'graph-rows-missing':
      return 'unknown: graph rows missing';
    case 'before-capture':
      return 'unknown: before the trace';
    case 'no-launch':
      return 'unknown: no launch';
  }
}

function whyText(boundBy: PathSegment['boundBy']): string {
  switch (boundBy) {
    case 'launch':
      return 'its launch';
    case 'stream-order':
      return 'op on its stream';
    case 'stream-wait':
      return 'another stream';
    case 'event-sync':
      return 'its event';
    case 'stream-sync':
      return 'its stream';
    case 'device-sync':
      return 'its device';
    case 'copy-sync':
      return 'its copy';
    case 'host-order':
      return 'op on its thread';
    case 'thread':
      return 'another thread';
    case 'collective':
      return 'the last rank';
    case 'graph':
      return 'op of its graph';
    case 'overlap':
      return 'op it overlaps';
    case 'queue-full':
      return 'the full queue';
    case 'inferred-wait':
      return 'a guessed wait';
    case 'window-start':
      return 'window start';
  }
}

/** How much of this can be believed, in one sentence. */
function coverageText({ coverage, path }: CriticalPathResult): string {
  const { launches, waits, inferred, inversions, ambiguous } = coverage;
  const guessed = waits.heuristic + inferred['wait-call'] + inferred.c10d + inferred['end-start'];
  return [
    `coverage: ${formatCount(launches.linked)} of ${formatPlural(launches.total, 'launch', 'launches')} linked`,
    waitsText(waits),
    ...(waits.callsWithoutRow > 0 ? [`${formatPlural(waits.callsWithoutRow, 'wait call')} without a row`] : []),
    `${formatCount(guessed)} guessed`,
    unexplainedText(path),
    ambiguous === 0
      ? 'no close calls'
      : `${formatPlural(ambiguous, 'close call')} (another constraint came almost as late)`,
    inversions.count === 0
      ? 'no clock inversions'
      : `${formatPlural(inversions.count, 'clock inversion')} up to ${formatDur(inversions.maxNs)}`,
  ].join('; ');
}

/** `6 of 20 waits resolved, 14 empty`: only what is not nothing. */
function waitsText(waits: CriticalPathResult['coverage']['waits']): string {
  const others = [
    [waits.empty, 'empty'],
    [waits.sameStream + waits.noSink, 'without effect'],
    [waits.future + waits.unresolved, 'unresolved'],
  ] as const;
  const more = others.filter(([count]) => count > 0).map(([count, words]) => `, ${formatCount(count)} ${words}`);
  return `${formatCount(waits.resolved)} of ${formatPlural(waits.total, 'wait')} resolved${more.join('')}`;
}

function unexplainedText({ breakdown, segments, totalNs }: CriticalPathResult['path']): string {
  const share = breakdown.find(({ kind }) => kind === 'unexplained')?.share ?? 0;
  if (share === 0 || totalNs === 0) return 'nothing unexplained';
  const byCause = new Map<string, number>();
  for (const { cause, startNs, endNs } of segments) {
    if (cause !== undefined) byCause.set(cause, (byCause.get(cause) ?? 0) + endNs - startNs);
  }
  const causes = [...byCause].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const words = causes.map(([cause, ns]) => `${cause} ${formatShare(ns / totalNs)}`);
  return `${formatShare(share)} unexplained${words.length > 0 ? ` (${words.join(', ')})` : ''}`;
}
