import { RowKind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import { Api } from './api-names.ts';
import { type CallIndex, linkId } from './calls.ts';
import type { HostIndex } from './host.ts';

export type WaitKind = 'stream-wait' | 'event-sync' | 'stream-sync' | 'device-sync';

/** A `cuda_sync` row. −1 where the row does not say. */
export interface WaitRow {
  readonly kind: WaitKind;
  /** A query asks and never blocks. */
  readonly isQuery: boolean;
  readonly correlation: number;
  /** Enqueue key of the call; NaN where the row has no usable correlation. */
  readonly key: number;
  /** The host call, or −1. */
  readonly call: number;
  readonly device: number;
  /** False where the row says 0 or nothing, and the only device with work was taken. */
  readonly isDeviceSaid: boolean;
  readonly stream: number;
  readonly waitOnStream: number;
  readonly waitOnRecord: number;
  readonly waitOnEventId: number;
}

/** One recording of an event: a call, a `cuda_event` row, or only its name in the row of a wait. −1 where nothing says it. */
export interface RecordRow {
  readonly correlation: number;
  readonly key: number;
  readonly call: number;
  device: number;
  stream: number;
  eventId: number;
  /** From its own `cuda_event` row, which knows; else from waits that name it. */
  hasRow: boolean;
  readonly waiters: number[];
}

function waitKind(name: string): WaitKind {
  if (/stream wait/i.test(name)) return 'stream-wait';
  if (/stream sync/i.test(name)) return 'stream-sync';
  if (/(context|device) sync/i.test(name)) return 'device-sync';
  return 'event-sync';
}

/** The wait rows, ascending by enqueue key (rows without one last). */
export function readWaits(trace: Trace, calls: CallIndex): WaitRow[] {
  const { events, sync, strings } = trace;
  const deviceFor = deviceOfRows(trace);
  const waits: WaitRow[] = [];
  for (let i = 0; i < sync.event.length; i++) {
    const e = sync.event[i];
    const correlation = linkId(events.correlation[e]);
    const call = calls.find(correlation, events.start[e]);
    waits.push({
      kind: waitKind(strings.text(events.name[e])),
      isQuery: call !== -1 && (calls.api[call] & Api.query) !== 0,
      correlation,
      key: calls.keyOf(correlation, events.start[e]),
      call,
      device: deviceFor(sync.device[i]),
      isDeviceSaid: deviceFor(sync.device[i]) === sync.device[i],
      stream: sync.stream[i],
      waitOnStream: sync.waitOnStream[i],
      waitOnRecord: linkId(sync.waitOnRecord[i]),
      waitOnEventId: sync.waitOnEventId[i],
    });
  }
  const last = (key: number): number => (Number.isNaN(key) ? Infinity : key);
  return waits.sort((a, b) => last(a.key) - last(b.key) || a.correlation - b.correlation);
}

/** A row without a device: with work on one device only, that one is meant, as a guess. */
function deviceOfRows({ device }: Trace): (device: number) => number {
  const used = new Set<number>();
  for (let i = 0; i < device.device.length; i++) if (device.device[i] >= 0) used.add(device.device[i]);
  const [sole] = used;
  return (said) => (said >= 0 || sole === undefined || used.size !== 1 ? said : sole);
}

/** Every recording by correlation: calls, `cuda_event` rows, and those that only a wait names. */
export function readRecords(
  trace: Trace,
  host: HostIndex,
  calls: CallIndex,
  waits: readonly WaitRow[],
): Map<number, RecordRow> {
  const { events, categories, records } = trace;
  const found = new Map<number, RecordRow>();
  const add = (correlation: number, time: number): RecordRow => {
    let record = found.get(correlation);
    if (record === undefined) {
      const call = calls.find(correlation, time);
      const key = calls.keyOf(correlation, time);
      record = { correlation, key, call, device: -1, stream: -1, eventId: -1, hasRow: false, waiters: [] };
      found.set(correlation, record);
    }
    return record;
  };
  for (let op = 0; op < host.length; op++) {
    if ((calls.api[op] & Api.record) === 0) continue;
    const id = linkId(events.correlation[host.event[op]]);
    if (id > 0 && categories[events.category[host.event[op]]].kind === RowKind.runtime) add(id, host.start[op]);
  }
  for (let i = 0; i < records.event.length; i++) {
    const e = records.event[i];
    const id = linkId(events.correlation[e]);
    if (id <= 0) continue;
    const record = add(id, events.start[e]);
    record.hasRow = true;
    record.device = records.device[i];
    record.stream = records.stream[i];
    record.eventId = records.eventId[i];
  }
  for (const wait of waits) {
    if (wait.waitOnRecord <= 0) continue;
    const record = add(wait.waitOnRecord, wait.call === -1 ? 0 : host.start[wait.call]);
    if (record.eventId === -1) record.eventId = wait.waitOnEventId;
  }
  return found;
}
