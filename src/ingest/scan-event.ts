import { NO_STRING, type StringId } from '../trace/ids.ts';
import { Field, FIRST_TEXT_FIELD, type RawRow } from '../trace/raw-row.ts';
import { BAD, BYTE, INCOMPLETE, isDigit, skipSpace, stringEnd } from './bytes.ts';
import { decodeText } from './decode-text.ts';
import { DecimalTime } from './exact-time.ts';
import type { ByteInterner } from './intern.ts';
import { argKeyTable, EventKey, eventKeyTable, UNKNOWN_KEY } from './keys.ts';
import { NumberReader } from './read-number.ts';
import { NestedSkipper } from './skip-value.ts';

/** What was wrong with a row that was read all the same; bits, beside those of `TextDamage`. */
export const RowDamage = { badEscape: 1, invalidUtf8: 2, badValue: 4, precision: 8 } as const;

/**
 * Reads one event's bytes into a `RawRow`. All of the event must lie in one buffer, with quotes behind its end (`SENTINELS`):
 * where it does not, the answer is `INCOMPLETE` and the caller comes back with more bytes.
 */
export class EventReader {
  readonly row: RawRow;
  /** `RowDamage` of the last event. */
  damage = 0;
  readonly #interner: ByteInterner;
  readonly #eventKeys = eventKeyTable();
  readonly #argKeys = argKeyTable();
  readonly #time = new DecimalTime();
  readonly #number = new NumberReader();
  readonly #skipper = new NestedSkipper();
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  /** Of the value last found by `#token`: its bytes, without quotes; empty where the value is no string and no number. */
  #from = 0;
  #to = 0;
  #kind: TokenKind = Token.other;

  constructor(row: RawRow, interner: ByteInterner) {
    this.row = row;
    this.#interner = interner;
  }

  /** Reads the event whose `{` is at `from`. Returns the byte behind its `}`, or `INCOMPLETE`, or `BAD`. */
  read(bytes: Uint8Array, from: number, end: number): number {
    this.#bytes = bytes;
    this.#end = end;
    this.damage = 0;
    this.row.clear();
    return this.#object(from, false);
  }

