import { LONGEST_NS, LONGEST_SECONDS, type RawColumns } from './builder-columns.ts';
import type { Span } from './builder-order.ts';
import type { Diagnostics } from './diagnostics.ts';
import { isCall, isDeviceWork, RowKind } from './kinds.ts';
import { Phase, RowFlag } from './tables.ts';

const SECONDS_PER_DAY = 86_400;
/** A start of exactly 0 is a lost time where the other rows lie later than this: writers clamp to 0 what they do not know. */
const ZERO_IS_LOST_AFTER_SECONDS = 3600;
/** Device and host clocks that differ by more are two clocks. */
const CLOCK_DOMAIN_SECONDS = SECONDS_PER_DAY;
/** An op that had not ended ends at the lowest 64-bit number of ns; its row's length wraps around or not. */
const INT64_MIN_NS = 2 ** 63;
/** Doubles near 2^63 are 1,024 apart, and the writer may have cut µs. */
const INT64_MIN_TOLERANCE_NS = 10_000;
/** Rows looked at for a median: a median needs no more. */
const SAMPLE = 1 << 13;

export interface Origin {
  readonly seconds: number;
  readonly nanos: number;
}

/** What was settled: the origin, and the span of the starts relative to it. */
export interface Settled {
  readonly origin: Origin;
  readonly span: Span;
}

/**
 * Decides which rows have timing that can be true, and makes starts relative to the trace's origin: the earliest start of
 * an X, B or i row with plausible timing. Rows that fail stay, flagged, with start and length 0.
 */
export function settleTiming(
  rows: RawColumns,
  kindOf: (category: number) => RowKind,
  baseUnixNs: bigint,
  diagnostics: Diagnostics,
): Settled {
  // What was surveyed as the rows came in spares most traces most passes.
  const hasBegun = rows.phase.subarray(0, rows.length).includes(Phase.begin);
  const mayFlag = rows.suspects > 0 || hasBegun;
  if (mayFlag) flagBadLengths(rows, Number(baseUnixNs), diagnostics);
  const otherClock = flagOtherClock(rows, kindOf, diagnostics);
  const farStarts = flagFarStarts(rows, diagnostics);
  const origin = mayFlag || otherClock || farStarts ? findOrigin(rows) : originOf(rows.firstSeconds, rows.firstNanos);
  return { origin, span: rebase(rows, origin) };
}

const originOf = (seconds: number, nanos: number): Origin =>
  seconds === Infinity ? { seconds: 0, nanos: 0 } : { seconds, nanos };

const isZero = (rows: RawColumns, row: number): boolean => rows.start[row] === 0 && rows.startNanos[row] === 0;
const isFlagged = (rows: RawColumns, row: number): boolean => (rows.flags[row] & RowFlag.noTiming) !== 0;

function flag(rows: RawColumns, row: number): void {
  rows.flags[row] = RowFlag.noTiming;
}

function flagBadLengths(rows: RawColumns, baseNs: number, diagnostics: Diagnostics): void {
  const { length, start, dur, phase } = rows;
  for (let row = 0; row < length; row++) {
    const isLengthGood = dur[row] >= 0 ? dur[row] <= LONGEST_NS : phase[row] !== Phase.complete && !(dur[row] < 0);
    if (!isLengthGood || Number.isNaN(start[row])) flagBadLength(rows, row, baseNs, diagnostics);
  }
}

function flagBadLength(rows: RawColumns, row: number, baseNs: number, diagnostics: Diagnostics): void {
  const offset = rows.byteOffset[row];
  const dur = rows.dur[row];
  if (Number.isNaN(rows.start[row]) || Number.isNaN(dur)) {
    diagnostics.record('missing-field', offset);
    flag(rows, row);
    return;
  }
  const end = baseNs + rows.start[row] * 1e9 + rows.startNanos[row] + dur;
  if (Math.abs(Math.abs(end) - INT64_MIN_NS) <= INT64_MIN_TOLERANCE_NS) {
    diagnostics.record('unfinished', offset);
    rows.flags[row] = RowFlag.unfinished;
  } else {
    diagnostics.record(dur < 0 ? 'negative-duration' : 'huge-duration', offset);
    flag(rows, row);
  }
}

