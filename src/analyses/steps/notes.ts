import { formatCount, formatDur, formatPlural, formatShare } from '../../base/format.ts';
import type { Repetition } from '../../graph/repetition.ts';
import { windowLabels } from '../window-labels.ts';
import type { Distrust, StepsResult } from './result.ts';

const REASONS: Readonly<Record<Distrust, string>> = {
  'earlier-work': 'began while earlier device work was still to do: its own length is not known',
  'no-device-work': 'has no device work, and other steps have',
  'lost-launches': 'has launches without device rows',
  'cut-off': 'had not ended when the trace was written',
  'open-end': 'is the last round: no next one says when it was over',
  'warm-up': 'is among the first and much slower than those behind (over 1.25 times their median): warm-up',
};

/** What a reader should know of the choice of steps. */
export function stepsNotes(
  {
    rows,
    summary,
    outlierRule,
    foundBy,
    betweenNs,
  }: Pick<StepsResult, 'rows' | 'summary' | 'outlierRule' | 'foundBy' | 'betweenNs'>,
  repetition: Repetition | undefined,
): string[] {
  const notes: string[] = [];
  if (repetition !== undefined) {
    const { anchor, alike, cover, confidence, isCut } = repetition;
    notes.push(
      `no ProfilerStep annotations: steps are rounds of the main thread that begin with ${anchor}, alike by at least ` +
        `${formatShare(alike, 0)}, over ${formatShare(cover, 0)} of its time (found by repetition, confidence ${confidence})`,
    );
    if (isCut) notes.push('the trace ends within a round more, which is left out');
  }
  if (summary === undefined) notes.push('no step counts, so there is no median and nothing is compared');
  else if (outlierRule === undefined && rows.length > 1) {
    const count = summary.count;
    notes.push(
      `${formatPlural(count, 'step')} ${count === 1 ? 'counts' : 'count'}: too few to call one an outlier (4 are needed)`,
    );
  }
  const labels = windowLabels(rows);
  for (const [at, { distrust }] of rows.entries()) {
    const why = distrust.map((each) => REASONS[each]).join('; it ');
    if (why !== '') notes.push(`${labels[at]} does not count: it ${why}`);
  }
  if (betweenNs > 0) notes.push(`${formatDur(betweenNs)} lie between steps, in none of them`);
  if (foundBy === 'window' && rows.length === 1) notes.push('one window only: nothing to compare it with');
  return notes.length > 12 ? [...notes.slice(0, 11), `and ${formatCount(notes.length - 11)} more of this kind`] : notes;
}
