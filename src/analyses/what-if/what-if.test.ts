import { describe, expect, test } from 'vitest';
import { textWidth } from '../../base/format.ts';
import { changeConstraints } from '../../graph/changed-lags.ts';
import type { Change } from '../../graph/changes.ts';
import { OWN } from '../../graph/constraint-set.ts';
import { type Graph } from '../../graph/graph.ts';
import type { Selector } from '../../graph/selectors.ts';
import { dataParallel } from '../../sim/programs/data-parallel.ts';
import { resultOf, subjectFor, subjectOf } from '../../test-kit/answers.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import { simulatedTrace } from '../../test-kit/simulated.ts';
import { realGraph, realSubject } from '../../test-kit/traces.ts';
import type { RenderOptions } from '../contract.ts';
import { computeWhatIf } from './compute.ts';
import type { WhatIfOptions } from './options.ts';
import { renderWhatIf } from './render-text.ts';
import type { WhatIfPrediction, WhatIfResult } from './result.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };
const named = (text: string): Selector => ({ by: 'name', text, isPattern: false });

function ask(drawing: string, change: Change, more: Partial<WhatIfOptions> = {}): WhatIfResult {
  const options: WhatIfOptions = { window: { kind: 'default' }, changes: [{ text: 'a change', change }], ...more };
  return resultOf(computeWhatIf(subjectOf(drawing), options));
}

function predicted(result: WhatIfResult): WhatIfPrediction {
  if (result.status !== 'predicted') throw new Error(`not predicted but ${result.status}`);
  return result;
}

/** Measured and predicted, in µs. */
function wallOf(drawing: string, change: Change): [number, number] {
  const { measuredNs, predictedNs } = predicted(ask(drawing, change)).window;
  return [measuredNs / 1000, predictedNs / 1000];
}

const QUEUED = `
  cpu 1   | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@2+2 cudaDeviceSynchronize#3@4+60
  gpu 0.7 | gemm#1@6+30            relu#2@38+22
  sync 0  | ContextSync#3@4+60
`;

/** Each kernel waits for its launch, which the host makes every 10 µs. */
const LAUNCH_BOUND = `
  cpu 1   | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@10+2 cudaLaunchKernel#3@20+2 cudaLaunchKernel#4@30+2
  gpu 0.7 | k#1@6+2                k#2@16+2                k#3@26+2                k#4@36+2
`;

const EXPOSED = `
  cpu 1   | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@2+2         cudaLaunchKernel#3@4+2
  gpu 0.7 | first#1@6+10           ncclDevKernel_AllReduce#2@17+40 next#3@58+10
`;

