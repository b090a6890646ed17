/** The bytes that JSON gives a meaning. */
export const BYTE = {
  newline: 0x0a,
  space: 0x20,
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  five: 0x35,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

export const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** The file ends (so far) before the value does. */
export const INCOMPLETE = -1;
/** What stands there is no JSON. */
export const BAD = -2;

/**
 * Quotes behind the last byte of a scanned buffer. Every loop of the scanner stops at a quote, so none needs to test for
 * the end at each byte; an escape may step over one of them.
 */
export const SENTINELS = 256;

/** The first byte from `at` that is no space. Control characters count as space: damaged files have them. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  while (bytes[at] <= BYTE.space) at++;
  return at;
}

/** The closing quote of the string whose first byte is at `at`. Perhaps behind the end, among the sentinels. */
export function stringEnd(bytes: Uint8Array, at: number): number {
  for (;;) {
    const byte = bytes[at];
    if (byte === BYTE.quote) return at;
    at += byte === BYTE.backslash ? 2 : 1;
  }
}
