import { BYTE, isDigit } from './bytes.ts';
import { areDigits, fourDigits } from './words.ts';

const NANOS_PER_SECOND = 1_000_000_000n;

/**
 * A decimal number of µs, read from its digits: never through a double, which near an epoch moves in steps of 0.25 µs.
 * The result is a pair, exact for any size; a fourth and later decimals round half away from zero.
 */
export class DecimalTime {
  /** Whole seconds, rounded down. */
  seconds = 0;
  /** The rest: 0 ≤ nanos < 10⁹. */
  nanos = 0;
  /** Picoseconds that rounding cut off (or, negative, added): −500 ≤ p ≤ 500. Digits behind the picoseconds are dropped. */
  rest = 0;

  /**
   * Reads the number at `at` if it is as simple as almost all are: up to 2^53 µs and three decimals. Returns the byte behind it,
   * or −1 (and nothing changed). Eight bytes behind the number must be readable, the first of them no digit.
   */
  readPlain(bytes: Uint8Array, view: DataView, at: number): number {
    const negative = bytes[at] === BYTE.minus;
    if (negative) at++;
    const first = at;
    let us = 0;
    for (let word = view.getInt32(at, true); areDigits(word); word = view.getInt32(at, true)) {
      us = us * 10_000 + fourDigits(word);
      at += 4;
    }
    let byte = bytes[at];
    while (isDigit(byte)) {
      us = us * 10 + byte - BYTE.zero;
      byte = bytes[++at];
    }
    if (us > Number.MAX_SAFE_INTEGER || at === first) return -1;
    let ns = 0;
    if (byte === BYTE.dot) {
      const point = at;
      byte = bytes[++at];
      let scale = 100;
      while (isDigit(byte)) {
        ns += (byte - BYTE.zero) * scale;
        scale = (scale / 10) | 0;
        byte = bytes[++at];
      }
      if (at - point > 4 || at - point === 1) return -1;
    }
    if (byte !== BYTE.comma && byte > BYTE.space && byte !== BYTE.closeObject && byte !== BYTE.quote) return -1;
    this.#set(us, ns, negative);
    return at;
  }

  /** Reads all of `bytes[from, to)`. False, and nothing changed, where that is no JSON number. */
  read(bytes: Uint8Array, from: number, to: number): boolean {
    let text = '';
    for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]);
    const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
    if (parts === null) return false;
    const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
    // In picoseconds: six decimals of a µs.
    const shift = Number(exponent) - fraction.length + 6;
    const digits = BigInt(whole + fraction);
    const ps = shift >= 0 ? digits * 10n ** BigInt(Math.min(shift, 400)) : digits / 10n ** BigInt(-shift);
    let ns = (ps + 500n) / 1000n;
    this.rest = Number(ps - ns * 1000n) * (sign === '-' ? -1 : 1);
    if (sign === '-') ns = -ns;
    const nanos = ((ns % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
    this.seconds = Number((ns - nanos) / NANOS_PER_SECOND);
    this.nanos = Number(nanos);
    return true;
  }

  #set(us: number, ns: number, negative: boolean): void {
    let seconds = Math.floor(us / 1e6);
    let nanos = (us - seconds * 1e6) * 1000 + ns;
    if (negative && (seconds !== 0 || nanos !== 0)) {
      seconds = nanos === 0 ? -seconds : -seconds - 1;
      nanos = nanos === 0 ? 0 : 1e9 - nanos;
    }
    this.seconds = seconds;
    this.nanos = nanos;
    this.rest = 0;
  }
}

/**
 * The nanoseconds from `originUs` to the decimal µs written in `bytes[from, to)`; NaN where that is no JSON number.
 * Exact while the difference is under 2^53 ns (104 days), however many digits the number has. `originUs` is whole.
 */
export function exactNs(bytes: Uint8Array, from: number, to: number, originUs: number): number {
  const time = new DecimalTime();
  if (!time.read(bytes, from, to)) return Number.NaN;
  const originSeconds = Math.floor(originUs / 1e6);
  return (time.seconds - originSeconds) * 1e9 + (time.nanos - (originUs - originSeconds * 1e6) * 1000);
}
