import { Api } from './api-names.ts';
import type { CallIndex } from './calls.ts';
import { type ConstraintSet, OWN, withGaps } from './constraint-set.ts';
import { CONSTRAINT_KINDS, kindCode } from './constraints.ts';
import type { DeviceIndex } from './device.ts';
import type { Indices } from './graph.ts';
import { type HostIndex, endOf, startOf } from './host.ts';
import type { Moments } from './moments.ts';

const FEWEST_CASES = 20;
const DEFAULT_LAUNCH_NS = 6_000;
/** Of every kind but launches, in ns. */
export const DEFAULT_NS = 1_500;

/**
 * The longest typical lag of a constraint between device ops, in ns. A queue takes its next op within microseconds; where the median
 * says more, rows are missing between the ops (sampled traces), and the cases are of something that the graph does not hold.
 */
const LONGEST_DEVICE_LAG_NS = 25_000;

const SYNC_API = Api.eventSync | Api.streamSync | Api.deviceSync;
/** Calls whose own course competes with what they may wait for. */
const WAITING_API = SYNC_API | Api.copy | Api.launch;

/**
 * The typical lag of each constraint: what it costs when nothing else is in the way. Learned from unobstructed cases only, per
 * (device, kind, launch API); under 20 cases from the same kind over the rank; then a default. One waiting lane teaches nothing.
 */
export function typicalLags(
  { trace, host, calls, device, moments, time }: Indices,
  constraints: ConstraintSet,
): TypicalLags {
  const { first, from, kind } = constraints;
  /** By constraint: 1 + its bucket, or 0. With room for as many more as the constraints have. */
  const bucketOf = new Int32Array(from.buffer.byteLength / from.BYTES_PER_ELEMENT).subarray(0, from.length);
  const buckets: Bucket[] = [];
  const known = new Map<number, number>();
  /** By kind: the last key, and its bucket; neighbours mostly share one. */
  const lastKey = new Float64Array(OWN + 1).fill(-1);
  const lastBucket = new Int32Array(OWN + 1);
  /** By kind; the courses of calls by what the call does, since a launch tells nothing of a synchronising call. */
  const overRank = new Map<number, Bucket[]>();
  const addBucket = (code: number, moment: number): void => {
    const place = code === HOST_ORDER ? code + CONSTRAINT_KINDS.length * (calls.api[moment >> 1] & WAITING_API) : code;
    const rank = overRank.get(place) ?? [];
    overRank.set(place, rank);
    const bucket: Bucket = { kind: CONSTRAINT_KINDS[code], cases: [], rank };
    rank.push(bucket);
    buckets.push(bucket);
  };
  const unobstructed = new Unobstructed(host, device, moments, constraints, time);
  const { events } = trace;

  for (let moment = 0; moment < moments.count; moment++) {
    for (let c = first[moment]; c < first[moment + 1]; c++) {
      if (kind[c] === HOST_ORDER ? !isWaitingCall(calls, moment, from[c]) : kind[c] === OWN) continue;
      const call = callOf(device, moments, moment);
      const lane = laneDevice(device, moments, moment, from[c]);
      const api = call === -1 ? -1 : events.name[host.event[call]];
      const key = ((lane + 1) * CONSTRAINT_KINDS.length + kind[c]) * (trace.strings.length + 1) + api + 1;
      let bucket = lastKey[kind[c]] === key ? lastBucket[kind[c]] : known.get(key);
      if (bucket === undefined) {
        bucket = buckets.length;
        known.set(key, bucket);
        addBucket(kind[c], moment);
      }
      lastKey[kind[c]] = key;
      lastBucket[kind[c]] = bucket;
      bucketOf[c] = 1 + bucket;
      if (!unobstructed.is(moment, c)) continue;
      const lag = time[moment] - time[from[c]];
      if (lag >= 0) buckets[bucket].cases.push(lag);
    }
  }
  const learned = new Map<readonly Bucket[], number>();
  const learn = ({ kind: name, cases, rank }: Bucket): number => {
    if (cases.length >= FEWEST_CASES) return typicalOf(name, cases);
    let known = learned.get(rank);
    if (known === undefined) {
      const all = rank.flatMap((each) => each.cases);
      learned.set(rank, (known = all.length >= FEWEST_CASES ? typicalOf(name, all) : defaultOf(name)));
    }
    return known;
  };
  const typical = lagsOfBuckets(bucketOf, [DEFAULT_NS, ...buckets.map(learn)]);
  for (let c = 0; c < typical.length; c++) if (kind[c] === OWN) typical[c] = 0;
  // A graph launch is over with its last leaf, at no cost.
  const joins = moments.host + 2 * device.length;
  for (let c = first[joins]; c < typical.length; c++) typical[c] = 0;
  return typical;
}

/** By constraint, in ns. Single precision where it holds each of them exactly, as it does up to 16 ms. */
export type TypicalLags = Float32Array | Float64Array;

