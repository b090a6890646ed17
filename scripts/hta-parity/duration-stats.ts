// Durations by name as HTA tabulates them, and how they become ours rule by rule.
import { deviationOf, quantileOf } from '../../src/base/distribution.ts';
import type { ParityRow } from './row.ts';

/** Durations of one table row, in µs. */
export type Durations = readonly number[];

/** One way to take the rows of a rank, by the key of HTA's table. The first is HTA's, the last is ours. */
export interface DurationView {
  /** Why it is another than the one before. */
  readonly why: string;
  readonly byKey: ReadonlyMap<string, Durations>;
}

export const sumOf = (values: Durations): number => values.reduce((sum, each) => sum + each, 0);
/** HTA fills the deviation of a single row with 0. */
export const deviation = (values: Durations): number => deviationOf(values) ?? 0;
export const quantile = (values: Durations, share: number): number =>
  values.length === 0
    ? NaN
    : quantileOf(
        [...values].sort((a, b) => a - b),
        share,
      );
export const meanOf = (values: Durations): number => sumOf(values) / values.length;

/** Six digits, as the files below `expected-hta` have them. */
export const sixDigits = (value: number): string => String(Math.round(value * 1e6) / 1e6 + 0);
export const textOf = (values: readonly number[]): string => values.map(sixDigits).join(' / ');

export function groupBy<T>(
  list: Iterable<T>,
  keyOf: (each: T) => string,
  valueOf: (each: T) => number,
): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const each of list) {
    const known = groups.get(keyOf(each));
    if (known === undefined) groups.set(keyOf(each), [valueOf(each)]);
    else known.push(valueOf(each));
  }
  return groups;
}

export interface Table {
  readonly head: Pick<ParityRow, 'trace' | 'method'>;
  /** What a line of the table is called: `rank 3`. */
  readonly label: string;
  /** HTA's numbers by key, in the order of `statistics`. */
  readonly expected: ReadonlyMap<string, readonly (number | null)[]>;
  readonly views: readonly DurationView[];
  readonly statistics: readonly { readonly name: string; readonly of: (values: Durations) => number }[];
  /** Keys that are shown for themselves. */
  readonly shown: number;
}

/**
 * Checks every row and every number of a table of HTA: its own rules must give it to the sixth digit. The largest rows are shown, and one line
 * says how many are equal to ours, and why the others are not.
 */
export function compareTable({ head, label, expected, views, statistics, shown }: Table): ParityRow[] {
  const [hta, ours] = [views[0], views.at(-1)];
  if (hta === undefined || ours === undefined) throw new Error('no views');
  const statsOf = (values: Durations | undefined): string =>
    values === undefined ? 'none' : textOf(statistics.map(({ of }) => of(values)));
  for (const [key, numbers] of expected) {
    const values = hta.byKey.get(key);
    if (values === undefined) throw new Error(`${head.trace} ${label}: HTA has ${key}, its rules do not give it`);
    statistics.forEach(({ name, of }, i) => {
      const [said, made] = [numbers[i] ?? null, of(values)];
      if (Math.abs((said ?? 0) - made) > 1.1e-6) {
        throw new Error(`${head.trace} ${key} ${name}: HTA ${said}, its rules ${made}`);
      }
    });
  }
  for (const key of hta.byKey.keys()) {
    if (!expected.has(key)) throw new Error(`${head.trace} ${label}: HTA lacks ${key}`);
  }
  const whyOf = (key: string): string =>
    views
      .flatMap(({ why, byKey }, i) => {
        const before = views[i - 1];
        return before !== undefined && statsOf(before.byKey.get(key)) !== statsOf(byKey.get(key)) ? [why] : [];
      })
      .join('; ');
  const keys = [...new Set([...hta.byKey.keys(), ...ours.byKey.keys()])];
  const reasons = new Map<string, number>();
  let equal = 0;
  const lines = keys.map((key): ParityRow => {
    const [a, b] = [statsOf(hta.byKey.get(key)), statsOf(ours.byKey.get(key))];
    const why = a === b ? '' : whyOf(key);
    if (a === b) equal++;
    else if (why === '') throw new Error(`${head.trace} ${key}: ${a} and ${b} differ without a reason`);
    else reasons.set(why, (reasons.get(why) ?? 0) + 1);
    return {
      ...head,
      quantity: `${label} ${key}: ${statistics.map(({ name }) => name).join(' / ')}`,
      hta: a,
      ours: b,
      why,
    };
  });
  const totals = [hta, ours].map(({ byKey }) =>
    sixDigits([...byKey.values()].reduce((sum, each) => sum + sumOf(each), 0)),
  );
  const largest = keys
    .map((key, i) => ({ i, sum: sumOf(hta.byKey.get(key) ?? ours.byKey.get(key) ?? []) }))
    .sort((a, b) => b.sum - a.sum || a.i - b.i)
    .slice(0, shown);
  const allReasons = [...reasons].sort(([, a], [, b]) => b - a).map(([why, count]) => `${count}: ${why}`);
  return [
    {
      ...head,
      quantity: `${label} sum of all rows (us)`,
      hta: totals[0] ?? '',
      ours: totals[1] ?? '',
      why:
        totals[0] === totals[1] ? '' : [...new Set([...reasons.keys()].flatMap((why) => why.split('; ')))].join('; '),
    },
    ...largest.flatMap(({ i }) => lines.slice(i, i + 1)),
    {
      ...head,
      quantity: `${label} rows, and those of them that are the same`,
      hta: String(keys.length),
      ours: String(equal),
      why: allReasons.join('. '),
    },
  ];
}
