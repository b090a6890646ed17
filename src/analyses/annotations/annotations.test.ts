import { describe, expect, test } from 'vitest';
import { EVERYTHING, randomCase } from '../../sim/random.ts';
import {
  DEFAULT_WINDOW,
  annotationWindow,
  rangeWindow,
  resultOf,
  subjectFor,
  subjectOf,
} from '../../test-kit/answers.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import { simulatedTrace } from '../../test-kit/simulated.ts';
import { realSubject } from '../../test-kit/traces.ts';
import type { RenderOptions, Subject } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeAnnotations } from './compute.ts';
import { renderAnnotations } from './render-text.ts';
import type { AnnotationsResult, AnnotationsRow } from './result.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

const annotationsOf = (subject: Subject, options: Partial<ScopeOptions> = {}): AnnotationsResult =>
  resultOf(computeAnnotations(subject, { window: DEFAULT_WINDOW, ...options }));
const drawn = (drawing: string, options: Partial<ScopeOptions> = {}): AnnotationsResult =>
  annotationsOf(subjectOf(drawing), options);
function rowOf({ rows }: AnnotationsResult, name: string): AnnotationsRow {
  const row = rows.find((each) => each.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
}

/** `load` runs ahead: its copy runs when `forward` is on the host, whose own kernels run on two streams at once. */
const DRAWN = `
  ann 1    | train@0+60 load@0+10 forward@10+20 forward@35+5 norm@12+4
  cpu 1    | aten::copy_@0+5 cudaMemcpyAsync#1@2+1 aten::mm@11+10 cudaLaunchKernel#2@13+1 cudaLaunchKernel#3@18+1
           | cudaLaunchKernel#4@36+1 cudaLaunchKernel#5@62+1
  gpu 0.7  | Memcpy HtoD#1@12+8 gemm#2@20+10 gemm#4@40+5 late#5@65+5
  gpu 0.8  | relu#3@25+10
`;

describe('by name', () => {
  const result = drawn(DRAWN);

  test('host time: in all, and outside of annotations inside', () => {
    expect(
      ['train', 'load', 'forward', 'norm'].map((name) => {
        const { count, totalNs, selfNs, durations } = rowOf(result, name);
        return [name, count, totalNs, selfNs, durations?.medianNs, durations?.maxNs];
      }),
    ).toEqual([
      ['train', 1, 60_000, 25_000, 60_000, 60_000],
      ['load', 1, 10_000, 10_000, 10_000, 10_000],
      ['forward', 2, 25_000, 21_000, 12_500, 20_000],
      ['norm', 1, 4_000, 4_000, 4_000, 4_000],
    ]);
  });

  test('device work is what its calls launched, whenever that ran; streams at once count once', () => {
    expect(['train', 'load', 'forward', 'norm'].map((name) => [name, rowOf(result, name).launched])).toEqual([
      ['train', { ops: 4, workerOps: 0, opTimeNs: 33_000, devices: [{ device: 0, busyNs: 28_000 }] }],
      ['load', { ops: 1, workerOps: 0, opTimeNs: 8_000, devices: [{ device: 0, busyNs: 8_000 }] }],
      ['forward', { ops: 3, workerOps: 0, opTimeNs: 25_000, devices: [{ device: 0, busyNs: 20_000 }] }],
      ['norm', { ops: 1, workerOps: 0, opTimeNs: 10_000, devices: [{ device: 0, busyNs: 10_000 }] }],
    ]);
    expect(result.outside).toEqual({ ops: 1, opTimeNs: 5_000 });
  });

  test('the path: host time in it, and what it launched', () => {
    // The host bounds all of it: what it launched was over before the last call.
    const { pathNs } = rowOf(result, 'train');
    expect(pathNs).toBe(60_000);
  });
});

test('each instance, the longest first', () => {
  expect(
    drawn(DRAWN).instances.map(({ event, startNs, durNs, launched, deviceStartNs, deviceEndNs }) => [
      event.name,
      startNs / 1000,
      durNs / 1000,
      launched.ops,
      (deviceStartNs ?? -1) / 1000,
      (deviceEndNs ?? -1) / 1000,
    ]),
  ).toEqual([
    ['train', 0, 60, 4, 12, 45],
    ['forward', 10, 20, 2, 20, 35],
    ['load', 0, 10, 1, 12, 20],
    ['forward', 35, 5, 1, 40, 45],
    ['norm', 12, 4, 1, 20, 30],
  ]);
});

test('what reaches out of another is taken off each for its own part', () => {
  const { rows } = drawn(`
    ann 1 | a@0+100 b@10+20 c@20+30
    cpu 1 | mm@0+100
  `);
  expect(rows.map(({ name, totalNs, selfNs }) => [name, totalNs, selfNs])).toEqual([
    ['a', 100_000, 60_000],
    ['c', 30_000, 30_000],
    ['b', 20_000, 10_000],
  ]);
});

test('one inside another of its name counts once; threads count each', () => {
  const result = drawn(`
    ann 1 | f@0+50 f@10+10
    ann 2 | f@0+30
    cpu 1 | mm@0+60
    cpu 2 | mm@0+60
  `);
  // For 50 of 60 µs some thread was in it.
  expect(rowOf(result, 'f')).toMatchObject({ count: 3, threads: 2, totalNs: 80_000, selfNs: 80_000, share: 50 / 60 });
});

test('the path goes on behind the last op of an annotation, where no event tells its name', () => {
  const { rows } = drawn(
    `
    ann 1 | A@0+100 C@300+100 inner@340+20
    cpu 1 | mm@1+20 mm@301+20
  `,
    { window: annotationWindow('C') },
  );
  expect(rows.map(({ name, pathNs }) => [name, pathNs])).toEqual([
    ['C', 100_000],
    ['inner', 20_000],
  ]);
});

test('what it launched counts at the very end of a window too, where it has no length', () => {
  const { rows } = drawn(
    `
    ann 1   | a@0+10
    cpu 1   | cudaLaunchKernel#1@1+3 mm@0+40
    gpu 0.7 | nop#1@20+0
  `,
    { window: rangeWindow(5, 20) },
  );
  expect(rows[0].launched).toMatchObject({ ops: 1, opTimeNs: 0 });
});

test('what the inner one of two of a name launched counts once', () => {
  const result = drawn(`
    ann 1   | f@0+50 f@10+10
    cpu 1   | mm@0+60 cudaLaunchKernel#1@12+2
    gpu 0.7 | gemm#1@20+10
  `);
  expect(rowOf(result, 'f').launched).toMatchObject({ ops: 1, opTimeNs: 10_000 });
  expect(result.instances.map(({ launched }) => launched.ops)).toEqual([1, 1]);
});

test('a backward thread works for the annotation of the thread that waits for it', () => {
  const result = drawn(`
    ann 1 | forward@0+20 backward@20+200
    cpu 1 | aten::mm@5+10{seq=1} cudaLaunchKernel#1@6+2 aten::backward@21+2 aten::add@219+1
    cpu 2 | autograd::engine::evaluate_function: MmBackward0@40+160{seq=1,fwd=1} cudaLaunchKernel#2@50+2
    gpu 0.7 | gemm#1@10+10 gemm#2@60+10
    flow  | fwdbwd#1 1@6 -> 2@41
  `);
  expect(rowOf(result, 'backward').launched).toEqual({
    ops: 1,
    workerOps: 1,
    opTimeNs: 10_000,
    devices: [{ device: 0, busyNs: 10_000 }],
  });
  expect(result.outside.ops).toBe(0);
  expect(result.notes.join('\n')).toContain('backward thread');
  // All of it is on the path: 20..40 and 200..220 on its own thread, 40..200 on the backward thread.
  expect(rowOf(result, 'backward')).toMatchObject({ totalNs: 200_000, pathNs: 200_000 });
});

test('work of a thread that nobody waits for is in no annotation, and said so', () => {
  const { rows, outside, notes } = drawn(`
    ann 1   | load@0+50
    cpu 1   | aten::rand@0+50
    cpu 2   | aten::copy_@5+5 cudaMemcpyAsync#1@6+1
    gpu 0.7 | Memcpy HtoD#1@10+5 orphan#-1@20+5
  `);
  expect(rows[0].launched.ops).toBe(0);
  expect(outside).toEqual({ ops: 2, opTimeNs: 10_000 });
  expect(notes.join('\n')).toContain('no annotation launched 2 device ops of 10.0 µs');
});

test('all nodes of a graph belong to its launch', () => {
  const { rows } = drawn(`
    ann 1   | replay@0+10
    cpu 1   | cudaGraphLaunch#1@1+3
    gpu 0.7 | a#1@5+5 b#1@10+5
    gpu 1.7 | c#1@5+20
  `);
  expect(rows[0].launched).toEqual({
    ops: 3,
    workerOps: 0,
    opTimeNs: 30_000,
    devices: [
      { device: 0, busyNs: 10_000 },
      { device: 1, busyNs: 20_000 },
    ],
  });
});

test('a window cuts: totals have the part inside, durations the whole', () => {
  const result = drawn(DRAWN, { window: rangeWindow(15, 30) });
  expect(rowOf(result, 'forward')).toMatchObject({ count: 1, totalNs: 15_000, durations: { maxNs: 20_000 } });
  expect(rowOf(result, 'forward').launched).toMatchObject({ ops: 2, opTimeNs: 15_000 });
  expect(result.notes.join('\n')).toContain("3 annotations cross the window's border");
});

test('what it launched counts as far as it runs in the window', () => {
  // The kernels of `forward` begin when the range is over.
  const result = drawn(DRAWN, { window: rangeWindow(10, 20) });
  expect(rowOf(result, 'forward')).toMatchObject({ totalNs: 10_000, launched: { ops: 0, opTimeNs: 0, devices: [] } });
  expect(rowOf(result, 'train').launched).toMatchObject({ ops: 1, opTimeNs: 8_000 });
});

test('what it launched before the window counts where it runs: the host is ahead', () => {
  // `load` is over when the range begins, its copy is not; the first `forward` too, in the second range, and its kernels are not.
  const before = drawn(DRAWN, { window: rangeWindow(11, 20) });
  expect(rowOf(before, 'load')).toMatchObject({
    count: 0,
    threads: 0,
    totalNs: 0,
    launched: { ops: 1, opTimeNs: 8_000, devices: [{ device: 0, busyNs: 8_000 }] },
  });
  expect(rowOf(before, 'load')).not.toHaveProperty('durations');
  const both = drawn(DRAWN, { window: rangeWindow(32, 44) });
  expect(rowOf(both, 'forward')).toMatchObject({
    count: 1,
    totalNs: 5_000,
    launched: { ops: 2, opTimeNs: 7_000, devices: [{ device: 0, busyNs: 7_000 }] },
  });
  expect(both.instances.map(({ event, launched }) => [event.name, launched.ops])).toEqual([
    ['train', 2],
    ['forward', 1],
  ]);
  const text = renderAnnotations(before, PLAIN);
  expect(text).toMatch(/0 ns +0 ns +\S+ +\S+ +0× +– +1 +8\.000 µs +load/);
  expect(text).toContain('1 name lies before the window, and runs on the devices in it');
});

describe('as the profiler drew them on the devices', () => {
  const result = drawn(`
    ann 1   | step@0+20{ext=5} other@30+5{ext=6}
    cpu 1   | cudaLaunchKernel#1@1+1 cudaLaunchKernel#2@3+1 cudaLaunchKernel#3@31+1
    gpu 0.7 | a#1@5+5 step@5+20{cat=gpu_user_annotation,ext=5} b#3@35+5
    gpu 0.8 | c#2@15+20 step@15+20{cat=gpu_user_annotation,ext=5} ghost@28+10{cat=gpu_user_annotation,ext=9}
    cpu 2   | mm@0+80
  `);

  test('one row a stream is one span: a label, no work', () => {
    expect(rowOf(result, 'step')).toMatchObject({
      launched: { ops: 2, opTimeNs: 25_000 },
      drawn: [{ device: 0, rows: 2, spanNs: 30_000 }],
    });
    expect(rowOf(result, 'other').drawn).toEqual([]);
    expect(result.instances.map(({ event, drawn: own }) => [event.name, own])).toEqual([
      ['step', [{ device: 0, rows: 2, spanNs: 30_000 }]],
      ['other', undefined],
    ]);
  });

  test('what has no row on the host has no host time', () => {
    expect(rowOf(result, 'ghost')).toMatchObject({
      count: 0,
      totalNs: 0,
      drawn: [{ device: 0, rows: 1, spanNs: 10_000 }],
    });
    expect(rowOf(result, 'ghost')).not.toHaveProperty('durations');
    expect(rowOf(result, 'ghost')).not.toHaveProperty('longest');
    expect(result.notes.join('\n')).toContain('1 name has rows on the device only');
  });
});

test('without device rows the host is told all the same', () => {
  const result = drawn('ann 1 | load@0+10 \n cpu 1 | mm@0+10');
  expect(rowOf(result, 'load')).toMatchObject({ totalNs: 10_000, launched: { ops: 0, devices: [] } });
});

test('the order of the rows in the file changes nothing', () => {
  const numbers = ({ rows, outside }: AnnotationsResult): unknown => [
    rows.map((row) => ({ ...row, longest: undefined })),
    outside,
  ];
  for (const shuffleSeed of [1, 2, 3]) {
    expect(numbers(annotationsOf(subjectOf(DRAWN, { shuffleSeed })))).toEqual(numbers(drawn(DRAWN)));
  }
});

describe('does not apply', () => {
  test.each([
    ['without annotations', 'cpu 1 | mm@0+50', DEFAULT_WINDOW, /record_function/],
    ['where none lies in the window', 'ann 1 | a@0+5 \n cpu 1 | mm@0+50', rangeWindow(20, 30), /lies in that window/],
  ])('%s', (_, drawing, window, reason) => {
    expect(computeAnnotations(subjectOf(drawing), { window })).toMatchObject({
      status: 'not-applicable',
      reason: expect.stringMatching(reason) as string,
    });
  });
});

function checkBounds(subject: Subject): void {
  const outcome = computeAnnotations(subject, { window: DEFAULT_WINDOW });
  if (outcome.status !== 'ok') return;
  const { rows, instances, window } = outcome.result;
  for (const { selfNs, totalNs, threads, launched, count, share } of rows) {
    expect(share).toBeLessThanOrEqual(1);
    expect(share * window.wallNs).toBeLessThanOrEqual(totalNs + 1e-6 * window.wallNs);
    expect(selfNs).toBeGreaterThanOrEqual(0);
    expect(selfNs).toBeLessThanOrEqual(totalNs);
    expect(totalNs).toBeLessThanOrEqual(threads * window.wallNs);
    expect(threads).toBeLessThanOrEqual(count);
    expect(launched.workerOps).toBeLessThanOrEqual(launched.ops);
    const busy = launched.devices.reduce((total, { busyNs }) => total + busyNs, 0);
    expect(busy).toBeLessThanOrEqual(launched.opTimeNs);
  }
  expect(instances).toHaveLength(rows.reduce((total, { count }) => total + count, 0));
  expect(/[:[,](null|NaN)/.test(JSON.stringify(outcome.result))).toBe(false);
}

describe('parts are no more than the whole', () => {
  test('of random programs', () => {
    for (let seed = 1; seed <= 25; seed++) {
      const { job, kineto } = randomCase(seed, EVERYTHING);
      checkBounds(subjectFor(simulatedTrace(job, 0, kineto)));
    }
  });
  test.each(['diff/a100_eager.json.gz', 'single/nccl_args_a100_rank0of2.json.gz', 'single/cpu_only.json.gz'])(
    'of %s',
    (file) => {
      checkBounds(realSubject(file));
    },
  );
});

test('the text', () => {
  expectGolden(import.meta.url, 'golden/annotations.txt', renderAnnotations(drawn(DRAWN), PLAIN));
});

test('names cannot steer a terminal, and long ones fit', () => {
  const name = 'step\u001b[31m'.repeat(40);
  const text = renderAnnotations(drawn(`ann 1 | ${name}@0+10 \n cpu 1 | mm@0+10`), PLAIN);
  expect(text).not.toContain('\u001b');
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});
