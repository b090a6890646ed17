// The numbers that issue 2 states of the public traces, and what must hold of each of them.
import { describe, expect, test } from 'vitest';
import type { Subject } from '../analyses/contract.ts';
import { computeCriticalPath } from '../analyses/critical-path/compute.ts';
import type { BreakdownRow } from '../analyses/critical-path/result.ts';
import type { SyncEdge, SyncRecord, SyncResult } from '../analyses/sync/result.ts';
import { TraceReader } from '../ingest/read-trace.ts';
import {
  DEFAULT_WINDOW,
  annotationWindow,
  pathFor,
  resultOf,
  stepWindow,
  syncFor,
} from '../test-kit/answers.ts';
import { brokenPath, brokenSync, brokenTotals } from '../test-kit/checks.ts';
import { brokenClosing } from '../test-kit/closing.ts';
import { brokenLaunches } from '../test-kit/closing-launches.ts';
import { seededRandom } from '../test-kit/random.ts';
import { realJson, realSubject, realTraceFiles } from '../test-kit/traces.ts';
import { breakdownOf } from '../test-kit/words.ts';
import type { StringId } from '../trace/ids.ts';
import { type ReplayInput, exportConstraints, replay, replayError } from './replay.ts';

const WHOLE = { window: DEFAULT_WINDOW, exact: false } as const;
const subjects = new Map<string, Subject>();

/** With its graph, built once. */
function subjectOfFile(file: string): Subject {
  const known = subjects.get(file) ?? realSubject(file);
  subjects.set(file, known);
  return known;
}

const syncOfFile = (file: string): SyncResult => syncFor(subjectOfFile(file));

const edgesOfWait = ({ edges }: SyncResult, call: number): readonly SyncEdge[] =>
  edges.filter(({ wait, sink }) => wait === call || (wait === undefined && sink?.correlation === call));

function recordOf({ records }: SyncResult, correlation: number): SyncRecord | undefined {
  return records.find((record) => record.correlation === correlation);
}

const sourcesOf = (record: SyncRecord | undefined): (number | undefined)[] =>
  record?.sources.map(({ correlation }) => correlation) ?? [];

describe('sync/multi_stream', () => {
  const sync = (): SyncResult => syncOfFile('sync/multi_stream.json.gz');

  test('record 1385 is on stream 20 and captures kernel 27, not 57; its wait 1389 on stream 24 holds 1411', () => {
    const record = recordOf(sync(), 1385);
    expect(record).toMatchObject({ device: 0, stream: 20, status: 'resolved', waiters: [1389] });
    expect(sourcesOf(record)).toEqual([27]);
    expect(edgesOfWait(sync(), 1389)).toMatchObject([
      {
        kind: 'stream-wait',
        status: 'resolved',
        record: 1385,
        source: { correlation: 27, lane: 's-0.20' },
        sink: { correlation: 1411, lane: 's-0.24' },
      },
    ]);
  });

  test('records 32 and 62 are resolved, but only queries ask for them', () => {
    expect(sourcesOf(recordOf(sync(), 32))).toEqual([27]);
    expect(sourcesOf(recordOf(sync(), 62))).toEqual([57]);
    expect(recordOf(sync(), 32)?.waiters).toEqual([54]);
    expect(recordOf(sync(), 62)?.waiters).toEqual([1410]);
    for (const query of [24, 54, 1410]) expect(edgesOfWait(sync(), query)).toEqual([]);
  });

  test('Context Sync 1424 waits for the last op of each stream', () => {
    const edges = edgesOfWait(sync(), 1424);
    expect(edges.map(({ kind }) => kind)).toEqual(['device-sync', 'device-sync', 'device-sync']);
    expect(edges.map(({ source }) => `${source?.correlation} ${source?.lane}`).sort()).toEqual([
      '1413 s-0.24',
      '27 s-0.20',
      '57 s-0.28',
    ]);
  });

  test('record 1418 has an unknown stream', () => {
    expect(recordOf(sync(), 1418)?.status).toBe('unknown-stream');
  });
});

