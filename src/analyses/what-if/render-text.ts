import {
  escapeText,
  fitText,
  formatCount,
  formatDur,
  formatPlural,
  formatRows,
  formatShare,
  wrapText,
} from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import { holdOutText } from '../../graph/hold-out-words.ts';
import type { RenderOptions } from '../contract.ts';
import { joinSections } from '../text-tables.ts';
import type { AssumedLag, HoldOutResult, WhatIfPrediction, WhatIfResult } from './result.ts';

const WIDTH = 100;

export function renderWhatIf(result: WhatIfResult, options: RenderOptions): string {
  switch (result.status) {
    case 'predicted':
      return renderPrediction(result, options);
    case 'withheld':
      return `${wrapText(`withheld: ${result.reason} (--force prints one anyway)`, WIDTH, 2)}\n${holdOutLines(result.holdOut).join('\n')}\n`;
    case 'unmatched':
      return `${wrapText(`${escapeText(result.change)}: nothing in this trace is meant`, WIDTH, 2)}\n`;
  }
}

function renderPrediction(result: WhatIfPrediction, options: RenderOptions): string {
  const sections = [
    titleLines(result, options),
    changeLines(result),
    result.windows.length > 1 ? windowLines(result, options) : [],
    pathLines(result, options),
    movedLines(result, options),
    assumedLines(result.assumed, options),
    [...holdOutLines(result.holdOut), ...result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2))],
  ];
  return joinSections(sections);
}

function titleLines({ window, traces, holdOut }: WhatIfPrediction, { style }: RenderOptions): string[] {
  const [trace] = traces;
  const { label, measuredNs, predictedNs, winNs, winShare } = window;
  const verb = winNs < 0 ? 'a loss' : 'a win';
  const margin = holdOut.share === undefined ? '' : `, give or take ${formatDur(holdOut.share * predictedNs)}`;
  const win =
    winNs === 0 ? 'nothing is won' : `${verb} of ${formatDur(Math.abs(winNs))} (${formatShare(Math.abs(winShare))})`;
  return [
    style(
      'bold',
      fitText(`what if: ${formatDur(measuredNs)} becomes ${formatDur(predictedNs)}: ${win}${margin}`, WIDTH),
    ),
    fitText(`${escapeText(label)} of ${escapeText(trace.file)}, rank ${trace.rank}`, WIDTH),
  ];
}

function changeLines({ changes }: WhatIfPrediction): string[] {
  const rows = changes.map(({ text, hostOps = 0, deviceOps = 0, gaps = 0 }) => [
    escapeText(text),
    [
      ...(deviceOps > 0 ? [formatPlural(deviceOps, 'device op')] : []),
      ...(hostOps > 0 ? [formatPlural(hostOps, 'host op')] : []),
      ...(gaps > 0 ? [formatPlural(gaps, 'gap')] : []),
    ].join(', '),
  ]);
  return formatRows(rows, '~<', WIDTH - 2).map((line) => `  ${line}`);
}

const signed = (ns: number): string => (ns === 0 ? '0' : `${ns > 0 ? '−' : '+'}${formatDur(Math.abs(ns))}`);

function windowLines({ windows }: WhatIfPrediction, { limit, style }: RenderOptions): string[] {
  const rows = windows
    .slice(0, limit)
    .map(({ label, measuredNs, predictedNs, winNs }) => [
      escapeText(label),
      formatDur(measuredNs),
      formatDur(predictedNs),
      signed(winNs),
    ]);
  return table(['window', 'measured', 'predicted', 'change'], rows, '~>>>', style, windows.length - rows.length);
}

function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  align: string,
  style: RenderOptions['style'],
  more = 0,
): string[] {
  const [titles = '', ...lines] = formatRows([head, ...rows], align, WIDTH - 2);
  return [
    style('dim', `  ${titles}`),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatCount(more)} more: --limit`)] : []),
  ];
}

/** The path's parts, as they are and as they would be. */
function pathLines({ measured, predicted }: WhatIfPrediction, { style }: RenderOptions): string[] {
  const before = new Map(measured.breakdown.map((part) => [part.kind, part]));
  const after = new Map(predicted.breakdown.map((part) => [part.kind, part]));
  const kinds = [...new Set([...before.keys(), ...after.keys()])];
  const rows = kinds.map((kind) => {
    const [old, now] = [before.get(kind), after.get(kind)];
    const [was, is] = [old?.totalNs ?? 0, now?.totalNs ?? 0];
    return [
      kind,
      formatDur(was),
      formatShare(old?.share ?? 0),
      formatDur(is),
      formatShare(now?.share ?? 0),
      signed(was - is),
    ];
  });
  return table(['on the path', 'measured', '', 'predicted', '', 'change'], rows, '<>>>>>', style);
}

function movedLines({ moved }: WhatIfPrediction, { limit, fullNames, style }: RenderOptions): string[] {
  const shown = moved.slice(0, limit);
  if (shown.length === 0) return [];
  const short = fullNames ? undefined : shortKernelNames(shown.map(({ event }) => event.name));
  const rows = shown.map(({ event, measuredNs, predictedNs, movedNs }) => [
    `e-${event.event}`,
    escapeText(short?.get(event.name) ?? event.name),
    event.lane,
    `+${formatDur(measuredNs)}`,
    `+${formatDur(predictedNs)}`,
    movedNs < 0 ? `${formatDur(-movedNs)} earlier` : `${formatDur(movedNs)} later`,
  ]);
  const more = moved.length - shown.length;
  return table(['event', 'moved most', 'lane', 'began', 'would begin', ''], rows, '<~<>>>', style, more);
}

function assumedLines(assumed: readonly AssumedLag[], { limit, style }: RenderOptions): string[] {
  if (assumed.length === 0) return [];
  const shown = assumed.slice(0, limit);
  const rows = shown.map(({ kind, api, lagNs, count }) => [
    `${formatCount(count)}×`,
    kind,
    api === undefined ? '' : escapeText(api),
    formatDur(lagNs),
  ]);
  const more = assumed.length - shown.length;
  return table(['', 'bind now and did not', 'call', 'assumed lag'], rows, '><~>', style, more);
}

/** How far a prediction can be believed. */
function holdOutLines(holdOut: HoldOutResult): string[] {
  return [wrapText(`hold-out: ${holdOutText(holdOut)}`, WIDTH, 2)];
}
