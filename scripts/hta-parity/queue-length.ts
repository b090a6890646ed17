import { formatCount } from '../../src/base/format.ts';
import { analysisOf, type ResultOf } from '../../src/analyses/registry.ts';
import type { Session } from '../../src/session/session.ts';
import {
  DEFECT_12,
  type HtaRow,
  type HtaTable,
  type HtaTrace,
  describe,
  htaTrace,
  listedRows,
  rounded,
} from './hta-rows.ts';
import type { Parity, ParityRow } from './row.ts';

const SERIES = 'get_queue_length_time_series';
const SUMMARY = 'get_queue_length_summary';
const BLOCKED = 'get_time_spent_blocked_on_full_queue';
/** The calls that HTA has queues for. */
const HTA_CALLS: ReadonlySet<string> = new Set([
  'cudaLaunchKernel',
  'cudaLaunchKernelExC',
  'cuLaunchKernel',
  'cuLaunchKernelEx',
  'cudaMemcpyAsync',
  'cudaMemsetAsync',
  'hipLaunchKernel',
  'hipExtModuleLaunchKernel',
  'hipMemcpyAsync',
  'hipMemsetAsync',
  'hipMemcpyWithStream',
  'runFunction',
]);
const BY_TIME = 'rule: each depth weighs as long as it held; HTA averages over its change points (made again)';
const NO_GRAPHS = 'HTA leaves graph launches out (cudaGraphLaunch is not among its calls)';
const IN_ONE_US = 'rule: what happens in one µs is one step; HTA lists the rows of one µs in any order';
const DEFECT_19 = 'defect 19: HTA keeps the last stream only';

interface Expected {
  readonly series: Readonly<Record<string, { readonly 'per stream': HtaTable; readonly series: HtaTable }>>;
  readonly summary: HtaTable | null;
  readonly [blocked: string]: unknown;
}

interface Change {
  readonly at: number;
  readonly by: 1 | -1;
}

/** Queue depths by stream as HTA has them, beside ours over the same launches. */
export const queueLength: Parity = (trace, expected, session) => {
  const { series, summary, ...blocked } = expected as Expected;
  const rank = session.trace.rank ?? 0;
  const theirs = series[`rank ${rank}`];
  if (theirs === undefined) return [notApplicable(trace, session)];
  const hta = htaTrace(session.trace);
  const own = countersOf(session);
  const rows: ParityRow[] = [];
  const changes = changesByStream(hta);
  for (const [stream, count, sum, , most] of theirs['per stream'].rows as readonly (readonly number[])[]) {
    const made = changes.get(stream ?? -1) ?? [];
    rows.push(
      ...streamRows(trace, { stream: stream ?? -1, count: count ?? 0, sum: sum ?? 0, most: most ?? 0 }, made, own, hta),
    );
    rows.push(...summaryRows(trace, stream ?? -1, rank, summary, made, own));
  }
  rows.push(listedRow(trace, theirs.series, hta));
  for (const [key, table] of Object.entries(blocked)) {
    if (table !== null) rows.push(blockedRow(trace, key, table as HtaTable, rank, changes, session));
  }
  return rows;
};

function countersOf(session: Session): ResultOf<'counters'> | undefined {
  const { defaults } = analysisOf('counters');
  const window = { kind: 'range', startNs: 0, endNs: Number.MAX_SAFE_INTEGER } as const;
  const outcome = session.run('counters', { ...defaults, window, points: true });
  return outcome.status === 'ok' ? outcome.result : undefined;
}

function notApplicable(trace: string, session: Session): ParityRow {
  if ((countersOf(session)?.queues.length ?? 0) > 0) throw new Error(`${trace}: HTA has no queue where we have one`);
  return { trace, method: SERIES, quantity: 'streams', hta: '0', ours: '0', why: '' };
}

/** +1 as a call begins, −1 as its op does, in order of time; the calls first where both are in one µs. */
function changesByStream({ pairs }: HtaTrace): Map<number, Change[]> {
  const changes = new Map<number, Change[]>();
  for (const { call, op } of pairs) {
    if (!HTA_CALLS.has(call.name)) continue;
    const list = changes.get(op.stream) ?? [];
    list.push({ at: call.start, by: 1 }, { at: op.start, by: -1 });
    changes.set(op.stream, list);
  }
  for (const list of changes.values()) list.sort((a, b) => a.at - b.at || b.by - a.by);
  return changes;
}

