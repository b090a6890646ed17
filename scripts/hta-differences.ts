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

const TRACES = process.env['LONGPOLE_TRACES'] ?? join(process.cwd(), '../shared/traces');
const EXPECTED = join(TRACES, 'expected-hta');
const PAGE = join(process.cwd(), 'docs/hta-differences.md');

/** What is read of HTA's answer for one window. Times in µs after the earliest row of the trace. */
interface HtaAnswer {
  readonly annotation: string;
  readonly rank: number;
  readonly 'annotation instance (ts, dur)'?: readonly [ts: number, dur: number];
  readonly 'annotation rows in order (index, ts, dur, stream, name)'?: readonly (readonly [number, number, number, number, string])[];
  readonly 'critical path': {
    readonly 'node count': number;
    readonly 'total duration (sum of graph weights)': number;
    readonly 'last ts - first ts': number;
  };
  readonly 'breakdown totals': { readonly 'by bound_by': { readonly rows: readonly (readonly [string, number, number])[] } };
  readonly 'edges by type': { readonly rows: readonly (readonly [string, number, number, number, number, number])[] };
}

/** A row as HTA reads it: whole µs, from the file's zero. */
interface Row {
  readonly position: number;
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
const BLOCKING = new Set(['cudaDeviceSynchronize', 'cudaStreamSynchronize', 'cudaEventQuery', 'cudaEventSynchronize', 'cudaMemcpy']);
/** Calls that HTA counts in its launch queues. `cudaGraphLaunch` is not among them. */
const QUEUED =
  /^(cudaLaunchKernel(ExC)?|cuLaunchKernel(Ex)?|(cuda|hip)Mem(cpy|set)Async|hipLaunchKernel|hipExtModuleLaunchKernel|hipMemcpyWithStream)$/;
const LONGEST_GAP_US = 1_500;

function readRows(file: string): { rows: Row[]; zero: number } {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const { traceEvents } = JSON.parse(text) as { traceEvents: readonly Record<string, unknown>[] };
  const rows = traceEvents.flatMap((raw, position): Row[] => {
    const { ts, dur, cat, name, pid, tid, args } = raw as { ts: number; dur?: number; cat?: string; name: string; pid: unknown; tid: unknown; args?: Row['args'] };
    if (raw['ph'] !== 'X' || dur === undefined || cat === undefined || cat === 'Trace') return [];
    const stream = Number(args?.['stream'] ?? -1);
    return [
      {
        position,
        start: Math.ceil(ts),
        end: Math.floor(ts + dur),
        name,
        category: cat,
        thread: `${pid}/${tid}`,
        stream: Number.isNaN(stream) ? -1 : stream,
        correlation: Number(args?.['correlation'] ?? -1),
        args: args ?? {},
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
  const launched = new Set(rows.filter(({ category, start }) => CALLS.has(category) && start < limit).map(({ correlation }) => correlation));
  return rows.filter(({ stream, start, correlation }) => (stream < 0 ? start < limit : launched.has(correlation)));
}

/** `own`: the length of a row, or of what lies between two moments of one thread; the rest are HTA's edge types. */
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
    return linked.get(row.correlation) === row && row.end > row.start && call !== undefined && isInside(call);
  });
  const rows = [...host, ...device];
  const numberOf = new Map(rows.map((row, n) => [row, n]));
  const edges: HtaEdge[] = [];
  const add = (type: EdgeType, from: number, to: number, weight = timeOf(rows, to) - timeOf(rows, from)): void => {
    edges.push({ from, to, weight, type });
  };
  const merged = threadMerge(all.filter(isInside));
  for (const thread of groupBy(host, (row) => merged(row.thread)).values()) addThread(thread, numberOf, rows, add);
  addDevice({ all, device, callOf, numberOf, rows, add });
  return { rows, edges };
}

/** HTA puts the backward thread's rows into the forward thread if exactly one thread is either. */
function threadMerge(rows: readonly Row[]): (thread: string) => string {
  const threadsWith = (word: string): string[] => [
    ...new Set(rows.filter(({ name, category }) => ON_HOST.has(category) && name.includes(word)).map(({ thread }) => thread)),
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
  readonly rows: readonly Row[];
  readonly add: Add;
}

/** Each device row follows its launch if the queue was empty, else the row before it if that is near; and one source of a wait. */
function addDevice({ all, device, callOf, numberOf, rows, add }: DeviceParts): void {
  const sourceOf = waitSources(all, device);
  const queued = queueLengths(device, callOf);
  const lastOn = new Map<number, Row>();
  const syncs = all.filter(({ category, name }) => category === 'cuda_sync' && name !== 'Stream Wait Event');
  const moments = [
    ...device.map((row) => ({ row, time: row.start })),
    ...syncs.map((row) => ({ row, time: row.end })),
  ].sort((a, b) => a.time - b.time || a.row.position - b.row.position);
  for (const { row } of moments) {
    const call = callOf.get(row.correlation) as Row;
    const caller = numberOf.get(call);
    if (row.category === 'cuda_sync') {
      if (caller === undefined) continue;
      const streams = row.name === 'Stream Sync' ? [row.stream] : row.name === 'Context Sync' ? [...lastOn.keys()] : [];
      const sources = row.name === 'Event Sync' ? [recorded(device, row)] : streams.map((stream) => lastOn.get(stream));
      for (const source of sources) {
        if (source !== undefined) add('sync', 2 * (numberOf.get(source) as number) + 1, 2 * caller + 1, 0);
      }
      continue;
    }
    const start = 2 * (numberOf.get(row) as number);
    add('own', start, start + 1);
    const before = lastOn.get(row.stream);
    const source = sourceOf.get(row);
    const queue = queued.get(row);
    {
      const isIdle = (before?.end ?? -Infinity) < call.start && (source?.end ?? -Infinity) < call.start;
      if (queue !== undefined && queue.atLaunch === 1 && queue.atStart === 0 && isIdle && caller !== undefined) add('launch', 2 * caller, start);
      else if (before !== undefined && row.start - before.end < LONGEST_GAP_US && (source?.end ?? -Infinity) <= before.end) {
        add('kernel', 2 * (numberOf.get(before) as number) + 1, start);
      }
      lastOn.set(row.stream, row);
    }
    if (source !== undefined) add('sync', 2 * (numberOf.get(source) as number) + 1, start, 0);
  }
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

function queueLengths(device: readonly Row[], callOf: ReadonlyMap<number, Row>): Map<Row, { atLaunch: number; atStart: number }> {
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
    changes.sort((a, b) => a.time - b.time || a.by - b.by);
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
    ['length', path.reduce((sum, { weight }) => sum + Math.max(0, weight), 0), cp['total duration (sum of graph weights)']],
    ['span', (path.at(-1)?.end ?? 0) - (path[0]?.begin ?? 0), cp['last ts - first ts']],
    ['nodes', path.length + 1, cp['node count']],
  ];
  for (const [type, count, , weight] of answer['edges by type'].rows) {
    const own = edges.filter((edge) => edge.type === HTA_TYPES[type]);
    facts.push([`${type} edges`, own.length, count]);
    facts.push([`${type} weight`, own.reduce((sum, edge) => sum + Math.max(0, edge.weight), 0), weight]);
  }
  const wrong = facts.filter(([, actual, expected]) => actual !== expected);
  if (wrong.length > 0) console.log(`${name}: HTA's graph is not the same: ${JSON.stringify(wrong)}`);
}
for (const folder of readdirSync(EXPECTED)) {
  for (const file of readdirSync(join(EXPECTED, folder)).filter((f) => f.startsWith('critical_path'))) {
    const answer = JSON.parse(readFileSync(join(EXPECTED, folder, file), 'utf8')) as HtaAnswer;
    if (answer['critical path'] === undefined) continue;
    const stem = folder.replace('__', '/');
    const path = existsSync(join(TRACES, stem)) ? join(TRACES, stem, `rank-${answer.rank}.json.gz`) : join(TRACES, `${stem}.json.gz`);
    const { rows, zero } = readRows(path);
    const [ts, dur] = answer['annotation instance (ts, dur)'] ?? [-Infinity, Infinity];
    const graph = buildHta(rows, ts === -Infinity ? ts : zero + ts, ts === -Infinity ? Infinity : zero + ts + dur);
    ensureSame(`${folder}/${file}`, answer, graph, longestPath(graph));
  }
}
