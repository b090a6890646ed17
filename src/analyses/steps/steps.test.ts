import { describe, expect, test } from 'vitest';
import { EVERYTHING, randomCase } from '../../sim/random.ts';
import {
  DEFAULT_WINDOW,
  annotationWindow,
  resultOf,
  stepWindow,
  subjectFor,
  subjectOf,
} from '../../test-kit/answers.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import { simulatedTrace } from '../../test-kit/simulated.ts';
import { realSubject, realTraceFiles } from '../../test-kit/traces.ts';
import type { RenderOptions, Subject } from '../contract.ts';
import { computeSteps } from './compute.ts';
import { renderSteps } from './render-text.ts';
import type { StepRow, StepsResult } from './result.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

/** Steps of the lengths given (µs), each with one launch at its start and a kernel of 20 µs 30 µs later. */
function drawn(lengths: readonly number[], { warm = 0 } = {}): string {
  let at = 0;
  const steps = lengths.map((length, i) => {
    const start = at;
    at += length;
    const op = `aten::mm@${start}+${length - 10} cudaLaunchKernel#${i + 1}@${start + 5}+5`;
    const hiccup = i === warm - 1 ? ' gc@' + (start + length - 8) + '+4' : '';
    return { ann: `ProfilerStep#${i}@${start}+${length}`, op: op + hiccup, gpu: `gemm#${i + 1}@${start + 35}+20` };
  });
  return `
    ann 1   | ${steps.map(({ ann }) => ann).join(' ')}
    cpu 1   | ${steps.map(({ op }) => op).join(' ')}
    gpu 0.7 | ${steps.map(({ gpu }) => gpu).join(' ')}
  `;
}

const stepsOf = (subject: Subject, window = DEFAULT_WINDOW): StepsResult => resultOf(computeSteps(subject, { window }));
const rowText = ({ label, wallNs, distrust, isOutlier }: StepRow): string =>
  [label, wallNs / 1000, ...distrust, ...(isOutlier ? ['outlier'] : [])].join(' ');

describe('which steps count', () => {
  test('a slow first step is warm-up; one far from the rest an outlier', () => {
    const result = stepsOf(subjectOf(drawn([200, 100, 101, 99, 130, 100])));
    expect(result.rows.map(rowText)).toEqual([
      'ProfilerStep#0 200 warm-up',
      'ProfilerStep#1 100',
      'ProfilerStep#2 101',
      'ProfilerStep#3 99',
      'ProfilerStep#4 130 outlier',
      'ProfilerStep#5 100',
    ]);
    expect(result.summary).toEqual({
      count: 5,
      medianNs: 100_000,
      minNs: 99_000,
      maxNs: 130_000,
      madNs: 1_000,
      spread: 0.31,
      medianStep: 'ProfilerStep#1',
      medianRow: 1,
    });
    // 3 × 1.4826 × 1 µs is less than 5 % of the median.
    expect(result.outlierRule).toEqual({ limitNs: 5_000, steps: 5 });
  });
  test('with three steps none is called an outlier, and a note says so', () => {
    const result = stepsOf(subjectOf(drawn([100, 100, 120])));
    expect(result.rows.some(({ isOutlier }) => isOutlier)).toBe(false);
    expect(result.notes[0]).toBe('3 steps count: too few to call one an outlier (4 are needed)');
  });
  test('a first step with work from before, one without device work, one with lost launches', () => {
    const result = stepsOf(
      subjectOf(`
        ann 1   | ProfilerStep#0@10+90 ProfilerStep#1@100+100 ProfilerStep#2@200+100 ProfilerStep#3@300+100
        cpu 1   | cudaLaunchKernel#1@0+5 a@20+70 cudaLaunchKernel#2@110+5 cudaLaunchKernel#3@210+5 cudaLaunchKernel#4@220+5 b@310+50
        gpu 0.7 | gemm#1@5+30 gemm#2@120+10 gemm#3@220+10
      `),
    );
    expect(result.rows.map(rowText)).toEqual([
      'ProfilerStep#0 90 no-device-work',
      'ProfilerStep#1 100',
      'ProfilerStep#2 100 lost-launches',
      'ProfilerStep#3 100 no-device-work',
    ]);
    expect(result.rows[0].differs).toBeDefined();
  });
  test('one step only: no median to compare with but itself', () => {
    const result = stepsOf(subjectOf(drawn([100])));
    expect(result.summary).toMatchObject({ count: 1, medianNs: 100_000 });
    expect(renderSteps(result, PLAIN)).toContain('100.0 µs, the only one');
  });
});

