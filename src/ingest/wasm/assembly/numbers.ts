import { DOT, endsNumber, MINUS, ZERO } from './bytes';
import { POWERS } from './layout';

/** Above, a double does not hold each integer. */
const MAX_SAFE: u64 = 9007199254740991;
/** Whole µs up to here fit 64 bits as ns. */
const MAX_US: u64 = 9000000000000000;

const ZEROS: u64 = 0x3030303030303030;
const HIGHS: u64 = 0x8080808080808080;

/** How many of the eight bytes (each less `0`) are digits, from the lowest on. */
// @ts-ignore: decorator
@inline
function digitsOf(word: u64): u64 {
  const others = ((word + 0x7676767676767676) | word) & HIGHS;
  return others == 0 ? 8 : ctz(others) >> 3;
}

/** The number that the lowest `count` (1–8) digits spell, the first in the lowest byte. */
// @ts-ignore: decorator
@inline
function spelled(word: u64, count: u64): u64 {
  let digits = word << (64 - (count << 3));
  digits = digits * 10 + (digits >> 8);
  return (
    ((digits & 0x000000ff000000ff) * 0x000f424000000064 + ((digits >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >> 32
  );
}

/** The digits that `readDigits` found, up to 16. */
let digits: u64 = 0;

/** Behind the digits at `at`; 17 and more are none. `at` itself where there are none. Sets `digits`. */
// @ts-ignore: decorator
@inline
function readDigits(at: usize): usize {
  const first = load<u64>(at) ^ ZEROS;
  const count = digitsOf(first);
  if (count == 0) return at;
  digits = spelled(first, count);
  if (count < 8) return at + <usize>count;
  const second = load<u64>(at, 8) ^ ZEROS;
  const more = digitsOf(second);
  if (more > 0) {
    digits = digits * load<u64>(POWERS + (<usize>more << 3)) + spelled(second, more);
    if (more == 8 && <u32>load<u8>(at, 16) - ZERO <= 9) return at;
  }
  return at + 8 + <usize>more;
}

/** The integer that was read last. */
export let integer: f64 = 0;

/** Behind the plain integer at `at`, or 0 where there is something else. Sets `integer`. */
export function readInteger(at: usize, end: usize, isString: bool): usize {
  const isNegative = load<u8>(at) == MINUS;
  const first = at + <usize>isNegative;
  const behind = readDigits(first);
  if (behind == first || (load<u8>(first) == ZERO && behind > first + 1) || digits > MAX_SAFE || behind >= end) return 0;
  const byte = load<u8>(behind);
  if (isString ? byte != 0x22 : !endsNumber(byte)) return 0;
  integer = isNegative ? <f64>-(<i64>digits) : <f64>digits;
  return isString ? behind + 1 : behind;
}

/** A decimal number of µs, as the host's `DecimalTime`. */
export let seconds: f64 = 0;
export let nanos: i32 = 0;
export let rest: i32 = 0;

/** Behind the decimal number of µs at `at`, or 0 where it is not plain. Sets `seconds`, `nanos` and `rest`. */
export function readTime(at: usize, end: usize): usize {
  const isNegative = load<u8>(at) == MINUS;
  const first = at + <usize>isNegative;
  let behind = readDigits(first);
  if (behind == first || digits > MAX_US) return 0;
  const us = digits;
  let ns: u64 = 0;
  let ps: i32 = 0;
  if (load<u8>(behind) == DOT) {
    const word = load<u64>(behind, 1) ^ ZEROS;
    const count = digitsOf(word);
    if (count == 0) return 0;
    const fraction = spelled(word, count);
    behind += 1 + <usize>count;
    if (count <= 3) ns = fraction * load<u64>(POWERS + (<usize>(3 - count) << 3));
    else {
      if (count == 8 && <u32>load<u8>(behind) - ZERO <= 9) return 0;
      const all = count <= 6 ? fraction * load<u64>(POWERS + (<usize>(6 - count) << 3)) : fraction / (count == 7 ? 10 : 100);
      ns = (all + 500) / 1000;
      ps = <i32>all - <i32>ns * 1000;
    }
  }
  if (behind >= end || !endsNumber(load<u8>(behind))) return 0;
  rest = isNegative ? -ps : ps;
  if (isNegative) setNegative(-<i64>(us * 1000 + ns));
  else {
    let whole = <u64>(<f64>us * 1e-6);
    let left = <i64>us - <i64>(whole * 1000000);
    if (left < 0) {
      whole--;
      left += 1000000;
    } else if (left >= 1000000) {
      whole++;
      left -= 1000000;
    }
    left = left * 1000 + <i64>ns;
    // Rounding may have made a whole second.
    if (left >= 1000000000) {
      whole++;
      left -= 1000000000;
    }
    seconds = <f64>whole;
    nanos = <i32>left;
  }
  return behind;
}

function setNegative(ns: i64): void {
  const left = ((ns % 1000000000) + 1000000000) % 1000000000;
  nanos = <i32>left;
  seconds = <f64>((ns - left) / 1000000000);
}
