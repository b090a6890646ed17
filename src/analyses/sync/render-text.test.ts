import { expect, test } from 'vitest';
import { expectGolden } from '../../test-kit/golden.ts';
import type { RenderOptions } from '../contract.ts';
import { renderSync } from './render-text.ts';
import type { SyncResult } from './result.ts';

const PLAIN: RenderOptions = { limit: 40, fullNames: false, style: (_, text) => text };
const op = (event: number, name: string, lane: string) => ({ event, name, correlation: event + 3, lane });

const RESULT: SyncResult = {
  records: [
    {
      correlation: 1385,
      device: 0,
      stream: 20,
      cudaEventId: 19,
      status: 'resolved',
      sources: [op(24, 'void ns::gemm<float, 4>(float*)', 's-0.20'), { ...op(57, 'copy', 's-0.28'), via: 1300 }],
      waiters: [1389, 1390, 1391],
    },
    { correlation: 1418, status: 'unknown-stream', sources: [], waiters: [] },
    { correlation: 1430, device: 0, stream: 24, status: 'empty', sources: [], waiters: [1431] },
  ],
  edges: [
    {
      kind: 'stream-wait',
      status: 'resolved',
      binds: true,
      wait: 1389,
      record: 1385,
      source: op(24, 'void ns::gemm<float, 4>(float*)', 's-0.20'),
      sink: op(84, 'void ns::relu<float>(float*)', 's-0.24'),
    },
    {
      kind: 'event-sync',
      status: 'resolved',
      fallback: 'earlier-record',
      binds: false,
      wait: 1500,
      record: 1385,
      source: op(24, 'void ns::gemm<float, 4>(float*)', 's-0.20'),
      sink: op(90, 'cudaEventSynchronize', 't-100.100'),
    },
    { kind: 'stream-wait', status: 'empty', binds: false, wait: 1431, record: 1430 },
  ],
  coverage: {
    launches: { total: 4, linked: 3 },
    deviceOps: { total: 3, linked: 3 },
    waits: {
      total: 3,
      resolved: 2,
      empty: 1,
      sameStream: 0,
      noSink: 0,
      future: 0,
      unresolved: 0,
      heuristic: 0,
      callsWithoutRow: 1,
    },
    inferred: { 'wait-call': 0, c10d: 0, 'end-start': 0 },
    syncRows: { total: 5 },
    collectives: { total: 0, matched: 0 },
    inversions: { count: 1, maxNs: 9_000 },
    orderConflicts: 0,
    ambiguous: 0,
    cutOps: 0,
    laneOverlaps: 0,
  },
  notes: ['one row names a later record'],
};

test('the text of records and edges', () =>
  expectGolden(import.meta.url, 'golden/sync.txt', renderSync(RESULT, PLAIN)));

test('no line is wider than 100 columns', () => {
  for (const line of renderSync(RESULT, PLAIN).split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
});

test('handle and lane stay whole', () => {
  const edges = RESULT.edges.map((edge) =>
    edge.sink === undefined ? edge : { ...edge, wait: 1_234_567, sink: { ...edge.sink, lane: 't-3727853.3727853' } },
  );
  const text = renderSync({ ...RESULT, edges }, PLAIN);
  expect(text).toMatch(/e-24 \S+ s-0\.20 +e-84 \S+ t-…3727853\n/);
  for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
});

test('a limit says what it hides', () => {
  expect(renderSync(RESULT, { ...PLAIN, limit: 1 })).toContain('2 more: --limit');
  expect(renderSync({ ...RESULT, records: [], edges: [] }, PLAIN)).toMatch(/^no records\nno waits\n/);
});
