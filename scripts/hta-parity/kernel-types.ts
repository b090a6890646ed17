import { type HtaClass, type Measured, timeWith, ranksOf, viewsOf } from './device-time.ts';
import type { Parity, ParityRow } from './row.ts';
import { compare } from './temporal-breakdown.ts';

const METHOD = 'get_gpu_kernel_breakdown (kernel_type_df)';
const TYPES: readonly HtaClass[] = ['COMPUTATION', 'COMMUNICATION', 'MEMORY'];

interface Expected {
  readonly [variant: string]: {
    readonly kernel_type_df?: { readonly rows: readonly (readonly [type: string, sum: number, percentage: number])[] };
  };
}

/** The time of exactly these types, in µs; HTA's fourth type is in none of its combinations. */
const timeOf = (measured: Measured, types: readonly HtaClass[]): number =>
  timeWith(
    measured,
    types,
    TYPES.filter((name) => !types.includes(name)),
  ) / 1000;

const SETS = Array.from({ length: 2 ** TYPES.length - 1 }, (_, i) => TYPES.filter((__, bit) => ((i + 1) >> bit) & 1));
const busyOf = (measured: Measured): number => SETS.reduce((sum, types) => sum + timeOf(measured, types), 0);

export const kernelTypes: Parity = (trace, expected) => {
  const table = Object.entries(expected as Expected).find(([variant]) => variant.startsWith('default'))?.[1];
  const rows = table?.kernel_type_df?.rows ?? [];
  const ranks = ranksOf(trace);
  if (rows.length === 0) {
    if (ranks.some(({ session }) => session.run('breakdown').status === 'ok')) throw new Error(`${trace}: no table`);
    const why = 'rule: a trace without device ops has no idle device';
    return [{ trace, method: METHOD, quantity: 'all', hta: 'no rows', ours: 'not applicable', why }];
  }
  // Ranks are summed; here each view of one rank with the same view of the others.
  const perRank = ranks.map(viewsOf);
  const views = (perRank[0] ?? []).map(({ why }, v) => ({
    why,
    measured: sumOf(perRank.map((each) => each[v]?.measured ?? new Map<string, number>())),
  }));
  const seen = new Set(rows.map(([type]) => type));
  for (const types of SETS) {
    const isThere = timeOf(views[0]?.measured ?? new Map(), types) > 0;
    if (isThere && !seen.has(types.join(' overlapping '))) throw new Error(`${trace}: HTA leaves out ${types.join()}`);
  }
  return rows.flatMap(([type, sum, percentage]): ParityRow[] => {
    const types = type.split(' overlapping ') as HtaClass[];
    const head = { trace, method: METHOD };
    return [
      compare({ ...head, quantity: `${type} sum (us)` }, sum, 0, { views, valueOf: (each) => timeOf(each, types) }),
      compare({ ...head, quantity: `${type} percentage` }, percentage, 1, {
        views,
        valueOf: (each) => (100 * timeOf(each, types)) / busyOf(each),
      }),
    ];
  });
};

function sumOf(several: readonly Measured[]): Measured {
  const sum = new Map<string, number>();
  for (const measured of several) for (const [set, ns] of measured) sum.set(set, (sum.get(set) ?? 0) + ns);
  return sum;
}
