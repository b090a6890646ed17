import { expect, test } from 'vitest';
import { DEFAULT_WINDOW, rangeWindow, resultOf, subjectOf } from '../../test-kit/answers.ts';
import type { DrawOptions } from '../../test-kit/draw.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import type { RenderOptions } from '../contract.ts';
import { computeLaunches } from './compute.ts';
import type { LaunchesOptions } from './options.ts';
import { renderLaunches } from './render-text.ts';
import type { Launch, LaunchesResult } from './result.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

/**
 *   call        ends  first op begins  delay  stream idle   found waiting
 *   #1   0+5       5                8      3            3   –
 *   #2  10+5      15               38     23            0   – (gemm runs)
 *   #3  20+5      25               40     15            0   relu
 *   #4  30+60     90               95      5            5   relu, add
 *   #5 120+140   260              200      0            0   –         the call waits for its copy
 *   #6 270+5     275              500    225          225   –
 *   #7 280+5     285                –
 */
const DRAWN = `
  cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@10+5 cudaLaunchKernel#3@20+5 cudaGraphLaunch#4@30+60
           | cudaMemcpyAsync#5@120+140 cudaLaunchKernel#6@270+5 cudaLaunchKernel#7@280+5
  gpu 0.7  | gemm#1@8+30 relu#2@38+2 add#3@40+10 node1#4@95+10 node2#4@105+10
           | Memcpy DtoH (Device -> Pageable)#5@200+40
  gpu 0.20 | late#6@500+10
`;

const launchesOf = (drawing: string, options: Partial<LaunchesOptions> = {}, drawn: DrawOptions = {}): LaunchesResult =>
  resultOf(computeLaunches(subjectOf(drawing, drawn), { window: DEFAULT_WINDOW, ...options }));

/** `#3 5 +15 idle 0 found 1`, times in µs. */
const textOf = ({ call, callNs, delayNs, idleNs, queued }: Launch): string =>
  `#${call.correlation} ${callNs / 1000}` +
  (delayNs === undefined ? '' : ` +${delayNs / 1000} idle ${(idleNs ?? NaN) / 1000} found ${queued}`);

const EACH = [
  '#1 5 +3 idle 3 found 0',
  '#2 5 +23 idle 0 found 0',
  '#3 5 +15 idle 0 found 1',
  '#4 60 +5 idle 5 found 2',
  '#5 140 +0 idle 0 found 0',
  '#6 5 +225 idle 225 found 0',
  '#7 5',
];

test('each launch: how long its call took, how long its op waited, what it found waiting', () => {
  expect(launchesOf(DRAWN, { each: true }).launches?.map(textOf)).toEqual(EACH);
  expect(launchesOf(DRAWN).launches).toBeUndefined();
});

test('the same of HIP', () => {
  const result = launchesOf(DRAWN, { each: true }, { vendor: 'hip' });
  expect(result.launches?.map(textOf)).toEqual(EACH);
  expect(result.apis.map(({ name }) => name)).toEqual(['hipLaunchKernel', 'hipGraphLaunch', 'hipMemcpyAsync']);
});

test('what they are like together', () => {
  const result = launchesOf(DRAWN);
  expect([result.calls, result.linked, result.deviceOps]).toEqual([7, 6, 7]);
  expect(result.call).toEqual({
    totalNs: 225_000,
    minNs: 5_000,
    medianNs: 5_000,
    meanNs: Math.round(225_000 / 7),
    p95Ns: 116_000,
    maxNs: 140_000,
  });
  expect(result.delay?.totalNs).toBe(271_000);
  expect(result.foundEmpty).toEqual({ count: 4, share: 4 / 6 });
  expect(result.waited).toEqual({ calls: 1, callNs: 140_000 });
  expect(result.early).toEqual({ beforeCallEnd: 1, beforeCallStart: 0 });
  expect(result.blocked).toEqual({ calls: 0, blockedNs: 0 });
  expect(
    result.apis.map(({ name, calls, linked, deviceOps, short }) => [name, calls, linked, deviceOps, short]),
  ).toEqual([
    ['cudaLaunchKernel', 5, 4, 4, 1],
    ['cudaGraphLaunch', 1, 1, 2, 1],
    ['cudaMemcpyAsync', 1, 1, 1, 0],
  ]);
});

