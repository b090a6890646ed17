/**
 * Reads the plain rows of a trace faster than the scanner can, and hands them on itself. What it leaves (damage, rare forms, what is cut off)
 * the scanner reads row by row: both see the same bytes, in the scanner's buffer, which lies in memory that the reader can see.
 */
export interface RowReader {
  /** The scanner's buffer. Another object behind each call that may move it: `makeRoom` and `read`. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Gives the buffer room for `length` bytes, `[from, to)` of the old one first. */
  makeRoom(length: number, from: number, to: number): void;
  /** The next row's index in the file. Set before `read`, and further on behind it. */
  position: number;
  /** A comma stands before what comes next. As `position`. */
  comma: boolean;
  /** Reads what it can of the rows in `[at, end)` of the buffer, whose first byte is at `base` in the file. Returns where it stopped. */
  read(at: number, end: number, base: number): number;
}
