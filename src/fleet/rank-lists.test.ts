import { expect, test } from 'vitest';
import { longList, shortList } from './groups.ts';

test.each([
  [[3], '3+1×1'],
  [[0, 1, 2, 3], '0+1×4'],
  [[1, 9, 17], '1+8×3'],
  [[8, 4, 0], '8+-4×3'],
  [[0, 1, 3], '0,1,3'],
])('%j is %s, and back', (ranks, short) => {
  expect(shortList(ranks)).toBe(short);
  expect(longList(short)).toEqual(ranks);
});

test('a text that is no list is none, and a lying count takes no memory without end', () => {
  for (const text of ['', 'a', '1,,2', '0+1×', '0+1×99999999999']) expect(longList(text)).toBeUndefined();
});