describe('sync/event_sync', () => {
  const sync = (): SyncResult => syncOfFile('sync/event_sync.json.gz');

  test('cudaEventSynchronize 1536 is bound by kernel 1526 through record 1533', () => {
    expect(edgesOfWait(sync(), 1536)).toMatchObject([
      {
        kind: 'event-sync',
        status: 'resolved',
        binds: true,
        record: 1533,
        source: { correlation: 1526 },
        sink: { name: 'cudaEventSynchronize', correlation: 1536 },
      },
    ]);
  });

  test("Stream Sync 1512's source, copy 1511, ended before the call and does not bind", () => {
    expect(edgesOfWait(sync(), 1512)).toMatchObject([
      { kind: 'stream-sync', binds: false, source: { correlation: 1511 } },
    ]);
  });

  test('record 1522 has an unknown stream', () => {
    expect(recordOf(sync(), 1522)?.status).toBe('unknown-stream');
  });
});

describe('sync/alexnet', () => {
  const FORWARD = '[param|pytorch.model.alex_net|0|0|0|measure|forward]';

  test('20 waits: 6 resolved, 14 empty; of 34 wait calls 14 have no row', () => {
    const sync = syncOfFile('sync/alexnet.json.gz');
    expect(sync.coverage.waits).toEqual({
      total: 20,
      resolved: 6,
      empty: 14,
      sameStream: 0,
      noSink: 0,
      future: 0,
      unresolved: 0,
      heuristic: 0,
      callsWithoutRow: 14,
    });
    const resolved = sync.edges.filter(({ kind, status }) => kind === 'stream-wait' && status === 'resolved');
    expect(resolved.map(({ wait, source, sink }) => [wait, source?.correlation, sink?.correlation])).toEqual([
      [5170, 5144, 5181],
      [5183, 5178, 5188],
      [5194, 5190, 5213],
      [5586, 5560, 5597],
      [5599, 5594, 5604],
      [5610, 5606, 5629],
    ]);
  });

  test('the first forward pass: 79,678 µs to the ns', () => {
    const path = pathFor(subjectOfFile('sync/alexnet.json.gz'), { window: annotationWindow(FORWARD, 0) });
    const parts = breakdownOf(path);
    expect(path.window.wallNs).toBe(79_678_000);
    expect(brokenPath(path)).toEqual([]);
    expect((parts['kernel'] ?? 0) + (parts['copy'] ?? 0)).toBe(3712);
    expect(Math.abs((parts['stream-gap'] ?? 0) - 50)).toBeLessThanOrEqual(2);
    expect(parts['launch']).toBe(22);
    expect(parts['unexplained'] ?? 0).toBeLessThanOrEqual(797);
    const host = ['host-work', 'host-gap', 'data-loading', 'sync-overhead'];
    const named = [...host, 'kernel', 'copy', 'stream-gap', 'launch', 'unexplained'];
    expect(Object.keys(parts).filter((kind) => !named.includes(kind))).toEqual([]);
  });

  test('kineto before and after its fix', () => {
    expect(syncOfFile('sync/kineto_before_fix.json').coverage.waits).toMatchObject({ total: 2, unresolved: 2 });
    expect(syncOfFile('sync/kineto_after_fix.json').coverage.waits).toMatchObject({
      total: 2,
      sameStream: 1,
      noSink: 1,
    });
  });
});

const microsecondsByKind = ({ breakdown }: { readonly breakdown: readonly BreakdownRow[] }): Record<string, number> =>
  Object.fromEntries(breakdown.map(({ kind, totalNs }) => [kind, totalNs / 1000]));

describe('steps', () => {
  test('diff/v100_graphs: the second and third step are bound by the device alone; at most 8 % unexplained', () => {
    const { windows } = pathFor(subjectOfFile('diff/v100_graphs.json.gz'));
    const complete = windows.filter((window) => window.complete);
    for (const wallUs of [117_128, 114_802]) {
      const step = complete.find(({ wallNs }) => Math.round(wallNs / 1000) === wallUs);
      expect(step, `a step of ${wallUs} µs`).toBeDefined();
      const kinds = Object.keys(step === undefined ? {} : microsecondsByKind(step));
      expect(kinds.filter((kind) => ['host-work', 'host-gap', 'launch'].includes(kind))).toEqual([]);
    }
    for (const step of complete) {
      expect(microsecondsByKind(step)['unexplained'] ?? 0).toBeLessThanOrEqual((0.08 * step.wallNs) / 1000);
    }
  });

  test('diff/a100_eager, second step: at most 25 % host gap', () => {
    const subject = subjectOfFile('diff/a100_eager.json.gz');
    const second = pathFor(subject, { window: stepWindow(nthStepNumber(subject, 1)) });
    expect(breakdownOf(second)['host-gap'] ?? 0).toBeLessThanOrEqual((0.25 * second.window.wallNs) / 1000);
  });

  test('old/resnet50_2021: 9,258 device ops', () => {
    expect(syncOfFile('old/resnet50_2021_v100.json.gz').coverage.deviceOps.total).toBe(9258);
  });
});

