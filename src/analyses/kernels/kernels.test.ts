import { describe, expect, test } from 'vitest';
import { NO_STRING } from '../../trace/ids.ts';
import { DEFAULT_WINDOW, pathFor, rangeWindow, resultOf, subjectFor, subjectOf } from '../../test-kit/answers.ts';
import { readJson, traceOf } from '../../test-kit/draw.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import { simulatedTrace } from '../../test-kit/simulated.ts';
import { realSubject } from '../../test-kit/traces.ts';
import { EVERYTHING, randomCase } from '../../sim/random.ts';
import type { RenderOptions, Subject } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeKernels } from './compute.ts';
import { inputsText } from './inputs-text.ts';
import { renderKernels } from './render-text.ts';
import type { KernelsResult } from './result.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

const kernelsOf = (subject: Subject, options: Partial<ScopeOptions> = {}): KernelsResult =>
  resultOf(computeKernels(subject, { window: DEFAULT_WINDOW, ...options }));
const drawn = (drawing: string, options: Partial<ScopeOptions> = {}): KernelsResult =>
  kernelsOf(subjectOf(drawing), options);

/** Two steps of 50 µs. The copy is on another stream and waits for nothing, so that nothing waits for it. */
const STEPS = `
  ann 1    | ProfilerStep#1@0+20 ProfilerStep#2@50+20
  cpu 1    | aten::mm@0+10{Input Dims=[[8]],Input type=["float"]} cudaLaunchKernel#1@2+3
           | aten::mm@10+5{Input Dims=[[9]],Input type=["float"]} cudaLaunchKernel#2@11+2 aten::copy_@16+3 cudaMemcpyAsync#3@17+1
           | aten::mm@50+10{Input Dims=[[8]],Input type=["float"]} cudaLaunchKernel#4@52+3 cudaLaunchKernel#5@62+2
  gpu 0.7  | gemm#1@10+10 gemm#2@20+30 gemm#4@60+20 ncclKernel_AllReduce#5@80+20
  gpu 0.8  | Memcpy HtoD (Pinned -> Device)#3@25+5
`;

describe('by name', () => {
  test('every number can be read off the drawing', () => {
    const { rows, ...result } = drawn(STEPS);
    expect(result).toMatchObject({
      count: 5,
      opTimeNs: 85_000,
      devices: [{ device: 0, busyNs: 80_000, opTimeNs: 85_000 }],
      classes: [
        { class: 'computation', kernels: 1, count: 3, totalNs: 60_000, share: 60 / 85, pathNs: 60_000 },
        { class: 'communication', kernels: 1, count: 1, totalNs: 20_000, share: 20 / 85, pathNs: 20_000 },
        { class: 'copy', kernels: 1, count: 1, totalNs: 5_000, share: 5 / 85, pathNs: 0 },
      ],
    });
    expect(rows.map(({ name }) => name)).toEqual(['gemm', 'ncclKernel_AllReduce', 'Memcpy HtoD (Pinned -> Device)']);
    expect(rows[0]).toMatchObject({
      class: 'computation',
      count: 3,
      totalNs: 60_000,
      minNs: 10_000,
      medianNs: 20_000,
      meanNs: 20_000,
      p95Ns: 29_000,
      maxNs: 30_000,
      stddevNs: 10_000,
      devices: [0],
      largest: { name: 'gemm', correlation: 2, lane: 's-0.7' },
      perWindow: { count: [2, 1], totalNs: [40_000, 20_000] },
    });
  });

  test('a single instance has no deviation, and is its own quantiles', () => {
    const [row] = drawn(STEPS).rows.filter(({ class: name }) => name === 'copy');
    expect(row).toMatchObject({ minNs: 5_000, medianNs: 5_000, meanNs: 5_000, p95Ns: 5_000, maxNs: 5_000 });
    expect(row).not.toHaveProperty('stddevNs');
  });

  test('what is off the path has slack: as much as it may grow before the end moves', () => {
    const { rows } = drawn(`
      cpu 1   | cudaLaunchKernel#1@0+1 cudaLaunchKernel#2@1+1
      gpu 0.7 | long#1@1+50
      gpu 0.8 | short#2@2+10
    `);
    expect(rows.map(({ name, pathNs, slackNs }) => [name, pathNs, slackNs])).toEqual([
      ['long', 50_000, 0],
      ['short', 0, 39_000],
    ]);
  });

  test('the slack of a kernel is that of its tightest instance', () => {
    const { rows } = drawn(`
      cpu 1   | cudaLaunchKernel#1@0+1 cudaLaunchKernel#2@1+1
      gpu 0.7 | k#1@1+50
      gpu 0.8 | k#2@2+10
    `);
    expect(rows.map(({ count, slackNs, pathNs }) => [count, slackNs, pathNs])).toEqual([[2, 0, 50_000]]);
  });

  test('a range cuts: totals have the part inside, durations the whole; its end has no slack', () => {
    const { rows, count, notes } = drawn(STEPS, { window: rangeWindow(15, 40) });
    expect(count).toBe(3);
    expect(rows[0]).toMatchObject({ name: 'gemm', count: 2, totalNs: 25_000, maxNs: 30_000, meanNs: 20_000 });
    expect(rows[0]).not.toHaveProperty('slackNs');
    expect(notes).toContain('a range has no slack: its end does not move');
    expect(notes.join('\n')).toContain('2 device ops crossed');
  });

  test('ops of several devices and streams are one row; each device is busy for itself', () => {
    const { rows, devices } = drawn(`
      gpu 0.7 | gemm#1@0+10
      gpu 0.8 | gemm#2@5+10
      gpu 1.7 | gemm#3@5+10
    `);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ count: 3, totalNs: 30_000, devices: [0, 1] });
    expect(devices).toEqual([
      { device: 0, busyNs: 15_000, opTimeNs: 20_000 },
      { device: 1, busyNs: 10_000, opTimeNs: 10_000 },
    ]);
  });

  test('ops without a length count, and make no share of nothing', () => {
    const { rows, opTimeNs } = drawn('gpu 0.7 | empty#1@0+0 empty#2@5+0');
    expect(opTimeNs).toBe(0);
    expect(rows).toEqual([expect.objectContaining({ count: 2, totalNs: 0, share: 0, medianNs: 0, stddevNs: 0 })]);
  });

  test('a name with collective args here and without there is two rows', () => {
    const { rows } = drawn('gpu 0.7 | k#1@0+5{Collective name=allreduce} k#2@10+4');
    expect(rows.map((row) => [row.name, row.class, row.count])).toEqual([
      ['k', 'communication', 1],
      ['k', 'computation', 1],
    ]);
  });

  test('rules change the class', () => {
    const { classes } = drawn(STEPS, { classRules: [{ match: '^gemm', class: 'other' }] });
    expect(classes.map((each) => [each.class, each.count])).toEqual([
      ['other', 3],
      ['communication', 1],
      ['copy', 1],
    ]);
  });

  test('HIP is the same', () => {
    const [cuda, hip] = [drawn(STEPS), kernelsOf(subjectOf(STEPS, { vendor: 'hip' }))];
    expect(hip.rows).toEqual(cuda.rows);
    expect(hip.shapes).toEqual(cuda.shapes);
  });
});

