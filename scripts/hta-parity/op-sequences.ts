import { analysisOf } from '../../src/analyses/registry.ts';
import type { OpSequence } from '../../src/analyses/ops/result.ts';
import type { Session } from '../../src/session/session.ts';
import { DEFECT_12, type HtaRow, type HtaTable, type HtaTrace, htaTrace, reasonOf, rounded } from './hta-rows.ts';
import type { Parity, ParityRow } from './row.ts';

const METHOD = 'get_aten_op_kernels_and_delay';
const LAUNCHES: ReadonlySet<string> = new Set(['cudaLaunchKernel', 'cudaLaunchKernelExC']);
const OUR_RULE =
  'ours lists all that an op launches on its own thread, whatever the op and the call; HTA only aten:: ops, of any thread, and what cudaLaunchKernel and …ExC launch: no copies, fills, driver calls and graphs';
const NOT_RESET = 'defect 20: HTA’s list is not reset, so that this rank’s rows hold those of the rank before too';

/** Times in µs. */
interface Sequence {
  readonly op: string;
  readonly kernels: string;
  readonly count: number;
  readonly toLaunch: number;
  readonly toDevice: number;
}

interface Failure {
  readonly error: string;
}

/** HTA's kernel sequences and delays: counts, sums, and each row. */
export const opSequences: Parity = (trace, expected, session) => {
  const ours = ourSequences(session, htaTrace(session.trace));
  const row = (quantity: string, hta: string, own: string, why: string): ParityRow => ({
    trace,
    method: METHOD,
    quantity,
    hta,
    ours: own,
    why,
  });
  const { error } = expected as Partial<Failure>;
  if (error !== undefined) {
    return [
      row(
        'op instances',
        'fails',
        rounded(countOf(ours)),
        `HTA fails where a launch has no aten:: op or no kernel: ${error.slice(0, 60)}`,
      ),
    ];
  }
  const tables = expected as Readonly<Record<string, HtaTable>>;
  const rank = session.trace.rank ?? 0;
  const table = tables[`rank ${rank}`];
  if (table === undefined) return [];
  const hta = htaTrace(session.trace);
  const before = rank > 0 ? tables[`rank ${rank - 1}`] : undefined;
  const own = htaSequences(hta);
  const made = before === undefined ? own : merged([...before.rows.map(rowOf), ...own]);
  const theirs = table.rows.map(rowOf);
  const why = [...(before === undefined ? [] : [NOT_RESET]), ...(hta.isRounded ? [DEFECT_12] : []), OUR_RULE].join(
    '; ',
  );
  const equal = (list: readonly Sequence[]): number => {
    const known = new Set(list.map(keyOf));
    return theirs.filter((each) => known.has(keyOf(each))).length;
  };
  const check = (quantity: string, value: number, of: (list: readonly Sequence[]) => number): ParityRow => {
    const variants = [
      { value: rounded(of(ours)), why: '' },
      { value: rounded(of(made)), why },
    ];
    const reason = reasonOf(`${trace} ${METHOD} ${quantity}`, rounded(value), variants);
    return row(quantity, rounded(value), rounded(of(ours)), reason);
  };
  const total = (column: string): number => table.sums[column] ?? NaN;
  return [
    check('op instances', total('occurrence_count'), countOf),
    check('ops with a sequence', table.count, (list) => list.length),
    check('sum of avg_aten_op_launch_delay (µs)', total('avg_aten_op_launch_delay'), (list) =>
      sumOf(list, ({ toLaunch }) => toLaunch),
    ),
    check('sum of avg_runtime_delay (µs)', total('avg_runtime_delay'), (list) =>
      sumOf(list, ({ toDevice }) => toDevice),
    ),
    check('rows that are equal: op, sequence, count, both delays', theirs.length, equal),
  ];
};

/** As of one list: the means weighted by their counts. HTA's times are whole µs, so that the sums are too. */
function merged(list: readonly Sequence[]): Sequence[] {
  const groups = new Map<string, Sequence>();
  for (const each of list) {
    const key = `${each.op}|${each.kernels}`;
    const known = groups.get(key);
    groups.set(key, known === undefined ? each : joined(known, each));
  }
  return [...groups.values()];
}