describe('changes', () => {
  test('a kernel twice as fast, with what waits for it', () => {
    expect(wallOf(QUEUED, { kind: 'scale', select: named('gemm'), factor: 0.5 })).toEqual([64, 49]);
  });

  test('a kernel and its launch that are gone: the next one waits for its own launch', () => {
    // relu: launched at 0 now, begins at 6, and the call returns 4 after its end.
    expect(wallOf(QUEUED, { kind: 'remove', select: named('gemm') })).toEqual([64, 32]);
  });

  test('a launch call that took long takes half of it: its op, which waited for it, goes with it', () => {
    // The typical lag is 6: 300 − 6 of the lag passed inside the call, 4 behind it.
    const held = `
      cpu 1   | cudaLaunchKernel#1@0+300 cudaDeviceSynchronize#2@300+24
      gpu 0.7 | first#1@304+16
      sync 0  | ContextSync#2@300+24`;
    // The op begins at 6 + 147 + 4 instead of 304, lasts 16; the call returns 4 behind it.
    expect(wallOf(held, { kind: 'scale', select: named('cudaLaunchKernel'), factor: 0.5 })).toEqual([324, 177]);
    // A typical call is no reason for its op to wait: that is the launch's own lag.
    const usual = `
      cpu 1   | cudaLaunchKernel#1@0+8 cudaDeviceSynchronize#2@8+24
      gpu 0.7 | first#1@9+19
      sync 0  | ContextSync#2@8+24`;
    expect(wallOf(usual, { kind: 'scale', select: named('cudaLaunchKernel'), factor: 0.5 })).toEqual([32, 32]);
  });

  test('launches that cost nothing', () => {
    expect(wallOf(LAUNCH_BOUND, { kind: 'launch-latency', ns: 0 })).toEqual([38, 32]);
  });

  test('no time between ops: the kernels follow each other', () => {
    expect(wallOf(LAUNCH_BOUND, { kind: 'no-host-gaps' })).toEqual([38, 18.5]);
  });

  test('one graph launch for the run of kernels; none where they are longer', () => {
    expect(wallOf(LAUNCH_BOUND, { kind: 'graph-launch', shorterThanNs: 20_000 })).toEqual([38, 18.5]);
    expect(wallOf(LAUNCH_BOUND, { kind: 'graph-launch', shorterThanNs: 1_000 })).toEqual([38, 38]);
  });

  test('a collective that holds nothing on its own stream, but still takes its time', () => {
    // next begins 1 after first; the collective ends at 57.
    const select: Selector = { by: 'kind', text: 'collective', isPattern: false };
    expect(wallOf(EXPOSED, { kind: 'overlap', select })).toEqual([68, 57]);
  });

  test('by lane and under an annotation', () => {
    const lane: Selector = { by: 'lane', text: 's-0.7', isPattern: false };
    expect(wallOf(QUEUED, { kind: 'scale', select: lane, factor: 0.5 })).toEqual([64, 38]);
    const drawing = `${QUEUED}\n ann 1 | forward@0+1`;
    const annotation: Selector = { by: 'annotation', text: 'forward', isPattern: false };
    // The first launch call too, so that the second begins 1 earlier; gemm began at 6 and still does.
    expect(wallOf(drawing, { kind: 'scale', select: annotation, factor: 0.5 })).toEqual([64, 49]);
  });

  test('host time under a Python frame shrinks, gaps between ops too', () => {
    const drawing = `
      cpu 1 | aten::a@0+10 aten::b@30+10
      py 1  | train.py(1): step@0+40
    `;
    const select: Selector = { by: 'python', text: 'train.py(1): step', isPattern: false };
    expect(wallOf(drawing, { kind: 'scale', select, factor: 0.5 })).toEqual([40, 20]);
  });
});

test('lags that bind now and did not are named', () => {
  const result = predicted(ask(LAUNCH_BOUND, { kind: 'no-host-gaps' }));
  expect(result.assumed).toEqual([{ kind: 'stream-order', api: 'cudaLaunchKernel', lagNs: 1_500, count: 3 }]);
});

test('the path’s parts add up, before and after', () => {
  const result = predicted(ask(QUEUED, { kind: 'scale', select: named('gemm'), factor: 0.5 }));
  const sum = (rows: readonly { totalNs: number }[]): number => rows.reduce((total, { totalNs }) => total + totalNs, 0);
  expect(sum(result.measured.breakdown)).toBe(result.window.measuredNs);
  expect(sum(result.predicted.breakdown)).toBe(result.window.predictedNs);
});

test('what moved most is told from the window’s start, the furthest first', () => {
  const { moved } = predicted(ask(QUEUED, { kind: 'scale', select: named('gemm'), factor: 0.5 }));
  expect(moved.map(({ event, movedNs }) => [event.name, movedNs / 1000])).toEqual([['relu', -15]]);
});

test('a change that is about nothing says what there is', () => {
  expect(ask(QUEUED, { kind: 'remove', select: named('gem') })).toMatchObject({
    status: 'unmatched',
    by: 'name',
    text: 'gem',
    known: ['cudaDeviceSynchronize', 'gemm', 'relu', 'cudaLaunchKernel'],
  });
  expect(ask(QUEUED, { kind: 'overlap', select: named('gemm') })).toMatchObject({ status: 'unmatched', known: [] });
});

