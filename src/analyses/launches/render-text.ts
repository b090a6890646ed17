import { escapeText, formatCount, formatDur, formatPlural, formatShare, wrapText } from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { RenderOptions } from '../contract.ts';
import { joinSections, titledTable } from '../text-tables.ts';
import type { Launch, LaunchApi, LaunchLane, LaunchesResult, ShortKernel } from './result.ts';

const WIDTH = 100;

export function renderLaunches(result: LaunchesResult, options: RenderOptions): string {
  const sections = [
    [...titleLines(result, options), ...factLines(result)],
    apiLines(result.apis, options),
    laneLines(result.lanes, result, options),
    longCallLines(result, options),
    longDelayLines(result, options),
    shortLines(result.shortKernels, options),
    graphLines(result.graphs, options),
    result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return joinSections(sections);
}

function titleLines({ window, calls, linked, deviceOps }: LaunchesResult, { style }: RenderOptions): string[] {
  const made = linked === calls ? '' : `, ${formatCount(linked)} with device rows`;
  const title = `launches of ${escapeText(window.label)}: ${formatPlural(calls, 'call')}${made}, ${formatPlural(deviceOps, 'device op')}`;
  return [style('bold', wrapText(title, WIDTH, 2))];
}

function factLines({
  call,
  waited,
  delay,
  window,
  foundEmpty,
  path,
  blocked,
  outliers,
  limits,
}: LaunchesResult): string[] {
  const spread = ({ medianNs, p95Ns, maxNs }: typeof call): string =>
    `median ${formatDur(medianNs)}, p95 ${formatDur(p95Ns)}, max ${formatDur(maxNs)}`;
  const ofWall =
    window.wallNs > 0 ? `, ${formatShare(call.totalNs / window.wallNs)} of ${formatDur(window.wallNs)}` : '';
  const ofThem =
    waited.calls === 0
      ? ''
      : `, ${formatDur(waited.callNs)} of it in ${formatPlural(waited.calls, 'copy call')} that waited for the device`;
  const lines = [['call', `${spread(call)}; ${formatDur(call.totalNs)} in all${ofWall}${ofThem}`]];
  if (delay !== undefined) {
    const least = formatDur(limits.minDelayNs);
    const often = outliers.idleDelays === 0 ? 'never' : formatPlural(outliers.idleDelays, 'time');
    const idle = `${often} with the stream idle for more than ${least}`;
    lines.push(['delay', `${spread(delay)}; ${idle}`]);
  }
  if (foundEmpty !== undefined) {
    const { count, share } = foundEmpty;
    lines.push([
      'queue',
      `${formatPlural(count, 'launch', 'launches')} (${formatShare(share)}) found nothing waiting on the stream`,
    ]);
  }
  lines.push(['path', pathText(path)]);
  if (blocked.calls > 0) {
    lines.push([
      'full',
      `${formatPlural(blocked.calls, 'call')} waited ${formatDur(blocked.blockedNs)} for room in the queue`,
    ]);
  }
  return lines.map(
    ([head = '', text = '']) => `  ${head.padEnd(7)}${wrapText(text, WIDTH - 9, 0).replaceAll('\n', '\n         ')}`,
  );
}

function pathText({ launchBoundShare, latencyNs, callsNs }: LaunchesResult['path']): string {
  const parts = [
    ...(latencyNs > 0 ? [`${formatDur(latencyNs)} from call to device`] : []),
    ...(callsNs > 0 ? [`${formatDur(callsNs)} in launch calls`] : []),
  ];
  if (parts.length === 0) return 'not launch-bound: no launch call is on it, and no op that waits for its launch alone';
  return `launch-bound ${formatShare(launchBoundShare)}: ${parts.join(', ')}`;
}

function apiLines(apis: readonly LaunchApi[], options: RenderOptions): string[] {
  const shown = apis.slice(0, options.limit);
  const rows = shown.map(({ name, calls, deviceOps, call, delay, short }) => [
    escapeText(name),
    formatCount(calls),
    formatCount(deviceOps),
    formatDur(call.medianNs),
    formatDur(call.maxNs),
    delay === undefined ? '-' : formatDur(delay.medianNs),
    delay === undefined ? '-' : formatDur(delay.maxNs),
    formatCount(short),
  ]);
  const head = ['call', 'calls', 'device ops', 'call median', 'max', 'delay median', 'max', 'short'];
  return titledTable('by call', [head, ...rows], '~>>>>>>>', options, apis.length - shown.length);
}

function laneLines(lanes: readonly LaunchLane[], { limits }: LaunchesResult, options: RenderOptions): string[] {
  if (lanes.length === 0) return [];
  const shown = lanes.slice(0, options.limit);
  const rows = shown.map(({ lane, launches, foundEmpty, atLaunch, overTime, fullNs }) => [
    lane,
    formatCount(launches),
    formatShare(foundEmpty / launches),
    formatDepth(atLaunch.median),
    formatDepth(atLaunch.max),
    overTime === undefined ? '-' : formatDepth(overTime.mean),
    overTime === undefined ? '-' : formatDepth(overTime.p95),
    overTime === undefined ? '-' : formatDepth(overTime.max),
    formatDur(fullNs),
  ]);
  const head = ['stream', 'launches', 'found empty', 'found median', 'max', 'over time: mean', 'p95', 'max', 'full'];
  const title = `queue depth: device ops that wait (full: ${formatCount(limits.fullQueue)} launches or more)`;
  return titledTable(title, [head, ...rows], '<>>>>>>>>', options, lanes.length - shown.length);
}

function formatDepth(depth: number): string {
  if (Number.isInteger(depth)) return formatCount(depth);
  return depth < 0.05 ? '<0.1' : depth.toFixed(1);
}

/** Short names of the kernels of some rows, and the row's cells that all lists of launches have. */
function namesOf(names: readonly string[], { fullNames }: RenderOptions): (name: string) => string {
  const short = fullNames ? undefined : shortKernelNames(names);
  return (name) => escapeText(short?.get(name) ?? name);
}

function longCallLines({ longCalls, outliers, limits }: LaunchesResult, options: RenderOptions): string[] {
  if (outliers.longCalls === 0) return [];
  const shown = longCalls.slice(0, options.limit);
  const short = namesOf(
    shown.flatMap(({ op }) => (op === undefined ? [] : [op.name])),
    options,
  );
  const rows = shown.map(({ call, callNs, op, deviceNs, waited }) => [
    `e-${call.event}`,
    escapeText(call.name),
    formatDur(callNs),
    op === undefined ? 'no device row' : short(op.name),
    op === undefined ? '' : formatDur(deviceNs),
    waited === true ? 'waited for it' : '',
  ]);
  const title = `${formatPlural(outliers.longCalls, 'call')} longer than ${formatDur(limits.minCallNs)} (--min-call)`;
  const head = ['event', 'call', 'took', 'launched', 'which took', ''];
  return titledTable(title, [head, ...rows], '<~>~><', options, outliers.longCalls - shown.length);
}

/** Behind a deep queue a long delay is as it should be: only those are listed that left their stream idle. */
function longDelayLines({ longDelays, outliers, limits }: LaunchesResult, options: RenderOptions): string[] {
  const { longDelays: count, idleDelays: idle } = outliers;
  if (count === 0) return [];
  const least = formatDur(limits.minDelayNs);
  const title = `${formatPlural(count, 'delay')} above ${least} (--min-delay)`;
  if (idle === 0) return [options.style('bold', `${title}: none with the stream idle for that long`)];
  const shown = longDelays.slice(0, Math.min(options.limit, idle));
  const short = namesOf(
    shown.flatMap(({ op }) => (op === undefined ? [] : [op.name])),
    options,
  );
  const rows = shown.map(({ op, delayNs, idleNs, queued }) => [
    op === undefined ? '' : `e-${op.event}`,
    op === undefined ? '' : short(op.name),
    op === undefined ? '' : op.lane,
    formatDur(delayNs ?? 0),
    formatDur(idleNs ?? 0),
    formatCount(queued ?? 0),
  ]);
  const head = ['event', 'device op', 'stream', 'delay', 'stream idle', 'found waiting'];
  const which = `${title}: ${formatCount(idle)} with the stream idle for longer than that`;
  return titledTable(which, [head, ...rows], '<~<>>>', options, idle - shown.length);
}

function shortLines(kernels: readonly ShortKernel[], options: RenderOptions): string[] {
  if (kernels.length === 0) return [];
  const shown = kernels.slice(0, options.limit);
  const short = namesOf(
    shown.map(({ name }) => name),
    options,
  );
  const rows = shown.map(({ name, count, deviceNs, callNs, example }) => [
    short(name),
    formatCount(count),
    formatDur(deviceNs),
    formatDur(callNs),
    `e-${example.event}`,
  ]);
  const total = kernels.reduce((sum, { count }) => sum + count, 0);
  const title = `${formatPlural(total, 'device op')} shorter than the call that launched ${total === 1 ? 'it' : 'them'}`;
  const head = ['device op', 'count', 'ran', 'calls took', 'worst'];
  return titledTable(title, [head, ...rows], '~>>>>', options, kernels.length - shown.length);
}

function graphLines(graphs: readonly Launch[], options: RenderOptions): string[] {
  if (graphs.length === 0) return [];
  const shown = graphs.slice(0, options.limit);
  const rows = shown.map(({ call, op, deviceOps, callNs, delayNs, deviceNs }) => [
    `e-${call.event}`,
    escapeText(call.name),
    formatCount(deviceOps),
    formatDur(callNs),
    delayNs === undefined ? '-' : formatDur(delayNs),
    op === undefined ? 'no device rows' : formatDur(deviceNs),
    op === undefined ? '' : op.lane,
  ]);
  const head = ['event', 'call', 'nodes', 'call took', 'delay', 'nodes took', 'stream'];
  const title = `${formatPlural(graphs.length, 'graph launch', 'graph launches')}`;
  return titledTable(title, [head, ...rows], '<~>>>><', options, graphs.length - shown.length);
}
