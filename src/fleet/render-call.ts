import type { Outcome, RenderOptions } from '../analyses/contract.ts';
import { formatDur, formatPlural, formatRows, wrapText } from '../base/format.ts';
import type { CallAcross } from './explain-call.ts';

const WIDTH = 100;

/** Who of a call's ranks came when; nothing of an event that is no such call. */
export function renderCall(outcome: Outcome<CallAcross>, { limit, style }: RenderOptions): string {
  if (outcome.status !== 'ok') return '';
  const { op, how, members, isComplete } = outcome.result;
  const shown = members.length > limit ? members.slice(-Math.max(limit, 1)) : members;
  const rows = shown.map(({ rank, event, arrivedNs, waitNs, restNs }) => [
    event === undefined ? `r-${rank}` : `r-${rank}/e-${event}`,
    `+${formatDur(arrivedNs)}`,
    formatDur(waitNs),
    formatDur(restNs),
  ]);
  const titles = ['', 'arrived', 'waited', isComplete ? 'transfer' : 'transfer?'];
  const [head = '', ...table] = formatRows([titles, ...rows], '<>>>', WIDTH - 2);
  const more = members.length - shown.length;
  const lines = [
    style('bold', `across ranks: ${op} of ${formatPlural(members.length, 'rank')}, matched by ${how}`),
    `  ${wrapText(lastText(outcome.result), WIDTH - 2, 2)}`,
    style('dim', `  ${head}`),
    ...table.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatPlural(more, 'rank')} came before: --limit`)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function lastText({ last, marginNs, uncertaintyNs, isTie, isComplete }: CallAcross): string {
  const unseen = isComplete ? '' : '; ranks that are not here may have come later';
  if (last === undefined) return `nothing tells who was waited for${unseen}`;
  if (marginNs === undefined) return `all waited for rank ${last}, its root${unseen}`;
  const margin = `${formatDur(marginNs)} after the one before it (clocks: ±${formatDur(uncertaintyNs)})`;
  return isTie
    ? `a tie: rank ${last} seems to have come last, ${margin}${unseen}`
    : `rank ${last} came last, ${margin}${unseen}`;
}