  /** An event or its args: both are objects of which a few keys matter. */
  #object(from: number, isArgs: boolean): number {
    const bytes = this.#bytes;
    const end = this.#end;
    const keys = isArgs ? this.#argKeys : this.#eventKeys;
    let at = skipSpace(bytes, from + 1);
    if (bytes[at] === BYTE.closeObject && at < end) return at + 1;
    for (;;) {
      if (bytes[at] !== BYTE.quote) return BAD;
      const keyFrom = at + 1;
      const keyTo = stringEnd(bytes, keyFrom);
      if (keyTo >= end) return INCOMPLETE;
      let key = keys.find(bytes, keyFrom, keyTo);
      if (key === UNKNOWN_KEY && hasBackslash(bytes, keyFrom, keyTo)) key = keys.findEscaped(bytes, keyFrom, keyTo);
      at = skipSpace(bytes, keyTo + 1);
      if (bytes[at] !== BYTE.colon) return at >= end ? INCOMPLETE : BAD;
      at = skipSpace(bytes, at + 1);
      if (!isArgs && key === EventKey.args && bytes[at] === BYTE.openObject) {
        this.row.present = 0;
        at = this.#object(at, true);
      } else {
        at = this.#token(at);
        if (at >= 0 && key !== UNKNOWN_KEY) {
          if (isArgs) this.#setArg(key as Field);
          else this.#setKey(key);
        }
      }
      if (at < 0) return at;
      at = skipSpace(bytes, at);
      if (at >= end) return INCOMPLETE;
      const byte = bytes[at];
      if (byte === BYTE.closeObject) return at + 1;
      if (byte !== BYTE.comma) return BAD;
      at = skipSpace(bytes, at + 1);
      if (at >= end) return INCOMPLETE;
    }
  }

  /** Finds the end of the value at `at`, and what kind of value it is. */
  #token(at: number): number {
    const bytes = this.#bytes;
    const first = bytes[at];
    if (first === BYTE.quote) {
      if (at >= this.#end) return INCOMPLETE;
      const close = stringEnd(bytes, at + 1);
      if (close >= this.#end) return INCOMPLETE;
      this.#kind = Token.string;
      this.#from = at + 1;
      this.#to = close;
      return close + 1;
    }
    if (first === BYTE.openObject || first === BYTE.openArray) {
      this.#kind = Token.other;
      return this.#skipper.skip(bytes, at, this.#end);
    }
    return this.#bareWord(at);
  }

  /** A number, a literal, or what damaged writers put in their place: a run of letters, digits and signs. */
  #bareWord(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (isWordByte(bytes[at])) at++;
    if (at >= this.#end) return INCOMPLETE;
    if (at === from) return BAD;
    const first = bytes[from];
    this.#from = from;
    this.#to = at;
    this.#kind = isDigit(first) || first === BYTE.minus ? Token.number : Token.word;
    if (this.#kind === Token.word && !isLiteral(bytes, from, at)) this.damage |= RowDamage.badValue;
    return at;
  }

  #setKey(key: number): void {
    const row = this.row;
    switch (key) {
      case EventKey.phase:
        row.phase = this.#phase();
        break;
      case EventKey.category:
        row.category = this.#text(false);
        break;
      case EventKey.name:
        row.name = this.#text(false);
        break;
      case EventKey.pid:
        row.pid = this.#text(true);
        break;
      case EventKey.tid:
        row.tid = this.#text(true);
        break;
      case EventKey.start:
        row.hasStart = this.#readTime();
        row.startSeconds = this.#time.seconds;
        row.startNanos = this.#time.nanos;
        break;
      case EventKey.duration:
        row.dur = this.#readTime() ? this.#time.seconds * 1e9 + this.#time.nanos : Number.NaN;
        break;
      case EventKey.id:
        row.id = this.#readId();
        break;
      default:
        // `args` that is no object: as if there were none.
        row.present = 0;
    }
  }

  #phase(): number {
    if (this.#kind !== Token.string) return 0;
    if (this.#to === this.#from + 1) return this.#bytes[this.#from];
    const { text } = decodeText(this.#bytes, this.#from, this.#to);
    return text.length === 1 ? text.charCodeAt(0) & 0xff : 0;
  }

  #setArg(field: Field): void {
    const row = this.row;
    const bit = 1 << field;
    row.present &= ~bit;
    if (field < FIRST_TEXT_FIELD) {
      const value = isQuantity(field) ? this.#readNumber() : this.#readId();
      if (Number.isNaN(value)) return;
      row.numbers[field] = value;
    } else {
      const text = this.#text(true);
      if (text === NO_STRING) return;
      row.texts[field] = text;
    }
    row.present |= bit;
  }

  #text(orNumber: boolean): StringId {
    if (this.#kind !== Token.string && !(orNumber && this.#kind === Token.number)) return NO_STRING;
    const id = this.#interner.intern(this.#bytes, this.#from, this.#to);
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
    if (this.#kind === Token.other || this.#kind === Token.word) return Number.NaN;
    const reader = this.#number;
    const value = reader.read(this.#bytes, this.#from, this.#to);
    if (this.#kind === Token.number && !reader.isJson) this.damage |= RowDamage.badValue;
    return value;
  }
}

/** Quantities may be rounded, ids may not. */
const isQuantity = (field: Field): boolean => field === Field.bytes || field === Field.bandwidth;

const Token = { string: 0, number: 1, word: 2, other: 3 } as const;
type TokenKind = (typeof Token)[keyof typeof Token];

function hasBackslash(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === BYTE.backslash) return true;
  return false;
}

/** Letters, digits and `+ - . / _`: enough for numbers, literals and `N/A`. */
function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x2d && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || byte === BYTE.plus || byte === 0x5f
  );
}

const literals = ['true', 'false', 'null'].map((word) => new TextEncoder().encode(word));

function isLiteral(bytes: Uint8Array, from: number, to: number): boolean {
  return literals.some((literal) => literal.length === to - from && literal.every((byte, index) => bytes[from + index] === byte));
}
