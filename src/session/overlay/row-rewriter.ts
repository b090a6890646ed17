/**
 * Copies a trace file while some of its rows are changed, left out, or added: bytes in, bytes out, in the memory of a chunk and the
 * longest row. Rows are found by their brackets; where damage hides them, by the offsets that the reader of the trace has found.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const SPACE = 0x20;

export interface RowEditor {
  /** What stands in the place of a row: other bytes, or `undefined` where it stays as it is. Not called for damaged rows. */
  edit(row: Uint8Array, byteOffset: number): Uint8Array | undefined;
  /** Is the row part of the output? Where no row is ever left out, the bytes between rows are copied too. */
  readonly keeps?: (row: Uint8Array, byteOffset: number) => boolean;
  /** Rows to add behind the last one: each without a comma. */
  added(): Iterable<string>;
}

type State = 'start' | 'members' | 'rows' | 'row' | 'closed';

export class RowRewriter {
  readonly #editor: RowEditor;
  /** Offsets of rows that are whole, ascending, then `Infinity`. */
  readonly #known: Float64Array;
  #nextKnown = 0;
  #state: State = 'start';
  #isBare = false;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Of members of the top level: what the last string said, and the last byte that is no space. */
  #lastString = '';
  #stringStart = 0;
  #previous = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  /** The offset of `#bytes[0]` in the file. */
  #base = 0;
  #at = 0;
  /** Up to here `#bytes` was handed out. */
  #done = 0;
  /** Up to here the file is whole: behind the last row, or the last member of the top level. */
  #whole = 0;
  #rowStart = 0;
  #rowsKept = 0;
  #hasAdded = false;
  #hasEnded = false;
  #out: Uint8Array[] = [];

  constructor(editor: RowEditor, known: Float64Array) {
    this.#editor = editor;
    this.#known = known;
  }

  /** The output as far as this chunk decides it. The chunk is copied: its owner may reuse it. */
  push(chunk: Uint8Array): Uint8Array[] {
    const rest = this.#bytes.subarray(this.#done);
    const bytes = new Uint8Array(rest.length + chunk.length);
    bytes.set(rest);
    bytes.set(chunk, rest.length);
    this.#base += this.#done;
    this.#at -= this.#done;
    this.#whole -= this.#done;
    this.#rowStart -= this.#done;
    this.#stringStart -= this.#done;
    this.#done = 0;
    this.#bytes = bytes;
    while (this.#at < bytes.length) {
      switch (this.#state) {
        case 'start':
          this.#readStart();
          break;
        case 'members':
          this.#readMembers();
          break;
        case 'rows':
          this.#readRows();
          break;
        case 'row':
          this.#readRow();
          break;
        case 'closed':
          this.#readBehind();
          break;
      }
    }
    this.#handOut(this.#whole);
    return this.#taken();
  }

