import type { Col } from './columns.ts';
import type { RowBatch } from './row-batch.ts';

/**
 * The columns of rows as they were read: in the order of the file, starts still absolute. Plain typed arrays, grown together:
 * each store below compiles to one instruction, which a builder shared by columns of several types does not.
 */
export class RawColumns {
  length = 0;
  #capacity = 1024;
  name = new Int32Array(this.#capacity);
  category = new Uint16Array(this.#capacity);
  phase = new Uint8Array(this.#capacity);
  flags = new Uint8Array(this.#capacity);
  track = new Int32Array(this.#capacity);
  /** Whole seconds of the start; becomes the start in nanoseconds since the origin. NaN where the row has none. */
  start = new Float64Array(this.#capacity);
  startNanos = new Int32Array(this.#capacity);
  /** Nanoseconds; NaN where the row has none. */
  dur = new Float64Array(this.#capacity);
  correlation = new Float64Array(this.#capacity);
  position = new Uint32Array(this.#capacity);
  byteOffset = new Float64Array(this.#capacity);

  /** Takes rows behind those that are there. */
  append(batch: RowBatch): void {
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

  #grow(): void {
    const capacity = (this.#capacity *= 2);
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

type Column = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

function copied<A extends Column>(from: A, to: A): A {
  to.set(from);
  return to;
}

/** The first `length` values as a column. The one cast of the builder. */
export const trimmed = <T extends number>(values: Column, length: number): Col<T> =>
  values.slice(0, length) as unknown as Col<T>;

/** The values in the order of `order` (row numbers), or the first `length` as they stand. */
export function gathered<T extends number>(values: Column, length: number, order: Int32Array | undefined): Col<T> {
  if (order === undefined) return trimmed<T>(values, length);
  if (values instanceof Float64Array) return gatherDoubles(values, order) as unknown as Col<T>;
  if (values instanceof Int32Array) return gatherInts(values, order) as unknown as Col<T>;
  const sorted = values.slice(0, length);
  for (let row = 0; row < length; row++) sorted[row] = values[order[row]];
  return sorted as unknown as Col<T>;
}

function gatherDoubles(values: Float64Array, order: Int32Array): Float64Array {
  const sorted = new Float64Array(order.length);
  for (let row = 0; row < order.length; row++) sorted[row] = values[order[row]];
  return sorted;
}

function gatherInts(values: Int32Array, order: Int32Array): Int32Array {
  const sorted = new Int32Array(order.length);
  for (let row = 0; row < order.length; row++) sorted[row] = values[order[row]];
  return sorted;
}
