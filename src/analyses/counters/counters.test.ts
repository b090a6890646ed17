import { expect, test } from 'vitest';
import { DEFAULT_WINDOW, rangeWindow, resultOf, subjectOf } from '../../test-kit/answers.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import type { RenderOptions } from '../contract.ts';
import { computeCounters } from './compute.ts';
import type { CountersOptions } from './options.ts';
import { renderCounters } from './render-text.ts';
import type { CountersResult } from './result.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

const countersOf = (drawing: string, options: Partial<CountersOptions> = {}): CountersResult =>
  resultOf(computeCounters(subjectOf(drawing), { window: DEFAULT_WINDOW, ...options }));

/** The steps of a series: `0:1 8:0`, times in µs. */
const stepsOf = ({ points = [] }: CountersResult, series: string): string =>
  points
    .filter((point) => point.series === series)
    .map(({ timeNs, value }) => `${timeNs / 1000}:${value}`)
    .join(' ');

/**
 *   waits on s-0.7    gemm 0…10, relu 5…40, n1 and n2 20…50 and 20…55
 *   copies            60…70 at 2 GB/s; 65…75 at 1 (no bandwidth in its row: 10,000 B in 10 µs); 80+0 and 85…90 tell nothing
 */
const DRAWN = `
  cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@5+2 cudaGraphLaunch#3@20+2
           | cudaMemcpyAsync#4@60+1 cudaMemcpyAsync#5@61+1 cudaMemcpyAsync#6@62+1 cudaMemcpyAsync#7@63+1
  gpu 0.7  | gemm#1@10+30 relu#2@40+10 n1#3@50+5 n2#3@55+5
  gpu 0.20 | Memcpy HtoD (Pinned -> Device)#4@60+10{bytes=20000,memory bandwidth (GB/s)=2}
  gpu 0.21 | Memcpy HtoD (Pageable -> Device)#5@65+10{bytes=10000} Memcpy HtoD (Pageable -> Device)#6@80+0{bytes=4}
           | Memcpy HtoD (Pageable -> Device)#7@85+5
  gpu 1.20 | Memset (Device)@0+100{bytes=100000,memory bandwidth (GB/s)=1}
`;

test('queues over time: a launch adds all of its device ops, one that begins takes itself away', () => {
  const result = countersOf(DRAWN, { points: true });
  expect(stepsOf(result, 'queue depth s-0.7')).toBe('0:1 5:2 10:1 20:3 40:2 50:1 55:0');
  expect(result.queues[0]).toEqual({
    series: 'queue depth s-0.7',
    lane: 's-0.7',
    process: '0',
    steps: 7,
    overTime: { min: 0, mean: (10 + 35 + 30 + 35) / 100, median: 1, p95: 3, max: 3 },
    emptyShare: 0.45,
  });
});

test('copies at once add up their bandwidths', () => {
  const result = countersOf(DRAWN, { points: true });
  expect(stepsOf(result, 'Memcpy HtoD GB/s of device 0')).toBe('0:0 60:2 65:3 70:1 75:0');
  const [copies, fills] = result.bandwidths;
  expect(copies).toEqual({
    series: 'Memcpy HtoD GB/s of device 0',
    device: 0,
    process: '0',
    kind: 'Memcpy HtoD',
    steps: 5,
    copies: 4,
    bytes: 30_004,
    untold: 2,
    damaged: 0,
    activeNs: 20_000,
    meanGBps: 0.3,
    whileActive: { min: 1, mean: 2, median: 2, p95: 3, max: 3 },
  });
  expect(fills).toMatchObject({ device: 1, kind: 'Memset', meanGBps: 1, activeNs: 100_000 });
  expect(result.notes.join()).toContain('2 of 5 copies tell neither a bandwidth nor bytes, or took no time');
});

