import { describe, expect, test } from 'vitest';
import { type Action, type CollectiveAction, EXACT_COSTS, type Job, type TransferAction } from './program.ts';
import { JobRun } from './run.ts';

// Ranks come to their meeting after 100, 300 and 200 ns; calls and launches take no time.
const LATE = [100, 300, 200];
const NO_COSTS = {
  ...EXACT_COSTS,
  launchNs: 0,
  callNs: { launch: 0, graph: 0, copy: 0, record: 0, wait: 0, sync: 0, query: 0, allocate: 0 },
};
const on = { device: 0, stream: 20 };

function endsOf(actionOf: (rank: number) => Action | undefined): number[] {
  const ranks = LATE.map((ns, rank) => {
    const action = actionOf(rank);
    const body: Action[] = [{ kind: 'sleep', ns }, ...(action === undefined ? [] : [action])];
    return { threads: [{ name: 'main', body }] };
  });
  const group = { name: 'world', description: 'default_pg', ranks: [0, 1, 2] };
  const job: Job = { name: 'meeting', story: '', seed: 1, costs: NO_COSTS, groups: [group], ranks };
  const run = new JobRun(job);
  return ranks.map((_, rank) => {
    const { items } = run.truthOf(rank);
    return items.length > 1 ? items.end[1] : NaN;
  });
}

const call = (op: CollectiveAction['op'], more: Partial<CollectiveAction> = {}): CollectiveAction => ({
  kind: 'collective',
  op,
  group: 'world',
  on,
  name: op,
  ns: 50,
  elements: 1,
  dtype: 'Float',
  ...more,
});

describe('meetings of ranks', () => {
  test('a symmetric collective ends after the last arrival, for later members of the ring a little later', () => {
    expect(endsOf(() => call('allreduce', { tailNs: 2 }))).toEqual([350, 352, 354]);
  });

  test('an uneven all-to-all takes each rank as long as its own part', () => {
    expect(endsOf(() => call('all_to_all', { ns: [10, 20, 90] }))).toEqual([310, 320, 390]);
  });

  test('of a rooted collective only the root and oneself count', () => {
    expect(endsOf(() => call('broadcast', { root: 2 }))).toEqual([250, 350, 250]);
  });

  test('an eager send ends by itself, its receive after both; a large send waits for its receiver', () => {
    const transfer = (rank: number, isEager: boolean): TransferAction | undefined => {
      if (rank === 2) return undefined;
      const about = { group: 'world', on, name: 'SendRecv', ns: 50, isEager, elements: 1, dtype: 'Float' };
      return { kind: rank === 0 ? 'send' : 'receive', peer: 1 - rank, ...about };
    };
    expect(endsOf((rank) => transfer(rank, true)).slice(0, 2)).toEqual([150, 350]);
    expect(endsOf((rank) => transfer(rank, false)).slice(0, 2)).toEqual([350, 350]);
  });

  test('ranks that call differently never end, and it is said which', () => {
    expect(() => endsOf((rank) => (rank === 1 ? undefined : call('allreduce')))).not.toThrow();
    const sync: Action = { kind: 'device-sync', device: 0 };
    const wrapped = (rank: number): Action | undefined =>
      rank === 1 ? undefined : { kind: 'op', name: 'x', beforeNs: 0, body: [call('allreduce'), sync] };
    expect(() => endsOf(wrapped)).toThrow('ranks 0, 2 wait for ever');
  });
});
