import type { IdleGroup, IdleResult } from '../../src/analyses/idle/result.ts';
import { DEVICE_WORK, type HtaRow, type RankRows, ranksOf, timesOf } from './device-time.ts';
import { describe, rounded } from './hta-rows.ts';
import type { Parity, ParityRow } from './row.ts';
import { errorRow, isError } from './temporal-breakdown.ts';

const METHOD = 'get_idle_time_breakdown';
const CATEGORIES = ['host_wait', 'kernel_wait', 'other'] as const;
type Category = (typeof CATEGORIES)[number];
const CONSECUTIVE_US = 30;

const PER_DEVICE = 'rule: a device is idle where none of its streams works; HTA adds up the idle time of each stream';
const DIVIDED =
  'rule: a gap is divided by what held up its next op; HTA names it whole by whether the launch came after the op before';
const ROUNDED = 'defect 12: times rounded to µs, starts up and ends down';

/** Which of our groups answer the question that HTA's category is about. */
const GROUPS: Readonly<Record<Category, readonly IdleGroup[]>> = {
  host_wait: ['host-late', 'launch'],
  kernel_wait: ['device-order', 'other-device', 'other-rank'],
  other: ['unexplained', 'before-first-op', 'after-last-op'],
};

type Cell = number | string | null;
interface Expected {
  readonly idle_time: { readonly rows: readonly (readonly Cell[])[] };
  readonly interval_stats: { readonly rows: readonly (readonly Cell[])[] };
}

export const idleTimeBreakdown: Parity = (trace, expected) => {
  if (isError(expected)) return [errorRow(trace, expected, METHOD)];
  const tables = expected as Expected;
  return ranksOf(trace).flatMap((rank) => rowsOf(trace, tables, rank));
};

/** Intervals in µs by stream and category, by HTA's rules. The first op of a stream has none, and falls under `other`. */
type Intervals = ReadonlyMap<number, ReadonlyMap<Category, readonly number[]>>;

function htaIntervals({ kept }: RankRows): Intervals {
  const callAt = new Map<number, number>();
  for (const { stream, correlation, start } of kept) if (stream < 0 && correlation > 0) callAt.set(correlation, start);
  // Its number for a partner that is not there is that of the first row.
  const first = kept.find(({ position }) => position === 0)?.start ?? NaN;
  const byStream = new Map<number, HtaRow[]>();
  for (const row of kept) {
    if (!DEVICE_WORK.has(row.category)) continue;
    byStream.set(row.stream, [...(byStream.get(row.stream) ?? []), row]);
  }
  return new Map(
    [...byStream].map(([stream, rows]) => {
      rows.sort((a, b) => a.start - b.start || a.position - b.position);
      const found = new Map<Category, number[]>([['other', []]]);
      rows.forEach((row, i) => {
        const before = rows[i - 1];
        if (before === undefined) return;
        const interval = row.start - before.end;
        const launched = callAt.get(row.correlation) ?? first;
        const category = launched > before.end ? 'host_wait' : interval < CONSECUTIVE_US ? 'kernel_wait' : 'other';
        const known = found.get(category);
        if (known === undefined) found.set(category, [interval]);
        else known.push(interval);
      });
      return [stream, found];
    }),
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function rowsOf(trace: string, expected: Expected, rank: RankRows): ParityRow[] {
  const made = htaIntervals(rank);
  const checked = checkTimes(trace, expected, rank.rank, made) + checkStatistics(trace, expected, rank.rank, made);
  const { from, to, isRounded } = timesOf(rank);
  const idle = idleIn(rank, from, to);
  const head = { trace, method: METHOD };
  const ofCategory = (category: Category): number =>
    sum([...made.values()].flatMap((stream) => stream.get(category) ?? []));
  const total = sum(CATEGORIES.map(ofCategory));
  const ours = Math.round((idle.devices[0]?.idleNs ?? 0) / 1000);
  const why = made.size > 1 ? PER_DEVICE : isRounded ? ROUNDED : '';
  if (why === '' && total !== ours) throw new Error(`${trace}: ${total} and ${ours} differ without a reason`);
  return [
    {
      ...head,
      quantity: `rank ${rank.rank} idle_time of all streams (us)`,
      hta: String(total),
      ours: String(ours),
      why: total === ours ? '' : why,
    },
    ...CATEGORIES.map((category): ParityRow => {
      const own = GROUPS[category].map((group) => idle.devices[0]?.groups.find((each) => each.group === group));
      const ownUs = Math.round(sum(own.map((each) => each?.totalNs ?? 0)) / 1000);
      const hta = ofCategory(category);
      return {
        ...head,
        quantity: `rank ${rank.rank} ${category} of all streams (us)`,
        hta: String(hta),
        ours: `${ownUs} (${GROUPS[category].join(' + ')})`,
        why: hta === ownUs ? '' : made.size > 1 ? `${PER_DEVICE}; ${DIVIDED}` : DIVIDED,
      };
    }),
    {
      ...head,
      quantity: `rank ${rank.rank} ${checked} numbers by stream and category, with their statistics`,
      hta: 'made again by its rule',
      ours: 'not given by stream',
      why: PER_DEVICE,
    },
  ];
}

/** All rows of HTA's first table, to its last digit; how many numbers they were. */
function checkTimes(trace: string, { idle_time: table }: Expected, rank: number, made: Intervals): number {
  const rows = table.rows.filter(([number]) => number === rank);
  let count = 0;
  for (const [stream, categories] of made) {
    const total = sum([...categories.values()].flat());
    for (const [category, intervals] of categories) {
      const row = rows.find((each) => each[1] === stream && each[2] === category);
      const share = total === 0 ? null : sum(intervals) / total;
      if (row?.[3] !== sum(intervals) || !isNear(row[4], share, 2)) {
        throw new Error(
          `${trace} stream ${stream} ${category}: HTA ${String(row)}, by its rule ${sum(intervals)} ${share}`,
        );
      }
      count += 2;
    }
  }
  if (2 * rows.length !== count) throw new Error(`${trace}: HTA has ${rows.length} rows, its rule gives ${count / 2}`);
  return count;
}

/** Those of the second: `describe` of the intervals of each category and stream. */
function checkStatistics(trace: string, { interval_stats: table }: Expected, rank: number, made: Intervals): number {
  const rows = table.rows.filter((each) => each[1] === rank);
  let count = 0;
  for (const row of rows) {
    const [category, , stream, ...statistics] = row;
    const intervals = made.get(Number(stream))?.get(category as Category) ?? [];
    const own = intervals.length === 0 ? [0] : describe(intervals);
    statistics.forEach((value, i) => {
      const expected = own[i] ?? null;
      if (!isNear(value ?? null, expected, 2)) {
        throw new Error(`${trace} stream ${stream} ${category} ${i}: HTA ${value}, by its rule ${rounded(expected)}`);
      }
      count++;
    });
  }
  return count;
}

/** Is `hta` what `value` is when rounded to so many digits? */
const isNear = (hta: Cell | undefined, value: number | null, digits: number): boolean =>
  value === null ? hta === null : typeof hta === 'number' && Math.abs(hta - value) <= 0.5 * 10 ** -digits + 1e-9;

function idleIn({ session }: RankRows, startNs: number, endNs: number): IdleResult {
  const outcome = session.run('idle', { window: { kind: 'range', startNs, endNs } });
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  return outcome.result;
}
