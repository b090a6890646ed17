import { expect, test } from 'vitest';
import type { JobMember } from './job.ts';
import type { CommCall, CommGroup, CommOp } from './model.ts';
import { type GroupFamily, type NamedGroup, groupsAnswer, judgeGroups } from './parallel-groups.ts';

const STEP = { startNs: 0, completionNs: 100 };

interface Calls {
  readonly description?: string;
  readonly name?: string;
  readonly ranks: readonly number[];
  /** What is called, and when in a step of 100 ns. */
  readonly calls: readonly (readonly [op: CommOp, at: number])[];
}

/** A rank that calls in these groups; of a job of 64. */
function member(rank: number, groups: readonly Calls[]): JobMember {
  const lists = groups.map(({ description = '', name = 'g', ranks }): CommGroup => {
    return { key: `${name} ${ranks.join()}`, name, description, ranks, size: ranks.length, signature: '' };
  });
  const calls = groups.flatMap(({ calls: list }, group) =>
    list.map(([op, at]) => ({ op, group, startNs: at, endNs: at + 1, step: 0 }) as unknown as CommCall),
  );
  return {
    rank,
    calls: { rank, groups: lists, calls },
    summary: { info: { steps: [STEP], devices: [] } },
  } as unknown as JobMember;
}

function families(groups: readonly Calls[], named: readonly NamedGroup[] = []): readonly GroupFamily[] {
  const outcome = groupsAnswer(judgeGroups([member(0, [WORLD, ...groups])], named));
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  return outcome.result.families.slice(1);
}

const range = (count: number, stride = 1): number[] => Array.from({ length: count }, (_, at) => at * stride);
const WORLD: Calls = { ranks: range(64), calls: [['barrier', 0]] };
const LATE: Calls['calls'] = [80, 85, 90, 95].map((at) => ['all-reduce', at] as const);
const THROUGHOUT: Calls['calls'] = [5, 20, 30, 45, 60, 75, 90].map((at) => ['all-reduce', at] as const);
const SHARDS: Calls['calls'] = [
  ['all-gather', 10],
  ['all-gather', 50],
  ['reduce-scatter', 90],
];
const PAIRS: Calls['calls'] = [
  ['send', 10],
  ['recv', 50],
];

test.each([
  ['a description is believed', { description: 'mesh_tp', ranks: range(8), calls: THROUGHOUT }, 'tensor', 0.95],
  [
    'but less where the calls do not fit it',
    { description: 'pipeline', ranks: range(8, 8), calls: LATE },
    'pipeline',
    0.65,
  ],
  ['fully sharded by description', { description: 'fsdp', ranks: range(8), calls: SHARDS }, 'fully-sharded', 0.95],
  ['all-reduces within a host, all through the step', { ranks: range(8), calls: THROUGHOUT }, 'tensor', 0.8],
  ['all-reduces at a stride, late in the step', { ranks: range(8, 8), calls: LATE }, 'data', 0.8],
  ['gathers and scatters at a stride', { ranks: range(8, 8), calls: SHARDS }, 'fully-sharded', 0.75],
  ['sends at a stride', { ranks: range(8, 8), calls: PAIRS }, 'pipeline', 0.8],
] as const)('%s', (_, group, kind, confidence) => {
  expect(families([group])).toMatchObject([{ kind, confidence, groups: 1 }]);
});

test('what could be two things is no answer', () => {
  const [sharded] = families([{ ranks: range(8), calls: SHARDS }]);
  expect(sharded?.confidence).toBeLessThan(0.7);
  const [exchanged] = families([{ ranks: range(8, 8), calls: [['all-to-all', 50]] }]);
  expect(exchanged?.confidence).toBeLessThan(0.7);
  expect(exchanged).toMatchObject({ size: 8, stride: 8 });
});

test('groups that are alike are one family; groups of one rank and without calls are none', () => {
  const list = [0, 1, 2].map((at): Calls => ({
    description: 'tp',
    ranks: range(2).map((r) => r + 2 * at),
    calls: PAIRS,
  }));
  expect(families([...list, { ranks: [5], calls: PAIRS }, { ranks: range(3), calls: [] }])).toMatchObject([
    { groups: 3, size: 2, stride: 1 },
  ]);
});

test('the user knows better, by name, description or ranks', () => {
  const group: Calls = { name: '7', description: 'mesh_tp', ranks: range(8), calls: THROUGHOUT };
  for (const named of [{ name: '7' }, { description: 'mesh_tp' }, { ranks: range(8) }]) {
    expect(families([group], [{ kind: 'expert', ...named }])).toMatchObject([
      { kind: 'expert', confidence: 1, evidence: ['file'] },
    ]);
  }
  expect(families([group], [{ kind: 'expert', name: '8' }])).toMatchObject([{ kind: 'tensor' }]);
});

test('nobody calls in a group', () => {
  expect(groupsAnswer(judgeGroups([member(0, [])], []))).toMatchObject({ status: 'not-applicable' });
});
