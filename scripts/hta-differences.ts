// node scripts/run-ts.mjs scripts/hta-differences.ts: writes the tables of docs/hta-differences.md.
// HTA's numbers are those of HTA 0.6.1, kept beside the public traces (../shared/traces/expected-hta, or below LONGPOLE_TRACES). They
// hold HTA's sums but not all of its nodes, so its graph is built again here, after its rules, and must give the same edges, sums
// and number of nodes. Then both paths can be laid over one another, and each microsecond of the difference has its rule.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { CriticalPathResult, PathSegment } from '../src/analyses/critical-path/result.ts';
import { ANALYSES } from '../src/analyses/registry.ts';
import { formatCount } from '../src/base/format.ts';
import type { WindowRequest } from '../src/graph/window-request.ts';
import { type Session, openSession } from '../src/session/session.ts';
import type { StringId } from '../src/trace/ids.ts';

const TRACES = process.env['LONGPOLE_TRACES'] ?? join(process.cwd(), '../shared/traces');
const EXPECTED = join(TRACES, 'expected-hta');
const PAGE = join(process.cwd(), 'docs/hta-differences.md');

/** What is read of HTA's answer for one window. Times in µs after the earliest row of the trace. */
interface HtaAnswer {
  readonly annotation: string;
  readonly rank: number;
  readonly 'annotation instance (ts, dur)'?: readonly [ts: number, dur: number];
  readonly 'annotation rows in order (index, ts, dur, stream, name)'?: readonly (readonly [
    number,
    number,
    number,
    number,
    string,
  ])[];
  readonly 'critical path': {
    readonly 'node count': number;
    readonly 'total duration (sum of graph weights)': number;
    readonly 'last ts - first ts': number;
  };
  readonly 'breakdown totals': {
    readonly 'by bound_by': { readonly rows: readonly (readonly [string, number, number])[] };
  };
  readonly 'edges by type': { readonly rows: readonly (readonly [string, number, number, number, number, number])[] };
}

interface RawRow {
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly name: string;
  readonly pid: number | string;
  readonly tid: number | string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** A row as HTA reads it: whole µs, from the file's zero. */
interface Row {
  readonly position: number;
  /** As written. */
  readonly ts: number;
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly category: string;
  readonly thread: string;
  readonly stream: number;
  readonly correlation: number;
  readonly args: Readonly<Record<string, unknown>>;
}

const HOST = new Set(['cpu_op', 'cuda_runtime', 'cuda_driver']);
const ON_HOST = new Set([...HOST, 'user_annotation', 'python_function']);
const CALLS = new Set(['cuda_runtime', 'cuda_driver']);
const DEVICE = new Set(['kernel', 'gpu_memcpy', 'gpu_memset']);
/** Calls whose own time HTA sets to zero; it means `cudaMemcpyAsync` too, but adds that one with its full time elsewhere. */
const BLOCKING = new Set([
  'cudaDeviceSynchronize',
  'cudaStreamSynchronize',
  'cudaEventQuery',
  'cudaEventSynchronize',
  'cudaMemcpy',
]);
/** Calls that HTA counts in its launch queues. `cudaGraphLaunch` is not among them. */
const QUEUED =
  /^(cudaLaunchKernel(ExC)?|cuLaunchKernel(Ex)?|(cuda|hip)Mem(cpy|set)Async|hipLaunchKernel|hipExtModuleLaunchKernel|hipMemcpyWithStream)$/;
const LONGEST_GAP_US = 1_500;

function readRows(file: string): { rows: Row[]; zero: number } {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const { traceEvents } = JSON.parse(text) as { traceEvents: readonly RawRow[] };
  const rows = traceEvents.flatMap(({ ph, ts, dur, cat, name, pid, tid, args = {} }, position): Row[] => {
    if (ph !== 'X' || dur === undefined || cat === undefined || cat === 'Trace') return [];
    const stream = Number(args['stream'] ?? -1);
    return [
      {
        position,
        ts,
        start: Math.ceil(ts),
        end: Math.floor(ts + dur),
        name,
        category: cat,
        thread: `${pid}/${tid}`,
        stream: Number.isNaN(stream) ? -1 : stream,
        correlation: Number(args['correlation'] ?? -1),
        args,
      },
    ];
  });
  return { rows: withoutLastStep(rows), zero: Math.min(...rows.map(({ start }) => start)) };
}

function groupBy<T, K>(list: Iterable<T>, keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of list) {
    const group = groups.get(keyOf(each));
    if (group === undefined) groups.set(keyOf(each), [each]);
    else group.push(each);
  }
  return groups;
}

