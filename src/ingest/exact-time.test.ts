import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DecimalTime, exactNs } from './exact-time.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const ns = (text: string, originUs = 0): number => exactNs(bytesOf(text), 0, text.length, originUs);

test.each([
  ['0', 0],
  ['-0', 0],
  ['12', 12_000],
  ['12.5', 12_500],
  ['12.005', 12_005],
  ['0.001', 1],
  ['-0.001', -1],
  ['-1.5', -1_500],
  ['12.3524', 12_352],
  ['12.3525', 12_353],
  ['-12.3525', -12_353],
  ['0.99949999', 999],
  ['999999.9999', 1_000_000_000],
  ['1e3', 1_000_000],
  ['1.25E-2', 13],
  ['1.5e+6', 1_500_000_000],
  ['0.000000000000001e15', 1_000],
])('%s µs are %d ns', (text, expected) => {
  expect(ns(text)).toBe(expected);
});

test.each(['', '-', '.5', '5.', '1e', 'nan', '0x10', '1 ', '--1', '1.2.3', 'N/A'])('%j is no number', (text) => {
  expect(ns(text)).toBeNaN();
});

test.each(['12', '12.5', '-12.005', '1700000000123456.789', '9007199254740991', '0', '-0', '0.001'])(
  'the fast way reads %s as the slow way does',
  (text) => {
    for (const after of [',', ' ', '}', '\n', '"']) {
      const bytes = bytesOf(`${text}${after}        `);
      const fast = new DecimalTime();
      const slow = new DecimalTime();
      expect(fast.readPlain(bytes, new DataView(bytes.buffer), 0)).toBe(text.length);
      slow.read(bytes, 0, text.length);
      expect([fast.seconds, fast.nanos]).toEqual([slow.seconds, slow.nanos]);
    }
  },
);

test.each(['9007199254740993', '1.2345', '1e3', '1.', '-', 'x', '12x', '"12"'])('%s is no plain number', (text) => {
  const bytes = bytesOf(`${text},        `);
  expect(new DecimalTime().readPlain(bytes, new DataView(bytes.buffer), 0)).toBe(-1);
});

test('near an epoch every nanosecond is told apart', () => {
  const origin = 1_700_000_000_123_456;
  expect(ns('1700000000123456.789', origin)).toBe(789);
  expect(ns('1700000000123456.790', origin)).toBe(790);
  expect(ns('1700000000123457.001', origin)).toBe(1_001);
  expect(ns('1700000000123455.999', origin)).toBe(-1);
});

test('19 digits before the point are as exact', () => {
  const time = new DecimalTime();
  time.read(bytesOf('1700000000123456789.123'), 0, 23);
  expect([time.seconds, time.nanos]).toEqual([1_700_000_000_123, 456_789_123]);
});

test('agrees with big integers for any decimal', () => {
  const decimal = fc.tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 18n }),
    fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 9 }),
  );
  fc.assert(
    fc.property(decimal, ([negative, whole, decimals]) => {
      const text = `${negative ? '-' : ''}${whole}${decimals.length > 0 ? `.${decimals.join('')}` : ''}`;
      const scaled = whole * 10n ** 9n + BigInt(decimals.join('').padEnd(9, '0'));
      const rounded = (scaled + 500_000n) / 1_000_000n;
      const expected = negative ? -rounded : rounded;
      const time = new DecimalTime();
      expect(time.read(bytesOf(text), 0, text.length)).toBe(true);
      expect(BigInt(time.seconds) * 10n ** 9n + BigInt(time.nanos)).toBe(expected);
      expect(time.nanos).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 500 },
  );
});
