import { describe, expect, test } from 'vitest';
import { DEFAULT_WINDOW, rangeWindow, resultOf, subjectOf } from '../../test-kit/answers.ts';
import { BREAKDOWN_CHECKS } from '../../test-kit/closing.ts';
import { failures } from '../../test-kit/checks.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import { realSubject } from '../../test-kit/traces.ts';
import { DEVICE_CLASSES } from '../../graph/classify.ts';
import type { RenderOptions } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeBreakdown } from './compute.ts';
import { renderBreakdown } from './render-text.ts';
import { type BreakdownResult, type TimeParts, WORK_CLASSES } from './result.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

const breakdownOf = (drawing: string, options: Partial<ScopeOptions> = {}): BreakdownResult => {
  const result = resultOf(computeBreakdown(subjectOf(drawing), { window: DEFAULT_WINDOW, ...options }));
  expect(failures(BREAKDOWN_CHECKS, result)).toEqual([]);
  return result;
};

/** Classes as `computation`, `computation+copy`, …, with their µs. */
const combinationsOf = ({ combinations, idleNs }: TimeParts): Record<string, number> => ({
  ...Object.fromEntries(combinations.map(({ classes, totalNs }) => [classes.join('+'), totalNs / 1000])),
  idle: idleNs / 1000,
});

/** Total, exposed and overlapped of a class, in µs. */
const classOf = ({ classes }: TimeParts, name: string): number[] => {
  const row = classes.find((each) => each.class === name);
  return row === undefined ? [] : [row.totalNs, row.exposedNs, row.overlappedNs].map((ns) => ns / 1000);
};

// 0    5 10   20   30   40   50   60   70   80
// launch |gemm--------------|         |gemm2|
//                |ncclAllReduce-------|
//                               |Memcpy----|
const THREE_STREAMS = `
  cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@5+1 cudaMemcpyAsync#3@6+1 cudaLaunchKernel#4@7+1
  gpu 0.7  | gemm#1@10+30 gemm2#4@60+20
  gpu 0.20 | ncclDevKernel_AllReduce#2@20+40
  gpu 0.21 | Memcpy HtoD#3@50+15
`;

describe('three streams', () => {
  const [device] = breakdownOf(THREE_STREAMS).devices;

  test('each combination of classes, and idle, sum to the 80 µs from the first call to the last end', () => {
    expect(combinationsOf(device)).toEqual({
      computation: 10 + 15,
      communication: 10,
      'computation+communication': 20,
      'communication+copy': 10,
      'computation+copy': 5,
      idle: 10,
    });
    expect([device.wallNs, device.busyNs, device.idleNs]).toEqual([80_000, 70_000, 10_000]);
  });

  test('computation is overlapped by anything, the others by computation alone', () => {
    expect(classOf(device, 'computation')).toEqual([50, 25, 25]);
    expect(classOf(device, 'communication')).toEqual([40, 20, 20]);
    expect(classOf(device, 'copy')).toEqual([15, 10, 5]);
    expect(classOf(device, 'other')).toEqual([]);
    expect(device.overlapShare).toBe(0.5);
  });

  test('a window cuts what crosses its border', () => {
    const [cut] = breakdownOf(THREE_STREAMS, { window: rangeWindow(30, 55) }).devices;
    expect(combinationsOf(cut)).toEqual({
      'computation+communication': 10,
      communication: 10,
      'communication+copy': 5,
      idle: 0,
    });
    expect(cut.overlapShare).toBe(0.4);
  });

  test('what the rules call other is a class of its own', () => {
    const classRules = [{ match: '^gemm2$', class: 'other' as const }];
    const [ruled] = breakdownOf(THREE_STREAMS, { classRules }).devices;
    expect(classOf(ruled, 'other')).toEqual([20, 20, 0]);
    expect(classOf(ruled, 'computation')).toEqual([30, 10, 20]);
  });
});

