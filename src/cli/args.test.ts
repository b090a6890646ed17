import { expect, test } from 'vitest';
import { scopeOptionsOf, limitOf, maxBytesOf, windowOf } from './args.ts';

test.each([
  [{}, { kind: 'default' }],
  [{ step: '5' }, { kind: 'steps', first: 5, last: 5 }],
  [{ steps: '5..7' }, { kind: 'steps', first: 5, last: 7 }],
  [{ steps: '5' }, { kind: 'steps', first: 5, last: 5 }],
  [{ annotation: 'a|b' }, { kind: 'annotation', name: 'a|b', match: false }],
  [
    { annotation: 'a', instance: '0' },
    { kind: 'annotation', name: 'a', match: false, first: 0, last: 0 },
  ],
  [
    { match: '^a', instance: '1..2' },
    { kind: 'annotation', name: '^a', match: true, first: 1, last: 2 },
  ],
  [{ range: '1.2ms..3.4ms' }, { kind: 'range', startNs: 1_200_000, endNs: 3_400_000 }],
  [{ range: '0ns .. 1.000000001s' }, { kind: 'range', startNs: 0, endNs: 1_000_000_001 }],
  [{ range: '0.0005us..1µs' }, { kind: 'range', startNs: 0, endNs: 1_000 }],
])('window of %j', (flags, window) => expect(windowOf(flags)).toEqual(window));

test.each([
  [{ step: '5', range: '1ms..2ms' }, '--step and --range each choose a window'],
  [{ annotation: 'a', match: 'b' }, '--annotation and --match'],
  [{ instance: '0' }, 'add --annotation NAME or --match REGEX'],
  [{ step: 'five' }, "--step 'five' is no whole number; for example --step 5"],
  [{ step: '-1' }, 'no whole number'],
  [{ steps: '7..5' }, 'ends before it starts'],
  [{ steps: '1..2..3' }, 'is no span'],
  [{ range: '1..2' }, 'for example --range 1.2ms..3.4ms'],
  [{ range: '1ms' }, 'needs two instants with their units'],
  [{ range: '2ms..1ms' }, 'ends before it starts'],
  [{ range: '1ms..1ms' }, 'ends before it starts'],
  [{ match: '(' }, '--match is no regular expression'],
])('no window of %j', (flags, message) => expect(() => windowOf(flags)).toThrow(message));

test.each([
  ['2GiB', 2 ** 31],
  ['1.5 KB', 1_500],
  ['10b', 10],
])('--max-bytes %s', (maxBytes, bytes) => expect(maxBytesOf({ maxBytes })).toBe(bytes));
test.each(['2', '2 parrots', 'GiB', '', '-1MB'])('--max-bytes %j needs a number and a unit', (maxBytes) =>
  expect(() => maxBytesOf({ maxBytes })).toThrow('for example --max-bytes 2GiB'),
);

test('limits and regular expressions', async () => {
  expect(limitOf({})).toBeUndefined();
  expect(limitOf({ limit: '0' })).toBe(0);
  expect(() => limitOf({ limit: 'all' })).toThrow('--limit 20');
  expect(await scopeOptionsOf({ exact: true, dataLoading: 'my_loader' })).toEqual({
    window: { kind: 'default' },
    exact: true,
    legacyDefaultStream: false,
    dataLoading: 'my_loader',
  });
  await expect(scopeOptionsOf({ dataLoading: '[' })).rejects.toThrow('--data-loading is no regular expression');
});
