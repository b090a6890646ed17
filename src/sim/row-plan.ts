import { upperBound } from '../base/bisect.ts';
import { mix, unit } from './draws.ts';
import type { KinetoOptions } from './kineto-options.ts';
import { ItemKind, type RankTruth, type TrueSync } from './truth.ts';

/** What became of a row on its way into the file. */
export type RowFate = 'written' | 'not-written' | 'lost' | 'outside-capture' | 'ids-lost' | 'future-id';

/** Which rows a file has, in which order, and what was lost. Positions are those in `traceEvents`. */
export interface RowPlan {
  readonly rowCount: number;
  /** By row: `RowKind` and the item, sync or record that it shows. */
  readonly kind: Uint8Array;
  readonly subject: Int32Array;
  /** By item: −1 where it has no row. */
  readonly positionOf: Int32Array;
  /** By row of `RankTruth.syncs` and `RankTruth.records`. */
  readonly syncPosition: Int32Array;
  readonly syncFate: readonly RowFate[];
  readonly recordPosition: Int32Array;
  readonly recordFate: readonly RowFate[];
  /** By item: a row that was taken away (`lost`, `outside-capture`), or `written`. */
  readonly itemFate: (item: number) => RowFate;
  /** By sync: the item of the record call that its row names, or −1. */
  readonly namedRecord: Int32Array;
}

export const PlannedRow = { item: 0, sync: 1, record: 2, flowStart: 3, flowEnd: 4 } as const;

const Draw = { device: 1, sync: 2, record: 3, ids: 4, future: 5, eventIds: 6 } as const;

/** Decides what is written. O(items + syncs × log records). */
export function planRows(truth: RankTruth, options: KinetoOptions): RowPlan {
  const { items, syncs, records } = truth;
  const { loss } = options;
  const fate = itemFates(truth, options);
  const capacity = 3 * items.length + syncs.length + records.length;
  const kind = new Uint8Array(capacity);
  const subject = new Int32Array(capacity);
  const positionOf = new Int32Array(items.length).fill(-1);
  let rowCount = 0;
  const add = (rowKind: number, of: number): number => {
    kind[rowCount] = rowKind;
    subject[rowCount] = of;
    return rowCount++;
  };

  const syncOfCall = firstRowOf(items.length, syncs);
  const recordOfCall = firstRowOf(items.length, records);
  const syncPosition = new Int32Array(syncs.length).fill(-1);
  const recordPosition = new Int32Array(records.length).fill(-1);
  const syncFate = syncFates(truth, options, fate);
  const recordFate = records.map(({ call }, r): RowFate => {
    if (options.recordRows === 'none') return 'not-written';
    if (fate[call] !== WRITTEN) return 'outside-capture';
    return hit(loss.seed, Draw.record, r, loss.recordRows) ? 'lost' : 'written';
  });
  const hasFlow = new Set<number>();

  // As the profiler does: first what the framework recorded, then what the vendor's library did, each call before its work.
  for (let item = 0; item < items.length; item++) {
    if (fate[item] !== WRITTEN || items.kind[item] === ItemKind.call || items.kind[item] === ItemKind.device) continue;
    positionOf[item] = add(PlannedRow.item, item);
  }
  for (let item = 0; item < items.length; item++) {
    if (fate[item] !== WRITTEN) continue;
    if (items.kind[item] === ItemKind.device) {
      positionOf[item] = add(PlannedRow.item, item);
      const call = items.parent[item];
      if (!options.flows || hasFlow.has(call) || fate[call] !== WRITTEN) continue;
      hasFlow.add(call);
      add(PlannedRow.flowEnd, item);
      add(PlannedRow.flowStart, call);
      continue;
    }
    if (items.kind[item] !== ItemKind.call) continue;
    positionOf[item] = add(PlannedRow.item, item);
    const sync = syncOfCall[item];
    if (sync !== -1 && isShown(syncFate[sync])) syncPosition[sync] = add(PlannedRow.sync, sync);
    const record = recordOfCall[item];
    if (record !== -1 && recordFate[record] === 'written') recordPosition[record] = add(PlannedRow.record, record);
  }
  return {
    rowCount,
    kind: kind.subarray(0, rowCount),
    subject: subject.subarray(0, rowCount),
    positionOf,
    syncPosition,
    syncFate,
    recordPosition,
    recordFate,
    itemFate: (item) => (fate[item] === WRITTEN ? 'written' : fate[item] === LOST ? 'lost' : 'outside-capture'),
    namedRecord: namedRecords(truth, syncFate),
  };
}

