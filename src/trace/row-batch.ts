/** What is known of the timing of rows before they are looked at again. */
export interface TimingSurvey {
  /** Rows without a start, and complete rows without a length or with one that cannot be. */
  readonly suspects: number;
  /** Of the starts, in whole seconds; +Infinity and −Infinity where there are none. */
  readonly lowest: number;
  readonly highest: number;
  /** The earliest start of an X, B or i row; Infinity where there is none. */
  readonly firstSeconds: number;
  readonly firstNanos: number;
}

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
  readonly survey: TimingSurvey;
  /** By the number of a side table: the cells of its new rows, as they lie in the table; no longer than they are. */
  readonly sides: readonly Float64Array[];
  /** Rows of each letter (`ph`), those left out included. */
  readonly letters: Uint32Array;
  /** Rows of categories that nobody wants: counted in `letters`, and in no column. */
  readonly skipped: number;
}