test('ops of one class that overlap count once, and ops of no length not at all', () => {
  const [device] = breakdownOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@5+1 cudaLaunchKernel#3@6+1
    gpu 0.7  | a#1@10+20 c#3@40+0
    gpu 0.20 | b#2@20+20
  `).devices;
  expect(combinationsOf(device)).toEqual({ computation: 30, idle: 10 });
});

test('synchronisation rows, annotations and host ops that carry a stream are no device work', () => {
  const [device] = breakdownOf(`
    cpu 1    | triton_kernel@0+80{stream=7} cudaLaunchKernel#1@0+5 cudaDeviceSynchronize#2@20+60
    gpu 0.7  | gemm#1@10+20
    sync 0   | ContextSync#2@20+60{stream=7}
    ann 1    | my range@0+80
  `).devices;
  expect(combinationsOf(device)).toEqual({ computation: 20, idle: 60 });
});

test('devices are apart: what one hides is nothing to the other', () => {
  const { devices } = breakdownOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@5+1
    gpu 0.7  | gemm#1@10+40
    gpu 1.7  | ncclDevKernel_AllReduce#2@20+30
  `);
  expect(devices.map(({ device }) => device)).toEqual([0, 1]);
  expect(devices.map(combinationsOf)).toEqual([
    { computation: 40, idle: 10 },
    { communication: 30, idle: 20 },
  ]);
  expect(devices[1].overlapShare).toBe(0);
});

test('steps tile: their parts sum to the whole, and the work of one lies in its own window', () => {
  const { windows, devices } = breakdownOf(`
    cpu 1    | cudaLaunchKernel#1@1+2 cudaLaunchKernel#2@51+2
    gpu 0.7  | a#1@10+30 b#2@60+40
    ann 1    | ProfilerStep#1@0+20 ProfilerStep#2@50+20
  `);
  expect(windows.map(({ label, startNs, endNs }) => [label, startNs / 1000, endNs / 1000])).toEqual([
    ['ProfilerStep#1', 0, 40],
    ['ProfilerStep#2', 40, 100],
  ]);
  expect(windows.map((window) => combinationsOf(window.devices[0]))).toEqual([
    { computation: 30, idle: 10 },
    { computation: 40, idle: 20 },
  ]);
  expect(combinationsOf(devices[0])).toEqual({ computation: 70, idle: 30 });
});

test('a trace without device ops has no idle device', () => {
  const outcome = computeBreakdown(subjectOf('cpu 1 | aten::mm@0+10'), { window: DEFAULT_WINDOW });
  expect(outcome).toMatchObject({ status: 'not-applicable', reason: expect.stringContaining('no device ops') });
});

test('launches that left no rows are said: the device was busier than it seems', () => {
  const { notes } = breakdownOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaGraphLaunch#2@10+5 cudaMemcpyAsync#3@20+5
    gpu 0.7  | gemm#1@10+20
  `);
  expect(notes[0]).toBe(
    '1 launch made here has no device row: what it ran counts as idle, so a device was busier than this says',
  );
});

test('a device that ran nothing in the window is said', () => {
  const { devices, notes } = breakdownOf(
    `
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@5+1
    gpu 0.7  | gemm#1@10+40
    gpu 1.7  | gemm#2@20+10
  `,
    { window: rangeWindow(35, 50) },
  );
  expect(devices.map(({ idleShare }) => idleShare)).toEqual([0, 1]);
  expect(notes[0]).toContain('device 1 ran nothing here');
});

test('the classes are those of the graph, in its order', () => {
  expect(DEVICE_CLASSES).toHaveLength(WORK_CLASSES.length);
  expect(
    DEVICE_CLASSES.map((name) => ({ kernel: 'computation', collective: 'communication' })[name as string] ?? name),
  ).toEqual(WORK_CLASSES);
});

describe('the text', () => {
  test('of one window', () => {
    expectGolden(import.meta.url, 'golden/breakdown.txt', renderBreakdown(breakdownOf(THREE_STREAMS), PLAIN));
  });

  test('of the steps of a real trace', () => {
    const subject = realSubject('ranks/dlrm_v100_8/worker0.pt.trace.json.gz');
    const text = renderBreakdown(resultOf(computeBreakdown(subject, { window: DEFAULT_WINDOW })), PLAIN);
    expectGolden(import.meta.url, 'golden/dlrm.txt', text);
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
  });
});
