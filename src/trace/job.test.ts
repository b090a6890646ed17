import { expect, test } from 'vitest';
import { assignRanks, type RankClaim } from './job.ts';

const HOUR = 3_600_000_000_000n;

/** Four files of one minute at the same time, unless told otherwise. */
const claim = (more: Partial<RankClaim> & { readonly file: string }): RankClaim => ({
  world: '',
  startUnixNs: 10n * HOUR,
  endUnixNs: 10n * HOUR + HOUR / 60n,
  ...more,
});
const claims = (...list: readonly Partial<RankClaim>[]): RankClaim[] =>
  list.map((each, at) => claim({ file: `f${at}.json`, ...each }));

test('distributedInfo is believed before names, where it tells files apart', () => {
  const job = assignRanks(
    claims({ traceRank: 5, worldSize: 8, nameRank: 0 }, { traceRank: 2, worldSize: 8, nameRank: 1 }),
  );
  expect(job).toEqual({
    from: 'distributed-info',
    ranks: [5, 2],
    worldSize: 8,
    missing: [
      { first: 0, last: 1 },
      { first: 3, last: 4 },
      { first: 6, last: 7 },
    ],
    mixed: [],
  });
});

test('files that each say "rank 0 of 1" are a job where their names tell ranks', () => {
  const single = { traceRank: 0, worldSize: 1 };
  const job = assignRanks(claims({ ...single, nameRank: 3 }, { ...single, nameRank: 4 }));
  expect(job).toMatchObject({ from: 'file-name', ranks: [3, 4], worldSize: undefined, mixed: [] });
  expect(job.missing).toEqual([{ first: 0, last: 2 }]);
});

test('and no job where they do not', () => {
  const single = { traceRank: 0, worldSize: 1 };
  expect(assignRanks(claims(single, single, single)).mixed).toEqual([
    'f0.json and f1.json and 1 more all say that they are rank 0',
  ]);
});

test('then the Rank of their rows; then their order, which is said', () => {
  expect(assignRanks(claims({ argRank: 7 }, { argRank: 1 }))).toMatchObject({ from: 'rank-arg', ranks: [7, 1] });
  expect(assignRanks(claims({}, {}, {}))).toMatchObject({ from: 'order', ranks: [0, 1, 2], mixed: [] });
  // One file that does not say it leaves all to the next rule.
  expect(assignRanks(claims({ nameRank: 1 }, {})).from).toBe('order');
});

test.each([
  [
    'sizes',
    claims({ traceRank: 0, worldSize: 8 }, { traceRank: 1, worldSize: 16 }),
    'they are of runs of 8 and 16 ranks',
  ],
  [
    'groups',
    claims({ nameRank: 0, world: '0,1' }, { nameRank: 1, world: '0,1,2' }),
    'the group of all ranks has other members in some than in others',
  ],
  [
    'days',
    claims({ nameRank: 0 }, { nameRank: 1, startUnixNs: 100n * HOUR, endUnixNs: 101n * HOUR }),
    'f1.json begins 3 days after f0.json ended',
  ],
])('files of other %s are of several runs', (_, list, reason) => {
  expect(assignRanks(list).mixed).toEqual([reason]);
});

test('clocks that are minutes apart are those of one run, and so is a file without events', () => {
  const later = { startUnixNs: 10n * HOUR + HOUR / 2n, endUnixNs: 11n * HOUR };
  expect(assignRanks(claims({ nameRank: 0 }, { nameRank: 1, ...later })).mixed).toEqual([]);
  expect(assignRanks(claims({ nameRank: 0 }, { nameRank: 1, startUnixNs: 0n, endUnixNs: 0n })).mixed).toEqual([]);
});

test('one file is no mixture', () => {
  expect(assignRanks(claims({ traceRank: 3, worldSize: 4 }))).toMatchObject({ ranks: [3], mixed: [] });
});
