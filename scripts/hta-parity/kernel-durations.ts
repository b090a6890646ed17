import { type HtaClass, ranksOf } from './device-time.ts';
import { compareTable, deviation, meanOf, quantile } from './duration-stats.ts';
import { kernelViews } from './kernel-table.ts';
import type { Parity, ParityRow } from './row.ts';

const METHOD = 'durations of kernels (describe() of the GPU rows)';

interface Expected {
  readonly [rank: string]: null | {
    readonly 'by kernel': { readonly rows: readonly (readonly [type: string, name: string, ...numbers: number[]])[] };
    readonly 'by type': { readonly rows: readonly (readonly [type: string, ...numbers: (number | null)[]])[] };
  };
}

/** In the order of HTA's columns. */
const STATISTICS = [
  { name: 'count', of: (values: readonly number[]) => values.length },
  { name: 'mean', of: meanOf },
  { name: 'std', of: deviation },
  ...[0, 0.25, 0.5, 0.75, 1].map((share) => ({
    name: share === 0 ? 'min' : share === 1 ? 'max' : `${share * 100}%`,
    of: (values: readonly number[]) => quantile(values, share),
  })),
];

export const kernelDurations: Parity = (trace, expected) => {
  const head = { trace, method: METHOD };
  return ranksOf(trace).flatMap((rank): ParityRow[] => {
    const tables = (expected as Expected)[`rank ${rank.rank}`];
    if (tables === null || tables === undefined) {
      if (rank.session.run('kernels').status === 'ok') throw new Error(`${trace}: HTA has no table`);
      const why = 'rule: a trace without device ops has no kernels to tell of';
      return [{ ...head, quantity: `rank ${rank.rank}`, hta: 'none', ours: 'not applicable', why }];
    }
    const byType = (_: string, type: HtaClass): string => type;
    const kernels = tables['by kernel'].rows.map((row): [string, readonly number[]] => [
      `${row[1]} (${row[0]})`,
      row.slice(2) as number[],
    ]);
    const types = tables['by type'].rows.map((row): [string, readonly (number | null)[]] => [
      row[0],
      row.slice(1) as number[],
    ]);
    return [
      ...compareTable({
        head,
        label: `rank ${rank.rank} by kernel`,
        expected: new Map(kernels),
        views: kernelViews(rank, { withOther: true }),
        statistics: STATISTICS,
        shown: 2,
      }),
      ...compareTable({
        head,
        label: `rank ${rank.rank} by type`,
        expected: new Map(types),
        views: kernelViews(rank, { keyOf: byType, withOther: true }),
        statistics: STATISTICS,
        shown: 3,
      }),
    ];
  });
};