/** An op that carries a stream (Triton's do) is taken for device work. */
const isHost = ({ category, stream }: Row): boolean => HOST.has(category) && (category !== 'cpu_op' || stream < 0);
const isStep = ({ name, category }: Row): boolean => category === 'user_annotation' && name.startsWith('ProfilerStep');

/** Where there are several steps, HTA drops the last one and what follows, and the device rows launched there. */
function withoutLastStep(rows: readonly Row[]): Row[] {
  const steps = rows.filter(isStep).map(({ start }) => start);
  if (steps.length < 2) return [...rows];
  const limit = Math.max(...steps);
  const launched = new Set(
    rows.filter(({ category, start }) => CALLS.has(category) && start < limit).map(({ correlation }) => correlation),
  );
  return rows.filter(({ stream, start, correlation }) => (stream < 0 ? start < limit : launched.has(correlation)));
}

/** `own`: the length of a row, or between two moments inside one op; the rest as HTA calls them. */
type EdgeType = 'own' | 'dependency' | 'launch' | 'kernel' | 'sync';

interface HtaEdge {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
  readonly type: EdgeType;
}

/** Node 2 n is the start of `rows[n]`, node 2 n + 1 its end. */
interface HtaGraph {
  readonly rows: readonly Row[];
  readonly edges: readonly HtaEdge[];
}

const timeOf = (rows: readonly Row[], node: number): number => {
  const row = rows[node >> 1] as Row;
  return (node & 1) === 0 ? row.start : row.end;
};

function buildHta(all: readonly Row[], begin: number, end: number): HtaGraph {
  const isInside = ({ start }: Row): boolean => start >= begin && start <= end;
  const callOf = new Map(all.filter(({ category }) => CALLS.has(category)).map((row) => [row.correlation, row]));
  const host = all.filter((row) => isHost(row) && isInside(row) && row.end > row.start);
  // Of the rows of one launch (a graph) it keeps the last.
  const linked = new Map(all.filter(({ category }) => DEVICE.has(category)).map((row) => [row.correlation, row]));
  const device = all.filter((row) => {
    const call = callOf.get(row.correlation);
    return linked.get(row.correlation) === row && row.end >= row.start && call !== undefined && isInside(call);
  });
  const rows = [...host, ...device];
  const numberOf = new Map(rows.map((row, n) => [row, n]));
  const edges: HtaEdge[] = [];
  const add = (type: EdgeType, from: number, to: number, weight = timeOf(rows, to) - timeOf(rows, from)): void => {
    edges.push({ from, to, weight, type });
  };
  const merged = threadMerge(all.filter(isInside));
  for (const thread of groupBy(host, (row) => merged(row.thread)).values()) addThread(thread, numberOf, rows, add);
  addDevice({ all, device, callOf, numberOf, add });
  return { rows, edges };
}

/** HTA puts the backward thread's rows into the forward thread if exactly one thread is either. */
function threadMerge(rows: readonly Row[]): (thread: string) => string {
  const threadsWith = (word: string): string[] => [
    ...new Set(
      rows.filter(({ name, category }) => ON_HOST.has(category) && name.includes(word)).map(({ thread }) => thread),
    ),
  ];
  const [forward, ...otherForward] = threadsWith('forward');
  const [backward, ...otherBackward] = threadsWith('autograd');
  const isClear = forward !== undefined && otherForward.length + otherBackward.length === 0;
  return (thread) => (isClear && thread === backward ? forward : thread);
}

