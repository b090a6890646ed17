import { BYTE, isDigit } from './bytes.ts';

/** Numbers of up to this many digits are exact as they are summed up. */
const FAST_DIGITS = 15;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const hexNumber = /^[+-]?0[xX][0-9a-fA-F]+$/;
const wholeNumber = /^[+-]?\d+$/;

/** Reads a number from its bytes: JSON, and what else writers put there (hex, a sign, leading zeros). */
export class NumberReader {
  /** The last number was written as JSON demands. */
  isJson = true;
  /** The last number was a whole one above 2^53 that a double does not hold exactly. */
  rounded = false;

  /** The number that `bytes[from, to)` spells, or NaN. */
  read(bytes: Uint8Array, from: number, to: number): number {
    this.isJson = true;
    this.rounded = false;
    const negative = bytes[from] === BYTE.minus;
    let at = negative ? from + 1 : from;
    const isPlain = to - at <= FAST_DIGITS && at < to && (bytes[at] !== BYTE.zero || to - at === 1);
    if (!isPlain) return this.#readSlowly(bytes, from, to);
    let value = 0;
    while (at < to && isDigit(bytes[at])) value = value * 10 + bytes[at++] - BYTE.zero;
    if (at < to) return this.#readSlowly(bytes, from, to);
    return negative && value !== 0 ? -value : value;
  }

  #readSlowly(bytes: Uint8Array, from: number, to: number): number {
    let text = '';
    for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]);
    if (jsonNumber.test(text)) {
      const value = Number(text);
      if (wholeNumber.test(text) && !Number.isSafeInteger(value)) this.rounded = BigInt(text) !== BigInt(value);
      return value;
    }
    this.isJson = false;
    if (hexNumber.test(text)) {
      const magnitude = Number(text.replace(/^[+-]/, ''));
      this.rounded = !Number.isSafeInteger(magnitude);
      return text.startsWith('-') ? -magnitude : magnitude;
    }
    return wholeNumber.test(text) ? Number(text) : Number.NaN;
  }
}