test('a negative bandwidth and negative bytes are damage: no use is made of them, and a note counts them', () => {
  const result = countersOf(`
    gpu 0.7 | Memcpy HtoD (Pinned -> Device)@0+10{bytes=10000,memory bandwidth (GB/s)=-5}
            | Memcpy HtoD (Pinned -> Device)@20+10{bytes=-10000} Memcpy HtoD (Pinned -> Device)@40+10{bytes=30000}
  `);
  // The first has its bytes left: 1 GB/s.
  expect(result.bandwidths).toMatchObject([
    { copies: 3, bytes: 40_000, untold: 1, damaged: 2, whileActive: { min: 1, max: 3 } },
  ]);
  expect(result.notes.join()).toContain(
    '2 of 3 copies tell a negative bandwidth or negative bytes, of which no use is made',
  );
});

test('a copy without a length runs where it stands, also at the very end of a window', () => {
  const { bandwidths } = countersOf(DRAWN, { window: rangeWindow(60, 80) });
  expect(bandwidths[0]).toMatchObject({ copies: 3, untold: 1 });
});

test('copies of one kind on two devices are two series', () => {
  const { bandwidths } = countersOf(`
    gpu 0.7 | Memcpy HtoD (Pinned -> Device)@0+10{bytes=10000}
    gpu 1.7 | Memcpy HtoD (Pinned -> Device)@5+10{bytes=20000}
  `);
  expect(bandwidths.map(({ device, copies, whileActive }) => [device, copies, whileActive?.max])).toEqual([
    [0, 1, 1],
    [1, 1, 2],
  ]);
});

test('a window cuts every series: the first step is what holds at its start', () => {
  const result = countersOf(DRAWN, { window: rangeWindow(30, 67), points: true });
  expect(stepsOf(result, 'queue depth s-0.7')).toBe('30:3 40:2 50:1 55:0');
  expect(stepsOf(result, 'Memcpy HtoD GB/s of device 0')).toBe('30:0 60:2 65:3');
  expect(result.bandwidths[0]).toMatchObject({ copies: 2, untold: 0, activeNs: 7_000, bytes: 30_000 });
});

test('steps are only there where they were asked for, in time order', () => {
  expect(countersOf(DRAWN).points).toBeUndefined();
  const times = (countersOf(DRAWN, { points: true }).points ?? []).map(({ timeNs }) => timeNs);
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

test('a kind of copy whose rows tell nothing has no bandwidth, not one of 0', () => {
  const [copies] = countersOf(`
    cpu 1    | hipMemcpyAsync#1@0+1
    gpu 0.0  | Memcpy HtoD (Host -> Device)#1@5+10
  `).bandwidths;
  expect(copies).toMatchObject({ copies: 1, untold: 1, activeNs: 10_000 });
  expect([copies?.bytes, copies?.meanGBps, copies?.whileActive]).toEqual([undefined, undefined, undefined]);
});

test('what has no launch waits in no known queue', () => {
  const result = countersOf('gpu 0.7 | Memcpy HtoD@0+5{bytes=5000} gemm@5+5');
  expect(result.queues).toEqual([]);
  expect(result.notes[0]).toBe('no device op has its launch call in the trace: no queue is known');
});

test('counters of the trace itself are named', () => {
  const result = countersOf('cpu 1 | mm@0+5 GPU memory@1+0{ph=C} GPU memory@2+0{ph=C}');
  expect(result.ownCounters).toEqual([{ name: 'GPU memory', rows: 2 }]);
  expect(result.bandwidths).toEqual([]);
});

test.each([
  ['cpu 1 | mm@0+5', /no device rows/],
  ['gpu 0.7 | gemm@0+5', /no device op has its launch call/],
])('does not apply without anything to count: %s', (drawing, reason) => {
  expect(computeCounters(subjectOf(drawing), { window: DEFAULT_WINDOW })).toMatchObject({
    status: 'not-applicable',
    reason: expect.stringMatching(reason) as string,
  });
});

test('the text', () => expectGolden(import.meta.url, 'golden/counters.txt', renderCounters(countersOf(DRAWN), PLAIN)));

test('no line is wider than 100 columns', () => {
  const wide = DRAWN.replaceAll('Memset (Device)', `Memset_${'x'.repeat(120)}`);
  for (const line of renderCounters(countersOf(wide), PLAIN).split('\n')) {
    expect(line.length, line).toBeLessThanOrEqual(100);
  }
});
