import { expect, test } from 'vitest';
import { textWidth } from '../../base/format.ts';
import { CONSTRAINT_KINDS } from '../../graph/constraints.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import type { RenderOptions } from '../contract.ts';
import { renderCriticalPath } from './render-text.ts';
import type { CriticalPathResult, PathSegment } from './result.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };
const FILL =
  'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>)';

const onStream = (event: number, name: string) => ({ event, name, lane: 's-0.7', correlation: event });
const onThread = (event: number, name: string) => ({ event, name, lane: 't-100.100' });

/** A call, its launch, two kernels of one name, a wait for another stream, and the way back to the host. */
const SEGMENTS: readonly PathSegment[] = [
  {
    kind: 'host-work',
    startNs: 0,
    endNs: 20_000,
    rank: 0,
    event: onThread(1, 'cudaLaunchKernel'),
    boundBy: 'window-start',
  },
  { kind: 'launch', startNs: 20_000, endNs: 24_000, rank: 0, event: onStream(2, FILL), boundBy: 'launch' },
  { kind: 'kernel', startNs: 24_000, endNs: 64_000, rank: 0, event: onStream(2, FILL), boundBy: 'launch' },
  { kind: 'kernel', startNs: 64_000, endNs: 104_000, rank: 0, event: onStream(3, FILL), boundBy: 'stream-order' },
  {
    kind: 'stream-gap',
    startNs: 104_000,
    endNs: 105_500,
    rank: 0,
    event: onStream(4, 'volta_sgemm_64x64_nn'),
    boundBy: 'stream-wait',
    ambiguous: true,
  },
  {
    kind: 'kernel',
    startNs: 105_500,
    endNs: 155_500,
    rank: 0,
    event: onStream(4, 'volta_sgemm_64x64_nn'),
    boundBy: 'stream-wait',
    ambiguous: true,
  },
  {
    kind: 'unexplained',
    startNs: 155_500,
    endNs: 160_000,
    rank: 0,
    event: onThread(5, 'cudaStreamSynchronize'),
    boundBy: 'stream-sync',
    cause: 'device-idle',
  },
  {
    kind: 'sync-overhead',
    startNs: 160_000,
    endNs: 165_000,
    rank: 0,
    event: onThread(5, 'cudaStreamSynchronize'),
    boundBy: 'stream-sync',
  },
  {
    kind: 'host-gap',
    startNs: 165_000,
    endNs: 200_000,
    rank: 0,
    event: onThread(6, 'aten::mm'),
    boundBy: 'host-order',
    python: 'train.py(33): forward',
  },
];

const WALL = 200_000;
const kinds = [...new Set(SEGMENTS.map(({ kind }) => kind))];
const BREAKDOWN = kinds
  .map((kind) => {
    const of = SEGMENTS.filter((segment) => segment.kind === kind);
    const totalNs = of.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
    return { kind, totalNs, share: totalNs / WALL, segments: of.length };
  })
  .sort((a, b) => b.totalNs - a.totalNs);

export const RESULT: CriticalPathResult = {
  traces: [{ file: 'trace.json.gz', rank: 3, events: 7, originUnixNs: '1700000000000000000' }],
  window: { label: 'ProfilerStep#5..6', startNs: 0, endNs: WALL, hostEndNs: WALL, deviceEndNs: 155_500, wallNs: WALL },
  windows: [
    { label: 'ProfilerStep#5', startNs: 0, endNs: 104_000, wallNs: 104_000, complete: true, breakdown: BREAKDOWN },
    { label: 'ProfilerStep#6', startNs: 104_000, endNs: WALL, wallNs: 96_000, complete: false, breakdown: BREAKDOWN },
  ],
  path: { totalNs: WALL, inferredNs: 0, breakdown: BREAKDOWN, segments: SEGMENTS },
  graph: { moments: 14, constraints: Object.fromEntries(CONSTRAINT_KINDS.map((kind) => [kind, 1])) as never },
  replay: { maxErrorNs: 0 },
  coverage: {
    launches: { total: 4, linked: 3 },
    deviceOps: { total: 3, linked: 3 },
    waits: {
      total: 2,
      resolved: 1,
      empty: 0,
      sameStream: 0,
      noSink: 0,
      future: 0,
      unresolved: 1,
      heuristic: 0,
      callsWithoutRow: 1,
    },
    inferred: { 'wait-call': 0, c10d: 0, 'end-start': 0 },
    syncRows: { total: 3 },
    collectives: { total: 0, matched: 0 },
    inversions: { count: 2, maxNs: 9_000 },
    orderConflicts: 0,
    ambiguous: 1,
    cutOps: 0,
    laneOverlaps: 0,
  },
  notes: [
    'a note that a reader should see before acting on the answer, long enough that it has to be wrapped at the border',
  ],
};

test('the text of a path', () => expectGolden(import.meta.url, 'golden/path.txt', renderCriticalPath(RESULT, PLAIN)));

test('no line is wider than 100 columns, and nothing of the trace steers the terminal', () => {
  const hostile = `\u001b[31m${'很长的名字'.repeat(60)}\u202e`;
  const segments = SEGMENTS.map((segment) => ({
    ...segment,
    python: hostile,
    ...(segment.event && { event: { ...segment.event, name: hostile + segment.event.name } }),
  }));
  const result: CriticalPathResult = {
    ...RESULT,
    traces: [{ file: hostile, rank: 0, events: 1, originUnixNs: '0' }],
    window: { ...RESULT.window, label: hostile },
    windows: RESULT.windows.map((window) => ({ ...window, label: hostile })),
    path: { ...RESULT.path, segments },
  };
  const text = renderCriticalPath(result, PLAIN);
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('\u202e');
  for (const line of text.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(100);
});

test('a long line is wrapped and not cut', () => {
  const traces = [
    { file: 'a-name-of-a-file-that-is-rather-long.pt.trace.json.gz', rank: 12, events: 7, originUnixNs: '0' },
  ];
  const text = renderCriticalPath({ ...RESULT, traces }, PLAIN);
  expect(text.replaceAll('\n  ', ' ')).toContain(
    'long.pt.trace.json.gz, rank 12 (host until +200.0 µs, device until +155.5 µs)',
  );
});

test('full names, and a limit', () => {
  expect(renderCriticalPath(RESULT, { ...PLAIN, fullNames: true })).toContain(FILL);
  expect(renderCriticalPath(RESULT, { ...PLAIN, limit: 1 })).toContain('7 smaller ones: --limit');
});
