import { expect, test } from 'vitest';
import { commCall, commGroup, commJob } from '../test-kit/comm-calls.ts';
import { matchCalls } from './match.ts';
import type { CommCall, Meeting } from './model.ts';

const group = commGroup;
const job = commJob;

/** A call of 10 µs that ends at `end` µs. */
const call = (end: number, more: Partial<CommCall> = {}): CommCall => commCall(end - 10, end, more);

/** `sequence 0:1 1:0`: the rank and the place of each call. */
const textOf = ({ how, members }: Meeting): string =>
  [how, ...members.map(({ rank, call: place }) => `${rank}:${place}`)].join(' ');

const matched = (...calls: readonly CommCall[][]): string[] => matchCalls(job(calls)).meetings.map(textOf);

test('by Comms Id, where each call has its own', () => {
  const a = [call(10, { commsId: 'x', sequence: 1 }), call(30, { commsId: 'y', sequence: 2 })];
  const b = [call(30, { commsId: 'y', sequence: 1 }), call(50, { commsId: 'z', sequence: 2 })];
  expect(matched(a, b)).toEqual(['comms-id 0:1 1:0']);
});

test('one id for all calls of a group is none: then by Seq', () => {
  const numbered = (...numbers: number[]): CommCall[] =>
    numbers.map((sequence, i) => call(10 + 20 * i, { commsId: 'same', sequence }));
  expect(matched(numbered(4, 5, 6), numbered(5, 6, 7))).toEqual(['sequence 0:1 1:0', 'sequence 0:2 1:1']);
});

test('calls that were launched together may share a number, and may run in another order', () => {
  const a = [1, 2, 2, 3, 4, 5].map((sequence, i) => call(20 * i + 10, { sequence }));
  const b = [1, 2, 2, 4, 3, 5].map((sequence, i) => call(20 * i + 10, { sequence }));
  expect(matched(a, b)).toEqual([
    'sequence 0:0 1:0',
    'sequence 0:1 1:1',
    'sequence 0:2 1:2',
    'sequence 0:3 1:4',
    'sequence 0:4 1:3',
    'sequence 0:5 1:5',
  ]);
});

test('a lost row leaves a hole in Seq, and nothing else', () => {
  const numbered = (...numbers: number[]): CommCall[] => numbers.map((sequence) => call(20 * sequence, { sequence }));
  expect(matched(numbered(1, 2, 3, 5, 6), numbered(1, 2, 3, 4, 5, 6))).toEqual([
    'sequence 0:0 1:0',
    'sequence 0:1 1:1',
    'sequence 0:2 1:2',
    'sequence 0:3 1:4',
    'sequence 0:4 1:5',
  ]);
});

test('Seq that counts two a call is of the process: then by order', () => {
  const ends = [20, 50, 110, 135, 190, 210];
  const a = ends.map((end, i) => call(end, { sequence: 2 * i + 2 }));
  const b = ends.map((end, i) => call(end + 5, { sequence: 2 * i + 40 }));
  expect(matched(a, b)).toEqual(ends.map((_, i) => `heuristic:order 0:${i} 1:${i}`));
});

test('without Seq the shift at which ends agree; where none is clearly best, nothing', () => {
  const ends = [20, 50, 110, 135, 190, 210, 290, 300];
  const a = ends.slice(0, 7).map((end) => call(end));
  const b = ends.slice(1).map((end) => call(end + 5_000));
  expect(matched(a, b)).toEqual([1, 2, 3, 4, 5, 6].map((i) => `heuristic:order 0:${i} 1:${i - 1}`));
  const regular = [20, 40, 60, 80, 100, 120];
  const { meetings, report } = matchCalls(
    job([regular.slice(0, 5), regular.slice(1)].map((list) => list.map((end) => call(end)))),
  );
  expect(meetings).toEqual([]);
  expect(report).toMatchObject({ matched: 0, ambiguous: 5, unmatched: 5 });
});

test('calls of another size, type, step or place in the program are others; an all-to-all’s size is each rank’s own', () => {
  const differ = (mine: Partial<CommCall>, theirs: Partial<CommCall>): number =>
    matchCalls(job([[call(10, mine)], [call(11, theirs)]])).report.matched;
  expect(differ({}, {})).toBe(2);
  expect(differ({ sizeBytes: 4 }, { sizeBytes: 8 })).toBe(0);
  expect(differ({ dtype: 'Half' }, {})).toBe(0);
  expect(differ({ step: 0 }, { step: 1 })).toBe(0);
  expect(differ({ annotation: 'forward' }, { annotation: 'backward' })).toBe(0);
  expect(differ({ op: 'all-to-all', sizeBytes: 4 }, { op: 'all-to-all', sizeBytes: 8 })).toBe(2);
});

test('calls that only order ties, and that do not run at the same time, are no call', () => {
  const ends = [20, 50, 110, 135];
  const a = [...ends.map((end) => call(end)), call(200, { dtype: 'Half' })];
  const b = [...ends.map((end) => call(end)), call(400, { dtype: 'Half' })];
  expect(matched(a, b)).toEqual(ends.map((_, i) => `heuristic:order 0:${i} 1:${i}`));
});

