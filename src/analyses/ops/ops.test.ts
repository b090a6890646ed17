import { describe, expect, test } from 'vitest';
import { foldedLines } from '../../base/folded-stacks.ts';
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
import { realSubject, realTraceFiles } from '../../test-kit/traces.ts';
import type { RenderOptions, Subject } from '../contract.ts';
import { computeOps } from './compute.ts';
import { ops } from './index.ts';
import type { OpsOptions } from './options.ts';
import { renderOps } from './render-text.ts';
import type { OpsResult, OpsRow } from './result.ts';

const PLAIN: RenderOptions = { limit: 12, fullNames: false, style: (_, text) => text };

/** A module whose forward op is on the main thread, and whose backward op on autograd's. The main thread stands still from 100 to 180. */
const TRAINING = `
  ann 1    | train@0+200
  py 1     | nn.Module: Net_0@0+80
  cpu 1    | aten::linear@10+60{seq=5} aten::addmm@20+40{seq=6} cudaLaunchKernel#1@30+10 aten::sum@90+10{seq=7} aten::end@180+10
  cpu 2:pt_autograd_0 | autograd::engine::evaluate_function: AddmmBackward0@100+70{seq=6,fwd=1} AddmmBackward0@105+60{seq=6,fwd=1}
           | cudaLaunchKernel#2@110+10 cudaLaunchKernel#3@130+10
  gpu 0.7  | gemm#1@50+40 gemm#2@120+20
  gpu 0.8  | gemm#3@130+40
`;

const TRAIN = annotationWindow('train');

const opsOf = (subject: Subject, options: Partial<OpsOptions> = {}): OpsResult =>
  resultOf(computeOps(subject, { window: DEFAULT_WINDOW, by: 'op', sort: 'self', ...options }));

const rowOf = ({ rows }: OpsResult, name: string): OpsRow => {
  const found = rows.find((row) => row.name === name);
  if (found === undefined) throw new Error(`no row ${name}`);
  return found;
};

const us = (ns: number): number => ns / 1000;
const times = (row: OpsRow): object => ({
  own: us(row.selfNs),
  total: us(row.totalNs),
  device: us(row.deviceNs),
  sum: us(row.deviceSumNs),
  backward: us(row.backwardDeviceNs),
  backwardSum: us(row.backwardDeviceSumNs),
  backwardHost: us(row.backwardHostNs),
  launches: row.launches,
});
const NONE = { device: 0, sum: 0, backward: 0, backwardSum: 0, backwardHost: 0, launches: 0 };

describe('rows', () => {
  const subject = subjectOf(TRAINING);
  const opsOfTrain = (options: Partial<OpsOptions> = {}): OpsResult => opsOf(subject, { window: TRAIN, ...options });
  test('own time is what no nested op or call has; device time goes to the op, not to the call', () => {
    const result = opsOfTrain();
    const backward = { backward: 50, backwardSum: 60, backwardHost: 70 };
    const launched = { device: 40, sum: 40, launches: 1, ...backward };
    expect(times(rowOf(result, 'aten::linear'))).toEqual({ own: 20, total: 60, ...launched });
    expect(times(rowOf(result, 'aten::addmm'))).toEqual({ own: 30, total: 40, ...launched });
    expect(times(rowOf(result, 'AddmmBackward0'))).toEqual({
      ...NONE,
      own: 40,
      total: 60,
      device: 50,
      sum: 60,
      launches: 2,
    });
    expect(times(rowOf(result, 'cudaLaunchKernel'))).toEqual({ ...NONE, own: 30, total: 30, launches: 3 });
    expect(rowOf(result, 'aten::linear').deviceSelfNs).toBe(0);
    expect(rowOf(result, 'aten::addmm').deviceSelfNs).toBe(40_000);
    expect(us(result.hostNs)).toBe(60 + 10 + 10 + 70);
    expect(result.backward).toEqual({ linked: 1, unlinked: 0 });
  });
  test('a module has its forward work, and beside it that of its backward pass', () => {
    const result = opsOfTrain({ by: 'module' });
    expect(result.rows.map(({ name }) => name)).toEqual(['nn.Module: Net_0']);
    expect(times(rowOf(result, 'nn.Module: Net_0'))).toEqual({
      own: 80,
      total: 80,
      device: 40,
      sum: 40,
      launches: 1,
      backward: 50,
      backwardSum: 60,
      backwardHost: 70,
    });
    expect([us(result.outsideNs), us(result.backwardOnlyNs)]).toEqual([0, 60]);
  });
  test('a window cuts host time and device time by the clock', () => {
    const result = opsOf(subject, { window: rangeWindow(30, 60) });
    expect(times(rowOf(result, 'aten::linear'))).toEqual({
      ...NONE,
      own: 0,
      total: 30,
      device: 10,
      sum: 10,
      launches: 1,
    });
    expect(us(result.deviceNs)).toBe(10);
    expect(result.rows.map(({ name }) => name)).not.toContain('aten::sum');
  });
  test('an op inside one of its own name counts once in the total, twice in the count', () => {
    const result = opsOf(subjectOf('cpu 1 | aten::add@0+30 aten::add@10+10'));
    expect(rowOf(result, 'aten::add')).toMatchObject({ count: 2, selfNs: 30_000, totalNs: 30_000 });
  });
  test('by shape: the same name with other inputs is another row', () => {
    const drawn =
      'aten::mm@0+10{Input Dims=[[1]],Input type=[float]} aten::mm@20+30{Input Dims=[[2]],Input type=[float]}';
    const result = opsOf(subjectOf(`cpu 1 | ${drawn} aten::c@60+5`), { by: 'shape' });
    expect(result.rows.map(({ name, shapes, types, totalNs }) => [name, shapes, types, totalNs])).toEqual([
      ['aten::mm', '[[2]]', '[float]', 30_000],
      ['aten::mm', '[[1]]', '[float]', 10_000],
      ['aten::c', undefined, undefined, 5_000],
    ]);
  });
});

