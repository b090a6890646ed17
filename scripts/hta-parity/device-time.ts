// HTA's device time again from the raw rows, by its rules, and from there to ours rule by rule: so that each difference has its reason.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { BreakdownResult, DeviceBreakdown } from '../../src/analyses/breakdown/result.ts';
import { buildGraph } from '../../src/graph/graph.ts';
import { TraceReader } from '../../src/ingest/read-trace.ts';
import { createSession, type Session } from '../../src/session/session.ts';
import { once } from './once.ts';

const TRACES = process.env['LONGPOLE_TRACES'] ?? join(process.cwd(), '../shared/traces');

interface RawRow {
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export type HtaClass = 'COMPUTATION' | 'COMMUNICATION' | 'MEMORY' | 'OTHER';

/** A row of the file as HTA reads it: whole µs, here since the earliest row, so that they are exact in ns too. */
export interface HtaRow {
  readonly position: number;
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly category: string;
  readonly stream: number;
  readonly correlation: number;
}

/** One rank: its rows without the last step as HTA drops it, all of them, and our answers. */
export interface RankRows {
  readonly rank: number;
  readonly session: Session;
  readonly all: readonly HtaRow[];
  readonly kept: readonly HtaRow[];
}

let last: { readonly trace: string; readonly ranks: RankRows[] } | undefined;

/** `sync__alexnet` → the ranks of the file or folder; the last one asked for is kept. */
export function ranksOf(trace: string): RankRows[] {
  if (last?.trace !== trace) last = { trace, ranks: readRanks(trace) };
  return last.ranks;
}

function readRanks(trace: string): RankRows[] {
  const path = join(TRACES, trace.replace('__', '/'));
  const files = statSync(path, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(path).map((file) => join(path, file))
    : [`${path}.json.gz`];
  return files.sort().map(readRank);
}

function readRank(file: string): RankRows {
  const bytes = gunzipSync(readFileSync(file));
  const reader = new TraceReader({ file });
  reader.push(bytes);
  const read = reader.finish();
  if (!read.ok) throw new Error(`${file}: ${JSON.stringify(read.error)}`);
  const { traceEvents } = JSON.parse(bytes.toString('utf8')) as { traceEvents: readonly RawRow[] };
  const zero = Math.floor(
    traceEvents.reduce((least, { ph, ts }) => (ph === 'X' ? Math.min(least, ts) : least), Infinity),
  );
  const all = traceEvents.flatMap(({ ph, ts, dur, cat, name, args = {} }, position): HtaRow[] => {
    if (ph !== 'X' || dur === undefined || cat === undefined || cat === 'Trace') return [];
    const stream = args['stream'];
    return [
      {
        position,
        start: Math.ceil(ts) - zero,
        end: Math.floor(ts + dur) - zero,
        name,
        category: cat,
        stream: /^\d+$/.test(String(stream)) ? Number(stream) : -1,
        correlation: Number(args['correlation'] ?? -1),
      },
    ];
  });
  return { rank: read.value.rank ?? 0, session: createSession(read.value), all, kept: withoutLastStep(all) };
}

const CALLS = new Set(['cuda_runtime', 'cuda_driver']);
export const DEVICE_WORK = new Set(['kernel', 'gpu_memcpy', 'gpu_memset']);

/** Where there are several steps, HTA drops the last one and what follows, and the device rows launched there. */
function withoutLastStep(rows: readonly HtaRow[]): readonly HtaRow[] {
  const steps = rows.filter(({ name, category }) => category === 'user_annotation' && name.startsWith('ProfilerStep'));
  if (steps.length < 2) return rows;
  const limit = Math.max(...steps.map(({ start }) => start));
  const launched = new Set(
    rows.filter(({ category, start }) => CALLS.has(category) && start < limit).map(({ correlation }) => correlation),
  );
  return rows.filter(({ stream, start, correlation }) => (stream < 0 ? start < limit : launched.has(correlation)));
}

/** By the start of the name, in this order. */
export function htaClass(name: string): HtaClass {
  if (/^nccl|^hip|^hccl|ncclKernel/.test(name)) return 'COMMUNICATION';
  if (/^(Memcpy|hipMemcpy|Memset|hipMemset|dma)/.test(name)) return 'MEMORY';
  const isOther =
    /^nccl|Memcpy|Memset|dma|Sync|^Stream Wait Event|^cuda.*LaunchKernel|^runFunction|^hip|^job_exe|^packet|^pe_exe|^cpum_exe_subgraph|^hccl|^collective_subgraph_execution/;
  return isOther.test(name) ? 'OTHER' : 'COMPUTATION';
}

/** Device work as it is measured: times in ns. */
interface Work {
  readonly start: number;
  readonly end: number;
  readonly class: HtaClass;
}

/** Time by the set of classes that run at once, in ns: `COMPUTATION+MEMORY`; `` is idle. */
export type Measured = ReadonlyMap<string, number>;

const CLASSES: readonly HtaClass[] = ['COMPUTATION', 'COMMUNICATION', 'MEMORY', 'OTHER'];

function measure(work: readonly Work[], from: number, to: number): Measured {
  const borders = work.flatMap(({ start, end, class: name }): [number, number, HtaClass][] => {
    const [a, b] = [Math.max(start, from), Math.min(end, to)];
    return b > a
      ? [
          [a, 1, name],
          [b, -1, name],
        ]
      : [];
  });
  borders.sort((a, b) => a[0] - b[0]);
  const running = new Map<HtaClass, number>();
  const totals = new Map<string, number>();
  let at = from;
  for (const [instant, change, name] of [...borders, [to, 0, 'OTHER'] as const]) {
    const set = CLASSES.filter((each) => (running.get(each) ?? 0) > 0).join('+');
    if (instant > at) totals.set(set, (totals.get(set) ?? 0) + instant - at);
    at = instant;
    running.set(name, (running.get(name) ?? 0) + change);
  }
  return totals;
}

/** One way to look at the device work of a rank. The first is HTA's, the last is ours. */
interface View {
  /** What makes it differ from the one before. */
  readonly why: string;
  readonly measured: Measured;
}

const OUR_CLASS = {
  computation: 'COMPUTATION',
  communication: 'COMMUNICATION',
  copy: 'MEMORY',
  other: 'OTHER',
} as const;

/** HTA's view of a rank's device work, and what turns it into ours; our answer must be the last one, to the ns. */
export const viewsOf = once(makeViews);

function makeViews(rank: RankRows): readonly View[] {
  const { all, kept, session } = rank;
  const { trace } = session;
  const graphClass = classByPosition(rank);
  const exact = exactTimes(trace);
  const rounded = (rows: readonly HtaRow[]): Work[] =>
    rows.map(({ start, end, name }) => ({ start: start * 1000, end: end * 1000, class: htaClass(name) }));
  const ours = ({ position }: HtaRow): Work => {
    const times = exact.get(position);
    if (times === undefined) throw new Error(`row ${position} is not in our trace`);
    return { ...times, class: graphClass.get(position) ?? 'OTHER' };
  };
  const gpu = kept.filter(({ stream }) => stream !== -1);
  const device = gpu.filter(({ category }) => DEVICE_WORK.has(category));
  const reclassed = device.map((row) => ({ ...rounded([row])[0], class: ours(row).class }) as Work);
  const timed = device.map(ours);
  const whole = all.filter(({ category }) => DEVICE_WORK.has(category));
  const calls = new Set(all.filter(({ category }) => CALLS.has(category)).map(({ correlation }) => correlation));
  const isKept = new Set(device);
  const withUnlaunched = whole.filter((row) => isKept.has(row) || !calls.has(row.correlation)).map(ours);
  const [from, to] = extentOf(timed);
  const views: View[] = [
    { why: '', measured: measureAll(rounded(gpu)) },
    { why: 'defect 18: rows that are no device work count as busy', measured: measureAll(rounded(device)) },
    { why: 'defect 22: classes by the name alone', measured: measureAll(reclassed) },
    { why: 'defect 12: times rounded to µs, starts up and ends down', measured: measureAll(timed) },
    { why: 'rule: ops whose launch is not in the trace count too', measured: measure(withUnlaunched, from, to) },
    { why: 'rule: what the last step launched counts too', measured: measure(whole.map(ours), from, to) },
  ];
  const answer = breakdownIn(session, from, to);
  const last = views.at(-1)?.measured ?? new Map<string, number>();
  for (const { classes, totalNs } of answer.combinations) {
    const set = CLASSES.filter((name) => classes.some((each) => OUR_CLASS[each] === name)).join('+');
    if (last.get(set) !== totalNs) throw new Error(`${set}: ${last.get(set)} by hand, ${totalNs} by longpole`);
  }
  if ((last.get('') ?? 0) !== answer.idleNs) throw new Error(`idle: ${last.get('')} by hand, ${answer.idleNs}`);
  return views;
}

/** By position in the file, in ns since our origin. */
const exactTimes = once(({ events }: Session['trace']): ReadonlyMap<number, { start: number; end: number }> => {
  const exact = new Map<number, { start: number; end: number }>();
  for (let e = 0; e < events.length; e++) {
    const start = events.start[e] as number;
    exact.set(events.position[e] as number, { start, end: start + (events.dur[e] as number) });
  }
  return exact;
});

/** From the first start to the last end of the device work that HTA keeps, in ns since our origin; and whether its µs lose digits. */
export function timesOf({ session, kept }: RankRows): { from: number; to: number; isRounded: boolean } {
  const exact = exactTimes(session.trace);
  const times = kept.flatMap(({ category, position }) =>
    DEVICE_WORK.has(category) ? (exact.get(position) ?? []) : [],
  );
  const [from, to] = extentOf(times);
  return { from, to, isRounded: times.some(({ start, end }) => (end - start) % 1000 !== 0) };
}

function extentOf(work: readonly { readonly start: number; readonly end: number }[]): [number, number] {
  return [
    work.reduce((least, { start }) => Math.min(least, start), Infinity),
    work.reduce((most, { end }) => Math.max(most, end), -Infinity),
  ];
}

const measureAll = (work: readonly Work[]): Measured => measure(work, ...extentOf(work));

function breakdownIn(session: Session, startNs: number, endNs: number): DeviceBreakdown {
  const outcome = session.run('breakdown', { window: { kind: 'range', startNs, endNs } });
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  const { devices, window }: BreakdownResult = outcome.result;
  const [device, ...more] = devices;
  if (device === undefined || more.length > 0) throw new Error('HTA takes all devices for one; here is not one');
  if (window.startNs !== startNs || window.endNs !== endNs) throw new Error('the range was cut');
  return device;
}

/** The class that our graph gives each device row. */
export const classByPosition = once(({ session }: RankRows): ReadonlyMap<number, HtaClass> => {
  const classes = new Map<number, HtaClass>();
  const { trace } = session;
  const { device, classOf } = buildGraph(trace);
  const toHta = { kernel: 'COMPUTATION', collective: 'COMMUNICATION', copy: 'MEMORY', other: 'OTHER' } as const;
  for (let op = 0; op < device.length; op++) {
    classes.set(trace.events.position[device.event[op] as number] as number, toHta[classOf[op] as keyof typeof toHta]);
  }
  return classes;
});

/** The time in which all of `every` run, and none of `none`, in ns. */
export function timeWith(measured: Measured, every: readonly HtaClass[], none: readonly HtaClass[] = []): number {
  let total = 0;
  for (const [set, ns] of measured) {
    const running = set === '' ? [] : set.split('+');
    if (every.every((name) => running.includes(name)) && !none.some((name) => running.includes(name))) total += ns;
  }
  return total;
}

export const wallOf = (measured: Measured): number => [...measured.values()].reduce((sum, ns) => sum + ns, 0);

/** Why a quantity of ours is not HTA's: the rules on the way that change it. */
export function whyOf(views: readonly View[], quantity: (measured: Measured) => number): string {
  const reasons = views.flatMap(({ why, measured }, i) => {
    const before = views[i - 1];
    return before !== undefined && quantity(before.measured) !== quantity(measured) ? [why] : [];
  });
  return reasons.join('; ');
}
