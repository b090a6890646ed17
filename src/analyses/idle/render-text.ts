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
import type { RenderOptions } from '../contract.ts';
import { joinSections } from '../text-tables.ts';
import { CAUSE_WORDS } from '../idle-words.ts';
import { windowLabels } from '../window-labels.ts';
import { gapLines } from './render-gaps.ts';
import type { DeviceIdle, GroupTime, IdleResult } from './result.ts';
import { GROUP_WORDS, type Names, namesOf, placeText } from './words.ts';

const WIDTH = 100;
const BAR = 30;

export function renderIdle(result: IdleResult, options: RenderOptions): string {
  const names = namesOf(result, options.fullNames);
  const isIdle = result.devices.some(({ idleNs }) => idleNs > 0);
  const sections = [
    titleLines(result, options),
    ...result.devices.map((device) => deviceLines(device, options)),
    result.windows.length > 1 && isIdle ? windowLines(result, options) : [],
    reasonLines(result, names, options),
    drainLines(result, names, options),
    gapLines(result, names, options),
    result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return joinSections(sections);
}

function titleLines({ window, traces, windows }: IdleResult, { style }: RenderOptions): string[] {
  const [trace] = traces;
  const count = windows.length > 1 ? ` in ${formatPlural(windows.length, 'window')}` : '';
  const span = `${formatInstant(window.startNs)} to ${formatInstant(window.endNs)}`;
  return [
    style('bold', fitText(`idle time of ${escapeText(window.label)}: ${formatDur(window.wallNs)}${count}`, WIDTH)),
    wrapText(`${span} of ${fitText(escapeText(trace.file), 60)}, rank ${trace.rank}`, WIDTH, 2),
  ];
}

function deviceLines(device: DeviceIdle, { style }: RenderOptions): string[] {
  const { idleNs, idleShare, gapCount, longestGapNs, halfAboveNs, drainedNs, ambiguousNs, groups } = device;
  const title = `device ${device.device}: idle for ${formatDur(idleNs)} (${formatShare(idleShare)})`;
  if (idleNs === 0) return [style('bold', title)];
  const shape = `in ${formatPlural(gapCount, 'gap')}, the longest ${formatDur(longestGapNs)}; half of it in gaps of ${formatDur(halfAboveNs)} or more`;
  const lines = [
    style('bold', title),
    wrapText(shape, WIDTH - 2).replace(/^/gm, '  '),
    ...formatRows(groups.flatMap(groupRows), '<>><').map((line) => `  ${line}`),
  ];
  if (drainedNs > 0) {
    const drained = `${formatShare(drainedNs / idleNs)} of it follows calls that waited for this device, so that its queue had run dry`;
    lines.push(wrapText(drained, WIDTH - 2).replace(/^/gm, '  '));
  }
  if (ambiguousNs > 0) {
    const close = `${formatShare(ambiguousNs / idleNs)} of it may have another cause, which came almost as late`;
    lines.push(wrapText(close, WIDTH - 2).replace(/^/gm, '  '));
  }
  return lines;
}

/** A group, and below it its causes where they say more. */
function groupRows({ group, totalNs, share, causes }: GroupTime): string[][] {
  if (totalNs === 0) return [];
  const row = [GROUP_WORDS[group], formatDur(totalNs), formatShare(share), formatBar(share, BAR)];
  const isPlain = causes.length === 1 && CAUSE_WORDS[causes[0].cause] === GROUP_WORDS[group];
  const parts = causes.map((each) => [
    `  ${CAUSE_WORDS[each.cause]}`,
    formatDur(each.totalNs),
    formatShare(each.share),
    formatBar(each.share, BAR),
  ]);
  return isPlain ? [row] : [row, ...parts];
}

function windowLines({ windows, devices }: IdleResult, { limit, style }: RenderOptions): string[] {
  const shown = windows.slice(0, limit);
  const several = devices.length > 1;
  const labels = windowLabels(windows);
  const rows = shown.flatMap(({ complete, devices: parts }, at) =>
    parts.map(({ device, wallNs, idleNs, idleShare, groups }) => {
      const largest = groups.toSorted((a, b) => b.totalNs - a.totalNs).filter(({ totalNs }) => totalNs > 0);
      return [
        (labels[at] ?? '') + (complete ? '' : ' (not complete)'),
        several ? `device ${device}` : '',
        formatDur(wallNs),
        formatDur(idleNs),
        formatShare(idleShare),
        largest
          .slice(0, 2)
          .map(({ group, share }) => `${GROUP_WORDS[group]} ${formatShare(share, 0)}`)
          .join(', '),
      ];
    }),
  );
  const titles = [formatPlural(windows.length, 'window'), '', 'wall', 'idle', 'share', 'of it'];
  const [head = '', ...lines] = formatRows([titles, ...rows], '~<>>><', WIDTH - 2);
  const more = windows.length - shown.length;
  return [
    style('dim', `  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatCount(more)} more: --limit`)] : []),
  ];
}

function reasonLines(result: IdleResult, names: Names, { limit, style, fullNames }: RenderOptions): string[] {
  const { reasons, devices } = result;
  if (reasons.length === 0) return [];
  const several = devices.length > 1;
  const shown = reasons.slice(0, limit);
  const rows = shown.map((reason) => [
    formatDur(reason.totalNs),
    formatShare(reason.share),
    formatPlural(reason.gaps, 'gap'),
    several ? `device ${reason.device}` : '',
    CAUSE_WORDS[reason.cause],
    placeText(reason, names),
    handleOf(reason.longest),
  ]);
  const titles = ['time', 'share', '', '', 'what', 'where', 'longest'];
  const [head = '', ...lines] = formatRows([titles, ...rows], '>>><<~<', fullNames ? Infinity : WIDTH - 2);
  const more = reasons.length - shown.length;
  return [
    style('bold', 'what the devices waited for'),
    style('dim', `  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatPlural(more, 'smaller one')}: --limit`)] : []),
  ];
}

/** The event of the longest part, or the op that ended its gap. */
function handleOf({ event, endedBy }: IdleResult['reasons'][number]['longest']): string {
  const shown = event ?? endedBy;
  return shown === undefined ? '' : `e-${shown.event}`;
}

function drainLines(result: IdleResult, names: Names, { limit, style, fullNames }: RenderOptions): string[] {
  const { drains, devices } = result;
  if (drains.length === 0) return [];
  const several = devices.length > 1;
  const shown = drains.slice(0, limit);
  const rows = shown.map((drain) => [
    formatDur(drain.totalNs),
    formatShare(drain.share),
    formatPlural(drain.gaps, 'gap'),
    several ? `device ${drain.device}` : '',
    placeText(drain, names),
    `e-${drain.longest.call.event}`,
    `for ${names(drain.longest.waitedFor.name)}`,
    `e-${drain.longest.waitedFor.event}`,
  ]);
  const titles = ['time', 'share', '', '', 'call', 'longest', 'which waited', ''];
  const [head = '', ...lines] = formatRows([titles, ...rows], '>>><~<~<', fullNames ? Infinity : WIDTH - 2);
  const more = drains.length - shown.length;
  return [
    style('bold', 'gaps that follow a call which waited for the device'),
    style('dim', `  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatPlural(more, 'smaller one')}: --limit`)] : []),
  ];
}
