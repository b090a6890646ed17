import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areDigits, firstMark, fourDigits, hashBytes, stringMarks } from './words.ts';

const word = (bytes: readonly number[]): number => new DataView(Uint8Array.from(bytes).buffer).getInt32(0, true);
const fourBytes = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0x22, 0x5c, 0x23, 0x5d, 0x2f, 0x30, 0x39, 0x3a)),
  {
    minLength: 4,
    maxLength: 4,
  },
);

test('finds the first quote or backslash of a word', () => {
  fc.assert(
    fc.property(fourBytes, (bytes) => {
      const marks = stringMarks(word(bytes));
      const first = bytes.findIndex((byte) => byte === 0x22 || byte === 0x5c);
      expect(marks === 0 ? -1 : firstMark(marks)).toBe(first);
    }),
    { numRuns: 1000 },
  );
});

test('tells digits and reads them', () => {
  fc.assert(
    fc.property(fourBytes, (bytes) => {
      expect(areDigits(word(bytes))).toBe(bytes.every((byte) => byte >= 0x30 && byte <= 0x39));
    }),
    { numRuns: 1000 },
  );
  for (let number = 0; number < 10_000; number += 7) {
    expect(fourDigits(word(Array.from(new TextEncoder().encode(String(number).padStart(4, '0')))))).toBe(number);
  }
});

test('a hash depends on the bytes between the borders alone', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 12 }),
      fc.integer({ min: 0, max: 5 }),
      fc.integer(),
      (bytes, shift, fill) => {
        const around = new Uint8Array(bytes.length + 16).fill(fill);
        around.set(bytes, shift);
        const alone = new Uint8Array(bytes.length + 4);
        alone.set(bytes);
        expect(hashBytes(new DataView(around.buffer), shift, shift + bytes.length)).toBe(
          hashBytes(new DataView(alone.buffer), 0, bytes.length),
        );
      },
    ),
  );
});