/** Device rows in another clock than the calls that launched them: nothing says how far apart the clocks are, so they are left out. False: none. */
function flagOtherClock(rows: RawColumns, kindOf: (category: number) => RowKind, diagnostics: Diagnostics): boolean {
  const isDevice = (row: number): boolean => isDeviceWork(kindOf(rows.category[row]));
  const host = medianStart(rows, (row) => isCall(kindOf(rows.category[row])));
  const device = medianStart(rows, isDevice);
  if (host === undefined || device === undefined || Math.abs(host - device) <= CLOCK_DOMAIN_SECONDS) return false;
  const callStart = new Map<number, number>();
  for (let row = 0; row < rows.length; row++) {
    if (isCall(kindOf(rows.category[row]))) callStart.set(rows.correlation[row], rows.start[row]);
  }
  const offset = median(rows, (row) => {
    const correlation = rows.correlation[row];
    const start = isDevice(row) && correlation > 0 ? callStart.get(correlation) : undefined;
    return start === undefined ? Number.NaN : rows.start[row] - start;
  });
  if (offset === undefined || Math.abs(offset) <= CLOCK_DOMAIN_SECONDS) return false;
  for (let row = 0; row < rows.length; row++) {
    const kind = kindOf(rows.category[row]);
    if (kind < RowKind.kernel || kind > RowKind.gpuAnnotation || isFlagged(rows, row)) continue;
    if (Math.abs(rows.start[row] - host) <= CLOCK_DOMAIN_SECONDS) continue;
    diagnostics.record('clock-domains', rows.byteOffset[row]);
    flag(rows, row);
  }
  return true;
}

/** False: there is none. */
function flagFarStarts(rows: RawColumns, diagnostics: Diagnostics): boolean {
  const middle = medianStart(rows, () => true);
  if (middle === undefined) return false;
  const { length, start, startNanos, flags, lowest, highest } = rows;
  const isZeroLost = middle > ZERO_IS_LOST_AFTER_SECONDS;
  const isNear = highest - middle <= LONGEST_SECONDS && middle - lowest <= LONGEST_SECONDS;
  if (isNear && (!isZeroLost || lowest > 0)) return false;
  for (let row = 0; row < length; row++) {
    const seconds = start[row];
    const isLost = isZeroLost && seconds === 0 && startNanos[row] === 0;
    if ((!isLost && Math.abs(seconds - middle) <= LONGEST_SECONDS) || (flags[row] & RowFlag.noTiming) !== 0) continue;
    diagnostics.record('no-timing', rows.byteOffset[row]);
    flag(rows, row);
  }
  return true;
}

/** The middle start in seconds of the timed rows that `isWanted` takes. Starts of 0 do not vote: they may be lost times. */
function medianStart(rows: RawColumns, isWanted: (row: number) => boolean): number | undefined {
  return median(rows, (row) => {
    const start = rows.start[row];
    return !isZero(rows, row) && isOfSpan(rows.phase[row]) && isWanted(row) ? start : Number.NaN;
  });
}

/** The middle of `valueOf` over unflagged rows (evenly sampled where they are many); NaN does not vote. */
function median(rows: RawColumns, valueOf: (row: number) => number): number | undefined {
  const values = new Float64Array(Math.min(rows.length, SAMPLE) + 1);
  let count = 0;
  const step = Math.max(1, rows.length / SAMPLE);
  for (let next = 0; next < rows.length; next += step) {
    const row = Math.floor(next);
    if (isFlagged(rows, row)) continue;
    const value = valueOf(row);
    if (!Number.isNaN(value)) values[count++] = value;
  }
  return count === 0 ? undefined : values.subarray(0, count).sort()[count >>> 1];
}

/** X, B and i rows make the span of a trace; flows and counters do not. */
const isOfSpan = (phase: number): boolean => phase <= Phase.instant;

function findOrigin(rows: RawColumns): Origin {
  const { length, start, startNanos, phase, flags } = rows;
  let seconds = Infinity;
  let nanos = 0;
  for (let row = 0; row < length; row++) {
    if (start[row] > seconds || !isOfSpan(phase[row]) || (flags[row] & RowFlag.noTiming) !== 0) continue;
    if (start[row] === seconds && startNanos[row] >= nanos) continue;
    seconds = start[row];
    nanos = startNanos[row];
  }
  return originOf(seconds, nanos);
}

function rebase(rows: RawColumns, origin: Origin): Span {
  const { length, start, startNanos, dur, phase, flags } = rows;
  let end = 0;
  let unfinished = 0;
  let lowest = 0;
  let highest = 0;
  for (let row = 0; row < length; row++) {
    if ((flags[row] & RowFlag.noTiming) !== 0) {
      start[row] = 0;
      dur[row] = 0;
      continue;
    }
    const begin = (start[row] - origin.seconds) * 1e9 + (startNanos[row] - origin.nanos);
    if (Number.isNaN(dur[row])) dur[row] = 0;
    start[row] = begin;
    if (begin < lowest) lowest = begin;
    if (begin > highest) highest = begin;
    const isUnfinished = (flags[row] & RowFlag.unfinished) !== 0;
    if (isUnfinished) unfinished++;
    const last = isUnfinished ? begin : begin + dur[row];
    if (last > end && isOfSpan(phase[row])) end = last;
  }
  if (unfinished > 0) {
    for (let row = 0; row < length; row++) if ((flags[row] & RowFlag.unfinished) !== 0) dur[row] = end - start[row];
  }
  return { lowest, highest };
}
