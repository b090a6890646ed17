import { describe, expect, test } from 'vitest';
import { DEFAULT_WINDOW, rangeWindow, resultOf, subjectFor, subjectOf } from '../../test-kit/answers.ts';
import { jsonOf, readJson } from '../../test-kit/draw.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import type { RenderOptions } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeCommunication } from './compute.ts';
import { bytesOfDtype, bytesOfInputs } from '../../graph/dtype.ts';
import { busFactor, operationOf, operationOfKernel, sizeOf } from '../../graph/collective-op.ts';
import { renderCommunication } from './render-text.ts';
import type { CollectiveCall, CommunicationResult } from './result.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

const communicationOf = (drawing: string, options: Partial<ScopeOptions> = {}): CommunicationResult =>
  resultOf(computeCommunication(subjectOf(drawing), { window: DEFAULT_WINDOW, ...options }));

/** `all-reduce 4000 B @20+40 overlapped 20 exposed 20`, times in µs. */
const textOf = ({ operation, sizeBytes, sizeUnknown, startNs, durationNs, ...call }: CollectiveCall): string =>
  `${operation} ${sizeBytes === undefined ? sizeUnknown : `${sizeBytes} B`} @${startNs / 1000}+${durationNs / 1000}` +
  ` overlapped ${call.overlappedNs / 1000} exposed ${call.exposedNs / 1000}`;

const args = (name: string, elements: number, ranks: number): string =>
  `{Collective name=${name},In msg nelems=${elements},Out msg nelems=${elements},Group size=${ranks},dtype=Float,` +
  'Process Group Name=0,Process Group Description=default_pg,Seq=3}';

/**
 *   gemm        10………40          60………80
 *   all-reduce       20………………60                4,000 B: half of it beside gemm
 *   broadcast                         70………………90  1,000 B
 */
const DRAWN = `
  cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@2+2 cudaLaunchKernel#3@4+2 cudaLaunchKernel#4@6+2
  gpu 0.7  | gemm#1@10+30 relu#3@60+20
  gpu 0.20 | ncclDevKernel_AllReduce_Sum_f32_RING_LL#2@20+40${args('allreduce', 1000, 4)}
           | ncclDevKernel_Broadcast_RING_LL#4@70+20${args('broadcast', 250, 4)}
`;

test('each call: operation, size, what computation hides of it, how fast it is', () => {
  const { calls } = communicationOf(DRAWN);
  expect(calls.map(textOf)).toEqual([
    'all-reduce 4000 B @20+40 overlapped 20 exposed 20',
    'broadcast 1000 B @70+20 overlapped 10 exposed 10',
  ]);
  // 4,000 B in 40 µs; of each byte a link of a ring of four carries 1.5.
  expect(calls[0]).toMatchObject({
    operationFrom: 'args',
    sizeFrom: 'args',
    dtype: 'Float',
    inBytes: 4_000,
    outBytes: 4_000,
    sequence: 3,
    group: { name: '0', description: 'default_pg', size: 4 },
    bandwidth: { algorithmGBps: 0.1, busGBps: expect.closeTo(0.15, 12) as number },
  });
  expect(calls[1]?.bandwidth).toEqual({ algorithmGBps: 0.05, busGBps: 0.05 });
});

test('of a device exposed and overlapped are communication', () => {
  expect(communicationOf(DRAWN).devices).toEqual([
    { device: 0, communicationNs: 60_000, overlappedNs: 30_000, exposedNs: 30_000, overlapShare: 0.5 },
  ]);
});

test('a window cuts the totals, not the calls', () => {
  const result = communicationOf(DRAWN, { window: rangeWindow(30, 65) });
  expect(result.calls.map(textOf)).toEqual(['all-reduce 4000 B @20+40 overlapped 20 exposed 20']);
  expect(result.devices[0]).toMatchObject({ communicationNs: 30_000, overlappedNs: 10_000, exposedNs: 20_000 });
  expect(result.notes.join()).toContain("1 call reaches over the window's border");
});

test('two streams at once are one time of the device, and computation of another device hides nothing', () => {
  const result = communicationOf(`
    cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@2+2 cudaLaunchKernel#3@4+2
    gpu 0.20 | ncclDevKernel_AllReduce#1@10+20
    gpu 0.21 | ncclDevKernel_AllGather#2@20+20
    gpu 1.7  | gemm#3@10+30
  `);
  expect(result.devices).toEqual([
    { device: 0, communicationNs: 30_000, overlappedNs: 0, exposedNs: 30_000, overlapShare: 0 },
  ]);
});

