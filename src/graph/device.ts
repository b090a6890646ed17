import { ascendsBy, lowerBound } from '../base/bisect.ts';
import { pick } from '../base/pick.ts';
import { isDeviceWork } from '../trace/kinds.ts';
import type { Trace, Track } from '../trace/trace.ts';
import type { CallIndex } from './calls.ts';
import { rowsOf } from './rows-of.ts';

/** Device ops have their own dense numbers, ascending like events, that is by start. */
export interface DeviceIndex {
  readonly length: number;
  readonly event: Int32Array;
  /** Row in `lanes`. */
  readonly lane: Int32Array;
  /** The host op that launched it, or −1. */
  readonly call: Int32Array;
  /** Enqueue key (`CallIndex.key`). */
  readonly key: Float64Array;
  /** 1 where a row without a correlation has only the latest key that it can have had: that of what the host had called when it began. */
  readonly isPlaced: Uint8Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly lanes: readonly Lane[];
  /** By event: the device op, or −1. */
  readonly opOfEvent: Int32Array;
}

/** One stream of one device. The same stream number on two devices is two lanes. */
export interface Lane {
  readonly device: number;
  readonly stream: number;
  /** `s-0.7` */
  readonly name: string;
  /** Ops in the order in which the device began them. */
  readonly ops: Int32Array;
  /** Ops in enqueue order (ties: by start). */
  readonly enqueued: Int32Array;
  /** Keys of `enqueued`, ascending. */
  readonly keys: Float64Array;
  /** By place in `enqueued`: of the ops up to it, the one that the device began last. Where ids and device disagree, the device is right. */
  readonly lastUpTo: Int32Array;
  /** By place in `enqueued`: of the ops from it on, the one that the device began first. */
  readonly firstFrom: Int32Array;
  /** By place in `enqueued`: of the ops up to it, the one that ended last. It is another than `lastUpTo` where ops overlap. */
  readonly latestUpTo: Int32Array;
  /** The greatest key of its ops that are only placed (`DeviceIndex.isPlaced`); −Infinity without any. */
  readonly lastPlaced: number;
}

export function buildDevice(trace: Trace, calls: CallIndex): DeviceIndex {
  const rows = rowsOf(trace, isDeviceWork);
  const { events, tracks } = trace;
  const length = rows.length;
  const opOfEvent = new Int32Array(events.length).fill(-1);
  const lane = new Int32Array(length);
  const call = new Int32Array(length);
  const key = new Float64Array(length);
  const isPlaced = new Uint8Array(length);
  const start = new Float64Array(length);
  const end = new Float64Array(length);
  const drafts = new Map<string, LaneDraft>();
  let draft: LaneDraft | undefined;
  const sides = trace.device;
  let side = 0;
  for (let op = 0; op < length; op++) {
    const e = rows[op];
    opOfEvent[e] = op;
    start[op] = events.start[e];
    end[op] = events.start[e] + events.dur[e];
    call[op] = calls.find(events.correlation[e], events.start[e]);
    key[op] = call[op] !== -1 ? calls.key[call[op]] : calls.keyOf(events.correlation[e], events.start[e]);
    if (Number.isNaN(key[op])) {
      key[op] = calls.keyAt(start[op]);
      isPlaced[op] = 1;
    }
    while (side < sides.event.length && sides.event[side] < e) side++;
    const known = side < sides.event.length && sides.event[side] === e;
    const track = tracks[events.track[e]];
    const device = deviceOf(known ? sides.device[side] : -1, track);
    const stream = streamOf(known ? sides.stream[side] : -1, track);
    // Ops of one lane mostly come together.
    if (draft === undefined || draft.device !== device || draft.stream !== stream) {
      const name = `s-${device}.${stream}`;
      draft = drafts.get(name) ?? { device, stream, ops: [], index: drafts.size };
      drafts.set(name, draft);
    }
    draft.ops.push(op);
    lane[op] = draft.index;
  }
  /** By op: its place in its lane. */
  const place = new Int32Array(length);
  const lanes = [...drafts].map(([name, { device, stream, ops }]): Lane => {
    const byStart = Int32Array.from(ops);
    // Where times are whole µs several may begin at once: then they began as they were enqueued.
    if (!ascends(byStart, start, key)) byStart.sort((a, b) => start[a] - start[b] || key[a] - key[b] || a - b);
    const enqueued = byStart.slice();
    if (!ascendsBy(enqueued, key)) enqueued.sort((a, b) => key[a] - key[b]);
    const keys = pick(key, enqueued);
    const latestUpTo = enqueued.slice();
    let lastPlaced = -Infinity;
    for (let i = 0; i < enqueued.length; i++) {
      const op = enqueued[i];
      if (i > 0 && end[latestUpTo[i - 1]] > end[op]) latestUpTo[i] = latestUpTo[i - 1];
      if (isPlaced[op] === 1 && key[op] > lastPlaced) lastPlaced = key[op];
    }
    const order = beginOrder(byStart, enqueued, place);
    return { device, stream, name, ops: byStart, enqueued, keys, ...order, latestUpTo, lastPlaced };
  });
  return { length, event: rows, lane, call, key, isPlaced, start, end, lanes, opOfEvent };
}

interface LaneDraft {
  readonly device: number;
  readonly stream: number;
  readonly ops: number[];
  readonly index: number;
}

/** Do ops stand in order of (value, tie) already? Ops that are equal stay as they are. */
function ascends(ops: Int32Array, value: Float64Array, tie: Float64Array): boolean {
  for (let i = 1; i < ops.length; i++) {
    const before = ops[i - 1];
    const op = ops[i];
    if (value[op] < value[before] || (value[op] === value[before] && tie[op] < tie[before])) return false;
  }
  return true;
}

/** `place`: room for a number of each op. */
function beginOrder(
  byStart: Int32Array,
  enqueued: Int32Array,
  place: Int32Array,
): Pick<Lane, 'lastUpTo' | 'firstFrom'> {
  for (let at = 0; at < byStart.length; at++) place[byStart[at]] = at;
  const lastUpTo = enqueued.slice();
  for (let i = 1; i < lastUpTo.length; i++) {
    if (place[lastUpTo[i - 1]] > place[lastUpTo[i]]) lastUpTo[i] = lastUpTo[i - 1];
  }
  const firstFrom = enqueued.slice();
  for (let i = firstFrom.length - 2; i >= 0; i--) {
    if (place[firstFrom[i + 1]] < place[firstFrom[i]]) firstFrom[i] = firstFrom[i + 1];
  }
  return { lastUpTo, firstFrom };
}

/** Where a stream's number is absent or negative, the row's track is its lane; a track that is a negative number is none of those with its digits. */
function streamOf(stream: number, track: Track): number {
  if (stream >= 0) return stream;
  const number = /^-\d+$|\d+/.exec(track.tid);
  return number === null ? -1 : Number(number[0]);
}

function deviceOf(device: number, track: Track): number {
  if (device >= 0) return device;
  return /^\d{1,3}$/.test(track.pid) ? Number(track.pid) : 0;
}

/** The position in `lane.enqueued` of the last op enqueued before `key`, or −1. */
export const lastBefore = (lane: Lane, key: number): number => lowerBound(lane.keys, key) - 1;
