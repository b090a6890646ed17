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
import { windowLabels } from '../window-labels.ts';
import type { BreakdownResult, DeviceBreakdown, TimeParts, WorkClass } from './result.ts';

const WIDTH = 100;
const BAR = 34;

export function renderBreakdown(result: BreakdownResult, options: RenderOptions): string {
  const sections = [
    titleLines(result, options),
    ...result.devices.map((device) => deviceLines(device, options)),
    result.windows.length > 1 ? windowLines(result, options) : [],
    result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return joinSections(sections);
}

function titleLines({ window, traces, windows }: BreakdownResult, { style }: RenderOptions): string[] {
  const [trace] = traces;
  const count = windows.length > 1 ? ` in ${formatPlural(windows.length, 'window')}` : '';
  const span = `${formatInstant(window.startNs)} to ${formatInstant(window.endNs)}`;
  return [
    style('bold', fitText(`time of ${escapeText(window.label)}: ${formatDur(window.wallNs)}${count}`, WIDTH)),
    wrapText(`${span} of ${fitText(escapeText(trace.file), 60)}, rank ${trace.rank}`, WIDTH, 2),
  ];
}

function deviceLines(device: DeviceBreakdown, { style }: RenderOptions): string[] {
  const { combinations, idleNs, idleShare, classes } = device;
  const rows = combinations.map(({ classes: names, totalNs, share }) => partRow(namesText(names), totalNs, share));
  const table = classes.map(({ class: name, totalNs, share, exposedNs, overlappedNs }) => [
    name,
    formatDur(totalNs),
    formatShare(share),
    formatDur(exposedNs),
    formatDur(overlappedNs),
  ]);
  const [head = '', ...lines] = formatRows([['', 'total', 'share', 'exposed', 'overlapped'], ...table], '<>>>>');
  return [
    style('bold', `device ${device.device}`),
    ...formatRows([...rows, partRow('idle', idleNs, idleShare)], '<>><').map((line) => `  ${line}`),
    style('dim', `  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...overlapLines(device),
  ];
}

const partRow = (name: string, ns: number, share: number): string[] => [
  name,
  formatDur(ns),
  formatShare(share),
  formatBar(share, BAR),
];

/** `computation only`, `computation + copy`. */
const namesText = (names: readonly WorkClass[]): string =>
  names.length === 1 ? `${names[0]} only` : names.join(' + ');

function overlapLines({ overlapShare, classes }: TimeParts): string[] {
  if (overlapShare === undefined) return [];
  const exposed = classes.find(({ class: name }) => name === 'communication')?.exposedNs ?? 0;
  return [
    `  ${formatShare(overlapShare)} of communication is hidden behind computation; ${formatDur(exposed)} of it is exposed`,
  ];
}

function windowLines({ windows, devices }: BreakdownResult, { limit, style }: RenderOptions): string[] {
  const shown = windows.slice(0, limit);
  const several = devices.length > 1;
  const labels = windowLabels(windows);
  const rows = shown.flatMap(({ complete, devices: parts }, at) =>
    parts.map((part) => [
      (labels[at] ?? '') + (complete ? '' : ' (not complete)'),
      several ? `device ${part.device}` : '',
      formatDur(part.wallNs),
      formatShare(classOf(part, 'computation').share),
      formatShare(exposedShare(part, 'communication')),
      formatShare(exposedShare(part, 'copy')),
      formatShare(part.idleShare),
      part.overlapShare === undefined ? '–' : formatShare(part.overlapShare),
    ]),
  );
  const titles = [
    formatPlural(windows.length, 'window'),
    '',
    'wall',
    'computation',
    'exposed comm.',
    'exposed copies',
    'idle',
    'overlap',
  ];
  const [head = '', ...lines] = formatRows([titles, ...rows], '~<>>>>>>', WIDTH - 2);
  const more = windows.length - shown.length;
  return [
    style('dim', `  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatCount(more)} more: --limit`)] : []),
  ];
}

const exposedShare = (part: TimeParts, name: WorkClass): number =>
  part.wallNs > 0 ? classOf(part, name).exposedNs / part.wallNs : 0;

function classOf({ classes }: TimeParts, name: WorkClass): TimeParts['classes'][number] {
  const found = classes.find((row) => row.class === name);
  return found ?? { class: name, totalNs: 0, share: 0, exposedNs: 0, overlappedNs: 0 };
}