/** Steps that launch one kernel each and wait for it; by step the kernel's length in µs. */
function steps(...lengths: readonly number[]): string {
  let at = 0;
  const rows: string[][] = [[], [], [], []];
  lengths.forEach((length, n) => {
    rows[0].push(`cudaLaunchKernel#${2 * n + 1}@${at}+2 cudaDeviceSynchronize#${2 * n + 2}@${at + 2}+${length + 8}`);
    rows[1].push(`gemm#${2 * n + 1}@${at + 6}+${length}`);
    rows[2].push(`ContextSync#${2 * n + 2}@${at + 2}+${length + 8}`);
    rows[3].push(`ProfilerStep#${n}@${at}+${length + 12}`);
    at += length + 14;
  });
  return ['cpu 1  ', 'gpu 0.7', 'sync 0 ', 'ann 1  '].map((track, i) => `${track} | ${rows[i].join(' ')}`).join('\n');
}

describe('the hold-out', () => {
  const change: Change = { kind: 'scale', select: named('gemm'), factor: 0.5 };

  test('steps that differ by little foretell each other', () => {
    const { holdOut } = predicted(ask(steps(1_000, 1_010, 1_020), change));
    expect(holdOut).toMatchObject({ verdict: 'good', pairs: 6 });
    expect(holdOut.error).toBeLessThan(0.001);
    expect(holdOut.null).toBeCloseTo(0.0118, 3);
  });

  test('above 5 % it warns', () => {
    const result = ask(steps(1_000, 1_100), change);
    expect(predicted(result).holdOut).toMatchObject({ verdict: 'fair', pairs: 2 });
    expect(renderWhatIf(result, PLAIN)).toContain('Warning: above 5 %');
  });

  test('above 15 % the prediction is withheld, unless it is forced', () => {
    const withheld = ask(steps(1_000, 1_400), change);
    expect(withheld).toMatchObject({ status: 'withheld', holdOut: { verdict: 'poor' } });
    const forced = ask(steps(1_000, 1_400), change, { force: true });
    expect(predicted(forced).holdOut.verdict).toBe('poor');
    expect(renderWhatIf(forced, PLAIN)).toContain('Warning: above 15 %');
  });

  test('a forecast that is copied host time is untested', () => {
    const host = (at: number, n: number): string => `aten::work@${at}+900 cudaLaunchKernel#${n}@${at + 900}+2`;
    const drawing = `
      cpu 1   | ${host(0, 1)} ${host(1_000, 2)} ${host(2_000, 3)}
      gpu 0.7 | k#1@906+2     k#2@1906+2        k#3@2906+2
      ann 1   | ProfilerStep#1@0+910 ProfilerStep#2@1000+910 ProfilerStep#3@2000+910
    `;
    const result = ask(drawing, { kind: 'launch-latency', ns: 0 });
    expect(predicted(result).holdOut.verdict).toBe('untested');
    expect(renderWhatIf(result, PLAIN)).toContain('Untested');
  });

  test('one step says so', () => {
    const result = ask(steps(1_000), change);
    expect(predicted(result).holdOut).toEqual({ verdict: 'one-step', pairs: 0 });
    expect(renderWhatIf(result, PLAIN)).toContain('no two steps of this trace are alike');
  });
});

/** Bound lags on the device beyond the unexplained limit. */
function excesses({ binding, constraints, moments, lag, typical }: Graph): number[] {
  const rows: number[] = [];
  for (let moment = moments.host; moment < moments.count; moment++) {
    const c = binding[moment];
    if (c === -1 || constraints.kind[c] === OWN || moments.isJoin(moment)) continue;
    if (lag[c] > Math.max(10 * typical[c], 10_000)) rows.push(c);
  }
  return rows;
}

