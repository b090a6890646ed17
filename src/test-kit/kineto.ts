// A drawing as the JSON text that PyTorch's profiler would have written.
import type { DrawnArgs, Drawing, DrawnFlow, DrawnItem, DrawnTrack } from './drawing.ts';
import { shuffled } from './random.ts';

export interface WriteOptions {
  /** Since 1970: when the drawing's time 0 was. */
  readonly zeroUnixNs?: bigint;
  /** Writes times relative to this `baseTimeNanoseconds`, as the profiler does since 2024; else as µs since 1970. */
  readonly baseUnixNs?: bigint;
  /** Writes the rows in another order, the same for the same seed. */
  readonly shuffleSeed?: number;
  /** `hip`: the same calls under their HIP names. */
  readonly vendor?: 'cuda' | 'hip';
  /** `zero`: record rows have the timestamp 0, as before CUDA 12.8. */
  readonly recordTimes?: 'call' | 'zero';
}

export const ZERO_UNIX_NS = 1_700_000_000_000_000_000n;
const HOST_PID = 100;

const SYNC_NAMES: Readonly<Record<string, string>> = {
  StreamWait: 'Stream Wait Event',
  EventSync: 'Event Sync',
  StreamSync: 'Stream Sync',
  ContextSync: 'Context Sync',
};

/** Short keys of a drawing, and what the profiler calls them. Other keys are written as they are. */
const KEYS: Readonly<Record<string, string>> = {
  seq: 'Sequence number',
  fwd: 'Fwd thread id',
  ext: 'External id',
  id: 'Python id',
  parent: 'Python parent id',
  graph: 'graph id',
  node: 'graph node id',
  on: 'wait_on_stream',
  record: 'wait_on_cuda_event_record_corr_id',
  event: 'wait_on_cuda_event_id',
};

interface Row {
  readonly ph: string;
  readonly cat?: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Nanoseconds since the drawing's time 0; `unknown` is written as 0. */
  readonly start?: number | 'unknown';
  readonly dur?: number;
  readonly id?: number;
  readonly bp?: 'e';
  readonly args?: Readonly<Record<string, string | number>>;
}

export function writeKineto(drawing: Drawing, options: WriteOptions = {}): string {
  const calls = callTimes(drawing.items);
  const rows = [
    ...nameRows(drawing.items),
    ...drawing.items.map((item) => rowOf(item, calls, options)),
    ...drawing.flows.flatMap(flowRows),
  ];
  const ordered = options.shuffleSeed === undefined ? rows : shuffled(rows, options.shuffleSeed);
  const base = options.baseUnixNs ?? 0n;
  const offset = (options.zeroUnixNs ?? ZERO_UNIX_NS) - base;
  const events = ordered.map((row) => writeRow(row, offset));
  return [
    '{"schemaVersion":1,',
    ...(options.baseUnixNs === undefined ? [] : [`"baseTimeNanoseconds":${base},`]),
    '"traceEvents":[',
    events.join(',\n'),
    ']}\n',
  ].join('\n');
}

type Span = Pick<DrawnItem, 'start' | 'dur'>;

function callTimes(items: readonly DrawnItem[]): Map<number, Span> {
  const calls = new Map<number, Span>();
  for (const item of items) {
    if (item.track.kind === 'cpu' && item.correlation !== undefined) calls.set(item.correlation, item);
  }
  return calls;
}

function rowOf(item: DrawnItem, calls: ReadonlyMap<number, Span>, options: WriteOptions): Row {
  const { track } = item;
  switch (track.kind) {
    case 'gpu':
      return deviceRow(item, track);
    case 'sync':
      return syncRow(item, track.device, calls);
    case 'record':
      return recordRow(item, track.device, options.recordTimes === 'zero' ? 'unknown' : spanOf(item, calls).start);
    case 'cpu':
    case 'py':
    case 'ann':
      return hostRow(item, track, options.vendor ?? 'cuda');
    case 'flow':
      throw new Error('drawing: a flow is no item');
  }
}

function hostRow(item: DrawnItem, track: Extract<DrawnTrack, { thread: number }>, vendor: 'cuda' | 'hip'): Row {
  const name = vendor === 'hip' ? item.name.replace(/^cuda(?=[A-Z])/, 'hip') : item.name;
  const category =
    track.kind === 'ann' ? 'user_annotation' : track.kind === 'py' ? 'python_function' : hostCategory(name);
  const at = { pid: HOST_PID, tid: track.thread, start: item.start ?? 0, dur: item.dur ?? 0 };
  return finish({ ph: 'X', cat: category, name, ...at }, item.args, correlationArg(item));
}

function hostCategory(name: string): string {
  if (/^(cuda|hip)[A-Z]/.test(name)) return 'cuda_runtime';
  return /^cu[A-Z]/.test(name) ? 'cuda_driver' : 'cpu_op';
}

