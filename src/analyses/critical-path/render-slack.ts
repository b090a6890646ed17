import { escapeText, formatCount, formatDur, formatPlural, formatRows } from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { RenderOptions } from '../contract.ts';
import type { Leverage, Slack } from './result.ts';

const WIDTH = 100;

/** What can really be won, and how many ops have no room to grow. */
export function slackLines(slack: Slack, { limit, fullNames, style }: RenderOptions): string[] {
  const { leverage, events, unlimited } = slack;
  const shown = leverage.slice(0, limit);
  const short = fullNames
    ? undefined
    : shortKernelNames(shown.flatMap(({ by, name }) => (by === 'kernel' ? [name] : [])));
  const rows = shown.map(({ by, name, timeNs, wins }) => [
    by,
    escapeText(short?.get(name) ?? name),
    formatDur(timeNs),
    ...wins.map(winText),
  ]);
  const titles = ['', 'what the window wins', 'their time', '−25 %', '−50 %', '−75 %', 'all gone'];
  const [head = '', ...table] = formatRows([titles, ...rows], '<~>>>>>', fullNames ? Infinity : WIDTH - 2);
  const rest = leverage.length - shown.length;
  const tight = events.filter(({ slackNs }) => slackNs <= 0).length;
  return [
    style('bold', 'what you can really win, were these faster'),
    style('dim', `  ${head}`),
    ...table.map((line) => `  ${line}`),
    ...(rest > 0 ? [style('dim', `  ${formatPlural(rest, 'smaller group')}: --limit`)] : []),
    `slack: ${formatCount(tight)} of ${formatPlural(events.length + unlimited, 'op')} cannot grow without moving the end`,
  ];
}

const winText = ({ winNs }: Leverage['wins'][number]): string => (winNs === 0 ? '0' : formatDur(winNs));