test('one key and another class or size: the ranks are out of step', () => {
  const a = [1, 2, 3, 4].map((sequence) => call(20 * sequence, { sequence }));
  const b = a.map((each, i) => (i === 2 ? { ...each, op: 'all-gather' as const, sizeBytes: 80 } : each));
  const { meetings, report } = matchCalls(job([a, b]));
  expect(meetings).toHaveLength(3);
  expect(report).toMatchObject({ matched: 6, mismatched: 2, unmatched: 0 });
  expect(report.desynchronised).toEqual([
    {
      groupKey: 'g|0+1×2',
      how: 'sequence',
      members: [
        { rank: 0, call: 2, op: 'all-reduce', sizeBytes: 40 },
        { rank: 1, call: 2, op: 'all-gather', sizeBytes: 80 },
      ],
    },
  ]);
});

test('so they are where only the size differs; but not of an operation whose sizes are each rank’s own', () => {
  const mismatched = (op: CommCall['op']): number => {
    const a = [1, 2, 3, 4].map((sequence) => call(20 * sequence, { sequence, op }));
    const b = a.map((each, i) => (i === 2 ? { ...each, sizeBytes: 80 } : each));
    return matchCalls(job([a, b])).report.mismatched;
  };
  expect([mismatched('all-reduce'), mismatched('all-to-all')]).toEqual([2, 0]);
});

test('sends meet by directed pair and size, in order', () => {
  const send = (end: number, peer: number, sizeBytes = 40): CommCall => call(end, { op: 'send', peer, sizeBytes });
  const receive = (end: number, peer: number, sizeBytes = 40): CommCall => call(end, { op: 'recv', peer, sizeBytes });
  const { meetings } = matchCalls(
    job([
      [send(20, 1), receive(40, 1), send(60, 1, 8), send(80, 1)],
      [send(40, 0), receive(61, 0, 8), receive(65, 0), receive(81, 0)],
    ]),
  );
  expect(meetings.map(textOf)).toEqual(['order 0:0 1:2', 'order 0:1 1:0', 'order 0:2 1:1', 'order 0:3 1:3']);
  expect(meetings[1]).toMatchObject({
    op: 'send',
    isComplete: true,
    members: [
      { rank: 0, role: 'receive' },
      { rank: 1, role: 'send' },
    ],
  });
});

test('a part of a group is incomplete, and a root is told', () => {
  const ranks = job(
    [[call(20, { op: 'broadcast', peer: 1, sequence: 1 })], [call(25, { op: 'broadcast', peer: 1, sequence: 1 })]],
    [group({ key: 'w', ranks: [0, 1, 2], size: 3 })],
  );
  const [meeting] = matchCalls(ranks).meetings;
  expect(meeting).toMatchObject({ isComplete: false, members: [{ role: 'leaf' }, { role: 'root' }] });
});

const UNNAMED = group({ key: '?20', name: '', ranks: undefined, size: undefined, signature: 'main:all-reduce' });
const ENDS = [200, 700, 1_500, 1_900, 3_000, 3_500, 4_700];

test('a stream that serves two groups is taken apart', () => {
  const other = [330, 640, 1_700, 2_200, 2_800, 3_900, 4_400];
  // By turns one of two waits 40 µs for the other one.
  const turns = (ends: readonly number[], first: number): CommCall[] =>
    ends.map((end, i) => commCall(end - 10 - 40 * ((i + first) % 2), end));
  const ranks = job([turns(ENDS, 0), turns(ENDS, 1), turns(other, 0), turns(other, 1)], [UNNAMED]);
  const { meetings } = matchCalls(ranks);
  expect(meetings.every(({ members }) => ['0 1', '2 3'].includes(members.map(({ rank }) => rank).join(' ')))).toBe(
    true,
  );
  expect(meetings).toHaveLength(14);
});

test('without names calls that begin and end together may be of several groups in step; one that all wait for tells', () => {
  const inStep = [0, 1, 2, 3].map(() => ENDS.map((end) => call(end)));
  expect(matchCalls(job(inStep, [UNNAMED]))).toMatchObject({ meetings: [], report: { matched: 0 } });
  // Two come last together: each may be waited for by another one.
  const twoLast = [0, 1, 2, 3].map((rank) => ENDS.map((end) => commCall(end - (rank < 2 ? 10 : 50), end)));
  expect(matchCalls(job(twoLast, [UNNAMED])).meetings).toEqual([]);
  const oneLast = [0, 1, 2, 3].map((rank) => ENDS.map((end) => commCall(end - (rank === 2 ? 10 : 50), end)));
  expect(matchCalls(job(oneLast, [UNNAMED])).meetings).toHaveLength(ENDS.length);
  expect(matchCalls(job(inStep)).meetings).toHaveLength(ENDS.length);
});