describe('trees', () => {
  const subject = subjectOf(TRAINING);
  const lines = (options: Partial<OpsOptions>): string[] =>
    (opsOf(subject, { window: TRAIN, ...options }).tree?.nodes ?? []).map(
      ({ depth, name, totalNs, selfNs, deviceNs, deviceSumNs }) =>
        `${' '.repeat(depth)}${name} ${us(totalNs)} ${us(selfNs)} ${us(deviceNs ?? deviceSumNs)}`,
    );
  test('backward work hangs below the forward op; who stands still for it has no time of its own then', () => {
    expect(lines({ tree: 'top-down' })).toEqual([
      'train 200 30 90',
      ' nn.Module: Net_0 150 20 90',
      '  aten::linear 130 20 90',
      '   aten::addmm 110 30 90',
      '    backward 70 0 50',
      '     autograd::engine::evaluate_function: AddmmBackward0 70 10 50',
      '      AddmmBackward0 60 40 50',
      '       cudaLaunchKernel 20 20 50',
      '        gemm 0 0 50',
      '    cudaLaunchKernel 10 10 40',
      '     gemm 0 0 40',
      ' aten::sum 10 10 0',
      ' aten::end 10 10 0',
    ]);
    expect(opsOf(subject, { window: TRAIN, tree: 'top-down' }).tree).toMatchObject({
      hostNs: 200_000,
      waitedNs: 70_000,
    });
  });
  test('bottom-up begins with what has the time', () => {
    const roots = lines({ tree: 'bottom-up' }).filter((line) => !line.startsWith(' '));
    expect(roots.toSorted()).toEqual([
      'AddmmBackward0 40 40 0',
      'aten::addmm 30 30 0',
      'aten::end 10 10 0',
      'aten::linear 20 20 0',
      'aten::sum 10 10 0',
      'autograd::engine::evaluate_function: AddmmBackward0 10 10 0',
      'cudaLaunchKernel 30 30 0',
      'gemm 0 0 100',
      'nn.Module: Net_0 20 20 0',
      'train 30 30 0',
    ]);
    expect(roots[0]).toBe('AddmmBackward0 40 40 0');
    // A caller is further in than what it calls, also where it is the only one.
    const text = renderOps(opsOf(subject, { window: TRAIN, tree: 'bottom-up' }), { ...PLAIN, limit: 40 });
    expect(text).toMatch(/ {2}aten::addmm +e-\d+\n.* {3}aten::linear +e-\d+\n.* {3}nn\.Module: Net_0 +e-\d+\n/);
  });
  test('the text shows how deep each row is, also of one that is alone below another', () => {
    const frames = Array.from({ length: 20 }, (_, i) => `f${i}@${i}+${100 - 2 * i}`).join(' ');
    const deep = subjectOf(`py 1 | ${frames}\ncpu 1 | a@40+10 b@52+5 c@53+1`);
    const text = renderOps(opsOf(deep, { tree: 'top-down' }), { ...PLAIN, limit: 40 });
    const whats = [...text.matchAll(/^ +\S+ .?s +\S+ .?s (.*?) +e-\d+$/gm)].map(([, what = '']) => what.trimEnd());
    const first = whats[0]?.indexOf('f0') ?? 0;
    expect(whats.map((what) => what.slice(first))).toEqual([
      ...Array.from({ length: 17 }, (_, i) => `${' '.repeat(i)}f${i}`),
      ...['+1 f17', '+2 f18', '+3 f19', '+4 a', '+4 b', '+5 c'].map((what) => `${' '.repeat(16)}${what}`),
    ]);
  });
  test('steps are one node, whatever their number', () => {
    const steps = subjectOf('ann 1 | ProfilerStep#1@0+50 ProfilerStep#2@50+50\ncpu 1 | a@0+10 a@50+10');
    const nodes = opsOf(steps, { tree: 'top-down' }).tree?.nodes ?? [];
    expect(nodes.map(({ name, count }) => [name, count])).toEqual([
      ['ProfilerStep', 2],
      ['a', 2],
    ]);
  });
  test('Python frames that the clock leaves open are closed by their ids', () => {
    const drawn = subjectOf('py 1 | main@0+100{id=1} f@10+30{id=2,parent=1} g@35+20{id=3,parent=1}\ncpu 1 | a@40+10');
    const nodes = opsOf(drawn, { tree: 'top-down', window: rangeWindow(0, 50) }).tree?.nodes ?? [];
    expect(nodes.map(({ depth, name }) => `${depth} ${name}`)).toEqual(['0 main', '1 g', '2 a']);
  });
});

