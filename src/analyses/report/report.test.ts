import { expect, test } from 'vitest';
import { createSession } from '../../session/session.ts';
import { readJson, traceOf } from '../../test-kit/draw.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import type { RenderOptions } from '../contract.ts';
import { renderHealth, renderReport } from './render-text.ts';
import type { ReportResult } from './result.ts';
import { nextOf } from './words.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

/** Three steps of 100, 120 and 110 µs; the kernel is what they wait for. */
const STEPS = `
  ann 1    | ProfilerStep#5@0+100 ProfilerStep#6@100+120 ProfilerStep#7@220+110
  cpu 1    | cudaLaunchKernel#1@10+5 cudaStreamSynchronize#2@20+75 cudaLaunchKernel#3@110+5 cudaStreamSynchronize#4@120+95 cudaLaunchKernel#5@230+5 cudaStreamSynchronize#6@240+85
  gpu 0.7  | gemm#1@20+70 gemm#3@120+90 gemm#5@240+80
  sync 0   | StreamSync#2@20+75{stream=7} StreamSync#4@120+95{stream=7} StreamSync#6@240+85{stream=7}
`;

function reportOf(drawing: string): ReportResult {
  const { outcome } = createSession(traceOf(drawing)).report();
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  return outcome.result;
}

test('the verdict is of the steady state', () => {
  const { verdict, criticalPath } = reportOf(STEPS);
  expect(verdict).toMatchObject({ unit: 'step', count: 3, medianNs: 110_000, minNs: 100_000, maxNs: 120_000 });
  const [pole] = verdict.parts;
  expect(pole).toMatchObject({
    kind: 'kernel',
    totalNs: 240_000,
    names: [{ name: 'gemm', segments: 3, totalNs: 240_000 }],
  });
  expect(pole?.share).toBeCloseTo(240 / 330);
  expect(verdict.parts.length).toBeLessThanOrEqual(3);
  for (const part of verdict.parts) {
    expect(criticalPath.path.breakdown.find(({ kind }) => kind === part.kind)?.totalNs).toBe(part.totalNs);
  }
});

test('without steps the whole trace is the only window', () => {
  const { verdict } = reportOf('cpu 1 | aten::mm@0+10 aten::relu@20+5');
  expect(verdict).toMatchObject({ unit: 'window', count: 1, medianNs: 25_000, minNs: 25_000, maxNs: 25_000 });
});

test('where the path has no answer, info still has', () => {
  const { info, outcome } = createSession(readJson('{"traceEvents": []}')).report();
  expect(info.ranks[0]?.events).toBe(0);
  expect(outcome).toEqual({ status: 'not-applicable', reason: 'no events' });
});

test('the head has no empty part, and breaks between two parts', () => {
  const { info } = reportOf(STEPS);
  const [rank] = info.ranks;
  if (rank === undefined) throw new Error('no rank');
  const headOf = (change: object): string =>
    renderHealth({ ...info, ranks: [{ ...rank, ...change, notes: [] }] }, PLAIN).join('\n');
  expect(headOf({ devices: [{ id: 0, name: '' }] })).toBe(
    'drawn.json: 15 events over 330.0 µs of trace, 1 stream, 3 complete steps',
  );
  expect(headOf({ devices: [{ id: 0, name: 'NVIDIA A100-SXM4-80GB' }], rank: 0, worldSize: 16 })).toBe(
    'drawn.json: rank 0 of 16, 15 events over 330.0 µs of trace,\n  NVIDIA A100-SXM4-80GB, 1 stream, 3 complete steps',
  );
});

