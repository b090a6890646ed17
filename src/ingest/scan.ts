import { RawRow } from '../trace/raw-row.ts';
import type { StringBuilder } from '../trace/strings.ts';
import { BAD, BYTE, INCOMPLETE, SENTINELS, skipSpace, stringEnd } from './bytes.ts';
import { decodeText } from './decode-text.ts';
import { ByteInterner } from './intern.ts';
import { Resync } from './resync.ts';
import type { RowReader } from './row-reader.ts';
import { META_KEYS, type MetaKey, type RowSink } from './row-sink.ts';
import { RowDamage } from './read-value.ts';
import { EventReader } from './scan-event.ts';
import { StreamSkipper } from './skip-value.ts';

/** Input is taken in pieces of this size, which stay in the second-level cache while they are read. */
const PIECE = 1 << 20;
/** What a scanner begins with; the buffer grows with its input. */
const SMALLEST = 1 << 14;
/** A longer row is damage, and so is a longer key. */
const MAX_ROW = 64 << 20;
/** A longer value beside `traceEvents` is stepped over. */
const MAX_META = 16 << 20;

/** Why nothing could be read. */
export type ScanFailure = 'empty-file' | 'not-json' | 'not-a-trace' | 'no-event-list' | 'ends-early';

const State = { start: 0, top: 1, skip: 2, meta: 3, rows: 4, lost: 5, done: 6, failed: 7 } as const;
type State = (typeof State)[keyof typeof State];

/** The begin of a row of which it is known, or taken to be so, that it is one: behind a row and its comma. */
export interface RowBegin {
  readonly byteOffset: number;
  readonly isBare: boolean;
}

/** Keys of the profiler's head that say nothing to us but who wrote the file. */
const PROFILER_KEYS: ReadonlySet<string> = new Set(['schemaVersion', 'traceName', 'displayTimeUnit']);

/**
 * Reads the JSON of a trace from chunks with any borders and hands its rows to a sink. Memory is bounded by one chunk and one row.
 * Rows that are no JSON are counted and stepped over; the rows around them are read.
 */
export class Scanner {
  readonly #sink: RowSink;
  readonly #row = new RawRow();
  readonly #reader: EventReader;
  readonly #skipper = new StreamSkipper();
  readonly #resync = new Resync();
  /** Holds the bytes not yet read in `[from, to)`, then `SENTINELS` quotes. Our own copy: chunks may be reused by their owner. */
  #bytes = new Uint8Array(SMALLEST + SENTINELS);
  #from = 0;
  #to = 0;
  /** The offset of `#bytes[0]` in the file. */
  #base = 0;
  #fast: RowReader | undefined;
  /** Fewer waiting bytes than this are not looked at again: a row in many chunks is read at most twice its length. */
  #enough = 1;
  #state: State = State.start;
  #metaKey: MetaKey = 'distributedInfo';
  #position = 0;
  /** A comma stands (or not) before what comes next. */
  #comma = true;
  #bare = false;
  #sawRows = false;
  /** The key `traceEvents` was met, whatever its value. */
  #sawRowsKey = false;
  /** A key was met that only the profiler writes. */
  #isOfProfiler = false;
  #sawPhase = false;
  #isRecovering = false;
  /** The bracket that ends the whole was met. */
  #isClosed = false;
  /** The last byte of the input that is no space is a closing bracket. */
  #lastByteCloses = false;
  /** Where the JSON around the rows was last found damaged. */
  #lostAt = 0;
  #failure: ScanFailure | undefined;
  #failedAt = 0;

  /** `from`: the input is not a file from its beginning, but its bytes from the begin of a row on. */
  constructor(strings: StringBuilder, sink: RowSink, from?: RowBegin) {
    this.#sink = sink;
    if (from !== undefined) {
      this.#base = from.byteOffset;
      this.#bare = from.isBare;
      this.#sawRows = true;
      this.#sawRowsKey = !from.isBare;
      this.#state = State.rows;
    }
    this.#reader = new EventReader(this.#row, new ByteInterner(strings));
  }

  /** All bytes so far are read, and what comes next is the begin of a row: from here on nothing depends any more on what came before. */
  get isAtRow(): boolean {
    const isDone = this.#from === this.#to && this.#failure === undefined;
    return isDone && this.#state === State.rows && this.#comma && !this.#isRecovering && this.#position > 0;
  }

  /** The file is a list of rows, and no object that has one. */
  get isBare(): boolean {
    return this.#bare;
  }

