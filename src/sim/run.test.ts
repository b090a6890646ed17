import { describe, expect, test } from 'vitest';
import { type Action, EXACT_COSTS, type Costs, type Job, type Place, type RankProgram } from './program.ts';
import { JobRun } from './run.ts';
import { TRUE_KINDS, type RankTruth, timeOf } from './truth.ts';
import { lastMoment, truePath } from './true-path.ts';

// Costs that make times easy to add up, in ns: calls 10, launch 20, stream gap 1, event wait 2, graph gap 3, return 5.
const COSTS: Costs = {
  ...EXACT_COSTS,
  launchNs: 20,
  streamGapNs: 1,
  eventWaitNs: 2,
  graphGapNs: 3,
  syncReturnNs: 5,
  forkNs: 7,
  joinNs: 8,
  callNs: { launch: 10, graph: 10, copy: 10, record: 10, wait: 10, sync: 10, query: 10, allocate: 10 },
};

const on = (stream: number, device = 0): Place => ({ device, stream });
const kernel = (name: string, ns: number, stream = 7): Action => ({ kind: 'launch', name, ns, on: on(stream) });
const record = (event: number, stream: number): Action => ({ kind: 'record', event, on: on(stream) });
const wait = (event: number, stream: number): Action => ({ kind: 'wait', event, on: on(stream) });

function jobOf(body: readonly Action[], costs: Partial<Costs> = {}, more: Partial<RankProgram> = {}): Job {
  const threads = [
    { name: 'main', body },
    { name: 'worker', body: [] },
  ];
  const ranks = [{ threads, ...more }];
  return { name: 'tiny', story: '', seed: 1, costs: { ...COSTS, ...costs }, groups: [], ranks };
}

const truthOf = (body: readonly Action[], costs: Partial<Costs> = {}, more: Partial<RankProgram> = {}): RankTruth =>
  new JobRun(jobOf(body, costs, more)).truthOf(0);

/** Each item as `name start-end why it ends / why it starts`, binding constraints only. */
function drawn(truth: RankTruth): string[] {
  const { items, names } = truth;
  return Array.from({ length: items.length }, (_, item) => {
    const times = `${items.start[item]}-${items.end[item]}`;
    return `${names[items.name[item]]} ${times} ${why(truth, 2 * item)}, ${why(truth, 2 * item + 1)}`;
  });
}

function why({ constraints, items, names }: RankTruth, moment: number): string {
  const bound = constraints.binding[moment];
  if (bound === -1) return 'nothing';
  const from = constraints.from[bound];
  const source = from === -1 ? 'elsewhere' : names[items.name[from >> 1]];
  return `${TRUE_KINDS[constraints.kind[bound]]} of ${source}`;
}

/** Only what runs on the device. */
const onDevice = (truth: RankTruth): string[] => drawn(truth).filter((_, item) => truth.items.kind[item] === 4);

