import { expect, test } from 'vitest';
import { seededRandom } from '../test-kit/random.ts';
import { align } from './align.ts';

/** The length of the longest common subsequence. */
function longest(a: readonly number[], b: readonly number[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const each of a) {
    const next = [0];
    b.forEach((other, j) => next.push(each === other ? row[j] + 1 : Math.max(row[j + 1], next[j])));
    row = next;
  }
  return row[b.length];
}

test('matches equal places in order, as many as can be', () => {
  const random = seededRandom(3);
  for (let round = 0; round < 400; round++) {
    const list = (): number[] => Array.from({ length: Math.floor(random() * 30) }, () => Math.floor(random() * 4));
    const [a, b] = [list(), list()];
    const matched = align(a, b);
    let last = -1;
    matched.forEach((place, n) => {
      if (place === -1) return;
      expect(a[n]).toBe(b[place]);
      expect(place).toBeGreaterThan(last);
      last = place;
    });
    expect(matched.filter((place) => place !== -1)).toHaveLength(longest(a, b));
  }
});

test('lists that have little in common keep their common ends', () => {
  const a = [1, 2, ...Array.from({ length: 2_000 }, (_, n) => 10 + n), 3];
  const b = [1, 2, ...Array.from({ length: 2_000 }, (_, n) => 10_000 + n), 3];
  const matched = align(a, b);
  expect([matched[0], matched[1], matched[2], matched[a.length - 1]]).toEqual([0, 1, -1, b.length - 1]);
});