  /** A row had a `ph`: without any, this is no trace. */
  get sawPhase(): boolean {
    return this.#sawPhase;
  }

  /** Bytes taken so far. */
  get byteLength(): number {
    return this.#base + this.#to;
  }

  /** Bytes that are done with: nothing before this offset changes any more what was read. */
  get settledLength(): number {
    return this.#base + this.#from;
  }

  /** Rows met so far, damaged ones included. */
  get rowCount(): number {
    return this.#position;
  }

  /** Why nothing can be read, once that is sure. More bytes change nothing then. */
  get failure(): { readonly code: ScanFailure; readonly byteOffset: number } | undefined {
    return this.#failure === undefined ? undefined : { code: this.#failure, byteOffset: this.#failedAt };
  }

  /** Takes a chunk. Its bytes are copied: the caller may reuse it. */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.#failure === undefined; at += PIECE) {
      this.#append(chunk.subarray(at, at + PIECE));
      if (this.#to - this.#from >= this.#enough) this.#run();
    }
  }

  /** Says that there are no more bytes. */
  finish(): void {
    this.#run();
    if (this.#failure !== undefined) return;
    if (this.#state === State.start) this.#fail('empty-file', 0);
    else if (!this.#sawRows) this.#failWithoutRows();
    else if (this.#position > 0 && !this.#sawPhase) this.#fail(this.#sawRowsKey ? 'no-event-list' : 'not-a-trace', 0);
    else if (this.#isTruncated()) this.#sink.damage('truncated-file', this.#base + this.#from);
  }

  #failWithoutRows(): void {
    if (this.#state === State.done) {
      if (this.#sawRowsKey) this.#fail('no-event-list', 0);
      // The profiler's own head says that this is a trace, of nothing.
      else if (!this.#isOfProfiler) this.#fail('not-a-trace', 0);
    } else if (this.#state === State.lost && this.#lastByteCloses) this.#fail('not-json', this.#lostAt);
    else this.#fail('ends-early', this.byteLength);
  }

  #isTruncated(): boolean {
    if (this.#state === State.lost) return !this.#isClosed && !this.#lastByteCloses;
    return this.#state !== State.done;
  }

  #append(piece: Uint8Array): void {
    this.#makeRoom(piece.length);
    this.#bytes.set(piece, this.#to);
    this.#to += piece.length;
    this.#bytes.fill(BYTE.quote, this.#to, this.#to + SENTINELS);
    for (let at = piece.length - 1; at >= 0; at--) {
      if (piece[at] <= BYTE.space) continue;
      this.#lastByteCloses = piece[at] === BYTE.closeObject || piece[at] === BYTE.closeArray;
      break;
    }
  }

  /** Room for `more` bytes behind those that wait, and the sentinels. */
  #makeRoom(more: number): void {
    if (this.#to + more + SENTINELS <= this.#bytes.length) return;
    const needed = this.#to - this.#from + more + SENTINELS;
    this.#move(needed > this.#bytes.length ? Math.max(this.#bytes.length * 2, needed) : this.#bytes.length);
  }

  /** Moves the bytes that wait to the begin of a buffer of `length`. */
  #move(length: number): void {
    const waiting = this.#to - this.#from;
    if (this.#fast !== undefined) {
      this.#fast.makeRoom(length, this.#from, this.#to);
      this.#bytes = this.#fast.bytes;
    } else {
      const target = length > this.#bytes.length ? new Uint8Array(length) : this.#bytes;
      target.set(this.#bytes.subarray(this.#from, this.#to));
      this.#bytes = target;
    }
    this.#base += this.#from;
    this.#from = 0;
    this.#to = waiting;
  }

  /** From now on `reader` reads the plain rows. Its sink must put them where those of this scanner's sink go. */
  accelerate(reader: RowReader): void {
    const waiting = this.#bytes.subarray(this.#from, this.#to);
    reader.makeRoom(this.#bytes.length, 0, 0);
    this.#fast = reader;
    this.#bytes = reader.bytes;
    this.#bytes.set(waiting);
    this.#bytes.fill(BYTE.quote, waiting.length, waiting.length + SENTINELS);
    this.#base += this.#from;
    this.#from = 0;
    this.#to = waiting.length;
  }

  #run(): void {
    while (this.#from < this.#to && this.#step());
    const waiting = this.#to - this.#from;
    this.#enough = waiting * 2;
  }

  /** Goes one step on from `#from`. False where more bytes are needed, or nothing more can be read. */
  #step(): boolean {
    switch (this.#state) {
      case State.start:
        return this.#start();
      case State.top:
        return this.#top();
      case State.skip:
        return this.#skip();
      case State.meta:
        return this.#meta();
      case State.rows:
        return this.#rows();
      case State.lost:
        return this.#find();
      case State.done:
        return this.#tail();
      default:
        return false;
    }
  }

  #start(): boolean {
    const bytes = this.#bytes;
    let at = this.#from;
    if (this.#base === 0 && at === 0 && bytes[0] === 0xef) {
      if (this.#to < 3) return false;
      if (bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3;
    }
    at = skipJsonSpace(bytes, at);
    this.#from = Math.min(at, this.#to);
    if (at >= this.#to) return false;
    this.#bare = bytes[at] === BYTE.openArray;
    if (!this.#bare && bytes[at] !== BYTE.openObject) return this.#fail('not-json', this.#base + at);
    this.#from = at + 1;
    this.#sawRows = this.#bare;
    this.#state = this.#bare ? State.rows : State.top;
    return true;
  }

  /** Before a key of the top level, or its end. */
  #top(): boolean {
    const bytes = this.#bytes;
    const at = skipSpace(bytes, this.#from);
    if (at >= this.#to) return this.#wait(at);
    const byte = bytes[at];
    if (byte === BYTE.comma && !this.#comma) {
      this.#comma = true;
      this.#from = at + 1;
      return true;
    }
    if (byte === BYTE.closeObject) {
      this.#from = at + 1;
      this.#state = State.done;
      this.#isClosed = true;
      return true;
    }
    if (byte !== BYTE.quote || !this.#comma) return this.#loseJson(at);
    const close = stringEnd(bytes, at + 1);
    if (close >= this.#to) return this.#wait(at);
    const colon = skipSpace(bytes, close + 1);
    if (colon >= this.#to) return this.#wait(at);
    if (bytes[colon] !== BYTE.colon) return this.#loseJson(at);
    const value = skipSpace(bytes, colon + 1);
    if (value >= this.#to) return this.#wait(at);
    this.#from = value;
    this.#comma = false;
    this.#enter(decodeText(bytes, at + 1, Math.min(close, at + 65)).text, bytes[value]);
    return true;
  }

  /** Chooses what to do with the value of a key of the top level, which begins with `first`. */
  #enter(key: string, first: number): void {
    const meta = META_KEYS.find((name) => name === key);
    this.#isOfProfiler ||= meta !== undefined || PROFILER_KEYS.has(key);
    this.#sawRowsKey ||= key === 'traceEvents';
    if (key === 'traceEvents' && first === BYTE.openArray) {
      this.#from++;
      this.#sawRows = true;
      this.#comma = true;
      this.#state = State.rows;
    } else if (meta !== undefined) {
      this.#metaKey = meta;
      this.#state = State.meta;
    } else {
      this.#skipper.reset();
      this.#state = State.skip;
    }
  }

  #skip(): boolean {
    const at = this.#skipper.skip(this.#bytes, this.#from, this.#to);
    if (at === INCOMPLETE) return this.#wait(this.#to);
    if (at === BAD) return this.#loseJson(this.#skipper.badAt);
    this.#from = at;
    this.#state = State.top;
    return true;
  }

  #meta(): boolean {
    this.#skipper.reset();
    const at = this.#skipper.skip(this.#bytes, this.#from, this.#to);
    if (at === INCOMPLETE) {
      if (this.#to - this.#from <= MAX_META) return false;
      this.#from = this.#to;
      this.#state = State.skip;
      return false;
    }
    if (at === BAD) return this.#loseJson(this.#skipper.badAt);
    this.#sink.meta(this.#metaKey, this.#bytes.subarray(this.#from, at), this.#base + this.#from);
    this.#from = at;
    this.#state = State.top;
    return true;
  }

  /** Before a row, a comma, or the end of the rows. Reads as many rows as it can. */
  #rows(): boolean {
    const end = this.#to;
    let at = this.#from;
    for (;;) {
      if (this.#fast !== undefined && !this.#isRecovering) at = this.#readFast(this.#fast, at, end);
      const bytes = this.#bytes;
      at = skipSpace(bytes, at);
      if (at >= end) return this.#wait(end);
      const byte = bytes[at];
      if (byte === BYTE.openObject) {
        const next = this.#reader.read(bytes, at, end);
        if (next === INCOMPLETE && end - at <= MAX_ROW) return this.#wait(at);
        if (next < 0 || next - at > MAX_ROW) return this.#loseRow(at);
        if (this.#isRecovering && this.#row.phase === 0) return this.#seek(at + 1, byte);
        if (!this.#comma) this.#sink.damage('bad-separator', this.#base + at);
        this.#emit(at, next);
        at = next;
        this.#comma = false;
      } else if (byte === BYTE.comma) {
        if (this.#comma) this.#sink.damage('bad-separator', this.#base + at);
        this.#comma = true;
        at++;
      } else if (byte === BYTE.closeArray) {
        if (this.#comma && this.#position > 0) this.#sink.damage('bad-separator', this.#base + at);
        this.#sink.rowsEnd?.(this.#base + at);
        this.#from = at + 1;
        this.#comma = false;
        this.#state = this.#bare ? State.done : State.top;
        this.#isClosed = this.#bare;
        return true;
      } else {
        if (this.#bare && this.#position === 0) return this.#fail('not-a-trace', this.#base + at);
        return this.#loseRow(at);
      }
    }
  }

  #readFast(reader: RowReader, at: number, end: number): number {
    const before = this.#position;
    reader.position = before;
    reader.comma = this.#comma;
    const next = reader.read(at, end, this.#base);
    this.#bytes = reader.bytes;
    this.#position = reader.position;
    this.#comma = reader.comma;
    if (this.#position > before) this.#sawPhase = true;
    return next;
  }

  #emit(at: number, end: number): void {
    const row = this.#row;
    row.position = this.#position++;
    row.byteOffset = this.#base + at;
    row.byteLength = end - at;
    if (row.phase !== 0) this.#sawPhase = true;
    this.#isRecovering = false;
    const damage = this.#reader.damage;
    if (damage !== 0) {
      if ((damage & RowDamage.badEscape) !== 0) this.#sink.damage('bad-escape', row.byteOffset);
      if ((damage & RowDamage.invalidUtf8) !== 0) this.#sink.damage('invalid-utf8', row.byteOffset);
      if ((damage & RowDamage.badValue) !== 0) this.#sink.damage('bad-value', row.byteOffset);
      if ((damage & RowDamage.precision) !== 0) this.#sink.damage('number-precision', row.byteOffset);
    }
    this.#sink.event(row);
  }

  #loseRow(at: number): boolean {
    this.#sink.damage('malformed-event', this.#base + at);
    this.#position++;
    return this.#seek(at + 1, this.#bytes[at]);
  }

  #loseJson(at: number): boolean {
    this.#lostAt = this.#base + at;
    this.#sink.damage('malformed-json', this.#base + at);
    return this.#seek(at, 0);
  }

  /** From `at` on, a place is sought where reading can go on. */
  #seek(at: number, before: number): true {
    this.#resync.begin(before);
    this.#from = at;
    this.#state = State.lost;
    return true;
  }

  #find(): boolean {
    const at = this.#resync.find(this.#bytes, this.#from, this.#to);
    if (at === INCOMPLETE) return this.#wait(this.#resync.resumeAt);
    this.#from = at;
    this.#comma = true;
    const isRow = this.#bytes[at] === BYTE.openObject;
    if (isRow) {
      this.#sawRows = true;
      this.#isRecovering = true;
      this.#isClosed = false;
    }
    this.#state = isRow ? State.rows : State.top;
    return true;
  }

  #tail(): boolean {
    const at = skipSpace(this.#bytes, this.#from);
    if (at >= this.#to) return this.#wait(this.#to);
    return this.#loseJson(at);
  }

  #wait(at: number): false {
    this.#from = Math.min(at, this.#to);
    if (this.#to - this.#from > MAX_ROW * 2) this.#fail('not-json', this.#base + this.#from);
    return false;
  }

  #fail(code: ScanFailure, byteOffset: number): false {
    this.#failure = code;
    this.#failedAt = byteOffset;
    this.#state = State.failed;
    return false;
  }
}

/** Only what JSON calls space: before the first bracket, control characters mean that the file is something else. */
function skipJsonSpace(bytes: Uint8Array, at: number): number {
  while (bytes[at] === 0x20 || (bytes[at] >= 0x09 && bytes[at] <= 0x0d)) at++;
  return at;
}