describe('by the operator that launched it', () => {
  test('and its inputs: the innermost operator around the call', () => {
    expect(
      drawn(STEPS).shapes.map((row) => [row.name, row.op, row.inputDims, row.inputTypes, row.count, row.totalNs]),
    ).toEqual([
      ['gemm', 'aten::mm', '[[9]]', '["float"]', 1, 30_000],
      ['gemm', 'aten::mm', '[[8]]', '["float"]', 2, 30_000],
      ['ncclKernel_AllReduce', undefined, undefined, undefined, 1, 20_000],
      ['Memcpy HtoD (Pinned -> Device)', 'aten::copy_', undefined, undefined, 1, 5_000],
    ]);
  });

  test('of several operators around a call the innermost', () => {
    const { shapes } = drawn(`
      cpu 1   | aten::linear@0+20{Input Dims=[[7]]} aten::mm@1+10{Input Dims=[[8]]} cudaLaunchKernel#1@2+3 cudaLaunchKernel#2@15+2
      gpu 0.7 | gemm#1@10+5 bias#2@20+2
    `);
    expect(shapes.map(({ name, op, inputDims }) => [name, op, inputDims])).toEqual([
      ['gemm', 'aten::mm', '[[8]]'],
      ['bias', 'aten::linear', '[[7]]'],
    ]);
  });

  test('a graph does not tell what recorded its nodes', () => {
    const { shapes, notes } = drawn(`
      cpu 1   | aten::replay@0+10{Input Dims=[[8]]} cudaGraphLaunch#1@1+3
      gpu 0.7 | a#1@5+5 b#1@10+5
    `);
    expect(shapes.map(({ name, op, inputDims }) => [name, op, inputDims])).toEqual([
      ['a', undefined, undefined],
      ['b', undefined, undefined],
    ]);
    expect(notes[0]).toBe(
      'no operator is known for 2 of 2 device ops: 2 launched by a graph, which does not tell what recorded them',
    );
  });

  test('lists of the file are read as they stand', () => {
    const trace = readJson(
      JSON.stringify({
        traceEvents: [
          {
            ph: 'X',
            cat: 'cpu_op',
            name: 'aten::mm',
            pid: 1,
            tid: 1,
            ts: 0,
            dur: 10,
            args: { 'Input Dims': [[20, 64], [], [[1], [2, 3]]], 'Input type': ['float', '', 'Scalar'] },
          },
          {
            ph: 'X',
            cat: 'cuda_runtime',
            name: 'cudaLaunchKernel',
            pid: 1,
            tid: 1,
            ts: 1,
            dur: 2,
            args: { correlation: 1 },
          },
          {
            ph: 'X',
            cat: 'kernel',
            name: 'gemm',
            pid: 0,
            tid: 7,
            ts: 5,
            dur: 2,
            args: { correlation: 1, device: 0, stream: 7 },
          },
        ],
      }),
    );
    const [row] = kernelsOf(subjectFor(trace)).shapes;
    expect([row.inputDims, row.inputTypes]).toEqual(['[[20,64],[],[[1],[2,3]]]', '["float","","Scalar"]']);
    expect(traceOf('cpu 1 | mm@0+5').ops.inputDims[0]).toBe(NO_STRING);
  });

  test.each([
    ['[[20, 64], [64, 3], []]', '["float", "float", "Scalar"]', '[20,64] [64,3] float'],
    ['[[8], [8], [], [8]]', '["c10::BFloat16", "long int", "", "int"]', '3×[8] BFloat16 long int int'],
    ['[[[2, 3], [2, 3], [4]], []]', '["TensorList", ""]', '(2×[2,3] [4])'],
    ['[]', '[]', ''],
    ['[[1, 2', '["flo', '[[1, 2'],
    [undefined, undefined, ''],
  ])('%s with %s is told as %s', (dims, types, text) => {
    expect(inputsText(dims, types)).toBe(text);
  });
});

