import type { DurNs, TimeNs } from '../base/units.ts';
import type { Col } from './columns.ts';
import type { CategoryId, StringId, TrackId } from './ids.ts';
import type { RowBatch, TimingSurvey } from './row-batch.ts';
import { Phase } from './tables.ts';

const SECONDS_PER_DAY = 86_400;
/** No capture is longer, and no row of it lies further from the others. */
export const LONGEST_SECONDS = 7 * SECONDS_PER_DAY;
export const LONGEST_NS = LONGEST_SECONDS * 1e9;

/**
 * The columns of rows as they were read: in the order of the file, starts still absolute. Plain typed arrays, grown together:
 * each store below compiles to one instruction, which a builder shared by columns of several types does not.
 */
export class RawColumns {
  length = 0;
  /** The `TimingSurvey` of all rows. */
  suspects = 0;
  lowest = Infinity;
  highest = -Infinity;
  firstSeconds = Infinity;
  firstNanos = 0;
  #capacity = 1024;
  name = new Int32Array(this.#capacity);
  category = new Uint16Array(this.#capacity);
  phase = new Uint8Array(this.#capacity);
  flags = new Uint8Array(this.#capacity);
  track = new Int32Array(this.#capacity);
  /** Whole seconds of the start; becomes the start in nanoseconds since the origin. NaN where the row has none. */
  start = new Float64Array(this.#capacity);
  /** Nanoseconds of the start, until they are in `start`. */
  startNanos = new Int32Array(this.#capacity);
  /** Nanoseconds; NaN where the row has none. */
  dur = new Float64Array(this.#capacity);
  correlation = new Float64Array(this.#capacity);
  position = new Uint32Array(this.#capacity);
  byteOffset = new Float64Array(this.#capacity);

  /** Takes what is known of further rows. */
  #note({ suspects, lowest, highest, firstSeconds, firstNanos }: TimingSurvey): void {
    this.suspects += suspects;
    if (lowest < this.lowest) this.lowest = lowest;
    if (highest > this.highest) this.highest = highest;
    const isLater =
      firstSeconds > this.firstSeconds || (firstSeconds === this.firstSeconds && firstNanos >= this.firstNanos);
    if (isLater) return;
    this.firstSeconds = firstSeconds;
    this.firstNanos = firstNanos;
  }

  /** Surveys a row that was added and filled. */
  surveyRow(row: number): void {
    const start = this.start[row];
    const dur = this.dur[row];
    const phase = this.phase[row];
    const isGood = phase === Phase.complete ? dur >= 0 && dur <= LONGEST_NS : !Number.isNaN(start);
    if (!isGood || Number.isNaN(start)) this.suspects++;
    if (start < this.lowest) this.lowest = start;
    if (start > this.highest) this.highest = start;
    if (phase > Phase.instant || !(start <= this.firstSeconds)) return;
    if (start === this.firstSeconds && this.startNanos[row] >= this.firstNanos) return;
    this.firstSeconds = start;
    this.firstNanos = this.startNanos[row];
  }

  /** Takes rows behind those that are there. */
  append(batch: RowBatch): void {
    this.#note(batch.survey);
    const at = this.length;
    const count = batch.length;
    while (at + count > this.#capacity) this.#grow();
    this.length += count;
    this.name.set(batch.name.subarray(0, count), at);
    this.category.set(batch.category.subarray(0, count), at);
    this.phase.set(batch.phase.subarray(0, count), at);
    this.track.set(batch.track.subarray(0, count), at);
    this.start.set(batch.start.subarray(0, count), at);
    this.startNanos.set(batch.startNanos.subarray(0, count), at);
    this.dur.set(batch.dur.subarray(0, count), at);
    this.correlation.set(batch.correlation.subarray(0, count), at);
    this.position.set(batch.position.subarray(0, count), at);
    this.byteOffset.set(batch.byteOffset.subarray(0, count), at);
  }

  /** Adds a row, all its columns 0, and returns its number. */
  add(): number {
    if (this.length === this.#capacity) this.#grow();
    return this.length++;
  }

  /** Room for so many rows, which are expected: memory that is never written to costs nothing, and columns that grow are copied. */
  reserve(rows: number): void {
    if (rows > this.#capacity) this.#grow(rows);
  }

  #grow(capacity = this.#capacity * 2): void {
    this.#capacity = capacity;
    this.name = copied(this.name, new Int32Array(capacity));
    this.category = copied(this.category, new Uint16Array(capacity));
    this.phase = copied(this.phase, new Uint8Array(capacity));
    this.flags = copied(this.flags, new Uint8Array(capacity));
    this.track = copied(this.track, new Int32Array(capacity));
    this.start = copied(this.start, new Float64Array(capacity));
    this.startNanos = copied(this.startNanos, new Int32Array(capacity));
    this.dur = copied(this.dur, new Float64Array(capacity));
    this.correlation = copied(this.correlation, new Float64Array(capacity));
    this.position = copied(this.position, new Uint32Array(capacity));
    this.byteOffset = copied(this.byteOffset, new Float64Array(capacity));
  }
}

type Doubles = Float64Array<ArrayBuffer>;
type Ints = Int32Array<ArrayBuffer>;
type Unsigned = Uint32Array<ArrayBuffer>;
type Shorts = Uint16Array<ArrayBuffer>;
type Bytes = Uint8Array<ArrayBuffer>;
type Column = Doubles | Ints | Unsigned | Shorts | Bytes;

function copied<A extends Column>(from: A, to: A): A {
  to.set(from);
  return to;
}

/** The first `length` values as a column. The one cast of the builder. */
export const asColumn = <T extends number>(values: Column, length: number): Col<T> =>
  (values.length === length ? values : values.subarray(0, length)) as unknown as Col<T>;

/** The columns of rows in the order of `order` (row numbers), or as they stand. */
export interface SortedColumns {
  readonly name: Col<StringId>;
  readonly phase: Col<Phase>;
  readonly flags: Col;
  readonly track: Col<TrackId>;
  readonly start: Col<TimeNs>;
  readonly dur: Col<DurNs>;
  readonly correlation: Col;
  readonly position: Col;
  readonly byteOffset: Col;
}

/** The categories in order. Apart from the other columns, since the side tables need them in both orders. */
export function sortCategories(rows: RawColumns, order: Int32Array | undefined): Col<CategoryId> {
  const { category, length } = rows;
  return asColumn(order === undefined ? category : gatherShorts(category, new Uint16Array(length), order), length);
}

function isAnySet(bytes: Bytes): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) return true;
  return false;
}

/**
 * Puts the other columns in order, one after the other, each into the memory of the one before: beside the columns there is never more than one
 * of each width. `rows` is used up.
 */
export function sortColumns(rows: RawColumns, order: Int32Array | undefined): SortedColumns {
  const { length } = rows;
  let { name, track, position, start, dur, correlation, byteOffset, phase, flags } = rows;
  if (order !== undefined) {
    // Nanoseconds went into the starts: their memory is free.
    let ints = rows.startNanos;
    let doubles = new Float64Array(length);
    let bytes = new Uint8Array(length);
    [name, ints] = [gatherInts(name, ints, order), name];
    [track, ints] = [gatherInts(track, ints, order), track];
    position = gatherUnsigned(position, new Uint32Array(ints.buffer), order);
    [start, doubles] = [gatherDoubles(start, doubles, order), start];
    [dur, doubles] = [gatherDoubles(dur, doubles, order), dur];
    [correlation, doubles] = [gatherDoubles(correlation, doubles, order), correlation];
    byteOffset = gatherDoubles(byteOffset, doubles, order);
    [phase, bytes] = [gatherBytes(phase, bytes, order), phase];
    // Most traces flag no row: in any order the same.
    if (isAnySet(flags)) flags = gatherBytes(flags, bytes, order);
  }
  return {
    name: asColumn(name, length),
    phase: asColumn(phase, length),
    flags: asColumn(flags, length),
    track: asColumn(track, length),
    start: asColumn(start, length),
    dur: asColumn(dur, length),
    correlation: asColumn(correlation, length),
    position: asColumn(position, length),
    byteOffset: asColumn(byteOffset, length),
  };
}

// One function a type: a function for all of them is several times slower.

function gatherDoubles(from: Doubles, to: Doubles, order: Int32Array): Doubles {
  for (let row = 0; row < order.length; row++) to[row] = from[order[row]];
  return to;
}

function gatherInts(from: Ints, to: Ints, order: Int32Array): Ints {
  for (let row = 0; row < order.length; row++) to[row] = from[order[row]];
  return to;
}

function gatherUnsigned(from: Unsigned, to: Unsigned, order: Int32Array): Unsigned {
  for (let row = 0; row < order.length; row++) to[row] = from[order[row]];
  return to;
}

function gatherShorts(from: Shorts, to: Shorts, order: Int32Array): Shorts {
  for (let row = 0; row < order.length; row++) to[row] = from[order[row]];
  return to;
}

function gatherBytes(from: Bytes, to: Bytes, order: Int32Array): Bytes {
  for (let row = 0; row < order.length; row++) to[row] = from[order[row]];
  return to;
}
