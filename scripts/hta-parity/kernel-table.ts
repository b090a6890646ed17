import type { KernelsResult } from '../../src/analyses/kernels/result.ts';
import {
  DEVICE_WORK,
  type HtaClass,
  type HtaRow,
  type RankRows,
  classByPosition,
  htaClass,
  ranksOf,
} from './device-time.ts';
import { type DurationView, compareTable, deviation, groupBy, meanOf, quantile, sumOf } from './duration-stats.ts';
import { once } from './once.ts';
import type { Parity, ParityRow } from './row.ts';

const METHOD = 'get_gpu_kernel_breakdown (all_kernel_df)';

type KernelRow = readonly [name: string, ...numbers: number[], type: string, rank: number];

interface Expected {
  readonly [variant: string]: { readonly kernel_df: { readonly rows: readonly KernelRow[] } };
}

/** In the order of HTA's columns. */
const STATISTICS = [
  { name: 'sum (us)', of: sumOf },
  { name: 'max', of: (values: readonly number[]) => quantile(values, 1) },
  { name: 'min', of: (values: readonly number[]) => quantile(values, 0) },
  { name: 'stddev', of: deviation },
  { name: 'mean', of: meanOf },
];

export const kernelTable: Parity = (trace, expected) => {
  const tables = expected as Expected;
  const head = { trace, method: METHOD };
  return ranksOf(trace).flatMap((rank): ParityRow[] => {
    const rows = rowsOf(tables, 'all kernels', rank.rank);
    if (rank.session.run('kernels').status !== 'ok' && rows.length === 0) {
      const why = 'rule: a trace without device ops has no kernels to tell of';
      return [{ ...head, quantity: `rank ${rank.rank}`, hta: 'no rows', ours: 'not applicable', why }];
    }
    const views = kernelViews(rank);
    const label = `rank ${rank.rank}`;
    return [
      ...compareTable({ head, label, expected: numbersOf(rows), views, statistics: STATISTICS, shown: 5 }),
      othersRow(head, label, rowsOf(tables, 'default', rank.rank), views[0]?.byKey ?? new Map()),
    ];
  });
};

const rowsOf = (tables: Expected, variant: string, rank: number): readonly KernelRow[] =>
  Object.entries(tables)
    .filter(([name]) => name.startsWith(variant))
    .flatMap(
      ([
        ,
        {
          kernel_df: { rows },
        },
      ]) => rows,
    )
    .filter((row) => row[7] === rank);

const numbersOf = (rows: readonly KernelRow[]): Map<string, readonly number[]> =>
  new Map(rows.map((row) => [nameAndType(row[0], row[6] as HtaClass), row.slice(1, 6) as number[]]));

const MOST_NAMES = 10;
const DURATION_RATIO = 0.8;

/** HTA's short table, which folds the smaller kernels of a type: made again, number by number. Ours has `--limit` and folds nothing. */
function othersRow(
  head: Pick<ParityRow, 'trace' | 'method'>,
  label: string,
  rows: readonly KernelRow[],
  byKey: ReadonlyMap<string, readonly number[]>,
): ParityRow {
  const expected = numbersOf(rows);
  const folded = new Map<string, number[]>();
  let changed = 0;
  for (const type of ['COMPUTATION', 'COMMUNICATION', 'MEMORY'] as const) {
    const own = [...byKey].filter(([key]) => key.endsWith(` (${type})`));
    if (own.length <= MOST_NAMES) {
      for (const [key, values] of own) folded.set(key, [...values]);
      continue;
    }
    const sums = own.map(([key, values]) => ({ key, sum: sumOf(values) })).sort((a, b) => b.sum - a.sum);
    let total = 0;
    const cumulative = sums.map(({ sum }) => (total += sum));
    const most = quantile(cumulative, DURATION_RATIO);
    sums.forEach(({ key, sum }, i) => {
      const isKept = i < MOST_NAMES && (cumulative[i] ?? 0) <= most;
      const name = isKept ? key : nameAndType('others', type);
      folded.set(name, [...(folded.get(name) ?? []), sum]);
    });
    changed += own.filter(([, values]) => values.length > 1).length;
  }
  const [view] = [{ why: '', byKey: folded }];
  const lines = compareTable({ head, label, expected, views: [view], statistics: STATISTICS, shown: 0 });
  if (lines.some(({ why }) => why !== '')) throw new Error(`${head.trace} ${label}: the short table differs`);
  return {
    ...head,
    quantity: `${label} with num_kernels=10: rows`,
    hta: String(expected.size),
    ours: String(byKey.size),
    why:
      changed === 0
        ? 'rule: nothing is folded into one row, --limit cuts the list'
        : 'defect 17: the statistics of what is left are of sums by name; here nothing is folded, --limit cuts the list',
  };
}

