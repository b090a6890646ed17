import { formatPlural, formatShare } from '../base/format.ts';
import type { HoldOutSummary } from './hold-out.ts';

/** How far a forecast may be off, as a sentence without its full stop. */
export function holdOutText({
  verdict,
  pairs,
  share = 0,
  worst = 0,
  error = 0,
  null: nothing = 0,
  copied = 0,
}: HoldOutSummary): string {
  if (verdict === 'one-step') {
    return 'no two steps of this trace are alike, so nothing says how far off the prediction may be';
  }
  const figures =
    `${formatPlural(pairs, 'forecast')} of a step from another one: off by ${formatShare(error)} (median), ` +
    `doing nothing by ${formatShare(nothing)}, the larger of the two ${formatShare(share)} (at worst ${formatShare(worst)})`;
  switch (verdict) {
    case 'untested':
      return `${figures}. Untested all the same: ${formatShare(copied)} of a forecast was the other step’s host time, copied`;
    case 'fair':
      return `${figures}. Warning: above 5 %, so a smaller win may be none`;
    case 'poor':
      return `${figures}. Warning: above 15 %, so this prediction means little`;
    case 'good':
      return figures;
  }
}