test.each([
  ['Memcpy HtoD (Pageable -> Device)', 'pinned memory'],
  ['Memcpy HtoD (Pinned -> Device)', 'from pinned memory already'],
  ['Memcpy HtoD (Host -> Device)', 'pinned memory'],
  ['CopyHostToDevice', 'pinned memory'],
  ['Memcpy DtoD (Device -> Device)', 'stay on the device'],
  ['Memcpy DtoH (Device -> Pageable)', 'reads results back'],
  ['Memcpy PtoP (Device -> Device)', 'from device to device'],
  ['Memset (Device)', 'fills'],
  ['something else', 'beside the kernels'],
])('the advice for %s', (name, advice) =>
  expect(
    nextOf({
      kind: 'copy',
      names: [{ name, totalNs: 1, share: 1, segments: 1, longest: { event: 0, name, lane: 's-0.7' } }],
    }),
  ).toContain(advice),
);

test('the text', () => {
  const text = renderReport(reportOf(STEPS), PLAIN);
  expect(text).toContain('A step takes 110.0 µs (median of 3; 100.0–120.0 µs); 73 % of its path is kernels');
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  expectGolden(import.meta.url, 'golden/report.txt', text);
});

/** Steps of 100 µs, the first of 5 ms, and 20 ms before the last. */
const UNSTEADY = `
  ann 1    | ProfilerStep#0@0+5000 ProfilerStep#1@5000+100 ProfilerStep#2@5100+104 ProfilerStep#3@5204+102 ProfilerStep#4@25306+100
  cpu 1    | compile@0+5000 step@5000+100 step@5100+104 step@5204+102 checkpoint@6000+19000 step@25306+100
`;

test('a verdict is of the steady state: neither a step that warms up nor time between steps is in it', () => {
  const { verdict } = reportOf(UNSTEADY);
  expect(verdict).toMatchObject({
    unit: 'step',
    count: 4,
    medianNs: 101_000,
    wallNs: 406_000,
    leftOut: { steps: [{ label: 'ProfilerStep#0', why: 'warm-up' }], betweenNs: 20_000_000 },
    breakdown: [{ kind: 'host-work', totalNs: 406_000, share: 1, segments: 4 }],
    largestWin: { name: 'step', halfNs: 203_000 },
  });
  const text = renderReport(reportOf(UNSTEADY), PLAIN);
  expect(verdict.parts.flatMap(({ names }) => names.map(({ name }) => name))).toEqual(['step']);
  expect(text).toContain('A step takes 101.0 µs (median of 4; 100.0–104.0 µs); 100 % of its path is host work');
  expect(text).toContain('  without ProfilerStep#0 (warm-up), 20.0 ms between steps');
});

test('what the rules call other work is no kernel in the verdict', () => {
  const session = createSession(traceOf('cpu 1 | cudaLaunchKernel#1@0+2\ngpu 0.7 | spin#1@5+90 gemm#2@100+10'));
  const { outcome } = session.report({
    window: { kind: 'default' },
    exact: false,
    classRules: [{ match: '^spin', class: 'other' }],
  });
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  const text = renderReport(outcome.result, { limit: 5, fullNames: false, style: (_, each) => each });
  expect(outcome.result.verdict.parts[0]).toMatchObject({ kind: 'kernel', totalNs: 100_000, otherNs: 90_000 });
  expect(text).toContain('kernels and other work');
  expect(text).toContain('neither computation nor transfer');
  expect(text).not.toContain('faster kernels');
  expect(outcome.result.criticalPath.notes.join()).toContain("90.0 µs of the path's kernel time is other work");
});

test('a gap that no op follows is named for what it is, not for the little that has a name', () => {
  const { verdict } = reportOf('ann 1 | ProfilerStep#0@0+1000\n cpu 1 | aten::mm@0+10 aten::relu@12+8');
  const [pole] = verdict.parts;
  expect(pole).toMatchObject({ kind: 'host-gap', totalNs: 982_000, unnamedNs: 980_000, names: [{ totalNs: 2_000 }] });
  const text = renderReport(reportOf('ann 1 | ProfilerStep#0@0+1000\n cpu 1 | aten::mm@0+10 aten::relu@12+8'), PLAIN);
  expect(text).toContain('The long\npole is time between host ops, all of it with no op behind it in the trace.');
  expect(text.replaceAll(/\n +/g, ' ')).toContain('980.0 µs with no op behind it');
});