test('what stands out, by limits that can be set', () => {
  const result = launchesOf(DRAWN);
  expect(result.longCalls.map(textOf)).toEqual([EACH[4], EACH[3]]);
  expect(result.longDelays.map(textOf)).toEqual([EACH[5]]);
  expect(result.shortKernels.map(({ name, count, deviceNs, callNs }) => [name, count, deviceNs, callNs])).toEqual([
    ['relu', 1, 2_000, 5_000],
  ]);
  const lower = launchesOf(DRAWN, { minCallNs: 100_000, minDelayNs: 4_000 });
  expect(lower.outliers).toEqual({ longCalls: 1, longDelays: 4, idleDelays: 2 });
  expect(lower.longDelays.map(textOf)).toEqual([EACH[5], EACH[3], EACH[1], EACH[2]]);
});

test('the stream is idle in all of a delay in which nothing ran before the op, not only at its end', () => {
  //   call 2 is back at 3: nothing runs until 50, a until 60, nothing until 70, b
  const result = launchesOf(
    `
    cpu 1    | cudaLaunchKernel#1@0+1 cudaLaunchKernel#2@2+1
    gpu 0.7  | a#1@50+10 b#2@70+5
    `,
    { each: true },
  );
  expect(result.launches?.map(({ delayNs, idleNs }) => [delayNs, idleNs])).toEqual([
    [49_000, 49_000],
    [67_000, 57_000],
  ]);
});

test('ops without a length keep no stream busy, and those of other streams neither', () => {
  const result = launchesOf(
    `
    cpu 1    | cudaLaunchKernel#1@0+1 cudaLaunchKernel#2@2+1 cudaLaunchKernel#3@4+1
    gpu 0.7  | a#1@70+0 b#2@70+5
    gpu 0.20 | c#3@10+50
    `,
    { each: true },
  );
  expect(result.launches?.[1]).toMatchObject({ delayNs: 67_000, idleNs: 67_000 });
});

test('a graph launch is one launch of several device ops', () => {
  const [graph] = launchesOf(DRAWN).graphs;
  expect(graph).toMatchObject({
    deviceOps: 2,
    callNs: 60_000,
    delayNs: 5_000,
    deviceNs: 20_000,
    op: { name: 'node1' },
  });
});

/**
 *   waits on s-0.7: gemm 0…8, relu 10…38, add 20…40, node1 30…95, node2 30…105, copy 120…200; in launches the graph counts once
 */
test('queues over time, each stream for itself', () => {
  const [first, second] = launchesOf(DRAWN, { fullQueue: 2 }).lanes;
  expect(first).toMatchObject({
    lane: 's-0.7',
    launches: 5,
    foundEmpty: 3,
    atLaunch: { min: 0, median: 0, mean: 0.6, max: 2 },
    overTime: { min: 0, mean: (8 + 28 + 20 + 65 + 75 + 80) / 510, median: 0, max: 4 },
    fullNs: 20_000,
  });
  expect(second).toMatchObject({ lane: 's-0.20', launches: 1, foundEmpty: 1, fullNs: 0 });
});

