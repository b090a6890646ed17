import { CONSTRAINT_KINDS, type ConstraintKind, kindCode } from './constraints.ts';
import { SEGMENT_KINDS, type SegmentKind, UNEXPLAINED_CAUSES, type UnexplainedCause } from './segments.ts';

/**
 * Stretches of a path in columns, in order of time: rows `first` … `last`, each beginning where the one before it ends. There is one for almost
 * every moment of a window, so objects are made of few of them (`segmentAt`). Times in ns since the trace's origin.
 */
export interface PathRows {
  readonly first: number;
  /** `first − 1` where there are none. */
  readonly last: number;
  /** Index in `SEGMENT_KINDS`. */
  readonly kind: Uint8Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Whose time it is, as a row of `trace.events`; `NO_EVENT` where nothing is known to run. */
  readonly event: Int32Array;
  /** Index in `CONSTRAINT_KINDS`, or `WINDOW_START`. */
  readonly boundBy: Uint8Array;
  /** 1: another constraint arrived within the typical lag of the one that bound. */
  readonly ambiguous: Uint8Array;
  /** 1 + the index in `UNEXPLAINED_CAUSES`; 0: none. */
  readonly cause: Uint8Array;
}

/** One of those rows. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly start: number;
  readonly end: number;
  /** Whose time it is, as a row of `trace.events`; `NO_EVENT` where nothing is known to run. */
  readonly event: number;
  readonly boundBy: ConstraintKind | 'window-start';
  readonly ambiguous: boolean;
  readonly cause?: UnexplainedCause;
}

/** Instead of a kind of constraint: the window cuts the stretch. */
export const WINDOW_START = 254;

export const boundCode = (boundBy: Segment['boundBy']): number =>
  boundBy === 'window-start' ? WINDOW_START : kindCode(boundBy);

export const boundOf = (code: number): Segment['boundBy'] =>
  code === WINDOW_START ? 'window-start' : CONSTRAINT_KINDS[code];

export const causeCode = (cause: UnexplainedCause): number => 1 + UNEXPLAINED_CAUSES.indexOf(cause);

export function segmentAt(rows: PathRows, row: number): Segment {
  const cause = rows.cause[row];
  return {
    kind: SEGMENT_KINDS[rows.kind[row]],
    start: rows.start[row],
    end: rows.end[row],
    event: rows.event[row],
    boundBy: boundOf(rows.boundBy[row]),
    ambiguous: rows.ambiguous[row] === 1,
    ...(cause === 0 ? {} : { cause: UNEXPLAINED_CAUSES[cause - 1] }),
  };
}

/** All of them as objects: for lists that a reader will see. */
export function segmentsOf(rows: PathRows): Segment[] {
  const segments: Segment[] = [];
  for (let row = rows.first; row <= rows.last; row++) segments.push(segmentAt(rows, row));
  return segments;
}

/** The rows that fall into [start, end), the first and the last cut to it. O(rows within + log rows). */
export function rowsWithin(rows: PathRows, start: number, end: number, into: PathWriter): void {
  let low = rows.first;
  let high = rows.last + 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows.start[middle] < end) low = middle + 1;
    else high = middle;
  }
  for (let row = low - 1; row >= rows.first && rows.end[row] > start; row--) into.copy(rows, row, start, end);
}

const LEAST_ROWS = 64;

/** Writes rows from the last one to the first, as a walk finds them. It may be emptied and used again. */
export class PathWriter implements PathRows {
  #size = LEAST_ROWS;
  first = LEAST_ROWS;
  kind = new Uint8Array(LEAST_ROWS);
  start = new Float64Array(LEAST_ROWS);
  end = new Float64Array(LEAST_ROWS);
  event = new Int32Array(LEAST_ROWS);
  boundBy = new Uint8Array(LEAST_ROWS);
  ambiguous = new Uint8Array(LEAST_ROWS);
  cause = new Uint8Array(LEAST_ROWS);

  get last(): number {
    return this.#size - 1;
  }

  clear(): void {
    this.first = this.#size;
  }

  /** Puts a row before all others. */
  put(
    kind: number,
    start: number,
    end: number,
    event: number,
    boundBy: number,
    ambiguous: number,
    cause: number,
  ): void {
    if (this.first === 0) this.#grow();
    const row = --this.first;
    this.kind[row] = kind;
    this.start[row] = start;
    this.end[row] = end;
    this.event[row] = event;
    this.boundBy[row] = boundBy;
    this.ambiguous[row] = ambiguous;
    this.cause[row] = cause;
  }

  copy(of: PathRows, row: number, start: number, end: number): void {
    const [from, to] = [Math.max(of.start[row], start), Math.min(of.end[row], end)];
    this.put(of.kind[row], from, to, of.event[row], of.boundBy[row], of.ambiguous[row], of.cause[row]);
  }

  /** The rows so far, in columns as long as they are: the writer goes on without touching them. */
  take(): PathRows {
    const { first } = this;
    const taken = {
      first: 0,
      last: this.last - first,
      kind: this.kind.slice(first),
      start: this.start.slice(first),
      end: this.end.slice(first),
      event: this.event.slice(first),
      boundBy: this.boundBy.slice(first),
      ambiguous: this.ambiguous.slice(first),
      cause: this.cause.slice(first),
    };
    this.clear();
    return taken;
  }

  #grow(): void {
    const more = this.#size;
    this.#size += more;
    this.kind = behind(more, this.kind, new Uint8Array(this.#size));
    this.start = behind(more, this.start, new Float64Array(this.#size));
    this.end = behind(more, this.end, new Float64Array(this.#size));
    this.event = behind(more, this.event, new Int32Array(this.#size));
    this.boundBy = behind(more, this.boundBy, new Uint8Array(this.#size));
    this.ambiguous = behind(more, this.ambiguous, new Uint8Array(this.#size));
    this.cause = behind(more, this.cause, new Uint8Array(this.#size));
    this.first = more;
  }
}

function behind<Column extends Uint8Array | Int32Array | Float64Array>(
  free: number,
  old: Column,
  larger: Column,
): Column {
  larger.set(old, free);
  return larger;
}
