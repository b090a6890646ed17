import type { RawColumns } from './builder-columns.ts';
import type { SideTablesBuilder } from './builder-side.ts';
import { ColBuilder } from './columns.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { RowKind } from './kinds.ts';
import { RawRow } from './raw-row.ts';
import type { TrackId } from './ids.ts';
import { Phase, RowFlag } from './tables.ts';

/** The `E` rows of a trace, kept until all rows are read: they may stand before their `B` row in the file. */
export class EndRows {
  readonly #track = new ColBuilder(Int32Array, 64);
  readonly #seconds = new ColBuilder(Float64Array, 64);
  readonly #nanos = new ColBuilder(Int32Array, 64);
  readonly #position = new ColBuilder(Float64Array, 64);
  readonly #byteOffset = new ColBuilder(Float64Array, 64);
  /** The args of the few `E` rows that have any. */
  readonly #args = new Map<number, RawRow>();

  push(track: TrackId, row: RawRow): void {
    if (row.present !== 0) this.#args.set(this.#track.length, copyArgs(row));
    this.#track.push(track);
    this.#seconds.push(row.startSeconds);
    this.#nanos.push(row.startNanos);
    this.#position.push(row.position);
    this.#byteOffset.push(row.byteOffset);
  }

  /**
   * Gives each `B` row the length up to its `E` row: on each track, in the order of time, an `E` ends the `B` opened last.
   * A `B` that stays open is marked unfinished. O(n log n) of the `B` and `E` rows.
   */
  pair(
    rows: RawColumns,
    args: SideTablesBuilder,
    kindOf: (category: number) => RowKind,
    diagnostics: Diagnostics,
  ): void {
    const marks = this.#marks(rows);
    const stacks = new Map<number, number[]>();
    for (const mark of marks) {
      const track = mark >= 0 ? rows.track[mark] : this.#track.get(~mark);
      let stack = stacks.get(track);
      if (stack === undefined) stacks.set(track, (stack = []));
      if (mark >= 0) {
        stack.push(mark);
        continue;
      }
      const end = ~mark;
      const begin = stack.pop();
      if (begin === undefined) {
        diagnostics.record('unmatched-end', this.#byteOffset.get(end));
        continue;
      }
      rows.dur[begin] =
        (this.#seconds.get(end) - rows.start[begin]) * 1e9 + (this.#nanos.get(end) - rows.startNanos[begin]);
      const more = this.#args.get(end);
      if (more !== undefined) args.fill(begin, kindOf(rows.category[begin]), more);
    }
    for (const stack of stacks.values()) {
      for (const begin of stack) {
        rows.flags[begin] = RowFlag.unfinished;
        diagnostics.record('unmatched-begin', rows.byteOffset[begin]);
      }
    }
  }

  /** All `B` rows (their row) and `E` rows (~ their index), in the order (time, position). */
  #marks(rows: RawColumns): number[] {
    const marks: number[] = [];
    const phase = rows.phase.subarray(0, rows.length);
    for (let row = phase.indexOf(Phase.begin); row !== -1 && row < rows.length; row++) {
      if (phase[row] === Phase.begin && !Number.isNaN(rows.start[row])) marks.push(row);
    }
    for (let end = 0; end < this.#track.length; end++) marks.push(~end);
    const seconds = (mark: number): number => (mark >= 0 ? rows.start[mark] : this.#seconds.get(~mark));
    const nanos = (mark: number): number => (mark >= 0 ? rows.startNanos[mark] : this.#nanos.get(~mark));
    const position = (mark: number): number => (mark >= 0 ? rows.position[mark] : this.#position.get(~mark));
    return marks.sort((a, b) => seconds(a) - seconds(b) || nanos(a) - nanos(b) || position(a) - position(b));
  }
}

/** A row to keep: the object that a builder is given is used again. */
export function copyRow(row: RawRow): RawRow {
  const copy = copyArgs(row);
  const { position, byteOffset, phase, name, category, pid, tid, hasStart, startSeconds, startNanos } = row;
  return Object.assign(copy, {
    position,
    byteOffset,
    phase,
    name,
    category,
    pid,
    tid,
    hasStart,
    startSeconds,
    startNanos,
  });
}

function copyArgs(row: RawRow): RawRow {
  const copy = new RawRow();
  copy.present = row.present;
  copy.values.set(row.values);
  return copy;
}
