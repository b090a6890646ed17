import {
  escapeText,
  fitText,
  formatBytes,
  formatCount,
  formatDur,
  formatPlural,
  formatShare,
  wrapText,
} from '../../base/format.ts';
import type { RenderOptions } from '../contract.ts';
import { joinSections, titledTable } from '../text-tables.ts';
import type { CollectiveCall, CollectiveGroup, CommunicationResult, DeviceCommunication, Group } from './result.ts';

const WIDTH = 100;

export function renderCommunication(result: CommunicationResult, options: RenderOptions): string {
  const sections = [
    titleLines(result, options),
    groupLines(result.groups, options),
    callLines(result.calls, options),
    result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return joinSections(sections);
}

function titleLines({ window, devices, pathNs, calls }: CommunicationResult, { style }: RenderOptions): string[] {
  const share = (ns: number): string => (window.wallNs > 0 ? ` (${formatShare(ns / window.wallNs)})` : '');
  const title = `communication of ${escapeText(window.label)}: ${formatPlural(calls.length, 'call')} in ${formatDur(window.wallNs)}`;
  const deviceLine = ({
    device,
    communicationNs,
    overlappedNs,
    exposedNs,
    overlapShare,
  }: DeviceCommunication): string =>
    `device ${device}: ${formatDur(communicationNs)}${share(communicationNs)} communicating; ` +
    `${formatDur(overlappedNs)} (${formatShare(overlapShare)} of it) while computing too, ` +
    `${formatDur(exposedNs)}${share(exposedNs)} exposed`;
  return [
    style('bold', wrapText(title, WIDTH, 2)),
    ...devices.map((device) => `  ${wrapText(deviceLine(device), WIDTH - 2, 2).replaceAll('\n', '\n  ')}`),
    `  on the path: ${formatDur(pathNs)}${share(pathNs)}`,
  ];
}

/** The description says more than the name, which is mostly a number. */
function groupText(group: Group | undefined): string {
  if (group === undefined) return '?';
  const { name, description, ranks, size } = group;
  const said = description !== undefined && description !== 'undefined' ? description : (name ?? ranks ?? '');
  return `${escapeText(said)} ×${size === undefined ? '?' : formatCount(size)}`.trim();
}

const whatText = ({ operation, dtype }: Pick<CollectiveCall, 'operation' | 'dtype'>): string =>
  dtype === undefined ? operation : `${operation} ${escapeText(dtype)}`;

const sizeText = (bytes: number | undefined): string => (bytes === undefined ? '?' : formatBytes(bytes));
const rateText = (gbps: number | undefined): string => {
  if (gbps === undefined) return '–';
  if (gbps < 0.01) return '<0.01';
  return gbps >= 99.95 ? formatCount(Math.round(gbps)) : gbps.toFixed(gbps >= 9.995 ? 1 : 2);
};

function groupLines(groups: readonly CollectiveGroup[], options: RenderOptions): string[] {
  const shown = groups.slice(0, options.limit);
  const rows = shown.map((each) => [
    whatText(each),
    fitText(groupText(each.group), 20),
    sizeText(each.sizeBytes),
    formatCount(each.calls),
    formatDur(each.totalNs),
    formatDur(each.medianNs),
    formatDur(each.exposedNs),
    formatDur(each.pathNs),
    rateText(each.busGBps?.max),
  ]);
  const head = ['operation', 'group', 'size', 'calls', 'total', 'median', 'exposed', 'on path', 'best bus'];
  const title = 'by operation, group and size (best bus: GB/s of the fastest call)';
  return titledTable(title, [head, ...rows], '~~>>>>>>>', options, groups.length - shown.length);
}

function callLines(calls: readonly CollectiveCall[], options: RenderOptions): string[] {
  const shown = calls.slice(0, options.limit);
  const rows = shown.map((call) => [
    `e-${call.event.event}`,
    whatText(call),
    call.event.lane,
    sizeText(call.sizeBytes),
    formatDur(call.durationNs),
    formatDur(call.exposedNs),
    formatDur(call.pathNs),
    rateText(call.bandwidth?.algorithmGBps),
    rateText(call.bandwidth?.busGBps),
  ]);
  const head = ['event', 'operation', 'stream', 'size', 'took', 'exposed', 'on path', 'GB/s', 'bus GB/s'];
  return titledTable('the most exposed calls', [head, ...rows], '<~<>>>>>>', options, calls.length - shown.length);
}