test('calls of one operation, group, size and type are a row', () => {
  const again = DRAWN.replace('cudaLaunchKernel#4@6+2', 'cudaLaunchKernel#4@6+2 cudaLaunchKernel#5@8+2').concat(
    `           | ncclDevKernel_AllReduce_Sum_f32_RING_LL#5@100+20${args('allreduce', 1000, 4)}`,
  );
  const [reduce, ...others] = communicationOf(again).groups;
  expect(others).toHaveLength(1);
  expect(reduce).toMatchObject({
    operation: 'all-reduce',
    sizeBytes: 4_000,
    calls: 2,
    totalNs: 60_000,
    medianNs: 30_000,
    exposedNs: 40_000,
    algorithmGBps: { max: 0.2 },
    busGBps: { max: expect.closeTo(0.3, 12) as number },
  });
  expect(reduce?.busGBps?.median).toBeCloseTo(0.225, 12);
});

test('args of the record that launched it stand in for the kernel’s own; `wait` is no call', () => {
  const { calls } = communicationOf(`
    cpu 1    | record_param_comms@0+10${args('_allgather_base', 500, 2)} cudaLaunchKernel#1@2+2
             | record_param_comms@20+5{Collective name=wait,In msg nelems=0,Out msg nelems=0,Group size=1,dtype=Byte}
    gpu 0.20 | ncclKernel_SendRecv#1@12+10
  `);
  expect(calls.map(textOf)).toEqual(['all-gather 2000 B @12+10 overlapped 0 exposed 10']);
  expect(calls[0]).toMatchObject({
    operationFrom: 'record',
    sizeFrom: 'record',
    record: { name: 'record_param_comms' },
  });
});

test('all kernels of one record are one call: its bytes count once', () => {
  const { calls } = communicationOf(`
    cpu 1    | record_param_comms@0+10${args('all_to_allv', 1000, 2)} cudaLaunchKernel#1@2+2 cudaLaunchKernel#2@5+2
    gpu 0.20 | ncclKernel_SendRecv#1@12+10 ncclKernel_SendRecv#2@30+10
  `);
  // From 12 to 40, of which 10 µs in between no kernel ran.
  expect(calls.map(textOf)).toEqual(['all-to-all 4000 B @12+28 overlapped 0 exposed 20']);
  expect(calls[0]).toMatchObject({ kernels: 2, bandwidth: { algorithmGBps: 4_000 / 28_000 } });
});

test('an annotation tells operation and shapes where the record has none', () => {
  const { calls } = communicationOf(`
    cpu 1    | record_param_comms@0+10 cudaLaunchKernel#1@2+2
    ann 1    | nccl:all_reduce@1+8{Input Dims=[[25]],Input type=["float"]}
    gpu 0.20 | ncclKernel_SendRecv#1@12+10
  `);
  expect(calls.map(textOf)).toEqual(['all-reduce 100 B @12+10 overlapped 0 exposed 10']);
  expect(calls[0]).toMatchObject({ operationFrom: 'annotation', sizeFrom: 'annotation' });
  expect(calls[0]?.bandwidth?.busGBps).toBeUndefined();
});

test('sends and receives that are launched together sum up their records: each way counts for itself', () => {
  const { calls } = communicationOf(`
    cpu 1    | record_param_comms@0+5${args('send', 1000, 2)} record_param_comms@6+5${args('recv', 500, 2)}
             | cudaLaunchKernelExC#1@12+2 cudaLaunchKernelExC#2@20+2
    gpu 0.20 | ncclDevKernel_SendRecv#1@20+10 ncclDevKernel_SendRecv#2@40+10
  `);
  expect(calls.map(textOf)).toEqual([
    'send-recv 4000 B @20+10 overlapped 0 exposed 10',
    'send-recv no-record @40+10 overlapped 0 exposed 10',
  ]);
  expect(calls[0]).toMatchObject({ sizeFrom: 'heuristic:earlier-records', inBytes: 4_000, outBytes: 2_000 });
  expect(calls[1]).toMatchObject({ operationFrom: 'kernel-name' });
});

describe('records before a kernel tell nothing of it', () => {
  test.each([
    // A collective of gloo ran on the host; the kernel is one of vLLM's own.
    [
      'of another operation',
      'allreduce',
      'void vllm::cross_device_reduce_1stage<half, 8>(RankData*)',
      '',
      'all-reduce',
    ],
    ['that are no sends and receives', 'allreduce', 'ncclDevKernel_SendRecv', '', 'send-recv'],
    ['where the kernel is none', 'send', 'ncclDevKernel_AllReduce_Sum_f32', '', 'all-reduce'],
    [
      'that launched something, whose row is lost',
      'send',
      'ncclDevKernel_SendRecv',
      'cudaLaunchKernel#9@1+2',
      'send-recv',
    ],
  ])('%s', (_, recorded, kernel, inside, operation) => {
    const { calls } = communicationOf(`
      cpu 1    | record_param_comms@0+5${args(recorded, 1000, 2)} ${inside} cudaLaunchKernel#1@12+2
      gpu 0.20 | ${kernel}#1@20+10
    `);
    expect(calls.map(textOf)).toEqual([`${operation} no-record @20+10 overlapped 0 exposed 10`]);
  });
});

