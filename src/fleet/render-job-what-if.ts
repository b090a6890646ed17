import type { RenderOptions } from '../analyses/contract.ts';
import {
  escapeText,
  fitText,
  formatCount,
  formatDur,
  formatPlural,
  formatRows,
  formatShare,
  wrapText,
} from '../base/format.ts';
import { type HoldOutWords, holdOutText } from '../graph/hold-out-words.ts';
import type { JobForecast } from './job-what-if.ts';

const WIDTH = 100;

const OF_JOB: HoldOutWords = {
  noPair: 'no two steps of the job have the same calls on every rank',
  from: 'its ranks’ own work and the transfers of another one',
  copied: 'the ranks’ own work in the step that was foretold',
};

/** What the job would take, and how far that can be believed. */
export function renderForecast(forecast: JobForecast, { limit, style }: RenderOptions): string {
  const { changes, measuredNs, predictedNs, windows, notes, holdOut } = forecast;
  const margin =
    holdOut.share === undefined ? '' : `, give or take ${formatDur(Math.round(holdOut.share * predictedNs))}`;
  const title = `${changes.map((text) => escapeText(text)).join(' ')}: ${formatDur(measuredNs)} → ${formatDur(predictedNs)}, ${winText(forecast)}${margin}`;
  const shown = windows.slice(0, Math.max(limit, 1));
  const rows = shown.map((row) => [
    fitText(escapeText(row.label), 40),
    formatDur(row.measuredNs),
    formatDur(row.predictedNs),
    formatDur(row.winNs).replace('-', '−'),
  ]);
  const [head = '', ...table] = formatRows([['window', 'measured', 'predicted', 'win'], ...rows], '~>>>', WIDTH - 2);
  const more = windows.length - shown.length;
  const lines = [
    style('bold', wrapText(title, WIDTH, 2)),
    '',
    style('dim', `  ${head}`),
    ...table.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatCount(more)} more: --limit`)] : []),
    '',
    ...pathLines(forecast, style),
    '',
    ...withinLines(forecast),
    wrapText(`hold-out of the job: ${holdOutText(holdOut, OF_JOB)}`, WIDTH, 2),
    wrapText(trustText(forecast), WIDTH, 2),
    ...notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return `${lines.join('\n')}\n`;
}

/** What the path is spent on, before and after, the largest change first. */
function pathLines({ measured, predicted }: JobForecast, style: RenderOptions['style']): string[] {
  const kinds = [...new Set([...measured.breakdown, ...predicted.breakdown].map(({ kind }) => kind))];
  const [now, then] = [measured, predicted].map(
    ({ breakdown }) => new Map(breakdown.map((row) => [row.kind, row.totalNs])),
  );
  const rows = kinds.map((kind) => {
    const [before, after] = [now.get(kind) ?? 0, then.get(kind) ?? 0];
    return [kind, formatDur(before), formatDur(after), formatDur(after - before).replace('-', '−')];
  });
  const [head = '', ...table] = formatRows(
    [['on the path', 'measured', 'predicted', 'change'], ...rows],
    '<>>>',
    WIDTH - 2,
  );
  return [style('dim', `  ${head}`), ...table.map((line) => `  ${line}`)];
}

function withinLines({ within }: JobForecast): string[] {
  if (within === undefined) return [];
  const { about, holdOut, ranks } = within;
  return [
    ...about.map(({ text, ranks: on, deviceOps, hostOps }) => {
      const ops = [
        ...(deviceOps > 0 ? [formatPlural(deviceOps, 'device op')] : []),
        ...(hostOps > 0 ? [formatPlural(hostOps, 'host op')] : []),
      ].join(', ');
      return wrapText(`${escapeText(text)}: on ${formatPlural(on, 'rank')}${ops === '' ? '' : `, ${ops}`}`, WIDTH, 2);
    }),
    wrapText(
      `hold-out of rank ${holdOut.rank}, the worst of ${ranks.length} changed: ${holdOutText(holdOut)}`,
      WIDTH,
      2,
    ),
  ];
}

function winText({ winNs, winShare }: JobForecast): string {
  if (winNs === 0) return 'nothing is won';
  return winNs > 0 ? `${formatDur(winNs)} less (${formatShare(winShare)})` : `${formatDur(-winNs)} more`;
}

function trustText({ spread, winShare, replayErrorNs, roles, lonely }: JobForecast): string {
  const alone = lonely === 0 ? '' : `; ${formatPlural(lonely, 'rank')} of a role of its own, which nothing balances`;
  const among =
    spread === undefined
      ? 'one window alone does not tell what is chance'
      : `the windows differ by ${formatShare(spread)} among themselves${spread > Math.abs(winShare) ? ': this win may be chance' : ''}`;
  const replay =
    replayErrorNs === 0
      ? 'unchanged, the replay is exact'
      : `unchanged, the replay is off by up to ${formatDur(Math.round(replayErrorNs))}`;
  return `trust: ${among}; ${replay}; ${formatPlural(roles, 'role')}${alone}`;
}
