import {
  escapeText,
  fitText,
  formatCount,
  formatDur,
  formatInstant,
  formatPlural,
  wrapText,
} from '../../base/format.ts';
import type { RenderOptions } from '../contract.ts';
import { joinSections, rankedTable } from '../text-tables.ts';
import type { AnnotationInstance, AnnotationsResult, AnnotationsRow, LaunchedWork } from './result.ts';

const WIDTH = 100;
/** Rows of single instances. */
const MOST_INSTANCES = 5;
const STEP = /^ProfilerStep\s*#/;

export function renderAnnotations(result: AnnotationsResult, options: RenderOptions): string {
  // `longpole steps` tells of them, each by its own name: they would be most of a table with others.
  const others = result.rows.some(({ name }) => !STEP.test(name));
  const rows = result.rows.filter(({ name }) => !others || !STEP.test(name));
  const instances = result.instances.filter(({ event }) => !others || !STEP.test(event.name));
  const sections = [
    titleLines(result, options),
    rowLines(
      rows.filter(({ count, launched }) => count + launched.ops > 0),
      options,
    ),
    instanceLines(instances, options),
    drawnLines(rows, options),
    result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return joinSections(sections);
}

function titleLines({ window, rows, instances }: AnnotationsResult, { style }: RenderOptions): string[] {
  const steps = rows.filter(({ name, count }) => count > 0 && STEP.test(name));
  const counts = [
    `${formatPlural(instances.length, 'annotation')} of ${formatPlural(rows.filter(({ count }) => count > 0).length, 'name')}`,
    ...(steps.length > 0
      ? [
          `${formatCount(steps.length)} of them ${steps.length === 1 ? 'a step' : 'steps'}, for which see longpole steps`,
        ]
      : []),
  ];
  return [
    style('bold', fitText(`annotations of ${escapeText(window.label)}: ${formatDur(window.wallNs)}`, WIDTH)),
    wrapText(counts.join(', '), WIDTH, 2),
  ];
}

/** Devices work at once, so that their times are told as the longest one's. */
const busiest = ({ devices }: LaunchedWork): string =>
  devices.length === 0 ? '–' : formatDur(devices.reduce((most, { busyNs }) => Math.max(most, busyNs), 0));

function rowLines(rows: readonly AnnotationsRow[], options: RenderOptions): string[] {
  const shown = rows.slice(0, options.limit);
  if (shown.length === 0) return [];
  const cells = shown.map(({ name, count, totalNs, selfNs, pathNs, launched, durations, longest }) => [
    formatDur(totalNs),
    formatDur(selfNs),
    formatDur(pathNs),
    `${formatCount(count)}×`,
    durations === undefined ? '–' : formatDur(durations.medianNs),
    launched.ops === 0 ? '–' : formatCount(launched.ops),
    busiest(launched),
    longest === undefined ? '' : `e-${longest.event}`,
    escapeText(name),
  ]);
  const titles = ['host', 'own', 'on path', '', 'median', 'ops', 'device', 'longest', 'annotation'];
  const several = shown.some(({ launched }) => launched.devices.length > 1) ? ' (the busiest device)' : '';
  return [
    ...rankedTable(titles, cells, '>>>>>>><~', rows.length - shown.length, options),
    options.style('dim', `  ops, device: what its calls launched, and how long that ran${several}`),
    options.style('dim', '  on path: of its host time and of what it launched'),
  ];
}

function instanceLines(instances: readonly AnnotationInstance[], options: RenderOptions): string[] {
  const shown = instances.slice(0, Math.min(MOST_INSTANCES, options.limit));
  // With one instance a name the table above says all of it.
  if (shown.length === 0 || new Set(instances.map(({ event }) => event.name)).size === instances.length) return [];
  const cells = shown.map(({ event, startNs, durNs, launched, deviceStartNs, deviceEndNs }) => [
    formatDur(durNs),
    formatInstant(startNs),
    launched.ops === 0 ? '–' : formatCount(launched.ops),
    busiest(launched),
    deviceStartNs === undefined || deviceEndNs === undefined ? '–' : formatDur(deviceEndNs - deviceStartNs),
    `e-${event.event}`,
    escapeText(event.name),
  ]);
  return [
    options.style('bold', 'the longest on the host'),
    ...rankedTable(
      ['host', 'from', 'ops', 'device', 'first to last', 'event', 'annotation'],
      cells,
      '>>>>><~',
      0,
      options,
    ),
  ];
}

function drawnLines(rows: readonly AnnotationsRow[], options: RenderOptions): string[] {
  const drawn = rows.flatMap(({ name, drawn: spans, launched }) => spans.map((span) => ({ name, launched, ...span })));
  const shown = drawn.slice(0, options.limit);
  if (shown.length === 0) return [];
  const cells = shown.map(({ name, launched, device, rows: count, spanNs }) => [
    formatDur(spanNs),
    formatDur(launched.devices.find((each) => each.device === device)?.busyNs ?? 0),
    String(device),
    formatPlural(count, 'row'),
    escapeText(name),
  ]);
  return [
    options.style('bold', 'as the profiler drew them on the devices, beside what they launched'),
    ...rankedTable(
      ['span', 'launched', 'device', '', 'annotation'],
      cells,
      '>>>>~',
      drawn.length - shown.length,
      options,
    ),
  ];
}