test('a kernel whose name does not tell its operation may be that of the records before it', () => {
  const { calls } = communicationOf(`
    cpu 1    | record_param_comms@0+5${args('send 0->1', 1000, 2)} cudaLaunchKernel#1@12+2
    gpu 0.20 | ncclDevKernel_Generic_1#1@20+10
  `);
  expect(calls.map(textOf)).toEqual(['send 4000 B @20+10 overlapped 0 exposed 10']);
});

test('the list of the ranks tells the size of the group where nothing else does', () => {
  const drawing =
    'gpu 0.20 | ncclDevKernel@10+5{Collective name=allgather,In msg nelems=10,dtype=Float,Process Group Ranks=RANKS}';
  const groupSize = (ranks: string): number | undefined => {
    const subject = subjectFor(readJson(jsonOf(drawing).replace('"RANKS"', JSON.stringify(ranks))));
    return resultOf(computeCommunication(subject, { window: DEFAULT_WINDOW })).calls[0]?.group?.size;
  };
  expect(groupSize('[0, 1]')).toBe(2);
  // Cut short by the writer; none; no ranks.
  expect(['[0, 1, ...]', '[0, 1, ..., 7]', '[]', '[0, 0]', '[-1]', '8'].map(groupSize)).toEqual(
    Array.from({ length: 6 }, () => undefined),
  );
});

test('a collective without a length runs where it stands, also at the very end of a window', () => {
  const at = (from: number, to: number): number | undefined => {
    const outcome = computeCommunication(subjectOf('gpu 0.20 | ncclDevKernel_AllReduce@10+0 gemm@0+30'), {
      window: rangeWindow(from, to),
    });
    return outcome.status === 'ok' ? outcome.result.calls.length : undefined;
  };
  expect([at(0, 10), at(10, 20), at(0, 9), at(11, 20)]).toEqual([1, 1, undefined, undefined]);
});

test('the kernel’s own args count before those of its record', () => {
  const { calls } = communicationOf(`
    cpu 1    | record_param_comms@0+10${args('broadcast', 7, 2)} cudaLaunchKernel#1@2+2
    gpu 0.20 | ncclDevKernel#1@12+10${args('allreduce', 1000, 4)}
  `);
  expect(calls.map(textOf)).toEqual(['all-reduce 4000 B @12+10 overlapped 0 exposed 10']);
  expect(calls[0]?.group?.size).toBe(4);
});

test('a graph does not say what its nodes move, even with records before it', () => {
  const { calls } = communicationOf(`
    cpu 1    | record_param_comms@0+5${args('send', 1000, 2)} cudaGraphLaunch#1@12+2
    gpu 0.20 | ncclDevKernel_SendRecv#1@20+10 gemm#1@30+10
  `);
  expect(calls.map(textOf)).toEqual(['send-recv graph-launch @20+10 overlapped 0 exposed 10']);
});

test('records of a capture are of no launch behind it', () => {
  const { calls } = communicationOf(`
    cpu 1    | record_param_comms@0+5${args('send', 1000, 2)} cudaStreamEndCapture@6+1 cudaLaunchKernel#1@12+2
    gpu 0.20 | ncclDevKernel_SendRecv#1@30+10
  `);
  expect(calls.map(textOf)).toEqual(['send-recv no-record @30+10 overlapped 0 exposed 10']);
});

test.each([
  ['ncclDevKernel_AllReduce@10+5', 'all-reduce no-launch'],
  [`ncclDevKernel_Generic@10+5{Collective name=mystery,In msg nelems=10,dtype=Float}`, 'unknown unknown-operation'],
  [`ncclDevKernel_AllReduce@10+5{Collective name=allreduce,In msg nelems=10,dtype=Odd}`, 'all-reduce unknown-dtype'],
  [`ncclDevKernel@10+5{Collective name=allgather,In msg nelems=10,dtype=Float}`, 'all-gather unknown-group'],
  [`ncclDevKernel@10+5{Collective name=barrier,In msg nelems=1,dtype=Byte}`, 'barrier barrier'],
])('an unknown size has its reason: %s', (kernel, text) => {
  const { calls, notes } = communicationOf(`gpu 0.20 | ${kernel}`);
  expect(calls.map(textOf)).toEqual([`${text} @0+5 overlapped 0 exposed 5`]);
  expect(calls[0]?.bandwidth).toBeUndefined();
  expect(notes.join()).toContain('the size of 1 of 1 call is not known');
});

