import { expect, test } from 'vitest';
import { fromColumnsJson, toColumnsJson } from './columns-json.ts';

test('plain data with columns comes back as it was', () => {
  const value = {
    text: 'x',
    list: [1, { deep: Int32Array.of(-1, 2 ** 31 - 1) }],
    times: Float64Array.of(0.1, 2 ** 53, -5, Infinity, -Infinity, NaN),
    empty: new Uint8Array(0),
    kinds: Uint16Array.of(65_535),
    large: Uint32Array.of(2 ** 32 - 1),
    small: Float32Array.of(0.5),
  };
  expect(fromColumnsJson(toColumnsJson(value))).toEqual(value);
});

test('what only looks like a column stays what it is', () => {
  for (const text of ['{"$column":"i64","values":[1]}', '{"$column":"i32","values":3}', '{"$column":7,"values":[1]}']) {
    expect(fromColumnsJson(text)).toEqual(JSON.parse(text));
  }
});
