import {
  escapeText,
  fitText,
  formatDur,
  formatInstant,
  formatPlural,
  formatShare,
  wrapText,
} from '../../base/format.ts';
import type { RenderOptions } from '../contract.ts';
import { CAUSE_WORDS } from '../idle-words.ts';
import type { EventReference } from '../reference.ts';
import type { IdleGap, IdleResult } from './result.ts';
import { type Names, placeText } from './words.ts';

const WIDTH = 100;
/** Each takes several lines. */
const SHOWN = 4;

/** The longest gaps, each with what led to its end. */
export function gapLines({ gaps, devices }: IdleResult, names: Names, options: RenderOptions): string[] {
  if (gaps.length === 0) return [];
  const shown = gaps.slice(0, Math.ceil(options.limit / SHOWN));
  const count = devices.reduce((sum, { gapCount }) => sum + gapCount, 0);
  const lines = [options.style('bold', `the longest of ${formatPlural(count, 'gap')}`)];
  for (const gap of shown) lines.push(...oneGap(gap, names, options, devices.length > 1));
  return lines;
}

function oneGap(gap: IdleGap, names: Names, { fullNames }: RenderOptions, several: boolean): string[] {
  const { totalNs, share, startNs, window, device, place, endedBy, after, explain } = gap;
  const on = several ? ` of device ${device}` : '';
  const head = `  ${formatDur(totalNs)} (${formatShare(share)})${on} at ${formatInstant(startNs)}, ${escapeText(window)}`;
  const room = fullNames ? Infinity : 40;
  const opText = (op: EventReference | undefined, none: string): string =>
    op === undefined ? none : `${fitText(names(op.name), room)} e-${op.event} on ${escapeText(op.lane)}`;
  const ends = `from ${opText(after, 'the beginning')} to ${opText(endedBy, place === 'after-last-op' ? 'the end' : 'the next op')}`;
  const lines = [fitText(head, WIDTH), indent(ends), indent(chainText(gap, names))];
  if (explain !== undefined) lines.push(`    ${escapeText(explain)}`);
  return lines;
}

const indent = (text: string): string => wrapText(text, WIDTH - 4, 2).replace(/^/gm, '    ');

/** `the host: in ops aten::item 1.2 ms, …`, in order of time. */
function chainText({ chain, otherNs, drainedBy }: IdleGap, names: Names): string {
  const links = chain.map((link) => {
    const where = placeText(link, names);
    const handle = link.event === undefined ? '' : ` e-${link.event.event}`;
    const doubt = link.ambiguous === true ? ' (?)' : '';
    return `${CAUSE_WORDS[link.cause]}${where === '' ? '' : ` ${fitText(where, 60)}`}${handle} ${formatDur(link.totalNs)}${doubt}`;
  });
  if (drainedBy !== undefined) {
    const { call, waitedFor } = drainedBy;
    links.unshift(
      `${names(call.name)} e-${call.event} had waited for ${fitText(names(waitedFor.name), 40)} e-${waitedFor.event}`,
    );
  }
  if (otherNs > 0) links.push(`other ${formatDur(otherNs)}`);
  return links.join(' → ');
}
