import { describe, expect, test } from 'vitest';
import { readJson } from '../test-kit/draw.ts';
import { kinetoText, kinetoTrace } from './kineto.ts';
import { type KinetoOptions, NO_LOSS, PLAIN_KINETO } from './kineto-options.ts';
import { twoStreams } from './programs/two-streams.ts';
import type { Action, Clock, Job } from './program.ts';
import { JobRun } from './run.ts';

type Row = {
  ph: string;
  cat?: string;
  name: string;
  tid: number;
  ts: number;
  dur?: number;
  args: Record<string, unknown>;
};

const JOB = twoStreams();

function rowsOf(options: Partial<KinetoOptions> = {}, job: Job = JOB): Row[] {
  const truth = new JobRun(job).truthOf(0);
  return (JSON.parse(kinetoText(job, truth, { ...PLAIN_KINETO, ...options })) as { traceEvents: Row[] }).traceEvents;
}

const named = (rows: readonly Row[], cat: string): Row[] => rows.filter((row) => row.cat === cat);
const withClock = (clock: Clock): Job => ({ ...JOB, ranks: JOB.ranks.map((rank) => ({ ...rank, clock })) });

describe('sync rows', () => {
  const waitOf = (generation: KinetoOptions['generation']): Record<string, unknown> =>
    named(rowsOf({ generation }), 'cuda_sync')[0]?.args ?? {};

  test('of early 2023 name no record', () => {
    expect(waitOf('early-2023')).not.toHaveProperty('wait_on_cuda_event_record_corr_id');
    expect(waitOf('early-2023')).toMatchObject({ wait_on_stream: 20, wait_on_cuda_event_id: 1, stream: 24 });
    expect(named(rowsOf({ generation: 'early-2023' }), 'cuda_sync')[1]?.args['stream']).toBe(4_294_967_295);
  });

  test('since late 2023 they name it', () => {
    expect(waitOf('late-2023')).toMatchObject({
      wait_on_stream: 20,
      wait_on_cuda_event_record_corr_id: 102,
      stream: 24,
    });
  });

  test('since 2026 a stream synchronisation has a track of its own', () => {
    const sync: Action = { kind: 'stream-sync', on: { device: 0, stream: 20 } };
    const job: Job = { ...JOB, ranks: [{ threads: [{ name: 'main', body: [sync] }] }] };
    expect(named(rowsOf({ generation: '2026' }, job), 'cuda_sync')[0]).toMatchObject({ tid: 1_000_020 });
    expect(named(rowsOf({}, job), 'cuda_sync')[0]).toMatchObject({ tid: 20 });
  });

  test('can be left out', () => expect(named(rowsOf({ syncRows: false }), 'cuda_sync')).toEqual([]));
});

describe('spelling and times', () => {
  test('HIP has the same calls under its own names', () => {
    const names = named(rowsOf({ vendor: 'hip' }), 'cuda_runtime').map(({ name }) => name);
    expect(names).toContain('hipStreamWaitEvent');
    expect(names.filter((name) => name.startsWith('cuda'))).toEqual([]);
  });

  test('µs are whole, and absolute times are since 1970', () => {
    const rows = named(rowsOf({ resolution: 'us', epoch: 'absolute' }), 'kernel');
    expect(rows.map(({ ts, dur }) => [ts - 1_711_968_246_000_000, dur])).toEqual([
      [10, 200],
      [20, 30],
      [211, 50],
    ]);
  });

  test('ids begin again at 1 after 2^32 − 1, and links hold', () => {
    const rows = rowsOf({ correlationBase: 2 ** 32 - 103 });
    expect(named(rows, 'cuda_runtime').map(({ args }) => args['correlation'])).toEqual([
      4_294_967_294, 4_294_967_295, 1, 2, 3, 4,
    ]);
    expect(named(rows, 'kernel').map(({ args }) => args['correlation'])).toEqual([4_294_967_294, 1, 3]);
  });

  test('a clock that is ahead and runs faster moves all rows, one of the device only device rows', () => {
    const starts = (clock: Clock): number[] => {
      const rows = rowsOf({}, withClock(clock));
      return [named(rows, 'cuda_runtime')[5]?.ts ?? NaN, named(rows, 'kernel')[0]?.ts ?? NaN];
    };
    const plain = starts({ offsetNs: 0, driftPpm: 0 });
    const moved = starts({ offsetNs: 5_000, driftPpm: 100_000 });
    expect(plain).toEqual([3_600_000_030.6, 3_600_000_010]);
    expect(moved).toEqual([3_600_000_038.66, 3_600_000_016]);
    expect(starts({ offsetNs: 0, driftPpm: 0, deviceOffsetNs: -9_000 })).toEqual([3_600_000_030.6, 3_600_000_001]);
  });
});

