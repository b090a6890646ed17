import { NO_STRING, type StringId } from '../trace/ids.ts';
import { Field, FIRST_TEXT_FIELD, type RawRow } from '../trace/raw-row.ts';
import { BAD, BYTE, INCOMPLETE, isDigit } from './bytes.ts';
import { decodeText } from './decode-text.ts';
import { DecimalTime } from './exact-time.ts';
import type { ByteInterner } from './intern.ts';
import { Action } from './read-key.ts';
import { NumberReader } from './read-number.ts';
import { findStringEnd, StringHasher } from './read-string.ts';
import { NestedSkipper } from './skip-value.ts';
import { hashBytes } from './words.ts';

/** What was wrong with a row that was read all the same; bits, beside those of `TextDamage`. */
export const RowDamage = { badEscape: 1, invalidUtf8: 2, badValue: 4, precision: 8 } as const;

const Token = { string: 0, number: 1, word: 2, other: 3 } as const;
type TokenKind = (typeof Token)[keyof typeof Token];

const FIRST_TEXT_ACTION = Action.firstField + FIRST_TEXT_FIELD;
/** Integers of so many digits fit 32 bits. */
const SMALL_DIGITS = 9;

/** Reads the values of an event into a `RawRow`. */
export class ValueReader {
  readonly row: RawRow;
  /** `RowDamage` of the event so far. */
  damage = 0;
  readonly #interner: ByteInterner;
  readonly #hasher = new StringHasher();
  readonly #time = new DecimalTime();
  readonly #number = new NumberReader();
  readonly #skipper = new NestedSkipper();
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #end = 0;
  /** Of the value last found by `#token`: its bytes, without quotes, and what it is. */
  #from = 0;
  #to = 0;
  #kind: TokenKind = Token.other;

  constructor(row: RawRow, interner: ByteInterner) {
    this.row = row;
    this.#interner = interner;
  }

  /** Begins an event in `bytes` (`view`: the same bytes), of which those before `end` are there. */
  begin(bytes: Uint8Array, view: DataView, end: number): void {
    this.#bytes = bytes;
    this.#view = view;
    this.#end = end;
    this.damage = 0;
    this.row.clear();
  }