/** The values after each change; `last`: those after the last change of each µs, which do not depend on the order within it. */
function valuesOf(changes: readonly Change[]): {
  readonly all: number[];
  readonly last: number[];
  readonly sumRange: [number, number];
} {
  const all: number[] = [];
  const last: number[] = [];
  let depth = 0;
  let range = 0;
  for (let i = 0; i < changes.length;) {
    let to = i;
    let [up, down] = [0, 0];
    for (; to < changes.length && changes[to]?.at === changes[i]?.at; to++) {
      if (changes[to]?.by === 1) up++;
      else down++;
      depth += changes[to]?.by ?? 0;
      all.push(depth);
    }
    // Each pair of a rise and a fall that change places moves the sum by 2.
    range += 2 * up * down;
    last.push(depth);
    i = to;
  }
  const sum = all.reduce((total, value) => total + value, 0);
  return { all, last, sumRange: [sum - range, sum] };
}

interface StreamStats {
  readonly stream: number;
  readonly count: number;
  readonly sum: number;
  readonly most: number;
}

function streamRows(
  trace: string,
  { stream, count, sum, most }: StreamStats,
  changes: readonly Change[],
  own: ResultOf<'counters'> | undefined,
  hta: HtaTrace,
): ParityRow[] {
  const what = `stream ${stream}`;
  const { all, last, sumRange } = valuesOf(changes);
  if (all.length !== count) throw new Error(`${trace} ${what}: HTA has ${count} rows, its rule gives ${all.length}`);
  if (sum < sumRange[0] || sum > sumRange[1]) {
    throw new Error(`${trace} ${what}: HTA's sum ${sum} is not within ${sumRange.join('…')}`);
  }
  const queue = own?.queues.find(({ lane }) => lane.endsWith(`.${stream}`));
  const ours = queue?.overTime?.max ?? 0;
  const reachable = Math.max(...all);
  if (most > reachable || most < Math.max(...last)) throw new Error(`${trace} ${what}: HTA's maximum ${most}`);
  const why = ours === most ? '' : whyMax(hta, stream, ours, most);
  return [
    {
      trace,
      method: SERIES,
      quantity: `${what}: launched device ops (half of HTA's rows)`,
      hta: rounded(count / 2),
      ours: rounded(launchedOps(hta, stream)),
      why: launchedOps(hta, stream) === count / 2 ? '' : NO_GRAPHS,
    },
    { trace, method: SERIES, quantity: `${what}: greatest depth`, hta: rounded(most), ours: rounded(ours), why },
  ];
}

const launchedOps = ({ pairs }: HtaTrace, stream: number): number =>
  pairs.filter(({ op }) => op.stream === stream).length;

function whyMax({ pairs, cutNs, isRounded }: HtaTrace, stream: number, ours: number, theirs: number): string {
  const others = pairs.filter(({ call, op }) => op.stream === stream && !HTA_CALLS.has(call.name));
  if (others.length > 0 && ours > theirs) return NO_GRAPHS;
  if (cutNs < Infinity && ours > theirs) return 'rule: the whole trace; HTA leaves the last step out';
  return isRounded ? DEFECT_12 : IN_ONE_US;
}

function summaryRows(
  trace: string,
  stream: number,
  rank: number,
  summary: HtaTable | null,
  changes: readonly Change[],
  own: ResultOf<'counters'> | undefined,
): ParityRow[] {
  const theirs = summary?.rows.find((row) => row[0] === rank && row[1] === stream);
  const queue = own?.queues.find(({ lane }) => lane.endsWith(`.${stream}`));
  if (theirs === undefined || queue?.overTime === undefined) return [];
  const [count, mean] = [theirs[2] as number, theirs[3] as number];
  const { all, sumRange } = valuesOf(changes);
  const made = describe(all);
  const isSame = theirs.slice(2).every((value, i) => rounded(value as number) === rounded(made[i] ?? null));
  const within = rounded(sumRange[0] / count) <= rounded(mean) || sumRange[0] / count <= mean + 1e-6;
  if (!isSame && !(within && mean <= sumRange[1] / count + 1e-6)) {
    throw new Error(`${trace} stream ${stream}: HTA's summary ${theirs.join(' ')}, its rule gives ${made.join(' ')}`);
  }
  const { min, mean: ourMean, median, max } = queue.overTime;
  return [
    {
      trace,
      method: SUMMARY,
      quantity: `stream ${stream}: mean, min, median, max`,
      hta: [mean, theirs[5], theirs[7], theirs[9]].map((value) => rounded(value as number)).join(', '),
      ours: [ourMean, min, median, max].map(rounded).join(', '),
      why: isSame ? BY_TIME : `${BY_TIME} but for the order within one µs`,
    },
  ];
}