describe('folded stacks', () => {
  const textOf = (subject: Subject, folded: 'host' | 'device'): string[] =>
    [...foldedLines(opsOf(subject, { folded }).folded ?? [])].join('').trimEnd().split('\n');
  test('device weight ends at the kernel', () => {
    expect(textOf(subjectOf(TRAINING), 'device')).toEqual([
      'train;nn.Module: Net_0;aten::linear;aten::addmm;backward;autograd::engine::evaluate_function: AddmmBackward0;' +
        'AddmmBackward0;cudaLaunchKernel;gemm 60000',
      'train;nn.Module: Net_0;aten::linear;aten::addmm;cudaLaunchKernel;gemm 40000',
    ]);
  });
  test('names cannot break a line or a stack', () => {
    expect(textOf(subjectOf('cpu 1 | void f(a; b)@0+10'), 'host')).toEqual(['void f(a: b) 10000']);
    expect([...foldedLines([{ frames: ['a\nb', '', 'c'], weightNs: 1 }])]).toEqual(['a\\nb;(no name);c 1\n']);
  });
});

describe('sequences', () => {
  test('the kernels of each op in order, and the delays', () => {
    const drawn = subjectOf(`
      cpu 1   | aten::mm@0+20 cudaMemsetAsync#1@4+2 cudaLaunchKernel#2@10+5 aten::mm@30+20 cudaMemsetAsync#3@36+2 cudaLaunchKernel#4@40+5
      gpu 0.7 | Memset (Device)#1@10+5 gemm#2@20+5 Memset (Device)#3@38+5 gemm#4@50+7
    `);
    expect(opsOf(drawn, { sequences: true }).sequences).toEqual([
      {
        op: 'aten::mm',
        kernels: ['Memset (Device)', 'gemm'],
        count: 2,
        meanToLaunchNs: 5_000,
        meanToDeviceNs: 4_000,
        deviceSumNs: 22_000,
        first: { event: 0, name: 'aten::mm', lane: 't-100.1' },
      },
    ]);
  });
});

