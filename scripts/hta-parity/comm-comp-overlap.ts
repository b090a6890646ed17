import { type Measured, timeWith, ranksOf, viewsOf } from './device-time.ts';
import type { Parity, ParityRow } from './row.ts';
import { compare } from './temporal-breakdown.ts';

const METHOD = 'get_comm_comp_overlap';

export const overlapPercent = (measured: Measured): number =>
  (100 * timeWith(measured, ['COMMUNICATION', 'COMPUTATION'])) / timeWith(measured, ['COMMUNICATION']);

export const commCompOverlap: Parity = (trace, expected) => {
  const { rows } = expected as { rows: readonly (readonly [rank: number, percent: number | null])[] };
  return ranksOf(trace).map((rank): ParityRow => {
    const hta = rows.find(([number]) => number === rank.rank)?.[1];
    const head = { trace, method: METHOD, quantity: `rank ${rank.rank} comp_comm_overlap_pctg` };
    const isEmpty = !rank.all.some(({ category }) => category === 'kernel');
    if (isEmpty && hta === null) {
      return { ...head, hta: 'NaN', ours: 'none', why: 'rule: no share where there is no communication' };
    }
    return compare(head, hta, 2, { views: viewsOf(rank), valueOf: overlapPercent });
  });
};
