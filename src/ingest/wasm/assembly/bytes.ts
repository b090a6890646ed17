export const SPACE: u8 = 0x20;
export const QUOTE: u8 = 0x22;
export const COMMA: u8 = 0x2c;
export const MINUS: u8 = 0x2d;
export const DOT: u8 = 0x2e;
export const ZERO: u8 = 0x30;
export const COLON: u8 = 0x3a;
export const OPEN_ARRAY: u8 = 0x5b;
export const BACKSLASH: u8 = 0x5c;
export const CLOSE_ARRAY: u8 = 0x5d;
export const OPEN_OBJECT: u8 = 0x7b;
export const CLOSE_OBJECT: u8 = 0x7d;

/** The first byte from `at` that is no space; control characters count as space. There is always one: the sentinels are quotes. */
export function skipSpace(at: usize): usize {
  while (load<u8>(at) <= SPACE) at++;
  return at;
}

/** What may stand behind a number that is read here. */
// @ts-ignore: decorator
@inline
export function endsNumber(byte: u8): bool {
  return byte == COMMA || byte <= SPACE || byte == CLOSE_OBJECT;
}