  /** The rest; a file that was cut off is closed. */
  finish(): Uint8Array[] {
    if (this.#state === 'closed') return this.#taken();
    if (this.#state === 'rows' || this.#state === 'row') {
      this.#add();
      this.#emit('\n]');
    }
    if (!this.#isBare) this.#emit('\n}\n');
    return this.#taken();
  }

  #readStart(): void {
    const byte = this.#bytes[this.#at++];
    // A byte order mark, or whatever else stands in front, is no JSON.
    if (byte !== OPEN_ARRAY && byte !== OPEN_OBJECT) this.#done = this.#at;
    if (byte === OPEN_ARRAY) {
      this.#isBare = true;
      this.#enterRows();
    } else if (byte === OPEN_OBJECT) {
      this.#state = 'members';
      this.#depth = 1;
      this.#whole = this.#at;
    }
  }

  /** Keys and values of the top level, until the rows begin or the file ends. */
  #readMembers(): void {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at++];
      if (this.#inString) {
        if (!this.#readInString(byte)) continue;
        if (this.#depth === 1) this.#lastString = latin1(bytes.subarray(this.#stringStart, this.#at - 1));
        this.#previous = QUOTE;
        continue;
      }
      if (byte <= SPACE) continue;
      switch (byte) {
        case QUOTE:
          this.#inString = true;
          this.#stringStart = this.#at;
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          if (
            byte === OPEN_ARRAY &&
            this.#depth === 1 &&
            this.#previous === COLON &&
            this.#lastString === 'traceEvents'
          ) {
            this.#enterRows();
            return;
          }
          this.#depth++;
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          this.#depth--;
          if (this.#depth <= 1) this.#whole = this.#at;
          if (this.#depth <= 0) {
            this.#state = 'closed';
            return;
          }
          break;
        case COMMA:
          // Not the comma itself: nothing may follow.
          if (this.#depth === 1) this.#whole = this.#at - 1;
          break;
      }
      this.#previous = byte;
    }
  }

  /** Behind the last bracket: what is more than space would make all of it invalid. */
  #readBehind(): void {
    while (!this.#hasEnded && this.#at < this.#bytes.length && this.#bytes[this.#at] <= SPACE) this.#whole = ++this.#at;
    this.#hasEnded ||= this.#at < this.#bytes.length;
    this.#handOut(this.#whole);
    this.#at = this.#bytes.length;
    this.#done = this.#at;
    this.#whole = this.#at;
  }

  #enterRows(): void {
    this.#state = 'rows';
    this.#whole = this.#at;
    this.#handOut(this.#at);
  }

  #readRows(): void {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const offset = this.#base + this.#at;
      if (offset >= this.#known[this.#nextKnown]) this.#nextKnown++;
      const byte = bytes[this.#at++];
      if (byte === OPEN_OBJECT) {
        this.#rowStart = this.#at - 1;
        this.#depth = 1;
        this.#inString = false;
        this.#state = 'row';
        return;
      }
      // A bracket among damaged rows is not the end while rows are known to follow.
      if (byte !== CLOSE_ARRAY || this.#nextKnown < this.#known.length - 1) continue;
      this.#handOut(this.#whole);
      this.#add();
      if (this.#editor.keeps !== undefined) this.#done = this.#at - 1;
      this.#state = this.#isBare ? 'closed' : 'members';
      this.#depth = 1;
      this.#previous = CLOSE_ARRAY;
      this.#whole = this.#at;
      return;
    }
  }

  #readRow(): void {
    const bytes = this.#bytes;
    const next = this.#known[this.#nextKnown] - this.#base;
    const end = Math.min(bytes.length, next);
    while (this.#at < end) {
      const byte = bytes[this.#at++];
      if (this.#inString) {
        this.#readInString(byte);
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        this.#depth++;
      } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --this.#depth === 0) {
        this.#takeRow();
        this.#state = 'rows';
        return;
      }
    }
    // Another row begins before this one has ended: it was damaged, and stays what it is.
    if (this.#at === next) this.#state = 'rows';
  }

  #takeRow(): void {
    const start = this.#rowStart;
    const row = this.#bytes.subarray(start, this.#at);
    const offset = this.#base + start;
    const { keeps } = this.#editor;
    this.#whole = this.#at;
    if (keeps !== undefined) {
      // The bytes between rows are left out with them, since a comma may be one too many.
      this.#done = this.#at;
      if (!keeps(row, offset)) return;
      this.#emit(this.#rowsKept++ === 0 ? '\n' : ',\n');
      this.#out.push(this.#editor.edit(row, offset) ?? row);
      return;
    }
    this.#rowsKept++;
    const edited = this.#editor.edit(row, offset);
    if (edited === undefined) return;
    this.#handOut(start);
    this.#out.push(edited);
    this.#done = this.#at;
  }

  /** Says whether the string ends with this byte. */
  #readInString(byte: number): boolean {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (byte === BACKSLASH) {
      this.#isEscaped = true;
    } else if (byte === QUOTE) {
      this.#inString = false;
      return true;
    }
    return false;
  }

  #add(): void {
    if (this.#hasAdded) return;
    this.#hasAdded = true;
    for (const row of this.#editor.added()) this.#emit(`${this.#rowsKept++ === 0 ? '\n' : ',\n'}${row}`);
  }

  #emit(text: string): void {
    this.#out.push(encoder.encode(text));
  }

  #handOut(to: number): void {
    if (to <= this.#done) return;
    this.#out.push(this.#bytes.subarray(this.#done, to));
    this.#done = to;
  }

  #taken(): Uint8Array[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

const encoder = new TextEncoder();
const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