describe('what is not there', () => {
  test('no host rows: does not apply', () => {
    const outcome = computeOps(subjectOf('gpu 0.7 | gemm@0+10'), { window: DEFAULT_WINDOW, by: 'op', sort: 'self' });
    expect(outcome).toMatchObject({ status: 'not-applicable', reason: 'the trace has no host ops or calls' });
  });
  test('no modules, no launch call, no shapes: notes say so', () => {
    const subject = subjectOf('cpu 1 | a@0+10\ngpu 0.7 | gemm@5+10');
    expect(opsOf(subject, { by: 'module' }).notes.join('\n')).toMatch(/^no nn\.Module was recorded/m);
    expect(opsOf(subject).notes.join('\n')).toMatch(/10\.0 µs of device work \(100 %\) has no launch call/);
    expect(opsOf(subject, { by: 'shape' }).notes.join('\n')).toMatch(/input shapes were not recorded/);
  });
  test('the whole trace ends with its main thread: what others did after it is told', () => {
    const drawn = subjectOf('cpu 1 | main@0+50 cudaLaunchKernel#1@5+2\ncpu 2 | worker@20+5000\ngpu 0.7 | k#1@10+10');
    const { hostNs, window, notes } = opsOf(drawn);
    expect([window.label, us(window.wallNs), us(hostNs)]).toEqual(['whole trace', 50, 80]);
    expect(notes.join('\n')).toContain('4.970 ms of host time lies outside of this window');
    const part = opsOf(drawn, { window: rangeWindow(0, 50) });
    expect(part.notes.join('\n')).not.toContain('outside of this window');
  });
  test('steps that a writer of 2021 recorded as ops are no ops, but annotations', () => {
    const subject = subjectOf(`
      ann 1   | ProfilerStep#1@0+50{cat=Operator}
      cpu 1   | aten::mm@5+10 cudaLaunchKernel#1@6+2 cudaLaunchKernel#2@20+2
      gpu 0.7 | gemm#1@10+10 gemm#2@30+5
    `);
    const result = opsOf(subject, { tree: 'top-down' });
    expect(result.rows.map(({ name, selfNs, deviceNs }) => [name, selfNs, deviceNs])).toEqual([
      ['aten::mm', 8_000, 10_000],
      ['cudaLaunchKernel', 4_000, 5_000],
    ]);
    expect(result.hostNs).toBe(12_000);
    expect(result.tree?.nodes.map(({ name }) => name)).toContain('ProfilerStep');
    expect(opsOf(subject, { by: 'annotation' }).rows.map(({ name, totalNs }) => [name, totalNs])).toEqual([
      ['ProfilerStep#1', 50_000],
    ]);
  });
  test('where nothing has any time in the window, there is no answer', () => {
    for (const [drawing, window] of [
      ['cpu 1 | a@0+0 b@10+0', DEFAULT_WINDOW],
      ['cpu 1 | a@0+10 b@90+10', rangeWindow(20, 80)],
    ] as const) {
      const outcome = computeOps(subjectOf(drawing), { ...ops.defaults, window });
      expect(outcome).toMatchObject({ status: 'not-applicable', reason: expect.stringMatching(/^(no op|nothing)/) });
    }
  });
  test('ops of no length are counted', () => {
    const result = opsOf(subjectOf('cpu 1 | a@0+0 b@0+10'));
    expect(result.rows.map(({ name, count, selfNs }) => [name, count, selfNs])).toEqual([
      ['b', 1, 10_000],
      ['a', 1, 0],
    ]);
  });
});

/** Sums that hold for any trace. */
function expectClosed(subject: Subject, label: string): void {
  for (const by of ['op', 'module', 'python', 'annotation'] as const) {
    const result = opsOf(subject, { by, ...(by === 'op' ? { tree: 'top-down', folded: 'host' } : {}) });
    const sum = (of: (row: OpsRow) => number): number => result.rows.reduce((total, row) => total + of(row), 0);
    expect(
      sum(({ selfNs }) => selfNs),
      `${label} ${by} host`,
    ).toBe(result.hostNs);
    const device =
      sum(({ deviceSelfNs }) => deviceSelfNs) + result.unlaunchedNs + result.outsideNs + result.backwardOnlyNs;
    expect(device, `${label} ${by} device`).toBe(result.deviceSumNs);
    for (const row of result.rows) {
      expect(row.selfNs, `${label} ${row.name}`).toBeGreaterThanOrEqual(0);
      expect(row.totalNs, `${label} ${row.name}`).toBeGreaterThanOrEqual(row.selfNs);
      expect(row.deviceNs, `${label} ${row.name}`).toBeLessThanOrEqual(Math.min(row.deviceSumNs, result.deviceNs));
    }
    const weights = (result.folded ?? []).reduce((total, { weightNs }) => total + weightNs, 0);
    expect(weights, `${label} folded`).toBe(result.tree?.hostNs ?? 0);
    for (const node of result.tree?.nodes ?? []) expect(node.selfNs, `${label} ${node.name}`).toBeGreaterThanOrEqual(0);
  }
}

test('sums close: random programs', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { job, kineto } = randomCase(seed, EVERYTHING);
    const subject = subjectFor(simulatedTrace(job, 0, kineto));
    if (computeOps(subject, ops.defaults).status === 'ok') expectClosed(subject, `seed ${seed}`);
  }
});

test.each(realTraceFiles())('sums close: %s', (file) => {
  const subject = realSubject(file);
  if (computeOps(subject, ops.defaults).status === 'ok') expectClosed(subject, file);
});

test('the text', () => {
  const subject = subjectOf(TRAINING);
  const parts = [{}, { by: 'module' as const }, { tree: 'top-down' as const }, { sequences: true as const }];
  const text = parts.map((options) => renderOps(opsOf(subject, { window: TRAIN, ...options }), PLAIN)).join('\n');
  expectGolden(import.meta.url, 'golden/ops.txt', text);
  for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
});