test.each([
  ['cpu 1 | mm@0+5', 'the trace has no device rows, so no collective of a device: those of gloo run on the host'],
  ['gpu 0.7 | gemm@0+5', 'no device op is a collective (1 device op)'],
  [
    'cpu 1 | record_param_comms@0+5',
    'the trace has no device rows, so no collective of a device: those of gloo run on the host; 1 record_param_comms op on the host launched none',
  ],
])('does not apply without collectives: %s', (drawing, reason) => {
  expect(computeCommunication(subjectOf(drawing), { window: DEFAULT_WINDOW })).toEqual({
    status: 'not-applicable',
    reason,
  });
});

test('does not apply to a window without any', () => {
  expect(computeCommunication(subjectOf(DRAWN), { window: rangeWindow(0, 15) })).toEqual({
    status: 'not-applicable',
    reason: "none of the trace's 2 collectives runs in the window",
  });
});

test.each([
  ['allreduce', 'all-reduce'],
  ['allreduce_coalesced', 'all-reduce'],
  ['_allgather_base', 'all-gather'],
  ['_all_gather_base', 'all-gather'],
  ['allgather_into_tensor_coalesced', 'all-gather'],
  ['_reduce_scatter_base', 'reduce-scatter'],
  ['reduce_scatter_tensor_coalesced', 'reduce-scatter'],
  ['all_to_allv', 'all-to-all'],
  ['alltoall_base', 'all-to-all'],
  ['_broadcast_oop', 'broadcast'],
  ['_reduce_oop', 'reduce'],
  ['send 0->1', 'send'],
  ['recvAnySource', 'recv'],
  ['wait', undefined],
])('the operation of %s', (name, operation) => expect(operationOf(name)).toBe(operation));

test.each([
  ['ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)', 'reduce-scatter'],
  ['ncclKernel_Reduce_RING_LL_Sum_float(ncclWorkElem)', 'reduce'],
  ['void vllm::cross_device_reduce_1stage<__half, 2>(RankData*)', 'all-reduce'],
  ['ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)', undefined],
])('the operation of the kernel %s', (name, operation) => expect(operationOfKernel(name)).toBe(operation));

test('sizes and factors are those of nccl-tests', () => {
  expect(sizeOf('all-gather', 100, undefined, 8)).toBe(800);
  expect(sizeOf('all-gather', 100, undefined, undefined)).toBeUndefined();
  expect(sizeOf('reduce-scatter', 800, 100, 8)).toBe(800);
  expect(sizeOf('all-to-all', 800, 600, 8)).toBe(800);
  expect(sizeOf('gather', 100, 0, 8)).toBe(800);
  expect(busFactor('all-reduce', 8)).toBe(1.75);
  expect(busFactor('all-gather', 8)).toBe(0.875);
  expect(busFactor('send', undefined)).toBe(1);
});

test('bytes of types, by all their names', () => {
  expect(
    ['BFloat16', 'c10::BFloat16', 'Float8_e4m3fn', 'long int', 'QInt8', 'Double', 'Odd'].map(bytesOfDtype),
  ).toEqual([2, 2, 1, 8, 1, 8, undefined]);
  // Of packed types PyTorch counts bytes as elements; of types of less than a byte it counts values.
  expect(['Bits1x8', 'Bits2x4', 'Bits4x2', 'Float4_e2m1fn_x2'].map(bytesOfDtype)).toEqual([1, 1, 1, 1]);
  expect(['QUInt4x2', 'QUInt2x4', 'Int4', 'UInt1'].map(bytesOfDtype)).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
  expect(bytesOfInputs('[[2, 3], [4]]', '["float", "int"]')).toEqual({ bytes: 40, dtype: 'float + int' });
  expect(bytesOfInputs('[[2, 3], ...', '["float"]')).toBeUndefined();
  expect(bytesOfInputs('[[]]', '["TensorList"]')).toBeUndefined();
});

test('the text', () =>
  expectGolden(import.meta.url, 'golden/communication.txt', renderCommunication(communicationOf(DRAWN), PLAIN)));

test('no line is wider than 100 columns', () => {
  const wide = DRAWN.replaceAll('default_pg', `pg${'x'.repeat(90)}`).replaceAll('Float', `Float${'y'.repeat(90)}`);
  for (const line of renderCommunication(communicationOf(wide), PLAIN).split('\n')) {
    expect(line.length, line).toBeLessThanOrEqual(100);
  }
});