test('the same stream of two devices is two', () => {
  const { lanes } = launchesOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@10+5
    gpu 0.7  | gemm#1@20+30
    gpu 1.7  | gemm#2@20+30
  `);
  expect(lanes.map(({ lane, foundEmpty }) => [lane, foundEmpty])).toEqual([
    ['s-0.7', 1],
    ['s-1.7', 1],
  ]);
});

test('a launch into an idle device is on the path: its call, and the way to the device', () => {
  const { path } = launchesOf(`
    cpu 1    | cudaLaunchKernel#1@0+5
    gpu 0.7  | gemm#1@10+20
  `);
  expect(path).toEqual({ wallNs: 30_000, latencyNs: 5_000, callsNs: 5_000, launchBoundShare: 1 / 3 });
});

test('of the host work on the path only launch calls count', () => {
  // mm runs for 10 µs before it launches; gemm begins 6 µs after the call.
  const { path } = launchesOf(`
    cpu 1    | mm@0+20 cudaLaunchKernel#1@10+5
    gpu 0.7  | gemm#1@21+19
  `);
  expect(path).toMatchObject({ wallNs: 40_000, latencyNs: 6_000, callsNs: 5_000 });
});

test('a call that returns once a full queue has room waits for it', () => {
  const calls = Array.from({ length: 1_026 }, (_, i) =>
    i < 1_025 ? `cudaLaunchKernel#${i + 1}@${2 * i}+1` : `cudaLaunchKernel#${i + 1}@${2 * i}+5000`,
  );
  // The second kernel begins 4,995 µs after the last call began: 1,024 launches behind it waited until then.
  const kernels = Array.from(
    { length: 1_026 },
    (_, i) => `k#${i + 1}@${i === 0 ? 3 : 7_045 + i}+${i === 0 ? 7_042 : 1}`,
  );
  const { blocked, lanes } = launchesOf(`
    cpu 1    | ${calls.join(' ')}
    gpu 0.7  | ${kernels.join(' ')}
  `);
  expect(blocked).toEqual({ calls: 1, blockedNs: 4_996_000 });
  // 1,024 wait from the last call but one until the third kernel begins.
  expect(lanes[0]?.fullNs).toBe(7_047_000 - 2_048_000);
});

test('a range takes the calls that begin in it', () => {
  const result = launchesOf(DRAWN, { window: rangeWindow(10, 100), each: true });
  expect(result.launches?.map(textOf)).toEqual(EACH.slice(1, 4));
  expect(computeLaunches(subjectOf(DRAWN), { window: rangeWindow(290, 300) })).toEqual({
    status: 'not-applicable',
    reason: "none of the trace's 7 launch calls begins in the window",
  });
});

test('without device rows only the calls are known', () => {
  const result = launchesOf('cpu 1 | cudaLaunchKernel#1@0+5');
  expect(result).toMatchObject({ calls: 1, linked: 0, deviceOps: 0, lanes: [], shortKernels: [] });
  expect(result.delay).toBeUndefined();
  expect(result.notes[0]).toMatch(/no launch of the window has a device row/);
});

test.each([
  ['gpu 0.7 | gemm@0+5', /no launch calls: only the device side/],
  ['cpu 1 | mm@0+5', /no launch calls and no device rows/],
])('does not apply without launch calls: %s', (drawing, reason) => {
  expect(computeLaunches(subjectOf(drawing), { window: DEFAULT_WINDOW })).toMatchObject({
    status: 'not-applicable',
    reason: expect.stringMatching(reason) as string,
  });
});

test('device ops before their call, by the clock, have no delay and wait in no queue', () => {
  const result = launchesOf(
    `
    cpu 1    | cudaLaunchKernel#1@10+5 cudaLaunchKernel#2@20+5
    gpu 0.7  | gemm#1@8+2 relu#2@40+5
  `,
    { each: true },
  );
  expect(result.launches?.map(textOf)).toEqual(['#1 5 +0 idle 0 found 0', '#2 5 +15 idle 15 found 0']);
  expect(result.early).toEqual({ beforeCallEnd: 1, beforeCallStart: 1 });
});

test('the text', () => expectGolden(import.meta.url, 'golden/launches.txt', renderLaunches(launchesOf(DRAWN), PLAIN)));

test('no line is wider than 100 columns', () => {
  const wide = DRAWN.replaceAll('late', `late${'x'.repeat(200)}`).replaceAll(
    'cudaMemcpyAsync',
    `cudaMemcpyAsync${'y'.repeat(90)}`,
  );
  for (const line of renderLaunches(launchesOf(wide), PLAIN).split('\n')) {
    expect(line.length, line).toBeLessThanOrEqual(100);
  }
});
