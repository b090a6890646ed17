/** Many rows at once, in columns: what a fast scanner fills and a builder takes. The arrays may be longer than the rows, and may be reused. */
export interface RowBatch {
  readonly length: number;
  readonly name: Int32Array;
  readonly category: Uint16Array;
  readonly phase: Uint8Array;
  readonly track: Int32Array;
  /** Whole seconds; NaN where the row has no start. */
  readonly start: Float64Array;
  readonly startNanos: Int32Array;
  readonly dur: Float64Array;
  readonly correlation: Float64Array;
  readonly position: Uint32Array;
  readonly byteOffset: Float64Array;
  /** By the number of a side table: the cells of its new rows, as they lie in the table; no longer than they are. */
  readonly sides: readonly Float64Array[];
  /** Rows of each letter (`ph`), those left out included. */
  readonly letters: Uint32Array;
  /** Rows of categories that nobody wants: counted in `letters`, and in no column. */
  readonly skipped: number;
}
