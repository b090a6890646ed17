import { isDigit, BYTE } from './bytes.ts';

/** Whole µs up to here are exact in a double, and so is what is made of them. */
const FAST_DIGITS = 15;
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

  /** Reads all of `bytes[from, to)`. False, and nothing changed, where that is no JSON number. */
  read(bytes: Uint8Array, from: number, to: number): boolean {
    let at = from;
    const negative = bytes[at] === BYTE.minus;
    if (negative) at++;
    const digits = at;
    let us = 0;
    while (at < to && isDigit(bytes[at])) us = us * 10 + bytes[at++] - BYTE.zero;
    if (at === digits) return false;
    if (at - digits > FAST_DIGITS) return this.#readSlowly(bytes, from, to);
    let ns = 0;
    if (at < to) {
      if (bytes[at] !== BYTE.dot) return this.#readSlowly(bytes, from, to);
      const point = at++;
      for (let scale = 100; at < to && isDigit(bytes[at]); scale = scale === 1 ? 0 : scale / 10, at++) {
        ns += (bytes[at] - BYTE.zero) * scale;
        if (at - point === 4 && bytes[at] >= BYTE.five) ns++;
        if (at - point > 4) scale = 0;
      }
      if (at < to || at === point + 1) return this.#readSlowly(bytes, from, to);
    }
    this.set(us, ns, negative);
    return true;
  }

  /** Takes whole µs (exact, ≥ 0) and 0 ≤ ns ≤ 1,000. */
  set(us: number, ns: number, negative: boolean): void {
    let seconds = Math.floor(us / 1e6);
    let nanos = (us - seconds * 1e6) * 1000 + ns;
    if (nanos >= 1e9) {
      nanos -= 1e9;
      seconds++;
    }
    if (negative && (seconds !== 0 || nanos !== 0)) {
      seconds = nanos === 0 ? -seconds : -seconds - 1;
      nanos = nanos === 0 ? 0 : 1e9 - nanos;
    }
    this.seconds = seconds;
    this.nanos = nanos;
  }

  /** Exponents and long numbers: rare, so exactness by big integers. */
  #readSlowly(bytes: Uint8Array, from: number, to: number): boolean {
    let text = '';
    for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]);
    const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
    if (parts === null) return false;
    const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
    const shift = Number(exponent) - fraction.length + 3;
    let ns = BigInt(whole + fraction);
    if (shift >= 0) ns *= 10n ** BigInt(Math.min(shift, 400));
    else {
      const unit = 10n ** BigInt(-shift);
      ns = (ns * 2n + unit) / (2n * unit);
    }
    if (sign === '-') ns = -ns;
    const nanos = ((ns % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
    this.seconds = Number((ns - nanos) / NANOS_PER_SECOND);
    this.nanos = Number(nanos);
    return true;
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
