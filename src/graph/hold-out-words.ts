import { formatPlural, formatShare } from '../base/format.ts';
import type { HoldOutSummary } from './hold-out.ts';

/** What is foretold from what. */
export interface HoldOutWords {
  readonly noPair: string;
  readonly from: string;
  readonly copied: string;
}

const OF_TRACE: HoldOutWords = {
  noPair: 'no two steps of this trace are alike',
  from: 'another one',
  copied: 'the other step’s host time',
};

/** How far a forecast may be off, as a sentence without its full stop. */
export function holdOutText(
  { verdict, pairs, share = 0, worst = 0, error = 0, null: nothing = 0, copied = 0 }: HoldOutSummary,
  words: HoldOutWords = OF_TRACE,
): string {
  if (verdict === 'one-step') {
    return `${words.noPair}, so nothing says how far off the prediction may be`;
  }
  const figures =
    `${formatPlural(pairs, 'forecast')} of a step from ${words.from}: off by ${formatShare(error)} (median), ` +
    `doing nothing by ${formatShare(nothing)}, the larger of the two ${formatShare(share)} (at worst ${formatShare(worst)})`;
  switch (verdict) {
    case 'untested':
      return `${figures}. Untested all the same: ${formatShare(copied)} of a forecast was ${words.copied}, copied`;
    case 'fair':
      return `${figures}. Warning: above 5 %, so a smaller win may be none`;
    case 'poor':
      return `${figures}. Warning: above 15 %, so this prediction means little`;
    case 'good':
      return figures;
  }
}