function deviceRow(item: DrawnItem, { device, stream }: { device: number; stream: number }): Row {
  const cat = item.name.startsWith('Memcpy') ? 'gpu_memcpy' : item.name.startsWith('Memset') ? 'gpu_memset' : 'kernel';
  const at = { pid: device, tid: stream, start: item.start ?? 0, dur: item.dur ?? 0 };
  return finish({ ph: 'X', cat, name: item.name, ...at }, item.args, {
    device,
    context: device + 1,
    stream,
    ...correlationArg(item),
  });
}

/** `External id` equals the row's own correlation, as in real files: a reader that joins on it finds the wrong op. */
function syncRow(item: DrawnItem, device: number, calls: ReadonlyMap<number, Span>): Row {
  const name = SYNC_NAMES[item.name];
  if (name === undefined) throw new Error(`drawing: no such sync row "${item.name}"`);
  const waits = name === 'Stream Wait Event' || name === 'Event Sync';
  const { start, dur } = spanOf(item, calls);
  const stream = Number(item.args['stream'] ?? -1);
  return finish({ ph: 'X', cat: 'cuda_sync', name, pid: device, tid: stream, start, dur }, item.args, {
    'External id': item.correlation ?? -1,
    cuda_sync_kind: name,
    ...(waits ? { wait_on_stream: -1, wait_on_cuda_event_record_corr_id: -1, wait_on_cuda_event_id: -1 } : {}),
    stream,
    ...correlationArg(item),
    device,
    context: device + 1,
  });
}

/** A record row's own keys are the event and the stream that it was recorded on. */
function recordRow(item: DrawnItem, device: number, start: number | 'unknown'): Row {
  const { event = '-1', stream = '-1', ...others } = item.args;
  const at = { pid: device, tid: Number(stream), start, dur: 1 };
  return finish({ ph: 'X', cat: 'cuda_event', name: 'cudaEvent', ...at }, others, {
    event_id: Number(event),
    stream: Number(stream),
    ...correlationArg(item),
    device,
    context: device + 1,
  });
}

function spanOf(item: DrawnItem, calls: ReadonlyMap<number, Span>): { start: number; dur: number } {
  const span = item.start === undefined && item.correlation !== undefined ? calls.get(item.correlation) : item;
  if (span?.start === undefined || span.dur === undefined) {
    throw new Error(
      `drawing: ${item.track.kind} row #${item.correlation} has no time, and no call on a cpu line has it`,
    );
  }
  return { start: span.start, dur: span.dur };
}

const correlationArg = ({ correlation }: DrawnItem): { correlation?: number } =>
  correlation === undefined ? {} : { correlation };

/** `cat` and `ph` of a drawing replace the row's own; the value `none` leaves an arg out. */
function finish(row: Row, drawn: DrawnArgs, own: Readonly<Record<string, string | number>>): Row {
  const args: Record<string, string | number> = { ...own };
  let { cat, ph } = row;
  for (const [key, text] of Object.entries(drawn)) {
    const name = KEYS[key] ?? key;
    if (key === 'cat') cat = text;
    else if (key === 'ph') ph = text;
    else if (text === 'none') delete args[name];
    else args[name] = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  }
  return { ...row, ph, ...(cat === undefined ? {} : { cat }), args };
}

function flowRows({ category, id, from, to }: DrawnFlow): Row[] {
  const shared = { cat: category, name: category, id, pid: HOST_PID };
  return [
    { ph: 's', ...shared, tid: from.thread, start: from.time },
    { ph: 'f', ...shared, tid: to.thread, start: to.time, bp: 'e' },
  ];
}

function nameRows(items: readonly DrawnItem[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { track } of items) {
    if (!('threadName' in track) || track.threadName === undefined) continue;
    const name = `thread ${track.thread} (${track.threadName})`;
    rows.set(name, { ph: 'M', name: 'thread_name', pid: HOST_PID, tid: track.thread, start: 0, args: { name } });
  }
  return [...rows.values()];
}

/** Times are written digit by digit: a double near an epoch moves in steps of 250 ns. */
function writeRow({ start, dur, ...row }: Row, offset: bigint): string {
  const head = JSON.stringify(row).slice(1, -1);
  const ts = start === undefined ? '' : `,"ts":${start === 'unknown' ? '0' : micros(offset + BigInt(start))}`;
  return `{${head}${ts}${dur === undefined ? '' : `,"dur":${micros(BigInt(dur))}`}}`;
}

function micros(ns: bigint): string {
  const sign = ns < 0n ? '-' : '';
  const digits = (ns < 0n ? -ns : ns).toString().padStart(4, '0');
  return `${sign}${digits.slice(0, -3)}.${digits.slice(-3)}`;
}
