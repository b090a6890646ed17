import { expect, test } from 'vitest';
import { buildGraph } from '../graph/graph.ts';
import { jsonOf, readJson, traceOf } from '../test-kit/draw.ts';
import { rankCalls } from './calls.ts';
import type { RankCalls } from './model.ts';

const callsOf = (drawing: string): RankCalls => rankCalls(buildGraph(traceOf(drawing)), 0);

const args = (more: string): string =>
  `{Collective name=allreduce,In msg nelems=10,Out msg nelems=10,dtype=Float,Process Group Name=3,${more}}`;

test('a call is a kernel with its record; the wait for it is none; the kernel’s name says nothing', () => {
  const { calls, groups, steps } = callsOf(`
    cpu 1    | record_param_comms@10+10${args('Group size=2,Seq=7,Comms Id=1234567890123,Process Group Ranks=[4, 5]')}
             | cudaLaunchKernel#1@12+2
             | record_param_comms@30+5{Collective name=wait,In msg nelems=0,Out msg nelems=0,Group size=1,dtype=Byte}
    ann 1    | ProfilerStep#5@0+40 ## optimizer ##@5+20 nccl:all_reduce@11+4
    gpu 0.20 | ncclDevKernel_SendRecv#1@20+30
  `);
  expect(steps).toEqual(['ProfilerStep#5']);
  expect(groups).toEqual([{ key: '3|4+1×2', name: '3', description: '', ranks: [4, 5], size: 2, signature: '' }]);
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({
    op: 'all-reduce',
    from: 'record',
    group: 0,
    sequence: 7,
    commsId: '1234567890123',
    step: 0,
    annotation: '## optimizer ##',
    startNs: 20_000,
    endNs: 50_000,
    sizeBytes: 40,
    hasZeroSplit: false,
    peer: -1,
  });
});

/** The members of a group whose list the writer cut. */
const membersOf = (said: string, head = ''): readonly number[] | undefined => {
  const json = jsonOf(`
    cpu 1    | cudaLaunchKernel#1@0+2
    gpu 0.20 | ncclDevKernel_AllReduce#1@5+5${args(said)}
  `).replace('{', `{${head}`);
  return rankCalls(buildGraph(readJson(json)), 0).groups[0].ranks;
};

test('a list that is cut is completed from start, stride and size', () => {
  const even = 'Group size=4,Process Group Ranks=[1, 9, ...],Global rank start=1,Global rank stride=8';
  expect(membersOf(even)).toEqual([1, 9, 17, 25]);
  expect(membersOf('Group size=4,Process Group Ranks=[1, 9, ...]')).toBeUndefined();
});

test('a start and a stride that the list contradicts say nothing, nor does a size that no job has', () => {
  expect(
    membersOf('Group size=4,Process Group Ranks=[1, 3, ...],Global rank start=1,Global rank stride=8'),
  ).toBeUndefined();
  const huge = 'Group size=1048577,Process Group Ranks=[0, 1, ...],Global rank start=0,Global rank stride=1';
  expect(membersOf(huge)).toBeUndefined();
});

test('else from the group of that name in the head of the trace', () => {
  const head = (ranks: string): string =>
    `"distributedInfo":{"rank":0,"pg_config":[{"pg_name":"2","ranks":[1,2,3]},{"pg_name":"3","ranks":${ranks}}]},`;
  const said = 'Group size=3,Process Group Ranks=[1, 5, ...]';
  expect(membersOf(said, head('[1, 5, 6]'))).toEqual([1, 5, 6]);
  expect(membersOf(said, head('[1, 4, 6]'))).toBeUndefined();
  expect(membersOf(said, head('[1, 5]'))).toBeUndefined();
});

test('roots and the other side of sends are global ranks', () => {
  const peerOf = (said: string): number => {
    const { calls } = callsOf(`
      cpu 1    | cudaLaunchKernel#1@0+2
      gpu 0.20 | ncclDevKernel_X#1@5+5{In msg nelems=1,Out msg nelems=1,dtype=Int,Process Group Ranks=[6, 8],${said}}
    `);
    return calls[0].peer;
  };
  expect(peerOf('Collective name=broadcast,Rank=1')).toBe(8);
  expect(peerOf('Collective name=send,Rank=0')).toBe(6);
  expect(peerOf('Collective name=send,Rank=0,Dst Rank=8')).toBe(8);
  expect(peerOf('Collective name=recv,Src Rank=6')).toBe(6);
  expect(peerOf('Collective name=allreduce,Rank=1')).toBe(-1);
});

test('an all-to-all in which a member gets nothing is not symmetric', () => {
  const hasZero = (said: string): boolean => {
    const { calls } = callsOf(`
      cpu 1    | cudaLaunchKernel#1@0+2
      gpu 0.20 | ncclDevKernel_SendRecv#1@5+5{dtype=Int,${said}}
    `);
    return calls[0].hasZeroSplit;
  };
  expect(hasZero('Collective name=all_to_allv,In split size=[3, 0],Out split size=[1, 2]')).toBe(true);
  expect(hasZero('Collective name=all_to_allv,In split size=[3, 10],Out split size=[]')).toBe(false);
  expect(hasZero('Collective name=all_to_allv,In split size=[1, 0, 2, ...]')).toBe(true);
  expect(hasZero('Collective name=all_to_allv,In split size=[10, 20, ...]')).toBe(false);
  expect(hasZero('Collective name=all_to_allv,In msg nelems=0,Out msg nelems=4')).toBe(true);
  expect(hasZero('Collective name=allgather,In split size=[0]')).toBe(false);
});

test('without names a group is its stream, known elsewhere by who calls what in it; shapes tell its size', () => {
  const { groups, calls } = callsOf(`
    cpu 1    | c10d::_allgather_base_@0+20{Input Dims=[[640], [10], []],Input type=["float", "float", ""]} cudaLaunchKernel#1@8+2
             | c10d::allreduce_@30+20 cudaLaunchKernel#2@38+2
    ann 1    | nccl:_all_gather_base@5+10{Input Dims=[[10]],Input type=["float"]} nccl:all_reduce@35+10
    gpu 0.20 | ncclKernel_SendRecv#1@12+10
    gpu 0.24 | ncclKernel_SendRecv#2@42+10
  `);
  expect(groups.map(({ key, size, signature }) => [key, size, signature])).toEqual([
    ['?20', 64, 'main:all-gather'],
    ['?24', undefined, 'main:all-reduce'],
  ]);
  expect(calls.map(({ from }) => from)).toEqual(['annotation', 'annotation']);
});

test('a kernel that says nothing and is of no library is a class of its own', () => {
  const { calls } = callsOf(`
    cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@4+2
    gpu 0.20 | cross_device_reduce_1stage#1@5+5 ncclDevKernel_AllReduce_Sum_f32_RING_LL#2@12+5
  `);
  expect(calls.map(({ op, from }) => [op, from])).toEqual([
    ['custom', 'kernel-name'],
    ['all-reduce', 'kernel-name'],
  ]);
});