/** In place of the buckets, where that is exact. */
function lagsOfBuckets(bucketOf: Int32Array<ArrayBuffer>, lags: readonly number[]): TypicalLags {
  const isExact = lags.every((ns) => Math.fround(ns) === ns);
  const typical = isExact ? new Float32Array(bucketOf.buffer, 0, bucketOf.length) : new Float64Array(bucketOf.length);
  for (let c = 0; c < typical.length; c++) typical[c] = lags[bucketOf[c]];
  return typical;
}

/** The same with the default for the constraints that were put in at `rows`. Takes over its memory. */
export function withDefaults(typical: TypicalLags, rows: Int32Array): TypicalLags {
  const more = withGaps<TypicalLags>(typical, rows);
  for (let i = 0; i < rows.length; i++) more[rows[i]] = DEFAULT_NS;
  return more;
}

interface Bucket {
  readonly kind: (typeof CONSTRAINT_KINDS)[number];
  readonly cases: number[];
  /** All of its kind over the whole rank. */
  readonly rank: readonly Bucket[];
}

const BETWEEN_DEVICE_OPS: ReadonlySet<Bucket['kind']> = new Set([
  'stream-order',
  'stream-wait',
  'graph',
  'overlap',
  'inferred-wait',
]);

const HOST_ORDER = kindCode('host-order');

const defaultOf = (kind: Bucket['kind']): number => (kind === 'launch' ? DEFAULT_LAUNCH_NS : DEFAULT_NS);

/** Launches: the lower quartile, since the host may be late for more reasons than we see; all others: the median. */
function typicalOf(kind: Bucket['kind'], cases: readonly number[]): number {
  const sorted = new Float64Array(cases).sort();
  const typical = sorted[Math.floor((sorted.length - 1) * (kind === 'launch' ? 0.25 : 0.5))];
  return BETWEEN_DEVICE_OPS.has(kind) ? Math.min(typical, LONGEST_DEVICE_LAG_NS) : typical;
}

/** The call that launched the op of a device moment, or the call of a host moment; −1 where there is none. */
function callOf(device: DeviceIndex, moments: Moments, moment: number): number {
  return moments.isHost(moment) ? moments.hostOp(moment) : device.call[moments.deviceOp(moment)];
}

function laneDevice(device: DeviceIndex, moments: Moments, to: number, from: number): number {
  const moment = moments.isHost(to) ? from : to;
  return moments.isHost(moment) ? -1 : device.lanes[device.lane[moments.deviceOp(moment)]].device;
}

/** Is this the stretch from the start to the end of a call that can wait: a synchronising call, or one held by others too. */
function isWaitingCall({ api }: CallIndex, to: number, from: number): boolean {
  return (to & 1) === 1 && to === from + 1 && (api[to >> 1] & WAITING_API) !== 0;
}

/** Tells the cases in which a constraint stood alone, so that its lag is its own cost. */
class Unobstructed {
  readonly #host: HostIndex;
  readonly #device: DeviceIndex;
  readonly #moments: Moments;
  readonly #set: ConstraintSet;
  readonly #time: Float64Array;

  constructor(host: HostIndex, device: DeviceIndex, moments: Moments, set: ConstraintSet, time: Float64Array) {
    this.#host = host;
    this.#device = device;
    this.#moments = moments;
    this.#set = set;
    this.#time = time;
  }

  is(moment: number, constraint: number): boolean {
    const source = this.#set.from[constraint];
    switch (CONSTRAINT_KINDS[this.#set.kind[constraint]]) {
      case 'launch':
        // The lane was empty, and no event was waited for, when the call began.
        return this.#othersEndedBy(moment, constraint, this.#time[source]);
      case 'stream-order':
      case 'stream-wait':
      case 'graph':
      case 'inferred-wait': {
        const call = this.#device.call[this.#moments.deviceOp(moment)];
        if (this.#moments.isJoin(moment) || call === -1) return false;
        const began = this.#startOfSource(source);
        return this.#host.end[call] <= began && this.#othersEndedBy(moment, constraint, this.#time[source]);
      }
      case 'event-sync':
      case 'stream-sync':
      case 'device-sync':
      case 'copy-sync': {
        const call = this.#moments.hostOp(moment);
        return (
          this.#time[source] > this.#host.start[call] && this.#othersEndedBy(moment, constraint, this.#time[source])
        );
      }
      case 'host-order': {
        const op = this.#moments.hostOp(moment);
        return this.#othersEndedBy(moment, constraint, this.#time[startOf(op)]) && moment === endOf(op);
      }
      default:
        return false;
    }
  }

  #startOfSource(source: number): number {
    return this.#device.start[this.#moments.deviceOp(source)];
  }

  #othersEndedBy(moment: number, constraint: number, limit: number): boolean {
    const { first, from } = this.#set;
    for (let c = first[moment]; c < first[moment + 1]; c++) {
      if (c !== constraint && this.#time[from[c]] > limit) return false;
    }
    return true;
  }
}