type Add = (type: EdgeType, from: number, to: number, weight?: number) => void;

/** Inside an op, each moment follows the one before it; from one op of the thread to the next there is an edge without weight. */
function addThread(thread: Row[], numberOf: ReadonlyMap<Row, number>, rows: readonly Row[], add: Add): void {
  thread.sort((a, b) => a.start - b.start || b.end - a.end || a.position - b.position);
  const open: Row[] = [];
  let last = -1;
  let lastOutside = -1;
  const leave = (row: Row): void => {
    const end = 2 * (numberOf.get(row) as number) + 1;
    add('own', last, end, last === end - 1 && BLOCKING.has(row.name) ? 0 : timeOf(rows, end) - timeOf(rows, last));
    last = end;
    if (open.length === 0) lastOutside = end;
  };
  const leaveBefore = (time: number): void => {
    for (let top = open.at(-1); top !== undefined && top.end <= time; top = open.at(-1)) {
      open.pop();
      leave(top);
    }
  };
  for (const row of thread) {
    leaveBefore(row.start);
    const start = 2 * (numberOf.get(row) as number);
    if (open.length > 0) add('own', last, start);
    else if (lastOutside !== -1) add('dependency', lastOutside, start, 0);
    last = start;
    open.push(row);
  }
  leaveBefore(Infinity);
}

interface DeviceParts {
  readonly all: readonly Row[];
  readonly device: readonly Row[];
  readonly callOf: ReadonlyMap<number, Row>;
  readonly numberOf: ReadonlyMap<Row, number>;
  readonly add: Add;
}

/** In order of time: each device row gets the edges that hold it up, each synchronising call those from what ran last before it. */
function addDevice({ all, device, callOf, numberOf, add }: DeviceParts): void {
  const sourceOf = waitSources(all, device);
  const queued = queueLengths(device, callOf);
  const lastOn = new Map<number, Row>();
  const startOf = (row: Row): number => 2 * (numberOf.get(row) as number);
  const endOf = (row: Row): number => startOf(row) + 1;
  const syncs = all.filter(({ category, name }) => category === 'cuda_sync' && name !== 'Stream Wait Event');
  const moments = [
    ...device.map((row) => ({ row, time: row.start })),
    ...syncs.map((row) => ({ row, time: row.end })),
  ].sort((a, b) => a.time - b.time || a.row.position - b.row.position);
  for (const { row } of moments) {
    const call = callOf.get(row.correlation);
    if (call === undefined) continue;
    if (row.category === 'cuda_sync') {
      const sources = numberOf.has(call) ? syncSources(device, lastOn, row) : [];
      for (const source of sources) add('sync', endOf(source), endOf(call), 0);
      continue;
    }
    add('own', startOf(row), endOf(row));
    const before = lastOn.get(row.stream);
    const source = sourceOf.get(row);
    const queue = queued.get(row);
    const wasEmpty = queue?.atLaunch === 1 && queue.atStart === 0;
    const wasIdle = (before?.end ?? -Infinity) < call.start && (source?.end ?? -Infinity) < call.start;
    const isNear =
      before !== undefined && row.start - before.end < LONGEST_GAP_US && (source?.end ?? -Infinity) <= before.end;
    if (wasEmpty && wasIdle && numberOf.has(call)) add('launch', startOf(call), startOf(row));
    else if (isNear) add('kernel', endOf(before), startOf(row));
    if (source !== undefined) add('sync', endOf(source), startOf(row), 0);
    lastOn.set(row.stream, row);
  }
}