function joined(a: Sequence, b: Sequence): Sequence {
  const count = a.count + b.count;
  const mean = (of: (each: Sequence) => number): number =>
    halfEven((1000 * (Math.round(a.count * of(a)) + Math.round(b.count * of(b)))) / count) / 1000;
  return { ...a, count, toLaunch: mean(({ toLaunch }) => toLaunch), toDevice: mean(({ toDevice }) => toDevice) };
}

const keyOf = ({ op, kernels, count, toLaunch, toDevice }: Sequence): string =>
  [op, kernels, count, rounded(toLaunch), rounded(toDevice)].join('|');
const countOf = (list: readonly Sequence[]): number => list.reduce((sum, { count }) => sum + count, 0);
const sumOf = (list: readonly Sequence[], of: (each: Sequence) => number): number =>
  Math.round(list.reduce((sum, each) => sum + of(each), 0) * 1000) / 1000;

const rowOf = ([op, kernels, count, toLaunch, toDevice]: HtaTable['rows'][number]): Sequence => ({
  op: String(op),
  kernels: String(kernels),
  count: Number(count),
  toLaunch: Number(toLaunch),
  toDevice: Number(toDevice),
});

function ourSequences(session: Session, { cutNs }: HtaTrace): Sequence[] {
  const { defaults } = analysisOf('ops');
  const window = { kind: 'range', startNs: 0, endNs: cutNs === Infinity ? Number.MAX_SAFE_INTEGER : cutNs } as const;
  const outcome = session.run('ops', { ...defaults, window, sequences: true });
  if (outcome.status !== 'ok') return [];
  return (outcome.result.sequences ?? []).map((each: OpSequence): Sequence => ({
    op: each.op,
    kernels: each.kernels.join(' -> '),
    count: each.count,
    toLaunch: each.meanToLaunchNs / 1000,
    toDevice: each.meanToDeviceNs / 1000,
  }));
}

/** As Python rounds. */
function halfEven(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

/** By HTA's rule: of all threads, the aten:: op that began last of those that enclose the launch. */
function htaSequences({ rows, pairs }: HtaTrace): Sequence[] {
  const order = (a: HtaRow, b: HtaRow): number => a.start - b.start || b.dur - a.dur || a.position - b.position;
  const ops = rows.filter(({ name, isDevice }) => !isDevice && name.startsWith('aten::')).sort(order);
  const launched = pairs.filter(({ call }) => LAUNCHES.has(call.name)).sort((a, b) => order(a.call, b.call));
  const byOp = new Map<HtaRow, typeof launched>();
  let next = 0;
  for (const pair of launched) {
    const end = pair.call.start + pair.call.dur;
    while (next < ops.length && (ops[next]?.start ?? Infinity) <= pair.call.start) next++;
    let at = next - 1;
    while (at >= 0 && (ops[at]?.start ?? 0) + (ops[at]?.dur ?? 0) < end) at--;
    // Of those that begin in the same µs, the outermost.
    while (at > 0 && ops[at - 1]?.start === ops[at]?.start) at--;
    const op = ops[at];
    if (op === undefined) continue;
    const known = byOp.get(op);
    if (known === undefined) byOp.set(op, [pair]);
    else known.push(pair);
  }
  const groups = new Map<string, { op: string; kernels: string; toLaunch: number[]; toDevice: number[] }>();
  for (const [op, list] of byOp) {
    const kernels = list.map((pair) => pair.op.name).join(' -> ');
    const key = `${op.name}|${kernels}`;
    const group = groups.get(key) ?? { op: op.name, kernels, toLaunch: [], toDevice: [] };
    groups.set(key, group);
    const [first] = list;
    if (first === undefined) continue;
    group.toLaunch.push(first.call.start - op.start);
    group.toDevice.push(first.op.start - first.call.start);
  }
  const mean = (values: readonly number[]): number =>
    halfEven((1000 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 1000;
  return [...groups.values()].map(({ op, kernels, toLaunch, toDevice }) => ({
    op,
    kernels,
    count: toLaunch.length,
    toLaunch: mean(toLaunch),
    toDevice: mean(toDevice),
  }));
}