const nameAndType = (name: string, type: HtaClass): string => `${name} (${type})`;

interface Run {
  readonly key: string;
  readonly us: number;
}

/** The device rows of a rank by name and type, from HTA's rules to ours. */
export function kernelViews(
  rank: RankRows,
  {
    keyOf = nameAndType,
    withOther = false,
  }: { readonly keyOf?: typeof nameAndType; readonly withOther?: boolean } = {},
): DurationView[] {
  const { session, all, kept } = rank;
  const exact = exactTimes(rank);
  const ourClass = classByPosition(rank);
  const rounded = ({ name, start, end }: HtaRow): Run => ({ key: keyOf(name, htaClass(name)), us: end - start });
  const classed = (row: HtaRow): Run => ({
    key: keyOf(row.name, ourClass.get(row.position) ?? 'OTHER'),
    us: row.end - row.start,
  });
  const timed = (row: HtaRow): Run => ({ ...classed(row), us: (exact.get(row.position)?.durNs ?? NaN) / 1000 });
  const isOf = ({ name }: HtaRow): boolean => withOther || htaClass(name) !== 'OTHER';
  const gpu = kept.filter(({ stream }) => stream !== -1);
  const device = gpu.filter(({ category }) => DEVICE_WORK.has(category));
  let [from, to] = [Infinity, -Infinity];
  for (const { position } of device) {
    const { start = NaN, durNs = NaN } = exact.get(position) ?? {};
    [from, to] = [Math.min(from, start), Math.max(to, start + durNs)];
  }
  const inside = all.filter(({ category, position }) => {
    const times = exact.get(position);
    if (!DEVICE_WORK.has(category) || times === undefined) return false;
    const { start, durNs } = times;
    return durNs === 0 ? start >= from && start <= to : start < to && start + durNs > from;
  });
  const byKey = (runs: readonly Run[]): Map<string, number[]> =>
    groupBy(
      runs,
      ({ key }) => key,
      ({ us }) => us,
    );
  const ours = byKey(inside.map(timed));
  if (keyOf === nameAndType) {
    checkAnalysis(session.run('kernels', { window: { kind: 'range', startNs: from, endNs: to } }), ours);
  }
  return [
    { why: '', byKey: byKey(gpu.filter(isOf).map(rounded)) },
    { why: 'defect 18: rows that are no device work count', byKey: byKey(device.filter(isOf).map(rounded)) },
    { why: 'defect 22: classes by the name alone', byKey: byKey(device.map(classed)) },
    { why: 'defect 12: times rounded to µs, starts up and ends down', byKey: byKey(device.map(timed)) },
    { why: 'rule: what was launched in the last step counts too where it runs in the window', byKey: ours },
  ];
}

/** What the analysis says must be what was made by hand: to the ns, as it rounds. */
function checkAnalysis(
  outcome: { readonly status: string; readonly result?: unknown },
  byKey: ReadonlyMap<string, readonly number[]>,
): void {
  if (outcome.status !== 'ok') throw new Error('kernels does not apply');
  const { rows } = outcome.result as KernelsResult;
  const toHta = { computation: 'COMPUTATION', communication: 'COMMUNICATION', copy: 'MEMORY', other: 'OTHER' } as const;
  if (rows.length !== byKey.size) throw new Error(`${rows.length} kernels, ${byKey.size} by hand`);
  for (const row of rows) {
    const values = byKey.get(nameAndType(row.name, toHta[row.class])) ?? [];
    const own = [row.count, row.minNs, row.maxNs, row.medianNs, row.meanNs, row.stddevNs ?? 0];
    const hand = [
      values.length,
      quantile(values, 0),
      quantile(values, 1),
      quantile(values, 0.5),
      meanOf(values),
      deviation(values),
    ];
    own.forEach((value, i) => {
      const made = i === 0 ? (hand[i] ?? NaN) : (hand[i] ?? NaN) * 1000;
      if (!(Math.abs(value - made) <= 0.51)) throw new Error(`${row.name}: ${value} by longpole, ${made} by hand`);
    });
  }
}

const exactTimes = once(
  ({ session }: RankRows): ReadonlyMap<number, { readonly start: number; readonly durNs: number }> => {
    const { events } = session.trace;
    const times = new Map<number, { start: number; durNs: number }>();
    for (let e = 0; e < events.length; e++) {
      if (events.phase[e] === 0) {
        times.set(events.position[e] as number, { start: events.start[e] as number, durNs: events.dur[e] as number });
      }
    }
    return times;
  },
);