/** What a synchronising call waits for: of its stream, or of all streams, the last row so far. */
function syncSources(device: readonly Row[], lastOn: ReadonlyMap<number, Row>, row: Row): Row[] {
  const found: (Row | undefined)[] = [];
  if (row.name === 'Event Sync') found.push(recorded(device, row));
  if (row.name === 'Stream Sync') found.push(lastOn.get(row.stream));
  if (row.name === 'Context Sync') found.push(...lastOn.values());
  return found.filter((source) => source !== undefined);
}

/** The last row launched before a record, on the stream that the wait names. */
function recorded(device: readonly Row[], { args }: Row): Row | undefined {
  const record = Number(args['wait_on_cuda_event_record_corr_id']);
  let found: Row | undefined;
  for (const row of device) {
    const isEarlier = row.stream === args['wait_on_stream'] && row.correlation < record;
    if (isEarlier && row.correlation > (found?.correlation ?? -1)) found = row;
  }
  return found;
}

/** By waiting row its source: one, the last that is looked at. */
function waitSources(all: readonly Row[], device: readonly Row[]): Map<Row, Row> {
  const sources = new Map<Row, Row>();
  for (const wait of all) {
    if (wait.category !== 'cuda_sync' || wait.name !== 'Stream Wait Event') continue;
    const source = recorded(device, wait);
    let sink: Row | undefined;
    for (const row of device) {
      const isLater = row.stream === wait.stream && row.correlation > wait.correlation;
      if (isLater && row.correlation < (sink?.correlation ?? Infinity)) sink = row;
    }
    if (source !== undefined && sink !== undefined) sources.set(sink, source);
  }
  return sources;
}

function queueLengths(
  device: readonly Row[],
  callOf: ReadonlyMap<number, Row>,
): Map<Row, { atLaunch: number; atStart: number }> {
  const lengths = new Map<Row, { atLaunch: number; atStart: number }>();
  for (const rows of groupBy(device, ({ stream }) => stream).values()) {
    const changes = rows.flatMap((row) => {
      const call = callOf.get(row.correlation) as Row;
      return QUEUED.test(call.name)
        ? [
            { row, time: call.start, by: 1 },
            { row, time: row.start, by: -1 },
          ]
        : [];
    });
    changes.sort((a, b) => a.time - b.time || b.by - a.by);
    let length = 0;
    for (const { row, by } of changes) {
      length += by;
      const known = lengths.get(row) ?? { atLaunch: 0, atStart: 0 };
      lengths.set(row, by === 1 ? { ...known, atLaunch: length } : { ...known, atStart: length });
    }
  }
  return lengths;
}

/** A step of HTA's path: an edge and the time that it spans, which may be more than its weight. */
interface HtaStep extends HtaEdge {
  readonly begin: number;
  readonly end: number;
}

