import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLenient } from './lenient-json.ts';

const parse = (json: string): unknown => parseLenient(new TextEncoder().encode(json));

test('agrees with JSON.parse, also where it reads by itself', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(parse(`[N/A, ${JSON.stringify(value)}]`)).toEqual([null, JSON.parse(JSON.stringify(value))]);
    }),
    { numRuns: 300 },
  );
});

test('takes what traces hold in place of JSON', () => {
  expect(parse('{"a": N/A, "b": 0x1f, "c": "C:\\work\\x", "d": "a\nb", "e": nan, "f": true}')).toEqual({
    a: null,
    b: 31,
    c: 'C:\\work\\x',
    d: 'a\nb',
    e: null,
    f: true,
  });
});

test.each(['', '{', '{"a"}', '[1', '[N/A', '[N/A] x', '{"a": "b}', '['.repeat(600)])('%j is given up', (json) => {
  expect(parse(json)).toBeUndefined();
});
