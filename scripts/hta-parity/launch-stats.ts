import { analysisOf } from '../../src/analyses/registry.ts';
import type { Launch } from '../../src/analyses/launches/result.ts';
import type { Session } from '../../src/session/session.ts';
import {
  DEFECT_12,
  DEFECT_20,
  type HtaTable,
  type HtaTrace,
  type Variant,
  describe,
  listedRows,
  htaTrace,
  reasonOf,
  rounded,
} from './hta-rows.ts';
import type { Parity, ParityRow } from './row.ts';

const METHOD = 'get_cuda_kernel_launch_stats';
const HTA_CALLS: ReadonlySet<string> = new Set([
  'cudaLaunchKernel',
  'cudaLaunchKernelExC',
  'runFunction',
  'cudaMemcpyAsync',
  'cudaMemsetAsync',
]);

interface RankStats {
  readonly describe: HtaTable | null;
  readonly stats: HtaTable;
  readonly [outliers: string]: unknown;
}

/** One launch with one device op; times in µs. */
interface Pair {
  readonly correlation: number;
  readonly cpu: number;
  readonly gpu: number;
  readonly delay: number;
}

/** HTA's launch statistics: counts, sums, quantiles, outliers, and each row that the file has. */
export const launchStats: Parity = (trace, expected, session) => {
  const stats = (expected as Readonly<Record<string, RankStats>>)[`rank ${session.trace.rank ?? 0}`];
  if (stats === undefined) return [];
  const hta = htaTrace(session.trace);
  const ways = [
    { why: '', pairs: ourPairs(session, hta) },
    { why: DEFECT_20, pairs: ourPairs(session, hta, HTA_CALLS) },
    { why: hta.isRounded ? DEFECT_12 : 'HTA’s join of launches', pairs: htaPairs(hta) },
  ];
  const rows: ParityRow[] = [];
  const add = (quantity: string, theirs: string, of: (pairs: readonly Pair[]) => string): void => {
    const variants: Variant[] = ways.map(({ why, pairs }) => ({ why, value: of(pairs) }));
    const why = reasonOf(`${trace} ${METHOD} ${quantity}`, theirs, variants);
    rows.push({ trace, method: METHOD, quantity, hta: theirs, ours: variants[0]?.value ?? '', why });
  };
  const table = stats.stats;
  add('launches', rounded(table.count), (pairs) => rounded(pairs.length));
  for (const [column, field] of COLUMNS) {
    if (table.count === 0) continue;
    add(`sum of ${column} (µs)`, rounded(table.sums[column] ?? NaN), (pairs) => rounded(sumOf(pairs, field)));
    const place = stats.describe?.columns.indexOf(column) ?? -1;
    const theirs = (stats.describe?.rows ?? []).map((row) => rounded(row[place] as number | null));
    add(`${column}: count, mean, std, min, quartiles, max (µs)`, theirs.join(', '), (pairs) =>
      describe(pairs.map(({ [field]: value }) => value))
        .map(rounded)
        .join(', '),
    );
  }
  const outliers = (key: string, of: (pair: Pair) => boolean): void =>
    add(key, rounded(stats[key] as number), (pairs) => rounded(pairs.filter(of).length));
  outliers('launch delay outliers (> 100)', ({ delay }) => delay > 100);
  outliers('runtime outliers (cpu_duration > 50)', ({ cpu }) => cpu > 50);
  outliers('short kernels (cpu_duration <= 50 and gpu < cpu)', ({ cpu, gpu }) => cpu <= 50 && gpu < cpu);
  const listed = listedRows(table);
  if (listed.length > 0) {
    const all = `${listed.length} of ${listed.length}`;
    add('rows of the file that are equal', all, (pairs) => `${countEqual(listed, pairs)} of ${listed.length}`);
  }
  return rows;
};

const COLUMNS = [
  ['cpu_duration', 'cpu'],
  ['gpu_duration', 'gpu'],
  ['launch_delay', 'delay'],
] as const;

const sumOf = (pairs: readonly Pair[], field: 'cpu' | 'gpu' | 'delay'): number =>
  pairs.reduce((sum, { [field]: value }) => sum + value, 0);

function countEqual(rows: HtaTable['rows'], pairs: readonly Pair[]): number {
  const own = new Map(pairs.map((pair) => [pair.correlation, pair]));
  return rows.filter(([correlation, cpu, gpu, delay]) => {
    const pair = own.get(correlation as number);
    return pair !== undefined && pair.cpu === cpu && pair.gpu === gpu && pair.delay === delay;
  }).length;
}

/** Our launches that begin before HTA's cut: one device op each as HTA has them, or all of it in one. */
function ourPairs(session: Session, { cutNs }: HtaTrace, names?: ReadonlySet<string>): Pair[] {
  const { defaults } = analysisOf('launches');
  const endNs = Math.min(cutNs, Number.MAX_SAFE_INTEGER);
  const outcome = session.run('launches', { ...defaults, window: { kind: 'range', startNs: 0, endNs }, each: true });
  if (outcome.status !== 'ok') return [];
  const isTaken = ({ call, op }: Launch): boolean => op !== undefined && (names === undefined || names.has(call.name));
  return (outcome.result.launches ?? []).filter(isTaken).map(({ call, callNs, deviceNs, delayNs }) => ({
    correlation: call.correlation ?? -1,
    cpu: callNs / 1000,
    gpu: deviceNs / 1000,
    delay: (delayNs ?? 0) / 1000,
  }));
}

const htaPairs = ({ pairs }: HtaTrace): Pair[] =>
  pairs
    .filter(({ call }) => HTA_CALLS.has(call.name))
    .map(({ call, op }) => ({
      correlation: call.correlation,
      cpu: call.dur,
      gpu: op.dur,
      delay: Math.max(0, op.start - call.start - call.dur),
    }));
