import {
  escapeText,
  fitText,
  formatCount,
  formatDur,
  formatInstant,
  formatPlural,
  formatRows,
  padEnd,
  wrapText,
} from '../../base/format.ts';
import type { RenderOptions } from '../contract.ts';
import type { InfoRank, InfoResult, InfoStep } from './result.ts';

const WIDTH = 100;

export function renderInfo(result: InfoResult, options: RenderOptions): string {
  return result.ranks.map((rank) => renderRank(rank, options)).join('\n');
}

function renderRank(rank: InfoRank, options: RenderOptions): string {
  const lines = [options.style('bold', fitText(escapeText(rank.file), WIDTH))];
  const add = (label: string, text: string): void => {
    lines.push(`  ${padEnd(label, 11)} ${wrapText(text, WIDTH - 14, 0).replaceAll('\n', `\n${' '.repeat(14)}`)}`);
  };
  const of = rank.worldSize === undefined ? '' : ` of ${formatCount(rank.worldSize)}`;
  add('rank', rank.rank === undefined ? 'not said' : `${rank.rank}${of}`);
  add('events', `${formatCount(rank.events)} over ${formatDur(rank.spanNs)}`);
  if (rank.events > 0) add('origin', originText(rank.originUnixNs));
  add('devices', devicesText(rank));
  add(
    'threads',
    `${formatPlural(rank.threads, 'thread')} with host ops, ${formatPlural(rank.streams, 'stream')} with device work`,
  );
  const categories = Object.entries(rank.categories);
  const shown = categories.slice(0, Math.max(options.limit, 1));
  const more = categories.length > shown.length ? `, ${categories.length - shown.length} more` : '';
  if (shown.length > 0) {
    add(
      'categories',
      shown.map(([name, count]) => `${fitText(escapeText(name), 40)} ${formatCount(count)}`).join(', ') + more,
    );
  }
  lines.push(...stepLines(rank.steps, options));
  for (const note of rank.notes) add('note', note);
  return `${lines.join('\n')}\n`;
}

/** The instant of time 0, to the ns: a date holds no more than milliseconds. */
function originText(originUnixNs: string): string {
  const ns = BigInt(originUnixNs);
  const date = new Date(Number(ns / 1_000_000_000n) * 1000);
  // A clock that began with the machine, and not in 1970, tells no date.
  if (ns < 10n ** 18n || Number.isNaN(date.getTime())) return `${originUnixNs} ns`;
  return `${date.toISOString().slice(0, 19)}.${String(ns % 1_000_000_000n).padStart(9, '0')} UTC`;
}

/** `0 to 7 (NVIDIA A100)`: devices of one name together. */
function devicesText({ devices }: InfoRank): string {
  if (devices.length === 0) return 'none';
  const idsOf = new Map<string, number[]>();
  for (const { id, name = '' } of devices) {
    const ids = idsOf.get(name);
    if (ids === undefined) idsOf.set(name, [id]);
    else ids.push(id);
  }
  return Array.from(idsOf, ([name, ids]) => {
    const [first = 0, last = 0] = [Math.min(...ids), Math.max(...ids)];
    const isRow = ids.length > 2 && last - first === ids.length - 1;
    const text = isRow ? `${first} to ${last}` : ids.join(', ');
    return name === '' ? text : `${text} (${fitText(escapeText(name), 60)})`;
  }).join(', ');
}

function stepLines(steps: readonly InfoStep[], { limit, style }: RenderOptions): string[] {
  if (steps.length === 0) return [`  ${padEnd('steps', 11)} none`];
  const complete = steps.filter((step) => step.complete).length;
  const rows = steps
    .slice(0, limit)
    .map((step) => [
      escapeText(step.label),
      formatInstant(step.startNs),
      formatDur(step.endNs - step.startNs),
      formatInstant(step.completionNs),
      step.complete ? '' : 'not complete',
    ]);
  const titles = ['', 'start', 'host part', 'completion', ''];
  const [head = '', ...table] = formatRows([titles, ...rows], '~>>><', WIDTH - 4);
  const lines = [`  ${padEnd('steps', 11)} ${formatCount(steps.length)}, ${formatCount(complete)} complete`];
  lines.push(style('dim', `    ${head}`));
  for (const line of table) lines.push(`    ${line}`);
  const more = steps.length - rows.length;
  if (more > 0) lines.push(style('dim', `    ${formatCount(more)} more: --limit`));
  return lines;
}
