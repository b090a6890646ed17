import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE, skipSpace, SPACE } from './bytes';
import { WORD_BYTES } from './layout';
import { stringEnd } from './text';

/** Deeper values are the host's. */
const MAX_DEPTH: i32 = 60;

/** Behind the object or array at `from`, or 0 where it is damaged, deep, or not all there. As strict as the host's `NestedSkipper`. */
export function skipNested(from: usize, end: usize): usize {
  const quotes = i8x16.splat(0x22);
  const bit = i8x16.splat(0x20);
  const opens = i8x16.splat(0x7b);
  const closes = i8x16.splat(0x7d);
  /** One bit a level: an object. */
  let objects: u64 = 0;
  let depth = 0;
  let at = from;
  while (at < end) {
    const bytes = v128.load(at);
    const folded = v128.or(bytes, bit);
    let marks = i8x16.bitmask(
      v128.or(i8x16.eq(bytes, quotes), v128.or(i8x16.eq(folded, opens), i8x16.eq(folded, closes))),
    );
    let next = at + 16;
    while (marks != 0) {
      const here = at + ctz(marks);
      const byte = load<u8>(here);
      if (byte == QUOTE) {
        if (here >= end || !opensString(byteBefore(here))) return 0;
        const close = stringEnd(here + 1);
        if (close >= end) return 0;
        next = skipSpace(close + 1);
        if (next >= end || !closesString(load<u8>(next))) return 0;
        break;
      }
      marks &= marks - 1;
      if ((byte & 2) == 2) {
        // `{` and `[`: 0x7b and 0x5b; the closing ones end with 0xd.
        if (++depth > MAX_DEPTH) return 0;
        objects = (objects << 1) | <u64>(byte == OPEN_OBJECT);
      } else {
        depth--;
        if ((objects & 1) != <u64>(byte == CLOSE_OBJECT)) return 0;
        objects >>= 1;
        if (depth == 0) return here >= end ? 0 : here + 1;
      }
    }
    at = next;
  }
  return 0;
}

function byteBefore(at: usize): u8 {
  let before = at - 1;
  while (load<u8>(before) <= SPACE) before--;
  return load<u8>(before);
}

// @ts-ignore: decorator
@inline
function opensString(byte: u8): bool {
  return byte == COMMA || byte == COLON || byte == OPEN_ARRAY || byte == OPEN_OBJECT;
}

// @ts-ignore: decorator
@inline
function closesString(byte: u8): bool {
  return byte == COMMA || byte == COLON || byte == CLOSE_ARRAY || byte == CLOSE_OBJECT;
}

/** Behind the letters, digits and signs from `at` on. */
export function wordEnd(at: usize): usize {
  const firstSign = i8x16.splat(0x2b);
  const signs = i8x16.splat(0x39 - 0x2b);
  const comma = i8x16.splat(0x2c);
  const bit = i8x16.splat(0x20);
  const firstLetter = i8x16.splat(0x61);
  const letters = i8x16.splat(25);
  const line = i8x16.splat(0x5f);
  while (true) {
    const bytes = v128.load(at);
    const isSign = v128.andnot(
      i8x16.le_u(i8x16.sub(bytes, firstSign), signs),
      i8x16.eq(bytes, comma),
    );
    const isLetter = i8x16.le_u(i8x16.sub(v128.or(bytes, bit), firstLetter), letters);
    const isWord = v128.or(v128.or(isSign, isLetter), i8x16.eq(bytes, line));
    const others = ~i8x16.bitmask(isWord) & 0xffff;
    if (others != 0) return at + ctz(others);
    at += 16;
  }
}

/** Behind a value that nobody wants, or 0. `isString`: `at` is behind its opening quote. */
export function skipValue(at: usize, end: usize, isString: bool): usize {
  if (isString) {
    const close = stringEnd(at);
    return close >= end ? 0 : close + 1;
  }
  const first = load<u8>(at);
  if (first == OPEN_ARRAY || first == OPEN_OBJECT) return skipNested(at, end);
  const to = wordEnd(at);
  if (to >= end || to == at) return 0;
  if (first - 0x30 <= 9 || first == 0x2d) return to;
  return isLiteral(at, to) ? to : 0;
}

/** `true`, `false` or `null`. */
export function isLiteral(at: usize, to: usize): bool {
  const word = load<u32>(at);
  if (to - at == 4) return word == 0x65757274 || word == 0x6c6c756e;
  return to - at == 5 && word == 0x736c6166 && load<u8>(at, 4) == 0x65;
}