/** The n-th of the trace's step numbers, from 0. */
function nthStepNumber({ trace: { strings } }: Subject, n: number): number {
  const numbers: number[] = [];
  for (let id = 0; id < strings.length; id++) {
    const number = /^ProfilerStep#(\d+)$/.exec(strings.text(id as StringId))?.[1];
    if (number !== undefined) numbers.push(Number(number));
  }
  const step = numbers.sort((a, b) => a - b)[n];
  if (step === undefined) throw new Error(`no step ${n} among ${numbers.length}`);
  return step;
}

describe('special traces', () => {
  test("single/cpu_only: the host's path", () => {
    const parts = breakdownOf(pathFor(subjectOfFile('single/cpu_only.json.gz')));
    expect(Object.keys(parts).filter((kind) => !kind.startsWith('host-') && kind !== 'data-loading')).toEqual([]);
  });

  test('single/gpu_only_mi210: an answer, 562 of 562 device rows linked', () => {
    const path = pathFor(subjectOfFile('single/gpu_only_mi210.json.gz'));
    expect(path.coverage.deviceOps).toEqual({ total: 562, linked: 562 });
    expect(path.path.segments.some(({ kind }) => kind === 'kernel')).toBe(true);
  });

  test('single/cupti_counters: an answer, or the reason why there is none', () => {
    const outcome = computeCriticalPath(subjectOfFile('single/cupti_counters.json.gz'), WHOLE);
    if (outcome.status === 'ok') expect(brokenPath(outcome.result)).toEqual([]);
    else expect(outcome.reason).toMatch(/device rows/);
  });

  test.each(['single/simple_add.et.json.gz', 'memory/memory_timeline.raw.json.gz'])('%s is not a trace', (file) => {
    const reader = new TraceReader({ file });
    reader.push(realJson(file));
    expect(reader.finish()).toMatchObject({ ok: false, error: { code: 'not-a-trace' } });
  });
});

const FILES = realTraceFiles();

test('the public traces are there', () => {
  if (process.env['CI'] === 'true') expect(FILES.length).toBeGreaterThan(25);
});

/** The one trace whose device rows are counters: it may have no path. */
const WITHOUT_PATH = 'single/cupti_counters.json.gz';

describe.each(FILES)('%s', (file) => {
  test.skipIf(file === WITHOUT_PATH)(
    'the path partitions its window, the replay is exact, and coverage adds up',
    () => {
      const subject = subjectOfFile(file);
      const [path, sync] = [resultOf(computeCriticalPath(subject, WHOLE)), syncFor(subject)];
      expect([...brokenPath(path), ...brokenSync(sync)]).toEqual([]);
      expect(brokenTotals(subject.trace, path.coverage)).toEqual([]);
      expect(sync.coverage).toEqual(path.coverage);
    },
  );

  test('the parts of each device’s time, and of its idle time, sum to the whole', () => {
    expect(brokenClosing(subjectOfFile(file), WHOLE)).toEqual([]);
  });

  test('so do communication, launches and counters, over the whole trace too', () => {
    const all = { kind: 'range', startNs: 0, endNs: Number.MAX_SAFE_INTEGER } as const;
    for (const options of [WHOLE, { window: all }]) {
      expect(brokenLaunches(subjectOfFile(file), options)).toEqual([]);
    }
  });

  test('a replay from JSON without the measured starts is exact, and no binding constraint is spare', () => {
    const graph = subjectOfFile(file).graph();
    const input = JSON.parse(JSON.stringify(exportConstraints(graph))) as ReplayInput;
    expect(replayError(replay(input), graph.time)).toBe(0);

    const bound = Array.from(graph.binding).filter((constraint) => constraint !== -1);
    const random = seededRandom(20_260_101);
    const lagNs = Array.from(input.lagNs);
    const spare: number[] = [];
    for (let n = 0; n < Math.min(100, bound.length); n++) {
      const deleted = bound[Math.floor(random() * bound.length)] as number;
      // A lag of −∞ says nothing, as if the constraint were not there.
      lagNs[deleted] = -Infinity;
      if (replayError(replay({ ...input, lagNs }), graph.time) === 0) spare.push(deleted);
      lagNs[deleted] = input.lagNs[deleted] as number;
    }
    expect(spare).toEqual([]);
  });
});