describe('what differs', () => {
  const subject = subjectOf(drawn([100, 100, 100, 130], { warm: 4 }));
  test('by kind it adds up to the difference of the walls', () => {
    const [, , , slow] = stepsOf(subject).rows;
    const sum = slow.differs?.byKind.reduce((total, { deltaNs }) => total + deltaNs, 0);
    expect([slow.wallNs, sum]).toEqual([130_000, 30_000]);
    expect(slow.differs?.largest[0]).toMatchObject({ kind: 'host-work', name: 'aten::mm', deltaNs: 30_000 });
    expect(slow.differs?.largest[0].longest?.name).toBe('aten::mm');
  });
  test('a device is busy for the union of its runs, and idle for the rest', () => {
    expect(stepsOf(subject).rows[3].devices).toEqual([{ device: 0, busyNs: 20_000, idleNs: 110_000 }]);
    expect(stepsOf(subject).rows[3].deviceOps).toBe(1);
  });
});

describe('which step is the median one', () => {
  const medianOf = (subject: Subject, window = DEFAULT_WINDOW): unknown => {
    const { rows, summary } = stepsOf(subject, window);
    return [summary?.medianRow, ...rows.flatMap(({ differs }, i) => (differs === undefined ? [i] : []))];
  };
  test('by its place: labels repeat where a profiler was started twice', () => {
    const again = drawn([100, 200, 130, 150, 160, 140]).replaceAll(
      /ProfilerStep#([345])/g,
      (_, number) => `ProfilerStep#${Number(number) - 3}`,
    );
    // The median is 145: 150 and 140 are as near.
    expect(medianOf(subjectOf(again))).toEqual([5, 5]);
    const text = renderSteps(stepsOf(subjectOf(again)), PLAIN);
    expect(text.split('\n').filter((line) => line.endsWith(' median'))).toEqual([
      expect.stringMatching(/ at 0\.740 ms +140\.0 µs/),
    ]);
    expect(text).toContain('ProfilerStep#1 at 0.100 ms: +60.0 µs against ProfilerStep#2 at 0.740 ms, the median step');
  });
  test('all windows of an annotation have one label', () => {
    const marked = subjectOf('ann 1 | a@0+50 a@50+90 a@140+60\ncpu 1 | x@0+50 x@50+90 x@140+60');
    expect(medianOf(marked, annotationWindow('a'))).toEqual([2, 2]);
  });
  test('of two that are as near the shorter, so that the longer one is told of', () => {
    const result = stepsOf(subjectOf(drawn([130, 100])));
    expect(result.summary).toMatchObject({ medianNs: 115_000, medianRow: 1 });
    expect(renderSteps(result, PLAIN)).toContain('ProfilerStep#0: +30.0 µs against ProfilerStep#1');
  });
  test('never one that took no time, where another did', () => {
    // What the first step launched ends behind the second one, which so takes no time of its own.
    const result = stepsOf(
      subjectOf(`
        ann 1   | ProfilerStep#0@0+100 ProfilerStep#1@100+50 ProfilerStep#2@150+460
        cpu 1   | mm@1+20 cudaLaunchKernel#1@2+2 mm@101+10 cudaLaunchKernel#2@102+2 mm@151+10 cudaLaunchKernel#3@152+2
        gpu 0.7 | long#1@10+400 z#3@500+100
        gpu 0.9 | short#2@110+10
      `),
    );
    expect(result.rows.map(({ wallNs }) => wallNs)).toEqual([410_000, 0, 200_000]);
    // The first is warm-up; 0 and 200 are as near to their median.
    expect(result.summary).toMatchObject({ medianNs: 100_000, medianRow: 2 });
    const two = stepsOf(
      subjectOf(`
        ann 1   | ProfilerStep#0@0+100 ProfilerStep#1@100+50
        cpu 1   | mm@1+20 cudaLaunchKernel#1@2+2 mm@101+10 cudaLaunchKernel#2@102+2
        gpu 0.7 | long#1@10+400
        gpu 0.9 | short#2@110+10
      `),
    );
    expect(two.rows.map(({ wallNs }) => wallNs)).toEqual([410_000, 0]);
    expect(two.summary).toMatchObject({ medianNs: 205_000, medianStep: 'ProfilerStep#0', medianRow: 0 });
  });
});

