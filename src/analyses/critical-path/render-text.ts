import {
  escapeText,
  fitText,
  formatBar,
  formatCount,
  formatDur,
  formatPlural,
  formatRows,
  formatShare,
  wrapText,
} from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { RenderOptions } from '../contract.ts';
import type { BreakdownRow, CriticalPathResult, PathSegment } from './result.ts';

const WIDTH = 100;
const BAR = 40;

export function renderCriticalPath(result: CriticalPathResult, options: RenderOptions): string {
  const { path, windows } = result;
  const sections = [
    titleLines(result, options),
    breakdownLines(path.breakdown),
    windows.length > 1 ? windowLines(result, options) : [],
    runLines(result, options),
    [wrapText(coverageText(result), WIDTH, 2), ...result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2))],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function titleLines({ window, traces }: CriticalPathResult, { style }: RenderOptions): string[] {
  const [trace] = traces;
  const from = `${escapeText(trace.file)}, rank ${trace.rank}`;
  const ends = [`host until ${formatDur(window.hostEndNs)}`];
  if (window.deviceEndNs !== undefined) ends.push(`device until ${formatDur(window.deviceEndNs)}`);
  return [
    style('bold', fitText(`critical path of ${escapeText(window.label)}: ${formatDur(window.wallNs)}`, WIDTH)),
    fitText(`${formatDur(window.startNs)} to ${formatDur(window.endNs)} of ${from} (${ends.join(', ')})`, WIDTH),
  ];
}

function breakdownLines(breakdown: readonly BreakdownRow[]): string[] {
  const shown = breakdown.filter(({ totalNs }) => totalNs > 0);
  const largest = Math.max(...shown.map(({ share }) => share), 0);
  const rows = shown.map(({ kind, totalNs, share, segments }) => [
    kind,
    formatDur(totalNs),
    formatShare(share),
    formatPlural(segments, 'segment'),
    formatBar(largest > 0 ? share / Math.max(largest, 0.25) : 0, BAR),
  ]);
  return formatRows(rows, '<>>><').map((line) => `  ${line}`);
}

function windowLines({ windows }: CriticalPathResult, { limit, style }: RenderOptions): string[] {
  const shown = windows.slice(0, limit);
  const rows = shown.map(({ label, wallNs, complete, breakdown }) => [
    escapeText(label),
    formatDur(wallNs),
    complete ? '' : 'not complete',
    breakdown
      .slice(0, 2)
      .map(({ kind, share }) => `${kind} ${formatShare(share, 0)}`)
      .join(', '),
  ]);
  const lines = [style('bold', `${formatPlural(windows.length, 'window')}`)];
  lines.push(...formatRows(rows, '~><<', WIDTH - 2).map((line) => `  ${line}`));
  if (windows.length > shown.length) lines.push(style('dim', `  ${formatCount(windows.length - shown.length)} more: --limit`));
  return lines;
}

/** Neighbours on the path of one kind and one name. */
interface Run {
  readonly first: PathSegment;
  readonly what: string;
  readonly totalNs: number;
  readonly count: number;
}

function runLines(result: CriticalPathResult, options: RenderOptions): string[] {
  const { wallNs } = result.window;
  const runs = collapseRuns(result.path.segments, options);
  const shown = runs.toSorted((a, b) => b.totalNs - a.totalNs || a.first.startNs - b.first.startNs).slice(0, options.limit);
  if (shown.length === 0) return [];
  const rows = shown.map(({ first, what, totalNs, count }) => [
    formatDur(totalNs),
    formatShare(wallNs > 0 ? totalNs / wallNs : 0),
    count > 1 ? `${formatCount(count)}×` : '',
    first.kind,
    what,
    first.event === undefined ? '' : `e-${first.event.event}`,
    `${whyText(first.boundBy)}${first.ambiguous === true ? ' (?)' : ''}`,
  ]);
  const titles = ['time', 'share', '', 'kind', 'what', 'first', 'begins after'];
  const [head = '', ...table] = formatRows([titles, ...rows], '>>><~<<', options.fullNames ? Infinity : WIDTH - 2);
  const title = `${shown.length === runs.length ? 'all' : formatCount(shown.length)} of ${formatPlural(runs.length, 'run')}, longest first`;
  return [options.style('bold', title), options.style('dim', `  ${head}`), ...table.map((line) => `  ${line}`)];
}

function collapseRuns(segments: readonly PathSegment[], { fullNames }: RenderOptions): Run[] {
  const names = segments.flatMap(({ event }) => (event === undefined ? [] : [event.name]));
  const short = fullNames ? undefined : shortKernelNames(names);
  const runs: Run[] = [];
  let last: Run | undefined;
  for (const segment of segments) {
    const totalNs = segment.endNs - segment.startNs;
    const what = whatText(segment, short);
    const isSame = last !== undefined && last.first.kind === segment.kind && last.what === what;
    if (isSame && last !== undefined) {
      last = { ...last, totalNs: last.totalNs + totalNs, count: last.count + 1 };
      runs[runs.length - 1] = last;
      continue;
    }
    last = { first: segment, what, totalNs, count: 1 };
    runs.push(last);
  }
  return runs;
}

function whatText({ kind, event, python, cause }: PathSegment, short: ReadonlyMap<string, string> | undefined): string {
  const name = event === undefined ? '' : escapeText(short?.get(event.name) ?? event.name);
  const frame = python === undefined ? '' : escapeText(python);
  switch (kind) {
    case 'host-gap':
      return frame !== '' ? frame : name === '' ? '' : `before ${name}`;
    case 'launch':
    case 'stream-gap':
      return name === '' ? '' : `before ${name}`;
    case 'unexplained':
      return `${cause === undefined ? '' : causeText(cause)}${name === '' ? '' : `, before ${name}`}`;
    default:
      return name !== '' ? name : frame;
  }
}

function causeText(cause: NonNullable<PathSegment['cause']>): string {
  switch (cause) {
    case 'other-lane-busy':
      return 'another stream was busy';
    case 'device-idle':
      return 'the device was idle';
    case 'graph-rows-missing':
      return 'rows of a graph are missing';
    case 'before-capture':
      return 'before the trace began';
    case 'no-launch':
      return 'no launch in the trace';
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
  const settled = waits.resolved + waits.empty + waits.sameStream + waits.noSink;
  return [
    `coverage: ${formatCount(launches.linked)} of ${formatPlural(launches.total, 'launch', 'launches')} linked`,
    `${formatCount(settled)} of ${formatPlural(waits.total, 'wait')} resolved`,
    ...(waits.callsWithoutRow > 0 ? [`${formatPlural(waits.callsWithoutRow, 'wait call')} without a row`] : []),
    `${formatCount(guessed)} guessed`,
    unexplainedText(path),
    `${formatPlural(ambiguous, 'near rival')}`,
    inversions.count === 0
      ? 'no clock inversions'
      : `${formatPlural(inversions.count, 'clock inversion')} up to ${formatDur(inversions.maxNs)}`,
  ].join('; ');
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
