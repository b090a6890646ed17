import { describe, expect, test } from 'vitest';
import { EXACT_COSTS } from '../sim/program.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { traceOf } from '../test-kit/draw.ts';
import { simulatedTrace } from '../test-kit/simulated.ts';
import { type Graph, buildGraph } from './graph.ts';
import { type HoldOutPair, holdOut, summarizeHoldOut } from './hold-out.ts';
import { termsOfWindows } from './instants.ts';
import { findWindows } from './windows.ts';

function pairsOf(graph: Graph, mostSteps?: number): HoldOutPair[] {
  const found = findWindows(graph, { kind: 'steps', first: 0, last: Infinity });
  if (!found.ok) throw new Error(found.reason);
  const terms = termsOfWindows(graph, found.windows) ?? [];
  return holdOut(graph, found.windows, terms, mostSteps === undefined ? {} : { mostSteps });
}

/** Each step: an op on the host, a kernel, a wait for it. By step the lengths of the op and of the kernel in µs; `wait` names the call. */
function drawn(
  steps: readonly (readonly [host: number, kernel: number])[],
  kernelNames: readonly string[] = [],
): Graph {
  let at = 0;
  const rows: string[][] = [[], [], [], []];
  steps.forEach(([host, kernel], n) => {
    const call = at + host;
    rows[0].push(`aten::work@${at}+${host} cudaLaunchKernel#${2 * n + 1}@${call}+2`);
    rows[0].push(`cudaDeviceSynchronize#${2 * n + 2}@${call + 2}+${kernel + 8}`);
    rows[1].push(`${kernelNames[n] ?? 'gemm'}#${2 * n + 1}@${call + 6}+${kernel}`);
    rows[2].push(`ContextSync#${2 * n + 2}@${call + 2}+${kernel + 8}`);
    rows[3].push(`ProfilerStep#${n}@${at}+${host + kernel + 12}`);
    at += host + kernel + 14;
  });
  const tracks = ['cpu 1  ', 'gpu 0.7', 'sync 0 ', 'ann 1  '];
  return buildGraph(traceOf(tracks.map((track, i) => `${track} | ${rows[i].join(' ')}`).join('\n')));
}

describe('a step that is foretold', () => {
  test('from one with another kernel length comes out exactly', () => {
    const [, pair] = pairsOf(
      drawn([
        [10, 100],
        [10, 100],
        [10, 150],
      ]),
    ).filter(({ to }) => to === 'ProfilerStep#2');
    expect(pair).toMatchObject({ forecastNs: 174_000, measuredNs: 174_000, error: 0, deviceOnlyError: 0 });
    expect(pair.null).toBeCloseTo(50 / 174, 6);
    // Of 174 µs are copied: 2 from before the step to its first op, 10 of that op, and 4 behind the synchronisation.
    expect(pair.copied).toBeLessThan(0.15);
  });

  test('from one with another host time comes out exactly, but copied', () => {
    const [, pair] = pairsOf(
      drawn([
        [100, 10],
        [100, 10],
        [500, 10],
      ]),
    ).filter(({ to }) => to === 'ProfilerStep#2');
    expect(pair).toMatchObject({ error: 0 });
    expect(pair.copied).toBeGreaterThan(0.95);
    expect(pair.deviceOnlyError).toBeCloseTo(pair.null, 6);
  });

  test('never takes over what a synchronisation waited', () => {
    // If the 408 µs of the call in the last step were copied, the kernel's 400 would not be needed to get there.
    const [, pair] = pairsOf(
      drawn([
        [10, 20],
        [10, 20],
        [10, 400],
      ]),
    ).filter(({ to }) => to === 'ProfilerStep#2');
    expect(pair.copied * pair.forecastNs).toBeLessThan(20_000);
  });
});

test('only steps with the same ops on each lane are taken', () => {
  const graph = drawn(
    [
      [10, 20],
      [10, 20],
      [10, 20],
    ],
    ['gemm', 'relu', 'gemm'],
  );
  expect(pairsOf(graph).map(({ from, to }) => `${from} ${to}`)).toEqual([
    'ProfilerStep#0 ProfilerStep#2',
    'ProfilerStep#2 ProfilerStep#0',
  ]);
});

test('many steps are thinned out', () => {
  const graph = drawn(Array.from({ length: 12 }, () => [10, 20] as const));
  expect(pairsOf(graph)).toHaveLength(12 * 11);
  expect(pairsOf(graph, 4)).toHaveLength(4 * 3);
});

test('steps of a machine without jitter foretell each other', () => {
  const job = dataParallel({ ranks: 1, steps: 4, layers: 3, costs: EXACT_COSTS });
  // The first step has no backlog before it, and so another length.
  for (const pair of pairsOf(buildGraph(simulatedTrace(job)))) {
    expect(pair.error, `${pair.from} ${pair.to}`).toBeLessThan(0.002);
  }
});

describe('the summary', () => {
  const pair = (error: number, nothing: number, copied = 0): HoldOutPair => ({
    from: 'a',
    to: 'b',
    forecastNs: 1,
    measuredNs: 1,
    error,
    null: nothing,
    copied,
    deviceOnlyError: 0,
  });

  test.each([
    { pairs: [], verdict: 'one-step' },
    { pairs: [pair(0.01, 0.05)], verdict: 'good' },
    { pairs: [pair(0.06, 0.01)], verdict: 'fair' },
    { pairs: [pair(0.01, 0.16)], verdict: 'poor' },
    { pairs: [pair(0.01, 0.02, 0.96)], verdict: 'untested' },
    // An outlier among many does not decide.
    { pairs: [pair(0.01, 0.01), pair(0.01, 0.02), pair(0.9, 0.9)], verdict: 'good' },
  ])('$verdict', ({ pairs, verdict }) => expect(summarizeHoldOut(pairs).verdict).toBe(verdict));
});
