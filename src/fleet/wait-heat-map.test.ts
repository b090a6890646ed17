import { expect, test } from 'vitest';
import { heatSection } from './job-heat-section.ts';
import type { WaitRow } from './job-waits-answer.ts';
import { heatMapOf } from './wait-heat-map.ts';
import type { WaitHeat } from './wait-totals.ts';

const NONE = Number.NaN;
/** Rows of ranks over columns of calls. */
const heatOf = (ranks: readonly number[], rows: readonly (readonly number[])[]): WaitHeat => ({
  ranks,
  meetings: (rows[0] ?? []).map((_, call) => call),
  waitNs: Float32Array.from(rows.flat()),
});

const callOf = (call: number, group: string): WaitRow => ({
  op: 'all-reduce',
  group,
  members: 2,
  isComplete: true,
  how: 'sequence',
  arrivedNs: 1000 * call,
  waitNs: 0,
  longestWaitNs: 0,
  restNs: 0,
  isTransfer: true,
  uncertaintyNs: 3,
  isTie: false,
});

function sectionOf(heat: WaitHeat, group = 'dp', ties = 0): ReturnType<typeof heatSection> {
  const rows = heat.meetings.map((call) => ({ ...callOf(call, group), isTie: call < ties }));
  const picture = { ranks: [], calls: [], waitNs: [] };
  const result = { ranks: [], rows, steps: [], ties, picture, heatMap: heatMapOf(heat) };
  return heatSection({ waits: { status: 'ok', result } });
}

test('few ranks and calls are drawn as they are', () => {
  const { heat, table, paragraphs } = sectionOf(
    heatOf(
      [3, 9],
      [
        [10, NONE, 70.4],
        [0, 0, NONE],
      ],
    ),
  );
  expect(heat?.values).toEqual([
    [10, undefined, 70],
    [0, 0, undefined],
  ]);
  expect(heat?.rows).toEqual(['rank 3', 'rank 9']);
  expect(heat?.columns.at(2)).toEqual({ label: '3', title: 'call 3, all-reduce in dp at 2.000 µs' });
  expect(heat?.says).toBe('waited');
  expect(heat?.caption).toMatch(/last to arrive\. A row that stays weak is the one they waited for\.$/);
  expect(heat?.summary).toContain('the longest wait is 70 ns, of rank 3 in call 3, all-reduce in dp at 2.000 µs.');
  expect(table?.rows).toEqual([
    ['3', 70, 3, 'all-reduce', 'dp', 2000],
    ['9', 0],
  ]);
  expect(paragraphs).toEqual(['The clocks may be off by up to ±3 ns: what is shorter may be no wait at all.']);
});

test('too many are merged by their longest, and that is said', () => {
  // 130 ranks are 44 rows of three, the last of one; 401 calls 134 columns of three, the last of two.
  const rows = Array.from({ length: 130 }, () => Array.from({ length: 401 }, () => NONE));
  const set = (rank: number, call: number, ns: number): void => {
    const row = rows[rank];
    if (row !== undefined) row[call] = ns;
  };
  set(3, 6, 50);
  set(5, 8, 90);
  set(4, 9, 20);
  set(129, 400, 7);
  const ranks = rows.map((_, place) => 2 * place);
  const { heat, table } = sectionOf(heatOf(ranks, rows));
  expect([heat?.rows.length, heat?.columns.length, heat?.values.length, heat?.values[0]?.length]).toEqual([
    44, 134, 44, 134,
  ]);
  const drawn = heat?.values.flatMap((row, y) => row.flatMap((ns, x) => (ns === undefined ? [] : [[y, x, ns]])));
  expect(drawn).toEqual([
    [1, 2, 90],
    [1, 3, 20],
    [43, 133, 7],
  ]);
  expect([heat?.rows[1], heat?.rows[43]]).toEqual(['ranks 6–10', 'rank 258']);
  expect(heat?.columns[2]).toEqual({ label: '7', title: 'calls 7–9, 6.000 µs to 8.000 µs' });
  expect(heat?.caption).toContain(
    'a cell is the longest wait of up to 3 ranks in up to 3 calls that follow each other',
  );
  expect(heat?.caption).toContain('does not show among its neighbours');
  expect(heat?.says).toBe('waited at most');
  expect(heat?.summary).toMatch(
    /^Heat map of 130 ranks and 401 calls: the longest wait is 90 ns, of rank 10 in call 9,/,
  );
  expect(table?.rows[1]).toEqual(['6–10', 90, '10', 9, 'all-reduce', 'dp', 8000]);
  expect(table?.rows[0]).toEqual(['0–4', undefined]);
});

test.each([
  [heatOf([0, 1], [[0], [0]]), 'No picture: no rank waited in the one call that was matched.'],
  [
    heatOf(
      [0, 1],
      [
        [0, NONE],
        [0, 0],
      ],
    ),
    'No picture: no rank waited in any of the 2 calls that were matched.',
  ],
  [heatOf([0, 1], []), 'No picture: no call was matched.'],
])('where there is nothing to draw it says why', (heat, why) => {
  const { heat: drawn, table, paragraphs } = sectionOf(heat);
  expect({ drawn, table, paragraphs }).toEqual({ drawn: undefined, table: undefined, paragraphs: [why] });
});

test('without waits it says why there are none', () => {
  const waits = { status: 'not-applicable', reason: 'one rank alone' } as const;
  expect(heatSection({ waits }).paragraphs).toEqual(['No answer: one rank alone.']);
});

test('a long name is cut, as it stands in each cell', () => {
  const { heat } = sectionOf(heatOf([0, 1], [[1], [2]]), 'x'.repeat(100_000));
  expect(heat?.columns[0]?.title.length).toBeLessThan(80);
});

test('calls in which nobody can be told to have come last are no sign of one', () => {
  const captionOf = (ties: number): string | undefined =>
    sectionOf(
      heatOf(
        [0, 1],
        [
          [1, 2],
          [0, 0],
        ],
      ),
      'dp',
      ties,
    ).heat?.caption;
  expect(captionOf(1)).toMatch(
    /A row that stays weak is the one they waited for in the 1 of 2 calls where that can be told\.$/,
  );
  expect(captionOf(2)).toMatch(/last to arrive\. In none of them can be told who came last\.$/);
});
