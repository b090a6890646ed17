import { ColBuilder } from './columns.ts';

/** The columns of rows as they were read: in the order of the file, starts still absolute. */
export class RawColumns {
  readonly name = new ColBuilder(Int32Array);
  readonly category = new ColBuilder(Uint16Array);
  readonly phase = new ColBuilder(Uint8Array);
  readonly flags = new ColBuilder(Uint8Array);
  readonly track = new ColBuilder(Int32Array);
  /** Whole seconds of the start; becomes the start in nanoseconds since the origin. NaN where the row has none. */
  readonly start = new ColBuilder(Float64Array);
  readonly startNanos = new ColBuilder(Int32Array);
  /** Nanoseconds; NaN where the row has none. */
  readonly dur = new ColBuilder(Float64Array);
  readonly correlation = new ColBuilder(Float64Array);
  readonly position = new ColBuilder(Uint32Array);
  readonly byteOffset = new ColBuilder(Float64Array);

  get length(): number {
    return this.start.length;
  }
}