/** The longest path by weight, from any node to any node. */
function longestPath({ rows, edges }: HtaGraph): HtaStep[] {
  const into = groupBy(edges, ({ to }) => to);
  const outOf = groupBy(edges, ({ from }) => from);
  const open = new Map([...into].map(([node, list]) => [node, list.length]));
  const ready = [...outOf.keys()].filter((node) => !open.has(node));
  const length = new Map<number, number>();
  const by = new Map<number, HtaEdge>();
  let last = -1;
  for (let at = 0; at < ready.length; at++) {
    const node = ready[at] as number;
    let best: HtaEdge | undefined;
    let most = -1;
    for (const edge of into.get(node) ?? []) {
      const total = (length.get(edge.from) as number) + Math.max(0, edge.weight);
      if (total > most) [best, most] = [edge, total];
    }
    length.set(node, Math.max(0, most));
    if (best !== undefined) by.set(node, best);
    if (last === -1 || Math.max(0, most) > (length.get(last) as number)) last = node;
    for (const { to } of outOf.get(node) ?? []) {
      const left = (open.get(to) as number) - 1;
      open.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  const steps: HtaStep[] = [];
  for (let edge = by.get(last); edge !== undefined; edge = by.get(edge.from)) {
    steps.push({ ...edge, begin: timeOf(rows, edge.from), end: timeOf(rows, edge.to) });
  }
  return steps.reverse();
}

const HTA_TYPES: Readonly<Record<string, EdgeType>> = {
  critical_path_operator: 'own',
  critical_path_dependency: 'dependency',
  critical_path_kernel_launch_delay: 'launch',
  critical_path_kernel_kernel_delay: 'kernel',
  critical_path_sync_dependency: 'sync',
};

/** Throws unless the graph built here is HTA's: the same edges by type and weight, the same path by length, span and nodes. */
function ensureSame(name: string, answer: HtaAnswer, { edges }: HtaGraph, path: readonly HtaStep[]): void {
  const cp = answer['critical path'];
  const facts: [string, number, number][] = [
    [
      'length',
      path.reduce((sum, { weight }) => sum + Math.max(0, weight), 0),
      cp['total duration (sum of graph weights)'],
    ],
    ['span', (path.at(-1)?.end ?? 0) - (path[0]?.begin ?? 0), cp['last ts - first ts']],
    ['nodes', path.length + 1, cp['node count']],
  ];
  // Which of two edges a device row gets can hang on the order of equal instants in HTA's queue, which its sort leaves open.
  let starts = 0;
  for (const [type, count, , weight] of answer['edges by type'].rows) {
    const own = edges.filter((edge) => edge.type === HTA_TYPES[type]);
    if (HTA_TYPES[type] === 'launch' || HTA_TYPES[type] === 'kernel') {
      starts += own.length - count;
      continue;
    }
    facts.push([`${type} edges`, own.length, count]);
    facts.push([`${type} weight`, own.reduce((sum, edge) => sum + Math.max(0, edge.weight), 0), weight]);
  }
  facts.push(['launch and kernel edges', starts, 0]);
  const wrong = facts.filter(([, actual, expected]) => actual !== expected);
  if (wrong.length > 0) throw new Error(`${name}: HTA's graph is not the same: ${JSON.stringify(wrong)}`);
}

/** By which rule of the page a stretch of time differs. The first five explain the sums, the others what the same time is called. */
const SUM_RULES = [
  'host-gaps-count',
  'synchronising-calls-count',
  'short-ops-count',
  'whole-window',
  'window-by-completion',
] as const;
const NAME_RULES = [
  'launch-in-call',
  'blocking-copy',
  'host-ahead-of-the-device',
  'device-work-over-before-the-host-waited',
  'unseen-cause',
] as const;
type Rule = (typeof SUM_RULES)[number] | (typeof NAME_RULES)[number] | 'same';

interface Compared {
  readonly title: string;
  readonly answer: HtaAnswer;
  readonly path: CriticalPathResult;
  /** ns. */
  readonly byRule: ReadonlyMap<Rule, number>;
}

const HOST_KINDS = new Set(['host-work', 'host-gap', 'data-loading']);
const DEVICE_KINDS = new Set(['kernel', 'collective', 'copy', 'stream-gap', 'launch']);
const IS_COPY = /Memcpy/;

/** Of a step of HTA's path and a segment of ours at the same time. */
function ruleOf(step: HtaStep, rows: readonly Row[], { kind, event, boundBy }: PathSegment): Rule {
  const [from, to] = [rows[step.from >> 1] as Row, rows[step.to >> 1] as Row];
  const onHost = HOST_KINDS.has(kind);
  if (step.weight === 0) {
    if (step.type !== 'dependency') return 'synchronising-calls-count';
    return kind === 'host-work' || kind === 'sync-overhead' ? 'short-ops-count' : 'host-gaps-count';
  }
  if (kind === 'unexplained') return 'unseen-cause';
  if (step.type === 'launch') {
    if (onHost && event?.event === from.position) return 'launch-in-call';
    return DEVICE_KINDS.has(kind) ? 'same' : 'device-work-over-before-the-host-waited';
  }
  if (DEVICE.has(from.category)) {
    const isSameStream = DEVICE_KINDS.has(kind) && event?.lane?.endsWith(`.${from.stream}`) === true;
    return isSameStream ? 'same' : 'device-work-over-before-the-host-waited';
  }
  if (onHost) return 'same';
  const isCopy = boundBy === 'copy-sync' || IS_COPY.test(from.name) || IS_COPY.test(to.name);
  return isCopy ? 'blocking-copy' : 'host-ahead-of-the-device';
}

/** Lays both paths over one another. `toNs` puts HTA's µs on our clock. */
function compare(
  steps: readonly HtaStep[],
  rows: readonly Row[],
  { path, window }: CriticalPathResult,
  toNs: (us: number) => number,
): Map<Rule, number> {
  const byRule = new Map<Rule, number>();
  const add = (rule: Rule, ns: number): void => {
    byRule.set(rule, (byRule.get(rule) ?? 0) + ns);
  };
  const [begin, end] = [toNs(steps[0]?.begin ?? 0), toNs(steps.at(-1)?.end ?? 0)];
  add('whole-window', Math.max(0, Math.min(begin, window.endNs) - window.startNs));
  add('whole-window', Math.max(0, window.endNs - Math.max(end, window.startNs)));
  let at = 0;
  for (const step of steps) {
    const [from, to] = [toNs(step.begin), toNs(step.end)];
    while (at < path.segments.length && (path.segments[at]?.endNs ?? 0) <= from) at++;
    let inside = 0;
    for (let s = at; s < path.segments.length; s++) {
      const segment = path.segments[s] as PathSegment;
      const shared = Math.min(to, segment.endNs) - Math.max(from, segment.startNs);
      if (segment.startNs >= to) break;
      if (shared <= 0) continue;
      add(ruleOf(step, rows, segment), shared);
      inside += shared;
    }
    if (step.weight > 0) add('window-by-completion', inside - (to - from));
  }
  return byRule;
}

interface Asked {
  readonly folder: string;
  readonly name: string;
  readonly answer: HtaAnswer;
}

function answersOfHta(): Asked[] {
  return readdirSync(EXPECTED)
    .sort()
    .flatMap((folder) =>
      readdirSync(join(EXPECTED, folder))
        .filter((file) => file.startsWith('critical_path'))
        .sort()
        .map((file): Asked => ({
          folder,
          name: file.replace(/^critical_path_|\.json$/g, ''),
          answer: JSON.parse(readFileSync(join(EXPECTED, folder, file), 'utf8')) as HtaAnswer,
        })),
    )
    .filter(({ answer }) => answer['critical path'] !== undefined);
}

/** `diff__a100_eager` → `diff/a100_eager.json.gz`; of a folder of ranks, the rank's file. */
function traceOf(folder: string, rank: number): string {
  const stem = folder.replace('__', '/');
  return existsSync(join(TRACES, stem)) ? `${stem}/rank-${rank}.json.gz` : `${stem}.json.gz`;
}

/** The window of longpole that means the same as HTA's. */
function windowFor(
  { answer }: Asked,
  session: Session,
  toNs: (us: number) => number,
  zero: number,
): { title: string; request: WindowRequest } {
  const instance = answer['annotation instance (ts, dur)'];
  if (instance === undefined) return { title: 'whole trace', request: { kind: 'default' } };
  const row = answer['annotation rows in order (index, ts, dur, stream, name)']?.find(([, ts]) => ts === instance[0]);
  const [position = -1, , , , name = ''] = row ?? [];
  const step = /^ProfilerStep#(\d+)$/.exec(name)?.[1];
  const { events, categories, strings } = session.trace;
  const positions: number[] = [];
  for (let e = 0; e < events.length; e++) {
    const isHost = categories[events.category[e] as number]?.name === 'user_annotation';
    if (isHost && strings.text(events.name[e] as StringId) === name) positions.push(events.position[e] as number);
  }
  const n = positions.indexOf(position);
  if (n === -1) {
    const [startNs, endNs] = [toNs(zero + instance[0]), toNs(zero + instance[0] + instance[1])];
    return { title: `${name}, its device row (a range)`, request: { kind: 'range', startNs, endNs } };
  }
  if (step !== undefined) return { title: name, request: { kind: 'steps', first: Number(step), last: Number(step) } };
  return { title: `${name}, instance ${n}`, request: { kind: 'annotation', name, match: false, first: n, last: n } };
}

async function compareFolder(folder: string, asked: readonly Asked[]): Promise<Compared[]> {
  const rank = asked[0]?.answer.rank ?? 0;
  const file = join(TRACES, traceOf(folder, rank));
  const { rows, zero } = readRows(file);
  const opened = await openSession(file, {});
  if (!opened.ok) throw new Error(`${file}: ${opened.error.message}`);
  const session = opened.value;
  const { events } = session.trace;
  const first = rows[0] as Row;
  let origin = 0;
  for (let e = 0; e < events.length; e++) if (events.position[e] === first.position) origin = events.start[e] as number;
  const toNs = (us: number): number => origin + Math.round((us - first.ts) * 1000);
  return asked.map((each): Compared => {
    const { answer } = each;
    const [ts, dur] = answer['annotation instance (ts, dur)'] ?? [-Infinity, Infinity];
    const graph = buildHta(rows, ts === -Infinity ? ts : zero + ts, ts === -Infinity ? Infinity : zero + ts + dur);
    const steps = longestPath(graph);
    ensureSame(`${folder}/${each.name}`, answer, graph, steps);
    const { title, request } = windowFor(each, session, toNs, zero);
    const outcome = session.run('critical-path', { ...ANALYSES['critical-path'].defaults, window: request });
    if (outcome.status !== 'ok') throw new Error(`${file}: ${outcome.reason}`);
    return { title, answer, path: outcome.result, byRule: compare(steps, graph.rows, outcome.result, toNs) };
  });
}

const us = (ns: number): string => (ns < 0 ? '−' : '') + formatCount(Math.abs(Math.round(ns / 1000)));
const signed = (ns: number): string => (Math.round(ns / 1000) === 0 ? '' : (ns > 0 ? '+' : '') + us(ns));
const cell = (text: string): string => text.replaceAll('|', '\\|');

function table(head: readonly string[], rows: readonly (readonly string[])[], leftColumns: number): string {
  const rule = head.map((_, column) => (column < leftColumns ? '---' : '--:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Where each part of HTA's path and of ours stands in the tables of both. */
const PARTS: readonly { readonly name: string; readonly hta: readonly string[]; readonly own: readonly string[] }[] = [
  { name: 'host work', hta: ['cpu_bound'], own: ['host-work'] },
  { name: 'between host ops', hta: [], own: ['host-gap'] },
  { name: 'data loading', hta: ['data_loading'], own: ['data-loading'] },
  { name: 'own time of synchronising calls', hta: [], own: ['sync-overhead'] },
  { name: 'launch', hta: ['gpu_kernel_launch_overhead'], own: ['launch'] },
  { name: 'device work', hta: ['gpu_compute_bound', 'gpu_communication_bound'], own: ['kernel', 'collective', 'copy'] },
  { name: 'between device ops', hta: ['gpu_kernel_kernel_overhead'], own: ['stream-gap'] },
  { name: 'unexplained', hta: [], own: ['unexplained'] },
];

function bothSides(windows: readonly Compared[]): string {
  const rows = windows.flatMap(({ title, answer, path: { path, window } }) => {
    const hta = new Map(answer['breakdown totals']['by bound_by'].rows.map(([name, , sum]) => [name, sum * 1000]));
    const own = new Map<string, number>(path.breakdown.map(({ kind, totalNs }) => [kind, totalNs]));
    const sumOf = (names: readonly string[], from: ReadonlyMap<string, number>): string =>
      us(names.reduce((sum, name) => sum + (from.get(name) ?? 0), 0));
    return [
      [
        cell(title),
        'HTA',
        us(answer['critical path']['total duration (sum of graph weights)'] * 1000),
        ...PARTS.map((part) => (part.hta.length === 0 ? '–' : sumOf(part.hta, hta))),
      ],
      ['', 'longpole', us(window.wallNs), ...PARTS.map((part) => sumOf(part.own, own))],
    ];
  });
  return table(['window', 'path of', 'sum', ...PARTS.map(({ name }) => name)], rows, 2);
}

function sums(folders: ReadonlyMap<string, readonly Compared[]>): string {
  const rows = [...folders].flatMap(([folder, windows]) =>
    windows.map(({ title, answer, path, byRule }) => [
      `${folder.replace('__', '/')}: ${cell(title)}`,
      us(answer['critical path']['total duration (sum of graph weights)'] * 1000),
      ...SUM_RULES.map((rule) => signed(byRule.get(rule) ?? 0)),
      us(path.window.wallNs),
    ]),
  );
  return table(['window', 'HTA', ...SUM_RULES.map((rule) => `\`${rule}\``), 'longpole'], rows, 1);
}

function names(folders: ReadonlyMap<string, readonly Compared[]>): string {
  const rows = [...folders].flatMap(([folder, windows]) =>
    windows.map(({ title, byRule }) => [
      `${folder.replace('__', '/')}: ${cell(title)}`,
      us(byRule.get('same') ?? 0),
      ...NAME_RULES.map((rule) => (byRule.has(rule) ? us(byRule.get(rule) ?? 0) : '')),
    ]),
  );
  return table(['window', 'the same', ...NAME_RULES.map((rule) => `\`${rule}\``)], rows, 1);
}

/** Throws unless the rules explain the whole difference of the sums. */
function ensureExplained({ title, answer, path, byRule }: Compared): void {
  const explained = SUM_RULES.reduce((sum, rule) => sum + (byRule.get(rule) ?? 0), 0);
  const difference = path.window.wallNs - answer['critical path']['total duration (sum of graph weights)'] * 1000;
  if (explained !== difference) throw new Error(`${title}: ${explained} ns of ${difference} ns are explained`);
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
function between(page: string, name: string, text: string): string {
  const [begin, end] = [page.indexOf(`<!-- ${name} -->`), page.indexOf(`<!-- /${name} -->`)];
  if (begin === -1 || end < begin) throw new Error(`${PAGE} lacks the markers <!-- ${name} --> and <!-- /${name} -->`);
  return `${page.slice(0, begin)}<!-- ${name} -->\n\n${text}\n\n${page.slice(end)}`;
}

if (!existsSync(EXPECTED)) {
  console.error(`HTA's numbers are not at ${EXPECTED}: set LONGPOLE_TRACES to the folder of public traces`);
  process.exit(2);
}
const folders = new Map<string, Compared[]>();
for (const [folder, asked] of groupBy(answersOfHta(), (each) => each.folder)) {
  const windows = await compareFolder(folder, asked);
  windows.forEach(ensureExplained);
  folders.set(folder, windows);
  console.log(folder);
}
let page = readFileSync(PAGE, 'utf8');
page = between(page, 'sums', sums(folders));
page = between(page, 'names', names(folders));
for (const [folder, windows] of folders) page = between(page, folder, bothSides(windows));
if (process.argv.includes('--check')) {
  if (page !== readFileSync(PAGE, 'utf8')) {
    console.error(`${PAGE} is not what the traces say now: run this without --check`);
    process.exit(1);
  }
} else writeFileSync(PAGE, page);