describe('how steps are found', () => {
  test('what was asked for is taken as it is', () => {
    const subject = subjectOf(drawn([100, 100, 100]));
    expect(stepsOf(subject, stepWindow(1, 2)).rows.map(({ label }) => label)).toEqual([
      'ProfilerStep#1',
      'ProfilerStep#2',
    ]);
    const marked = subjectOf('ann 1 | a@0+50 a@50+60\ncpu 1 | x@0+50 x@50+60');
    const result = stepsOf(marked, annotationWindow('a'));
    expect([result.foundBy, ...result.rows.map(rowText)]).toEqual(['window', 'a 50', 'a 60']);
  });
  test('steps that are ops, as in 2021', () => {
    const subject = subjectOf(
      'ann 1 | ProfilerStep#1@0+50{cat=Operator} ProfilerStep#2@60+50{cat=Operator}\ncpu 1 | a@5+10 a@65+10',
    );
    const result = stepsOf(subject);
    expect([result.foundBy, ...result.rows.map(rowText)]).toEqual([
      'profiler-steps',
      'ProfilerStep#1 50',
      'ProfilerStep#2 60',
    ]);
  });
  test('by repetition, and it says so', () => {
    const round = (at: number): string =>
      `aten::embedding@${at}+10 aten::mm@${at + 10}+60 cudaStreamSynchronize#${at + 1}@${at + 75}+5`;
    const result = stepsOf(subjectOf(`cpu 1 | ${[0, 100, 200, 300].map(round).join(' ')}`));
    expect(result.foundBy).toBe('repetition');
    expect(result.repetition).toEqual({ anchor: 'aten::embedding', alike: 1, cover: 1, confidence: 'medium' });
    expect(result.rows.map(rowText)).toEqual(['round 0 100', 'round 1 100', 'round 2 100', 'round 3 80 open-end']);
    expect(result.notes[0]).toMatch(/^no ProfilerStep annotations: .* begin with aten::embedding.*confidence medium/);
  });
  test('no steps and no repetition: does not apply', () => {
    const outcome = computeSteps(subjectOf('cpu 1 | a@0+10 b@20+10'), { window: DEFAULT_WINDOW });
    expect(outcome).toEqual({
      status: 'not-applicable',
      reason: 'the trace has no ProfilerStep annotations, and no repetition was found: the main thread has too few ops',
    });
  });
});

function expectClosed(subject: Subject, label: string): void {
  const outcome = computeSteps(subject, { window: DEFAULT_WINDOW });
  if (outcome.status !== 'ok') return;
  const { rows, summary, window, betweenNs } = outcome.result;
  expect(
    rows.reduce((sum, { wallNs }) => sum + wallNs, betweenNs),
    label,
  ).toBe(window.wallNs);
  const median = rows.find((row) => row.label === summary?.medianStep && row.distrust.length === 0);
  for (const row of rows) {
    expect(
      row.path.reduce((sum, { totalNs }) => sum + totalNs, 0),
      `${label} ${row.label}`,
    ).toBe(row.wallNs);
    for (const { busyNs, idleNs } of row.devices) expect(Math.min(busyNs, idleNs)).toBeGreaterThanOrEqual(0);
    if (row.differs === undefined || median === undefined) continue;
    const delta = row.differs.byKind.reduce((sum, { deltaNs }) => sum + deltaNs, 0);
    expect(delta, `${label} ${row.label}`).toBe(row.wallNs - median.wallNs);
  }
}

test('sums close: random programs', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { job, kineto } = randomCase(seed, EVERYTHING);
    expectClosed(subjectFor(simulatedTrace(job, 0, kineto)), `seed ${seed}`);
  }
});

test.each(realTraceFiles())('sums close: %s', (file) => expectClosed(realSubject(file), file));

test('the text', () => {
  const texts = [drawn([200, 100, 101, 99, 130, 100], { warm: 5 }), drawn([100])].map((drawing) =>
    renderSteps(stepsOf(subjectOf(drawing)), PLAIN),
  );
  expectGolden(import.meta.url, 'golden/steps.txt', texts.join('\n'));
  for (const line of texts.join('\n').split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
});
