import { escapeText, formatBytes, formatCount, formatDur, formatShare, wrapText } from '../../base/format.ts';
import type { RenderOptions } from '../contract.ts';
import { joinSections, titledTable } from '../text-tables.ts';
import type { BandwidthSeries, CountersResult, QueueSeries } from './result.ts';

const WIDTH = 100;

export function renderCounters(result: CountersResult, options: RenderOptions): string {
  const { window, queues, bandwidths, ownCounters, notes } = result;
  const { style } = options;
  const sections = [
    [style('bold', wrapText(`counters of ${escapeText(window.label)}: ${formatDur(window.wallNs)}`, WIDTH, 2))],
    queueLines(queues, options),
    bandwidthLines(bandwidths, options),
    ownLines(ownCounters, options),
    notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return joinSections(sections);
}

/** A mean of little is not 0. */
const meanText = (mean: number): string => (mean > 0 && mean < 0.05 ? '<0.1' : mean.toFixed(1));

function queueLines(queues: readonly QueueSeries[], options: RenderOptions): string[] {
  if (queues.length === 0) return [];
  const shown = queues.slice(0, options.limit);
  const rows = shown.map(({ lane, overTime, emptyShare }) => [
    lane,
    overTime === undefined ? '–' : formatCount(overTime.min),
    overTime === undefined ? '–' : meanText(overTime.mean),
    overTime === undefined ? '–' : formatCount(overTime.median),
    overTime === undefined ? '–' : formatCount(overTime.p95),
    overTime === undefined ? '–' : formatCount(overTime.max),
    formatShare(emptyShare),
  ]);
  const head = ['stream', 'min', 'mean', 'median', 'p95', 'max', 'nothing waits'];
  const title = 'queue depth: device ops that wait, over time';
  return titledTable(title, [head, ...rows], '<>>>>>>', options, queues.length - shown.length);
}

function bandwidthLines(bandwidths: readonly BandwidthSeries[], options: RenderOptions): string[] {
  if (bandwidths.length === 0) return [];
  const shown = bandwidths.slice(0, options.limit);
  const rows = shown.map(({ kind, device, copies, bytes, activeNs, whileActive, meanGBps }) => [
    escapeText(kind),
    String(device),
    formatCount(copies),
    bytes === undefined ? '?' : formatBytes(bytes),
    formatDur(activeNs),
    ...(['mean', 'median', 'p95', 'max'] as const).map((key) =>
      whileActive === undefined ? '–' : formatRate(whileActive[key]),
    ),
    meanGBps === undefined ? '–' : formatRate(meanGBps),
  ]);
  const head = ['copies', 'device', 'count', 'bytes', 'active', 'mean', 'median', 'p95', 'max', 'over all'];
  const title = 'bandwidth while copies run, in GB/s; over all: mean of the whole window';
  return titledTable(title, [head, ...rows], '~>>>>>>>>>', options, bandwidths.length - shown.length);
}

function formatRate(gbps: number): string {
  if (gbps === 0) return '0';
  if (gbps < 0.001) return '<0.001';
  return gbps >= 99.95 ? formatCount(Math.round(gbps)) : gbps.toFixed(gbps >= 9.995 ? 1 : 3);
}

function ownLines(counters: CountersResult['ownCounters'], options: RenderOptions): string[] {
  if (counters.length === 0) return [];
  const shown = counters.slice(0, options.limit);
  const rows = shown.map(({ name, rows: count }) => [escapeText(name), formatCount(count)]);
  return titledTable(
    'counters of the trace',
    [['name', 'rows'], ...rows],
    '~>',
    options,
    counters.length - shown.length,
  );
}