test('the order of the rows in the file changes nothing', () => {
  const numbers = ({ rows, shapes, classes, devices }: KernelsResult): unknown => [
    rows.map((row) => ({ ...row, largest: undefined })),
    shapes.map((row) => JSON.stringify({ ...row, largest: undefined })).sort(),
    classes,
    devices,
  ];
  for (const shuffleSeed of [1, 2, 3]) {
    expect(numbers(kernelsOf(subjectOf(STEPS, { shuffleSeed })))).toEqual(numbers(drawn(STEPS)));
  }
});

describe('does not apply', () => {
  test.each([
    ['to a trace without device ops', 'cpu 1 | mm@0+5', DEFAULT_WINDOW, /no device ops/],
    [
      'to a window in which none runs',
      'cpu 1 | mm@0+50 cudaLaunchKernel#1@1+1 \n gpu 0.7 | k#1@2+3',
      rangeWindow(10, 20),
      /no device op runs/,
    ],
  ])('%s', (_, drawing, window, reason) => {
    const outcome = computeKernels(subjectOf(drawing), { window });
    expect(outcome).toMatchObject({ status: 'not-applicable', reason: expect.stringMatching(reason) as string });
  });
});

/** Sums close: rows, classes, shapes and windows are all of the time, and the path's device segments are in them. */
function checkSums(subject: Subject): void {
  const outcome = computeKernels(subject, { window: DEFAULT_WINDOW });
  if (outcome.status !== 'ok') return;
  const { rows, shapes, classes, devices, opTimeNs, count, windows } = outcome.result;
  const sum = <T>(list: readonly T[], of: (each: T) => number): number =>
    list.reduce((total, each) => total + of(each), 0);
  for (const list of [rows, shapes, classes]) {
    expect(sum<{ totalNs: number }>(list, (row) => row.totalNs)).toBe(opTimeNs);
    expect(sum<{ count: number }>(list, (row) => row.count)).toBe(count);
  }
  expect(sum(devices, (each) => each.opTimeNs)).toBe(opTimeNs);
  for (const { busyNs, opTimeNs: each } of devices) expect(busyNs).toBeLessThanOrEqual(each);
  for (const row of rows) {
    expect(sum(row.perWindow.totalNs, (each) => each)).toBe(row.totalNs);
    expect(sum(row.perWindow.count, (each) => each)).toBe(row.count);
    expect(row.perWindow.count).toHaveLength(windows.length);
    expect(row.pathNs).toBeLessThanOrEqual(row.totalNs);
    expect([row.minNs, row.medianNs, row.p95Ns, row.maxNs]).toEqual(
      [row.minNs, row.medianNs, row.p95Ns, row.maxNs].toSorted((a, b) => a - b),
    );
  }
  const path = pathFor(subject).path.breakdown.filter(({ kind }) => /^(kernel|collective|copy)$/.test(kind));
  expect(sum(rows, (row) => row.pathNs)).toBe(sum(path, (each) => each.totalNs));
  expect(/[:[,](null|NaN)/.test(JSON.stringify(outcome.result))).toBe(false);
}

describe('sums close', () => {
  test('of random programs', () => {
    for (let seed = 1; seed <= 25; seed++) {
      const { job, kineto } = randomCase(seed, EVERYTHING);
      checkSums(subjectFor(simulatedTrace(job, 0, kineto)));
    }
  });
  test.each([
    'diff/v100_graphs.json.gz',
    'single/qwen_h100_stacks.json.gz',
    'old/resnet50_2021_v100.json.gz',
    'single/gpu_only_mi210.json.gz',
  ])('of %s', (file) => {
    checkSums(realSubject(file));
  });
});

test('the text', () => {
  expectGolden(import.meta.url, 'golden/kernels.txt', renderKernels(drawn(STEPS), PLAIN));
});

test('names cannot steer a terminal, and long ones fit', () => {
  const text = renderKernels(drawn(`gpu 0.7 | ${'gemm\u001b[31m'.repeat(40)}#1@0+10`), PLAIN);
  expect(text).not.toContain('\u001b');
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});