describe('one rank', () => {
  test('launches take 20 ns to reach an empty stream, then one op follows the other', () => {
    expect(drawn(truthOf([kernel('a', 100), kernel('b', 50)]))).toEqual([
      'cudaLaunchKernel 0-10 nothing, host-order of cudaLaunchKernel',
      'a 20-120 launch of cudaLaunchKernel, own of a',
      'cudaLaunchKernel 10-20 host-order of cudaLaunchKernel, host-order of cudaLaunchKernel',
      'b 121-171 stream-order of a, own of b',
    ]);
  });

  test('a wait holds the next op of its stream for the record before it, not for what is launched in between', () => {
    const body = [kernel('a', 100, 20), record(1, 20), kernel('b', 500, 28), wait(1, 24), kernel('c', 10, 24)];
    expect(onDevice(truthOf(body))).toEqual([
      'a 20-120 launch of cudaLaunchKernel, own of a',
      'b 40-540 launch of cudaLaunchKernel, own of b',
      'c 122-132 stream-wait of a, own of c',
    ]);
  });

  test('later records of an event do not change an earlier wait', () => {
    const body = [kernel('a', 100), record(1, 7), wait(1, 20), kernel('b', 900), record(1, 7), kernel('c', 10, 20)];
    expect(onDevice(truthOf(body))[2]).toBe('c 122-132 stream-wait of a, own of c');
  });

  test('a wait for an event that was never recorded, and one on its own stream, hold nothing', () => {
    const truth = truthOf([kernel('a', 100), wait(9, 20), record(1, 20), wait(1, 20), kernel('b', 10, 20)]);
    expect(onDevice(truth)[1]).toBe('b 60-70 launch of cudaLaunchKernel, own of b');
    expect(truth.syncs.map(({ record: r, sources }) => [r, sources])).toEqual([
      [-1, []],
      [3, []],
    ]);
  });

  test('a record after a wait carries what was waited for, though no op ran between them', () => {
    const body = [kernel('a', 100), record(1, 7), wait(1, 20), record(2, 20), wait(2, 24), kernel('b', 10, 24)];
    const truth = truthOf(body);
    expect(onDevice(truth)[1]).toBe('b 122-132 stream-wait of a, own of b');
    expect(truth.records[1]?.sources).toEqual([1]);
  });

  test('several waits before one op all count', () => {
    const body = [
      kernel('a', 100, 20),
      record(1, 20),
      kernel('b', 300, 24),
      record(2, 24),
      wait(2, 7),
      wait(1, 7),
      kernel('c', 10),
    ];
    const truth = truthOf(body);
    const c = truth.items.length - 1;
    expect(truth.constraints.count[2 * c]).toBe(3);
    expect(onDevice(truth)[2]).toBe('c 342-352 stream-wait of b, own of c');
    expect(truth.syncs.map(({ sinks }) => sinks)).toEqual([[c], [c]]);
  });

  test('synchronising calls return 5 ns after the work that was enqueued before them', () => {
    const work = [kernel('a', 100), record(1, 7), kernel('b', 200), kernel('c', 500, 20)];
    const ends = (sync: Action): string => drawn(truthOf([...work, sync])).at(-1) ?? '';
    expect(ends({ kind: 'event-sync', event: 1 })).toBe(
      'cudaEventSynchronize 40-125 host-order of cudaLaunchKernel, event-sync of a',
    );
    expect(ends({ kind: 'stream-sync', on: on(7) })).toContain(
      '40-326 host-order of cudaLaunchKernel, stream-sync of b',
    );
    expect(ends({ kind: 'device-sync', device: 0 })).toContain(
      '40-555 host-order of cudaLaunchKernel, device-sync of c',
    );
    expect(ends({ kind: 'device-sync', device: 1 })).toContain('40-50 host-order');
    expect(ends({ kind: 'allocate', device: 0, waits: true })).toContain('cudaFree 40-555');
    expect(ends({ kind: 'allocate', device: 0, waits: false })).toContain('cudaMalloc 40-50');
  });

  test('a call that begins when its source is over is not held', () => {
    const body: Action[] = [kernel('a', 30), { kind: 'sleep', ns: 100 }, { kind: 'stream-sync', on: on(7) }];
    expect(drawn(truthOf(body)).at(-1)).toBe(
      'cudaStreamSynchronize 110-120 host-order of cudaLaunchKernel, host-order of cudaStreamSynchronize',
    );
  });

  test('pageable copies to the host and blocking pinned ones hold their call', () => {
    const copy = (direction: 'HtoD' | 'DtoH' | 'DtoD', memory: 'pageable' | 'pinned', isBlocking: boolean): string => {
      const action: Action = { kind: 'copy', on: on(7), direction, memory, isBlocking, bytes: 8, ns: 30 };
      const { items } = truthOf([action]);
      return `${direction} ${memory}${isBlocking ? ' blocking' : ''}: ${items.end[0]}`;
    };
    const all = (['HtoD', 'DtoH', 'DtoD'] as const).flatMap((direction) =>
      (['pageable', 'pinned'] as const).flatMap((memory) => [false, true].map((b) => copy(direction, memory, b))),
    );
    expect(all).toEqual([
      'HtoD pageable: 10',
      'HtoD pageable blocking: 10',
      'HtoD pinned: 10',
      'HtoD pinned blocking: 55',
      'DtoH pageable: 55',
      'DtoH pageable blocking: 55',
      'DtoH pinned: 10',
      'DtoH pinned blocking: 55',
      'DtoD pageable: 10',
      'DtoD pageable blocking: 10',
      'DtoD pinned: 10',
      'DtoD pinned blocking: 10',
    ]);
  });

  test('a loop of queries ends with the first that begins after the event', () => {
    const body: Action[] = [kernel('a', 100), record(1, 7), { kind: 'poll', event: 1, everyNs: 30 }];
    const truth = truthOf(body);
    const polls = drawn(truth).filter((line) => line.startsWith('cudaEventQuery'));
    expect(polls.map((line) => line.split(' ')[1])).toEqual(['20-30', '60-70', '100-110', '140-150']);
    expect(truth.syncs.map(({ kind }) => kind)).toEqual(['query', 'query', 'query', 'query']);
  });

  test('a dependent launch overlaps the op before it and outlasts it', () => {
    const late: Action = { ...launchOf('b', 10), dependent: { triggerNs: 40, tailNs: 6 } };
    expect(onDevice(truthOf([kernel('a', 100), late, kernel('c', 5)]))).toEqual([
      'a 20-120 launch of cudaLaunchKernel, own of a',
      'b 60-126 overlap of a, overlap of a',
      'c 127-132 stream-order of b, own of c',
    ]);
  });

  test('nodes of a graph follow each other, and the next op waits for all leaves', () => {
    const nodes = [
      { name: 'root', ns: 10, after: [] },
      { name: 'left', ns: 50, after: [0] },
      { name: 'right', ns: 20, after: [0], stream: 101 },
    ];
    const truth = truthOf([
      kernel('before', 100),
      { kind: 'graph', on: on(7), nodes },
      kernel('after', 5),
      record(1, 7),
    ]);
    expect(onDevice(truth)).toEqual([
      'before 20-120 launch of cudaLaunchKernel, own of before',
      'root 121-131 stream-order of before, own of root',
      'left 134-184 graph of root, own of left',
      'right 134-154 graph of root, own of right',
      'after 185-190 stream-order of left, own of after',
    ]);
  });

  test('what is captured does not run', () => {
    const drawnGraph: Action[] = [{ kind: 'capture-begin', on: on(7) }, kernel('a', 100), record(1, 7)];
    const truth = truthOf([...drawnGraph, { kind: 'capture-end', on: on(7) }, wait(1, 20), kernel('b', 10, 20)]);
    expect(onDevice(truth)).toEqual(['b 70-80 launch of cudaLaunchKernel, own of b']);
    expect(truth.records).toEqual([]);
  });

  test('a worker begins after its fork, and the caller goes on after the join', () => {
    const work: Action[] = [{ kind: 'op', name: 'backward', beforeNs: 200, body: [kernel('a', 30)] }];
    const body: Action[] = [
      { kind: 'op', name: 'forward', beforeNs: 50 },
      { kind: 'fork', thread: 1, body: work },
      { kind: 'join', thread: 1 },
      { kind: 'op', name: 'step', beforeNs: 5 },
    ];
    expect(drawn(truthOf(body)).filter((line) => /^(forward|backward|step)/.test(line))).toEqual([
      'forward 0-50 nothing, host-order of forward',
      'backward 57-267 thread of forward, host-order of cudaLaunchKernel',
      'step 275-280 thread of backward, host-order of step',
    ]);
  });

  test('a launch into a full queue returns when an earlier op begins', () => {
    const body: Action[] = [{ kind: 'repeat', times: 5, body: [kernel('a', 100)] }];
    const truth = truthOf(body, { queueLength: 3 });
    const calls = drawn(truth).filter((line) => line.startsWith('cudaLaunchKernel'));
    expect(calls.map((line) => line.split(' ')[1])).toEqual(['0-10', '10-20', '20-30', '30-40', '40-126']);
    expect(calls[4]).toContain('queue-full of a');
  });

  test('the legacy default stream waits for all others, and they for it', () => {
    const body = [kernel('a', 100, 20), kernel('b', 10, 7), kernel('c', 10, 20)];
    expect(onDevice(truthOf(body, {}, { legacyStream: 7 }))).toEqual([
      'a 20-120 launch of cudaLaunchKernel, own of a',
      'b 121-131 stream-wait of a, own of b',
      'c 132-142 stream-wait of b, own of c',
    ]);
  });

  test('two devices have streams of the same number', () => {
    const other: Action = { kind: 'launch', name: 'b', ns: 10, on: on(7, 1) };
    const body: Action[] = [
      kernel('a', 100),
      record(1, 7),
      other,
      { kind: 'wait', event: 1, on: on(7, 1) },
      { ...other },
    ];
    const starts = onDevice(truthOf(body)).map((line) => line.split(' ')[1]);
    expect(starts).toEqual(['20-120', '40-50', '122-132']);
  });

  test('the true path is the chain of what bound', () => {
    const truth = truthOf([
      kernel('a', 100),
      record(1, 7),
      wait(1, 20),
      kernel('b', 50, 20),
      { kind: 'device-sync', device: 0 },
    ]);
    const path = truePath(truth, lastMoment(truth));
    const { items, names } = truth;
    const words = path.moments.map((m) => `${names[items.name[m >> 1]]} ${timeOf(truth, m)}`);
    expect(words).toEqual(['cudaDeviceSynchronize 177', 'b 172', 'b 122', 'a 120', 'a 20', 'cudaLaunchKernel 0']);
  });
});

const launchOf = (name: string, ns: number): Extract<Action, { kind: 'launch' }> => ({
  kind: 'launch',
  name,
  ns,
  on: on(7),
});