  /**
   * Reads the value at `at` into the row: the usual forms of each kind at once, what else there is by `#token`.
   * Returns the byte behind it, or `INCOMPLETE`, or `BAD`.
   */
  read(action: number, at: number): number {
    if (action === Action.unknown) return this.#skip(at);
    if (action >= FIRST_TEXT_ACTION || (action >= Action.phase && action <= Action.tid)) {
      if (this.#bytes[at] === BYTE.quote) return this.#string(action, at + 1);
    } else if (action >= Action.firstField) {
      const behind = this.#smallInteger((action - Action.firstField) as Field, at);
      if (behind !== 0) return behind;
    } else if (action === Action.start || action === Action.duration) {
      const behind = this.#time.readPlain(this.#bytes, this.#view, at);
      if (behind >= this.#end) return INCOMPLETE;
      if (behind > 0) {
        this.#setTime(action);
        return behind;
      }
    }
    const behind = this.#token(at);
    if (behind < 0) return behind;
    if (action >= Action.firstField) this.#setField((action - Action.firstField) as Field);
    else this.#setKey(action);
    return behind;
  }

  /** Steps over a value that nobody wants. */
  #skip(at: number): number {
    const bytes = this.#bytes;
    const first = bytes[at];
    if (first === BYTE.quote) {
      const close = findStringEnd(bytes, this.#view, at + 1);
      return close >= this.#end ? INCOMPLETE : close + 1;
    }
    return first === BYTE.openArray || first === BYTE.openObject
      ? this.#skipper.skip(bytes, this.#view, at, this.#end)
      : this.#bareWord(at);
  }

  /** Reads the string whose first byte is at `from` as the text that `action` wants. */
  #string(action: number, from: number): number {
    const bytes = this.#bytes;
    const close = this.#hasher.read(bytes, this.#view, from);
    if (close >= this.#end) return INCOMPLETE;
    if (action === Action.phase) {
      this.row.phase = close === from + 1 ? bytes[from] : letterOf(bytes, from, close);
      return close + 1;
    }
    const id = this.#interner.intern(bytes, this.#view, from, close, this.#hasher.hash);
    this.damage |= this.#interner.damage;
    this.#setText(action, id);
    return close + 1;
  }

  #setText(action: number, id: StringId): void {
    const { row } = this;
    switch (action) {
      case Action.name:
        row.name = id;
        break;
      case Action.category:
        row.category = id;
        break;
      case Action.pid:
        row.pid = id;
        break;
      case Action.tid:
        row.tid = id;
        break;
      default:
        row.values[action - Action.firstField] = id;
        row.present |= 1 << (action - Action.firstField);
    }
  }

  /** Reads a plain integer of up to nine digits. Returns 0 where the value is something else. */
  #smallInteger(field: Field, at: number): number {
    const bytes = this.#bytes;
    const negative = bytes[at] === BYTE.minus;
    const first = negative ? at + 1 : at;
    let behind = first;
    let value = 0;
    let byte = bytes[behind];
    while (isDigit(byte) && behind - first < SMALL_DIGITS) {
      value = (value * 10 + byte - BYTE.zero) | 0;
      byte = bytes[++behind];
    }
    if (behind === first || (bytes[first] === BYTE.zero && behind > first + 1)) return 0;
    if (byte !== BYTE.comma && byte > BYTE.space && byte !== BYTE.closeObject) return 0;
    if (behind >= this.#end) return INCOMPLETE;
    this.row.values[field] = negative ? 0 - value : value;
    this.row.present |= 1 << field;
    return behind;
  }

  /** Finds the end of the value at `at`, and what kind of value it is. */
  #token(at: number): number {
    const bytes = this.#bytes;
    const first = bytes[at];
    if (first === BYTE.quote) {
      const close = findStringEnd(bytes, this.#view, at + 1);
      if (close >= this.#end) return INCOMPLETE;
      this.#kind = Token.string;
      this.#from = at + 1;
      this.#to = close;
      return close + 1;
    }
    if (first === BYTE.openObject || first === BYTE.openArray) {
      this.#kind = Token.other;
      this.#from = at;
      this.#to = this.#skipper.skip(bytes, this.#view, at, this.#end);
      return this.#to;
    }
    return this.#bareWord(at);
  }

  /** A number, a literal, or what damaged writers put in their place: a run of letters, digits and signs. */
  #bareWord(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (wordBytes[bytes[at]] === 1) at++;
    if (at >= this.#end) return INCOMPLETE;
    if (at === from) return BAD;
    const first = bytes[from];
    this.#from = from;
    this.#to = at;
    this.#kind = isDigit(first) || first === BYTE.minus ? Token.number : Token.word;
    if (this.#kind === Token.word && !isLiteral(bytes, from, at)) this.damage |= RowDamage.badValue;
    return at;
  }

  /** Takes the token as the value of an event's key. */
  #setKey(action: number): void {
    const { row } = this;
    switch (action) {
      case Action.phase:
        row.phase = 0;
        break;
      case Action.category:
        row.category = NO_STRING;
        break;
      case Action.name:
        row.name = NO_STRING;
        break;
      case Action.pid:
        row.pid = this.#text();
        break;
      case Action.tid:
        row.tid = this.#text();
        break;
      case Action.id:
        row.id = this.#readId();
        break;
      case Action.args:
        // `args` that is no object: as if there were none.
        row.present = 0;
        break;
      default:
        if (this.#readTime()) this.#setTime(action);
        else if (action === Action.start) row.hasStart = false;
        else row.dur = Number.NaN;
    }
  }

  #setTime(action: number): void {
    const { row } = this;
    const { seconds, nanos, rest } = this.#time;
    if (action === Action.start) {
      row.hasStart = true;
      row.startSeconds = seconds;
      row.startNanos = nanos;
      row.startRest = rest;
    } else {
      row.dur = seconds * 1e9 + nanos;
      row.durRest = rest;
    }
  }

  /** Takes the token as the value of one of the args. */
  #setField(field: Field): void {
    const { row } = this;
    row.present &= ~(1 << field);
    let value: number;
    if (field >= FIRST_TEXT_FIELD) {
      value = this.#text();
      if (value === NO_STRING) return;
    } else {
      value = isQuantity(field) ? this.#readNumber() : this.#readId();
      if (Number.isNaN(value)) return;
    }
    row.values[field] = value;
    row.present |= 1 << field;
  }

  /** The text of a number or a list as written. */
  #text(): StringId {
    if (this.#kind === Token.word) return NO_STRING;
    const hash = hashBytes(this.#view, this.#from, this.#to);
    const id = this.#interner.intern(this.#bytes, this.#view, this.#from, this.#to, hash);
    this.damage |= this.#interner.damage;
    return id;
  }

  /** Into `#time`. Text that holds a number counts as the number. */
  #readTime(): boolean {
    if (this.#kind === Token.other) return false;
    if (this.#kind !== Token.word && this.#time.read(this.#bytes, this.#from, this.#to)) return true;
    if (!isLiteral(this.#bytes, this.#from, this.#to)) this.damage |= RowDamage.badValue;
    return false;
  }

  #readId(): number {
    const value = this.#readNumber();
    if (this.#number.rounded && !Number.isNaN(value)) this.damage |= RowDamage.precision;
    return value;
  }

  #readNumber(): number {
    if (this.#kind > Token.number) return Number.NaN;
    const reader = this.#number;
    const value = reader.read(this.#bytes, this.#from, this.#to);
    if (this.#kind === Token.number && !reader.isJson) this.damage |= RowDamage.badValue;
    return value;
  }

  /** Takes what a shortcut's value means. */
  takeKnown(action: number, value: number): void {
    if (action === Action.phase) this.row.phase = value;
    else this.#setText(action, value as StringId);
  }

  /** What the value of `action` just read means as a whole number of 32 bits, if it is one. */
  known(action: number): number | undefined {
    const { row } = this;
    if (action === Action.unknown) return 0;
    if (action === Action.phase) return row.phase === 0 ? undefined : row.phase;
    let value: number;
    if (action === Action.category) value = row.category;
    else if (action === Action.pid) value = row.pid;
    else if (action === Action.tid) value = row.tid;
    else {
      const field = action - Action.firstField;
      if ((row.present & (1 << field)) === 0) return undefined;
      value = row.values[field];
      return (value | 0) === value ? value : undefined;
    }
    return value === NO_STRING ? undefined : value;
  }
}

/** Quantities may be rounded, ids may not. */
const isQuantity = (field: Field): boolean => field === Field.bytes || field === Field.bandwidth;

/** 1 for letters, digits and `+ - . / _`: enough for numbers, literals and `N/A`. */
const wordBytes = new Uint8Array(256);
for (const byte of new TextEncoder().encode('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-./_')) {
  wordBytes[byte] = 1;
}

const literalWords = ['true', 'false', 'null'].map((word) => new TextEncoder().encode(word));

function isLiteral(bytes: Uint8Array, from: number, to: number): boolean {
  return literalWords.some(
    (word) => word.length === to - from && word.every((byte, index) => bytes[from + index] === byte),
  );
}

/** The byte of a phase that is spelled with an escape; 0 where it is no single letter. */
function letterOf(bytes: Uint8Array, from: number, to: number): number {
  const { text } = decodeText(bytes, from, to);
  return text.length === 1 ? text.charCodeAt(0) & 0xff : 0;
}