describe('loss', () => {
  const lossy = (loss: Partial<KinetoOptions['loss']>): { rows: Row[]; fates: readonly string[] } => {
    const options = { ...PLAIN_KINETO, loss: { ...NO_LOSS, ...loss } };
    const truth = new JobRun(JOB).truthOf(0);
    const { plan, chunks } = kinetoTrace(JOB, truth, options);
    const { traceEvents } = JSON.parse([...chunks].join('')) as { traceEvents: Row[] };
    return { rows: traceEvents, fates: plan.syncFate };
  };

  test('dropped rows are noted', () => {
    const { rows, fates } = lossy({ syncRows: 1, recordRows: 1, deviceRows: 1 });
    expect(fates).toEqual(['lost', 'lost']);
    expect([...named(rows, 'cuda_sync'), ...named(rows, 'cuda_event'), ...named(rows, 'kernel')]).toEqual([]);
  });

  test('ids become −1', () => {
    const { rows, fates } = lossy({ lostIds: 1, lostEventIds: 1 });
    expect(fates).toEqual(['ids-lost', 'written']);
    expect(named(rows, 'cuda_sync')[0]?.args).toMatchObject({
      wait_on_stream: -1,
      wait_on_cuda_event_record_corr_id: -1,
      wait_on_cuda_event_id: -1,
    });
  });

  test('a wait names a later record of its event', () => {
    const job = twoStreams({ steps: 2 });
    const truth = new JobRun(job).truthOf(0);
    const options = { ...PLAIN_KINETO, loss: { ...NO_LOSS, futureIds: 1 } };
    const { plan } = kinetoTrace(job, truth, options);
    expect(plan.syncFate.filter((fate) => fate === 'future-id')).toHaveLength(1);
    expect(plan.namedRecord[0]).toBe(truth.records[1]?.call);
  });

  test('old writers leave out the waits of streams that they have seen no work of', () => {
    expect(lossy({ idleStreamWaits: 'drop-before-first' }).fates).toEqual(['lost', 'written']);
    expect(lossy({ idleStreamWaits: 'drop-unused' }).fates).toEqual(['written', 'written']);
  });

  test('a capture that begins late and ends early has only what lies inside', () => {
    const { rows } = lossy({ captureFromNs: 5_000, captureToNs: 60_000 });
    const inside = [...named(rows, 'cuda_runtime'), ...named(rows, 'kernel')].map(({ name }) => name);
    expect(inside).toEqual([
      'cudaEventRecord',
      'cudaLaunchKernel',
      'cudaStreamWaitEvent',
      'cudaLaunchKernel',
      'ampere_sgemm_128x64_nn',
    ]);
  });
});

test('chunks can be read again and make the same text', () => {
  const truth = new JobRun(JOB).truthOf(0);
  const { chunks } = kinetoTrace(JOB, truth);
  expect([...chunks].join('')).toBe([...chunks].join(''));
  expect(readJson([...chunks].join('')).diagnostics).toEqual([]);
});
