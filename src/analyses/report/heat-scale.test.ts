import fc from 'fast-check';
import { expect, test } from 'vitest';
import { heatScale } from './heat-scale.ts';

test.each([
  [1, ['below 1 ns', '1 ns or more']],
  [7, ['below 1 ns', '1 ns to 2 ns', '2 ns to 5 ns', '5 ns or more']],
  [
    26_400_000,
    [
      'below 500 µs',
      '500 µs to 1 ms',
      '1 ms to 2 ms',
      '2 ms to 5 ms',
      '5 ms to 10 ms',
      '10 ms to 20 ms',
      '20 ms or more',
    ],
  ],
])('up to %d ns the classes are %j', (longest, labels) => expect(heatScale(longest).labels).toEqual(labels));

test('what is longer is never in a lower class, and the longest is in the highest', () => {
  const time = fc.integer({ min: 1, max: 1e15 });
  fc.assert(
    fc.property(time, time, (a, b) => {
      const [less, longest] = [Math.min(a, b), Math.max(a, b)];
      const { classOf, labels } = heatScale(longest);
      expect(labels.length).toBeLessThanOrEqual(7);
      expect(classOf(0)).toBe(0);
      expect(classOf(less)).toBeLessThanOrEqual(classOf(longest));
      expect(classOf(longest)).toBe(labels.length - 1);
    }),
  );
});