const WRITTEN = 0;
const LOST = 1;
const OUTSIDE = 2;

const isShown = (fate: RowFate): boolean => fate === 'written' || fate === 'ids-lost' || fate === 'future-id';
const hit = (seed: number, what: number, which: number, share: number): boolean =>
  share > 0 && unit(mix(seed, what), which) < share;

function itemFates({ items }: RankTruth, { loss }: KinetoOptions): Uint8Array {
  const fate = new Uint8Array(items.length);
  const { captureFromNs, captureToNs, deviceRows, seed } = loss;
  for (let item = 0; item < items.length; item++) {
    if (items.start[item] < captureFromNs || items.end[item] > captureToNs) fate[item] = OUTSIDE;
    else if (items.kind[item] === ItemKind.device && hit(seed, Draw.device, item, deviceRows)) fate[item] = LOST;
  }
  return fate;
}

function firstRowOf(items: number, rows: readonly { readonly call: number }[]): Int32Array {
  const found = new Int32Array(items).fill(-1);
  rows.forEach(({ call }, row) => {
    if (found[call] === -1) found[call] = row;
  });
  return found;
}

function syncFates(truth: RankTruth, options: KinetoOptions, fate: Uint8Array): RowFate[] {
  const { loss } = options;
  const isIdle = idleWaits(truth, options, fate);
  const later = laterRecords(truth);
  return truth.syncs.map((sync, s): RowFate => {
    if (!hasRow(sync, options)) return 'not-written';
    if (fate[sync.call] !== WRITTEN) return 'outside-capture';
    if (isIdle(sync) || hit(loss.seed, Draw.sync, s, loss.syncRows)) return 'lost';
    const namesEvent = sync.event !== -1 && sync.record !== -1;
    if (!namesEvent) return 'written';
    if (hit(loss.seed, Draw.ids, s, loss.lostIds)) return 'ids-lost';
    if (later(sync) !== -1 && hit(loss.seed, Draw.future, s, loss.futureIds)) return 'future-id';
    return 'written';
  });
}

/** Does the row name no event either? */
export const losesEventId = ({ loss }: KinetoOptions, sync: number): boolean =>
  hit(loss.seed, Draw.eventIds, sync, loss.lostEventIds);

function hasRow({ kind }: TrueSync, { syncRows, queryRows }: KinetoOptions): boolean {
  if (!syncRows || kind === 'copy-sync' || kind === 'implicit-sync') return false;
  return kind !== 'query' || queryRows;
}

/** Old writers left out stream waits of streams on which they had seen no work. */
function idleWaits(
  { items, lanes }: RankTruth,
  { loss }: KinetoOptions,
  fate: Uint8Array,
): (sync: TrueSync) => boolean {
  if (loss.idleStreamWaits === 'keep') return () => false;
  const firstCall = new Map<string, number>();
  for (let item = 0; item < items.length; item++) {
    if (items.kind[item] !== ItemKind.device || fate[item] !== WRITTEN) continue;
    const { device, stream } = lanes[items.track[item]];
    const known = firstCall.get(`${device}.${stream}`) ?? Infinity;
    firstCall.set(`${device}.${stream}`, Math.min(known, items.parent[item]));
  }
  return ({ kind, call, device, stream }) => {
    if (kind !== 'stream-wait') return false;
    const first = firstCall.get(`${device}.${stream}`);
    return first === undefined || (loss.idleStreamWaits === 'drop-before-first' && first > call);
  };
}

/** The next record of a sync's event after its call: an item, or −1. */
function laterRecords({ records }: RankTruth): (sync: TrueSync) => number {
  const byEvent = new Map<number, number[]>();
  for (const { event, call } of records) {
    const known = byEvent.get(event);
    if (known === undefined) byEvent.set(event, [call]);
    else known.push(call);
  }
  return ({ event, call }) => {
    const calls = byEvent.get(event);
    return calls?.[upperBound(calls, call)] ?? -1;
  };
}

function namedRecords(truth: RankTruth, syncFate: readonly RowFate[]): Int32Array {
  const later = laterRecords(truth);
  return Int32Array.from(truth.syncs, (sync, s) => {
    if (syncFate[s] === 'ids-lost') return -1;
    return syncFate[s] === 'future-id' ? later(sync) : sync.record;
  });
}