/** The rows that the file has, as moments and sides: the value depends on the order within one µs. */
function listedRow(trace: string, table: HtaTable, { pairs, zero }: HtaTrace): ParityRow {
  const listed = listedRows(table);
  const [index, at, on] = ['index', 'ts', 'stream'].map((column) => table.columns.indexOf(column));
  const known = new Map<number, { row: HtaRow; stream: number }>();
  for (const { call, op } of pairs) {
    known.set(call.position, { row: call, stream: op.stream });
    known.set(op.position, { row: op, stream: op.stream });
  }
  const first = listed[0];
  const offset =
    first === undefined ? 0 : (known.get(first[index ?? 0] as number)?.row.start ?? 0) - (first[at ?? 0] as number);
  const equal = listed.filter((row) => {
    const own = known.get(row[index ?? 0] as number);
    return own !== undefined && own.stream === row[on ?? 0] && own.row.start - offset === row[at ?? 0];
  }).length;
  // With several ranks HTA's zero is the earliest of all of them.
  if (equal !== listed.length || offset > zero) {
    throw new Error(`${trace}: ${equal} of ${listed.length} rows of the series`);
  }
  const all = `${formatCount(listed.length)} of ${formatCount(listed.length)}`;
  return { trace, method: SERIES, quantity: 'rows of the file: event, instant, stream', hta: all, ours: all, why: '' };
}

function blockedRow(
  trace: string,
  key: string,
  table: HtaTable,
  rank: number,
  changes: ReadonlyMap<number, readonly Change[]>,
  session: Session,
): ParityRow {
  const fullQueue = Number(/\d+/.exec(key)?.[0]);
  const { defaults } = analysisOf('launches');
  const window = { kind: 'range', startNs: 0, endNs: Number.MAX_SAFE_INTEGER } as const;
  const outcome = session.run('launches', { ...defaults, window, fullQueue });
  const lanes = outcome.status === 'ok' ? outcome.result.lanes.filter(({ fullNs }) => fullNs > 0) : [];
  const ours = lanes.map(({ lane, fullNs }) => `${lane} ${rounded(fullNs / 1000)}`).join(', ') || 'never';
  const row = table.rows.find(([of]) => of === rank);
  const theirs = row === undefined ? 'never' : `stream ${row[1]} ${rounded(row[2] as number)}`;
  const made = [...changes].flatMap(([stream, list]) => {
    const time = timeAtLeast(list, fullQueue);
    return time.most > 0 ? [{ stream, time }] : [];
  });
  const found = made.find(({ stream }) => stream === row?.[1]);
  const isMade =
    row === undefined ? made.every(({ time }) => time.least === 0) : isBetween(row[2] as number, found?.time);
  if (!isMade) throw new Error(`${trace} ${key}: HTA has ${theirs}, its rule gives ${JSON.stringify(made)}`);
  const isEqual = theirs.replace(/^stream \d+/, '') === ours.replace(/^\S+/, '') || theirs === ours;
  return {
    trace,
    method: BLOCKED,
    quantity: `µs with at least ${formatCount(fullQueue)} waiting`,
    hta: theirs,
    ours,
    why: isEqual ? '' : `${DEFECT_19}; rule: launches count, over the whole trace`,
  };
}

const isBetween = (value: number, time: { least: number; most: number } | undefined): boolean =>
  value <= (time?.most ?? 0) && value >= (time?.least ?? 0);

/** How long the depth was at least that, by the value that each µs ends with. */
function timeAtLeast(changes: readonly Change[], depth: number): { least: number; most: number } {
  let [least, now] = [0, 0];
  for (let i = 0; i < changes.length; i++) {
    now += changes[i]?.by ?? 0;
    const next = changes[i + 1]?.at;
    if (now >= depth && next !== undefined) least += next - (changes[i]?.at ?? 0);
  }
  return { least, most: least };
}
