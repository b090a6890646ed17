import type { AnnotationsResult } from '../../src/analyses/annotations/result.ts';
import { type HtaRow, type RankRows, ranksOf } from './device-time.ts';
import { compareTable, deviation, groupBy, meanOf, quantile, sumOf } from './duration-stats.ts';
import type { Parity, ParityRow } from './row.ts';

const METHOD = 'get_gpu_user_annotation_breakdown';
const ROUNDING = 'defect 12: times rounded to µs, starts up and ends down';

type AnnotationRow = readonly [name: string, ...numbers: number[], rank: number];

interface Expected {
  readonly cpu: { readonly rows: readonly AnnotationRow[] } | null;
  readonly gpu: { readonly rows: readonly AnnotationRow[] } | null;
}

/** In the order of HTA's columns. */
const STATISTICS = [
  { name: 'sum (us)', of: sumOf },
  { name: 'max', of: (values: readonly number[]) => quantile(values, 1) },
  { name: 'min', of: (values: readonly number[]) => quantile(values, 0) },
  { name: 'stddev', of: deviation },
  { name: 'mean', of: meanOf },
];

export const userAnnotations: Parity = (trace, expected) => {
  const { cpu, gpu } = expected as Expected;
  return ranksOf(trace).flatMap((rank) => [
    ...hostRows(trace, rank, cpu?.rows ?? []),
    ...deviceRows(trace, rank, gpu?.rows ?? []),
  ]);
};

/** Our answer for the time that HTA keeps: up to the start of the last of several steps. */
export function annotationsBefore({ session }: RankRows): AnnotationsResult | string {
  const { trace } = session;
  const { events, strings, categories } = trace;
  const steps: number[] = [];
  for (let e = 0; e < events.length; e++) {
    const isHost = categories[events.category[e] as number]?.name === 'user_annotation';
    if (isHost && strings.text(events.name[e] as (typeof events.name)[number]).startsWith('ProfilerStep')) {
      steps.push(events.start[e] as number);
    }
  }
  const endNs = steps.length > 1 ? Math.max(...steps) : Number.MAX_SAFE_INTEGER;
  const outcome = session.run('annotations', { window: { kind: 'range', startNs: 0, endNs } });
  return outcome.status === 'ok' ? outcome.result : outcome.reason;
}

function expectedOf(rows: readonly AnnotationRow[], rank: number): Map<string, readonly number[]> {
  return new Map(rows.filter((row) => row[6] === rank).map((row) => [row[0], row.slice(1, 6) as number[]]));
}

const durations = (rows: readonly HtaRow[]): Map<string, number[]> =>
  groupBy(
    rows,
    ({ name }) => name,
    ({ start, end }) => end - start,
  );

function hostRows(trace: string, rank: RankRows, rows: readonly AnnotationRow[]): ParityRow[] {
  const head = { trace, method: `${METHOD}(use_gpu_annotation=False)` };
  const expected = expectedOf(rows, rank.rank);
  const label = `rank ${rank.rank}`;
  const kept = durations(rank.kept.filter(({ category }) => category === 'user_annotation'));
  const answer = annotationsBefore(rank);
  if (typeof answer === 'string') {
    compareTable({ head, label, expected, views: [{ why: '', byKey: kept }], statistics: STATISTICS, shown: 0 });
    const hta = expected.size === 0 ? 'none' : `${expected.size} rows`;
    return [{ ...head, quantity: label, hta, ours: 'not applicable', why: `rule: ${answer}` }];
  }
  const exact = exactDurations(rank, 'user_annotation');
  const ours = groupBy(
    answer.instances,
    ({ event }) => event.name,
    ({ durNs }) => durNs / 1000,
  );
  checkDurations(answer, ours);
  const views = [
    { why: '', byKey: kept },
    { why: ROUNDING, byKey: exact },
    { why: 'rule: annotations of no op of the window do not count', byKey: ours },
  ];
  return compareTable({ head, label, expected, views, statistics: STATISTICS, shown: 4 });
}

/** A row a stream and instance in HTA; here the time that they cover on a device. */
function deviceRows(trace: string, rank: RankRows, rows: readonly AnnotationRow[]): ParityRow[] {
  const head = { trace, method: `${METHOD}(use_gpu_annotation=True)` };
  const expected = expectedOf(rows, rank.rank);
  const label = `rank ${rank.rank}`;
  const answer = annotationsBefore(rank);
  if (expected.size === 0) {
    const drawn = typeof answer === 'string' ? 0 : answer.rows.filter((row) => row.drawn.length > 0).length;
    if (drawn > 0) throw new Error(`${trace}: HTA has none of ${drawn}`);
    return [{ ...head, quantity: label, hta: 'none', ours: 'none', why: '' }];
  }
  if (typeof answer === 'string') throw new Error(`${trace}: ${answer}`);
  const kept = durations(rank.kept.filter(({ category }) => category === 'gpu_user_annotation'));
  compareTable({ head, label, expected, views: [{ why: '', byKey: kept }], statistics: STATISTICS, shown: 0 });
  const spans = answer.rows.filter((row) => row.drawn.length > 0);
  const views = [
    { why: '', byKey: kept },
    { why: ROUNDING, byKey: exactDurations(rank, 'gpu_user_annotation') },
    {
      why: 'rule: what the rows of a device cover, in the window',
      byKey: new Map(spans.map((row) => [row.name, row.drawn.map(({ spanNs }) => spanNs / 1000)])),
    },
  ];
  const sums = new Map([...expected].map(([name, numbers]) => [name, numbers.slice(0, 1)]));
  return compareTable({ head, label, expected: sums, views, statistics: STATISTICS.slice(0, 1), shown: 4 });
}

/** Of the rows that HTA keeps, to the ns. */
function exactDurations({ session, kept }: RankRows, category: string): Map<string, number[]> {
  const { events } = session.trace;
  const exact = new Map<number, number>();
  for (let e = 0; e < events.length; e++) {
    if (events.phase[e] === 0) exact.set(events.position[e] as number, events.dur[e] as number);
  }
  return groupBy(
    kept.filter((row) => row.category === category),
    ({ name }) => name,
    ({ position }) => (exact.get(position) ?? NaN) / 1000,
  );
}

/** The table of the answer is that of its instances. */
function checkDurations({ rows }: AnnotationsResult, byKey: ReadonlyMap<string, readonly number[]>): void {
  for (const { name, count, durations: told } of rows) {
    const values = byKey.get(name) ?? [];
    const own = [count, told?.maxNs, told?.minNs, told?.stddevNs ?? 0, told?.meanNs];
    const hand = [values.length / 1000, quantile(values, 1), quantile(values, 0), deviation(values), meanOf(values)];
    if (count === 0) continue;
    own.forEach((value, i) => {
      if (!(Math.abs((value ?? NaN) - (hand[i] ?? NaN) * 1000) <= 0.51)) {
        throw new Error(`${name}: ${value} is not ${hand[i]}`);
      }
    });
  }
}
