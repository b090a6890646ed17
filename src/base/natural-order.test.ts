import { expect, test } from 'vitest';
import { naturalOrder } from './natural-order.ts';

test('numbers go by their value, whatever stands around them', () => {
  const big = '9'.repeat(30);
  const sorted = ['', 'a', 'r02', 'r2', 'r10', `r${big}`, 'r-2.json', 'r-10.json', 'r-10.json.gz', 'x'];
  for (const [i, a] of sorted.entries()) {
    for (const [j, b] of sorted.entries()) expect(Math.sign(naturalOrder(a, b)), `${a} ${b}`).toBe(Math.sign(i - j));
  }
});
