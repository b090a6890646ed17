// Expert imbalance in words, for a terminal and a document.
import type { RenderOptions } from '../analyses/contract.ts';
import { escapeText, fitText, formatCount, formatDur, formatPlural } from '../base/format.ts';
import type { ExpertImbalance, StretchKind } from './experts.ts';
import type { ExpertsAnswer } from './job-experts-answer.ts';

/** Ranks of a group that are named. */
const RANKS = 8;

export function expertTexts({ groups, left }: ExpertsAnswer, { limit }: Pick<RenderOptions, 'limit'>): string[] {
  const shown = groups.slice(0, Math.max(limit, 1));
  const more = groups.length - shown.length;
  return [
    ...shown.flatMap(groupTexts),
    ...(more > 0 ? [`${formatPlural(more, 'more group')}: --limit`] : []),
    ...(left > 0 ? [`${formatPlural(left, 'more group')} without two all-to-alls in a row that were matched`] : []),
  ];
}

function groupTexts({ name, size, exchanges, uncounted, kinds }: ExpertImbalance): string[] {
  const [kind, other] = kinds;
  if (kind === undefined) return [];
  const here = kind.ranks.length;
  const of = size === undefined || size === here ? '' : ` (${formatCount(here)} of ${formatCount(size)} here)`;
  const loads = kind.ranks.slice(0, RANKS).map(({ rank, betweenNs }) => `rank ${rank} ${formatDur(betweenNs)}`);
  const rest = here > RANKS ? `, ${formatPlural(here - RANKS, 'more rank')}` : '';
  return [
    `experts ${fitText(escapeText(name), 40)}, ${formatPlural(size ?? here, 'rank')}${of}: ${kindText(kind)}`,
    `${loads.join(', ')}${rest}`,
    ...(other === undefined ? [] : [`in the others of its stretches ${timesText(other.imbalance)} the mean`]),
    ...(uncounted > 0
      ? [
          `${formatPlural(uncounted, 'call')} beside ${formatPlural(exchanges, 'all-to-all')} met not all ranks: not counted`,
        ]
      : []),
  ];
}

/** `between all-to-alls rank 2 takes 1.60 × the mean, in 6 stretches; on average a rank is through 1.234 ms before the last, in all`. */
function kindText({ most, imbalance, stretches, lostNs, bytesImbalance }: StretchKind): string {
  const bytes =
    bytesImbalance === undefined ? '' : `; the most bytes that one gets are ${timesText(bytesImbalance)} the mean`;
  return `between all-to-alls rank ${most} takes ${timesText(imbalance)} the mean, in ${formatPlural(stretches, 'stretch', 'stretches')}; on average a rank is through ${formatDur(lostNs)} before the last, in all${bytes}`;
}

const timesText = (ratio: number): string => `${ratio.toFixed(2)} ×`;