test.each(['diff/v100_graphs.json.gz', 'diff/a100_eager.json.gz'])('%s: unexplained time is never credited', (file) => {
  const graph = realGraph(file);
  const every = (by: Selector['by']): Selector => ({ by, text: '.', isPattern: true });
  const changes: Change[] = [
    { kind: 'scale', select: every('name'), factor: 0 },
    { kind: 'scale', select: every('annotation'), factor: 0 },
    { kind: 'launch-latency', ns: 0 },
    { kind: 'no-host-gaps' },
    { kind: 'overlap', select: every('kind') },
    { kind: 'graph-launch', shorterThanNs: 1e9 },
  ];
  const rows = excesses(graph);
  expect(rows.length).toBeGreaterThan(0);
  const { lag } = changeConstraints(graph, changes);
  for (const c of rows) expect(lag[c]).toBeGreaterThanOrEqual(graph.lag[c] - graph.typical[c]);
});

test.each(['diff/v100_graphs.json.gz', 'single/nccl_args_a100_rank0of2.json.gz', 'sync/alexnet.json.gz'])(
  '%s: windows go on tiling the run, and the paths fill them',
  (file) => {
    const subject = realSubject(file);
    const changes = [
      { text: 'no gaps', change: { kind: 'no-host-gaps' } },
      {
        text: 'fast kernels',
        change: { kind: 'scale', select: { by: 'kind', text: 'kernel', isPattern: false }, factor: 0.1 },
      },
    ] as const;
    const options = { window: { kind: 'default' }, changes, force: true } as const;
    const result = predicted(resultOf(computeWhatIf(subject, options)));
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    expect(sum(result.windows.map(({ predictedNs }) => predictedNs))).toBe(result.window.predictedNs);
    expect(sum(result.predicted.breakdown.map(({ totalNs }) => totalNs))).toBe(result.window.predictedNs);
    expect(sum(result.measured.breakdown.map(({ totalNs }) => totalNs))).toBe(result.window.measuredNs);
    expect(result.window.winNs).toBeGreaterThan(0);
  },
);

test('a range cannot get shorter', () => {
  const options: WhatIfOptions = { window: { kind: 'range', startNs: 0, endNs: 50_000 }, changes: [] };
  expect(computeWhatIf(subjectOf(QUEUED), options)).toMatchObject({ status: 'not-applicable' });
});

describe('text', () => {
  const subject = subjectFor(simulatedTrace(dataParallel({ ranks: 2, steps: 3, layers: 2 })));
  const select: Selector = { by: 'name', text: 'gemm', isPattern: true };
  const changes = [
    { text: "--scale '/gemm/=0.5'", change: { kind: 'scale', select, factor: 0.5 } },
    {
      text: '--overlap all',
      change: { kind: 'overlap', select: { by: 'kind', text: 'collective', isPattern: false } },
    },
  ] as const;
  const result = resultOf(computeWhatIf(subject, { window: { kind: 'default' }, changes }));

  test('golden', () => expectGolden(import.meta.url, 'golden/what-if.txt', renderWhatIf(result, PLAIN)));

  test('no line is wider than 100 columns', () => {
    const hostile = `\u001b[31m${'很长的名字'.repeat(60)}\u202e`;
    const plain = predicted(result);
    const text = renderWhatIf(
      {
        ...plain,
        changes: plain.changes.map((each) => ({ ...each, text: hostile })),
        window: { ...plain.window, label: hostile },
        windows: plain.windows.map((window) => ({ ...window, label: hostile })),
        moved: plain.moved.map((each) => ({ ...each, event: { ...each.event, name: hostile } })),
        assumed: [{ kind: 'launch', api: hostile, lagNs: 1, count: 1 }],
        notes: [hostile],
      },
      PLAIN,
    );
    expect(text).not.toContain('\u001b');
    for (const line of text.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(100);
  });
});
