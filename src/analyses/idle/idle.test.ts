import { describe, expect, test } from 'vitest';
import { DEFAULT_WINDOW, rangeWindow, resultOf, subjectOf } from '../../test-kit/answers.ts';
import { failures } from '../../test-kit/checks.ts';
import { IDLE_CHECKS } from '../../test-kit/closing.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import { realSubject } from '../../test-kit/traces.ts';
import type { RenderOptions } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeIdle } from './compute.ts';
import { renderIdle } from './render-text.ts';
import type { IdleResult, IdleTime } from './result.ts';

const PLAIN: RenderOptions = { limit: 12, fullNames: false, style: (_, text) => text };

const idleOf = (drawing: string, options: Partial<ScopeOptions> = {}): IdleResult => {
  const result = resultOf(computeIdle(subjectOf(drawing), { window: DEFAULT_WINDOW, ...options }));
  expect(failures(IDLE_CHECKS, result)).toEqual([]);
  return result;
};

/** `{ 'host-late': { 'host-work': 12 } }` in µs. */
const causesOf = ({ groups }: IdleTime): Record<string, Record<string, number>> =>
  Object.fromEntries(
    groups
      .filter(({ totalNs }) => totalNs > 0)
      .map(({ group, causes }) => [
        group,
        Object.fromEntries(causes.map(({ cause, totalNs }) => [cause, totalNs / 1000])),
      ]),
  );

/** Of the gap that begins at `at` µs: its links as `cause name in op python µs`. */
const chainAt = ({ gaps }: IdleResult, at: number): string[] => {
  const gap = gaps.find(({ startNs }) => startNs === at * 1000);
  return (gap?.chain ?? []).map(({ cause, unexplained, name, inOp, python, totalNs }) =>
    [cause, unexplained, name, inOp === undefined ? undefined : `in ${inOp}`, python, totalNs / 1000]
      .filter((part) => part !== undefined)
      .join(' '),
  );
};

// a runs 10…30. The host is between ops until 40, in aten::mm until 60, launches until 65; b begins at 70.
const HOST_LATE = `
  cpu 1    | cudaLaunchKernel#1@0+5 aten::mm@40+30 cudaLaunchKernel#2@60+5
  gpu 0.7  | a#1@10+20 b#2@70+10
`;

describe('the host was late', () => {
  const idle = idleOf(HOST_LATE);

  test('a gap is divided into what the host did, and the launch', () => {
    expect(causesOf(idle.devices[0])).toEqual({
      'before-first-op': { 'host-work': 5, launch: 5 },
      'host-late': { 'host-work': 25, 'host-gap': 10 },
      launch: { launch: 5 },
    });
    expect(chainAt(idle, 30)).toEqual(['host-gap aten::mm 10', 'host-work aten::mm 25', 'launch 5']);
  });

  test('the gap names the ops around it, and the command that tells more', () => {
    expect(idle.gaps[0]).toMatchObject({
      window: 'whole trace',
      startNs: 30_000,
      endNs: 70_000,
      place: 'between',
      after: { name: 'a', lane: 's-0.7' },
      endedBy: { name: 'b', lane: 's-0.7' },
    });
    expect(idle.gaps[0].explain).toBe(`longpole explain drawn.json e-${idle.gaps[0].endedBy?.event}`);
  });

  test('reasons gather what has one name', () => {
    const { reasons, devices } = idle;
    expect(reasons.map(({ cause, name, totalNs, gaps }) => [cause, name, totalNs / 1000, gaps])).toEqual([
      ['host-work', 'aten::mm', 25, 1],
      ['launch', undefined, 10, 2],
      ['host-gap', 'aten::mm', 10, 1],
      ['host-work', 'cudaLaunchKernel', 5, 1],
    ]);
    expect(devices[0]).toMatchObject({ gapCount: 2, longestGapNs: 40_000, halfAboveNs: 40_000, idleNs: 50_000 });
  });
});

test('a Python frame names what the host did between ops', () => {
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@60+5
    gpu 0.7  | a#1@10+20 b#2@70+10
    py 1     | train.py(7): step@0+90
             | sampler.py(3): draw@28+30
  `);
  expect(chainAt(idle, 30)).toEqual([
    'host-gap sampler.py(3): draw 30',
    'host-work cudaLaunchKernel train.py(7): step 5',
    'launch 5',
  ]);
});

test('allocating memory and loading data are told from other host work', () => {
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 aten::empty@30+20 cudaMalloc#2@35+10 enumerate(DataLoader)#_next_data@50+20 cudaLaunchKernel#3@70+5
    gpu 0.7  | a#1@10+20 b#3@80+10
  `);
  expect(causesOf(idle.devices[0])['host-late']).toEqual({
    'host-work': 15,
    allocator: 10,
    'data-loading': 20,
  });
  expect(idle.reasons.find(({ cause }) => cause === 'allocator')).toMatchObject({
    name: 'cudaMalloc',
    inOp: 'aten::empty',
  });
});

// The host waits for a in cudaStreamSynchronize, which returns 5 µs after it; then it launches b.
const DRAINED = `
  cpu 1    | cudaLaunchKernel#1@0+5 aten::item@6+29 cudaStreamSynchronize#2@8+27 cudaLaunchKernel#3@40+5
  gpu 0.7  | a#1@10+20 b#3@50+10
  sync 0   | StreamSync#2{stream=7}
`;

test('a gap behind a synchronising call names the call, and what it had waited for', () => {
  const idle = idleOf(DRAINED);
  expect(chainAt(idle, 30)).toEqual([
    'synchronising-call cudaStreamSynchronize in aten::item 5',
    'host-gap cudaLaunchKernel 5',
    'host-work cudaLaunchKernel 5',
    'launch 5',
  ]);
  expect(idle.gaps[0].drainedBy).toMatchObject({ call: { name: 'cudaStreamSynchronize' }, waitedFor: { name: 'a' } });
  expect(idle.devices[0].drainedNs).toBe(20_000);
  expect(idle.drains).toMatchObject([
    {
      name: 'cudaStreamSynchronize',
      inOp: 'aten::item',
      gaps: 1,
      totalNs: 20_000,
      longest: { waitedFor: { name: 'a' } },
    },
  ]);
});

test('the call is found too where the gap began before the window', () => {
  const { gaps, devices } = idleOf(DRAINED, { window: rangeWindow(37, 60) });
  expect(gaps).toMatchObject([{ startNs: 37_000, endNs: 50_000, after: { name: 'a' } }]);
  expect(gaps[0].drainedBy).toMatchObject({ call: { name: 'cudaStreamSynchronize' }, waitedFor: { name: 'a' } });
  expect(devices[0].drainedNs).toBe(13_000);
});

test('a device with one busy stream is not idle, whatever its other streams wait for', () => {
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@5+1 cudaEventRecord#3@6+1 cudaStreamWaitEvent#4@7+1 cudaLaunchKernel#5@8+1
    gpu 0.7  | a#1@10+10 late#5@62+10
    gpu 0.20 | long#2@12+48
    sync 0   | StreamWait#4{stream=7,on=20,record=3,event=1}
  `);
  // From 20 to 60 stream 7 waits while stream 20 runs: only the 2 µs after it are idle.
  expect(causesOf(idle.devices[0])).toEqual({
    'before-first-op': { 'host-work': 5, launch: 5 },
    'device-order': { 'event-wait': 2 },
  });
  expect(idle.reasons.find(({ cause }) => cause === 'event-wait')).toMatchObject({ name: 'long' });
});

test('a wait for another device is that device’s work', () => {
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@5+1 cudaEventRecord#3@6+1 cudaStreamWaitEvent#4@7+1 cudaLaunchKernel#5@8+1
    gpu 0.7  | a#1@10+10 late#5@62+10
    gpu 1.9  | far#2@12+48
    sync 0   | StreamWait#4{stream=7,on=9,record=3,event=1}
    record 1 | #3{stream=9,event=1}
  `);
  expect(causesOf(idle.devices[0])).toEqual({
    'before-first-op': { 'host-work': 5, launch: 5 },
    'device-order': { 'event-wait': 2 },
    'other-device': { 'other-device': 40 },
  });
  expect(chainAt(idle, 20)).toEqual(['other-device far 40', 'event-wait far 2']);
});

test('the next op of a stream, and of a graph', () => {
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@5+1 cudaGraphLaunch#3@6+2
    gpu 0.7  | a#1@10+10 b#2@22+10 n1#3@33+5{graph=1,node=1} n2#3@40+5{graph=1,node=2}
  `);
  expect(causesOf(idle.devices[0])['device-order']).toEqual({ 'stream-order': 3, 'graph-order': 2 });
});

test('before the first op and after the last one the place counts, and the cause is kept', () => {
  const idle = idleOf(`
    cpu 1    | aten::zeros@0+20 cudaLaunchKernel#1@20+5 aten::print@50+30
    gpu 0.7  | a#1@30+10
  `);
  expect(causesOf(idle.devices[0])).toEqual({
    'before-first-op': { 'host-work': 25, launch: 5 },
    'after-last-op': { 'host-work': 30, 'host-gap': 10 },
  });
  const last = idle.gaps.find(({ place }) => place === 'after-last-op');
  expect(last).toMatchObject({ startNs: 40_000, endNs: 80_000, after: { name: 'a' } });
  expect(last?.explain).toBeUndefined();
});

test('an op without a launch leaves its gap unexplained', () => {
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5
    gpu 0.7  | a#1@10+20 b@230+10
  `);
  expect(causesOf(idle.devices[0])).toMatchObject({ unexplained: { unexplained: expect.any(Number) as number } });
  expect(idle.gaps[0].chain.at(-1)).toMatchObject({ cause: 'unexplained', unexplained: 'no-launch', name: 'b' });
});

test('what is said of an unexplained part is true of the gap, not of the time before it', () => {
  // late could have begun at 22; until 200 another stream ran, then nothing.
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@5+1 cudaLaunchKernel#3@6+1
    gpu 0.7  | a#1@10+10 late#3@250+10
    gpu 0.20 | long#2@12+188
  `);
  expect(chainAt(idle, 200)).toEqual(['unexplained device-idle late 50']);
});

test('a graph launch that left no rows is named, and the note says that it ran in what looks idle', () => {
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaGraphLaunch#2@6+3 cudaLaunchKernel#3@10+3
    gpu 0.7  | a#1@10+10 b#3@220+10
  `);
  expect(chainAt(idle, 20).at(-1)).toMatch(/^unexplained graph-rows-missing b 1\d\d/);
  expect(idle.notes[0]).toContain('1 launch made here has no device row');
});

test('without host ops all is told of the device alone, and said so', () => {
  const idle = idleOf('gpu 0.7 | a#1@10+20 b#2@31+10');
  expect(causesOf(idle.devices[0])).toEqual({ 'device-order': { 'stream-order': 1 } });
  expect(idle.notes).toContain('the trace has no host ops, so the host’s part in idle time is not known');
});

describe('windows', () => {
  // b is launched in step 2: the gap from 40 to 60 crosses the border at 40… and the one from 100 to the end is step 2's own.
  const STEPS = `
    cpu 1    | cudaLaunchKernel#1@1+2 cudaLaunchKernel#2@51+2 aten::print@104+6
    gpu 0.7  | a#1@10+20 b#2@60+40
    ann 1    | ProfilerStep#1@0+40 ProfilerStep#2@50+60
  `;

  test('a gap that crosses their border is divided there, and keeps its causes', () => {
    const idle = idleOf(STEPS);
    expect(idle.windows.map(({ label, startNs, endNs }) => [label, startNs / 1000, endNs / 1000])).toEqual([
      ['ProfilerStep#1', 0, 40],
      ['ProfilerStep#2', 40, 110],
    ]);
    expect(idle.windows.map((window) => causesOf(window.devices[0]))).toEqual([
      { 'before-first-op': { 'host-gap': 1, 'host-work': 2, launch: 7 }, 'host-late': { 'host-gap': 10 } },
      {
        'host-late': { 'host-gap': 11, 'host-work': 2 },
        launch: { launch: 7 },
        'after-last-op': { 'host-work': 6, 'host-gap': 4 },
      },
    ]);
    expect(idle.gaps.map(({ startNs, endNs, window }) => [startNs / 1000, endNs / 1000, window])).toEqual([
      [30, 60, 'ProfilerStep#1'],
      [0, 10, 'ProfilerStep#1'],
      [100, 110, 'ProfilerStep#2'],
    ]);
  });

  test('a gap that a window cuts is explained by the op behind the window', () => {
    const idle = idleOf(HOST_LATE, { window: rangeWindow(20, 55) });
    expect(causesOf(idle.devices[0])).toEqual({ 'host-late': { 'host-gap': 10, 'host-work': 15 } });
    expect(idle.gaps).toMatchObject([{ startNs: 30_000, endNs: 55_000, place: 'between', endedBy: { name: 'b' } }]);
  });

  test('no gap, no causes', () => {
    const idle = idleOf(HOST_LATE, { window: rangeWindow(12, 25) });
    expect(idle).toMatchObject({ devices: [{ idleNs: 0, gapCount: 0 }], gaps: [], reasons: [], drains: [] });
    expect(idle.notes[0]).toBe('device 0 was never idle here');
    expect(renderIdle(idle, PLAIN)).toContain('device 0: idle for 0 ns (0 %)');
  });
});

test('an op of no length does not end a gap', () => {
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaMemsetAsync#2@6+1 aten::mm@40+30 cudaLaunchKernel#3@60+5
    gpu 0.7  | a#1@10+20 Memset (Device)#2@32+0 b#3@70+10
  `);
  expect(idle.gaps[0]).toMatchObject({
    startNs: 30_000,
    endNs: 70_000,
    after: { name: 'a' },
    endedBy: { name: 'b' },
  });
});

test('of ops that begin at once, the one that was enqueued first tells why', () => {
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 aten::early@30+10 cudaLaunchKernel#2@40+5 cudaLaunchKernel#3@45+5
    gpu 0.7  | a#1@10+20 second#3@55+10
    gpu 0.20 | first#2@55+10
  `);
  expect(idle.gaps[0].endedBy?.name).toBe('first');
});

test('collectives: a note says why no time is another rank’s', () => {
  const idle = idleOf(`
    cpu 1    | cudaLaunchKernel#1@0+5
    gpu 0.7  | ncclDevKernel_AllReduce#1@10+20
  `);
  expect(idle.devices[0].groups.find(({ group }) => group === 'other-rank')?.totalNs).toBe(0);
  expect(idle.notes.join('\n')).toContain('waiting for another rank is 0 here');
});

test('ROCm and the names of 2021', () => {
  const idle = idleOf(`
    cpu 1    | hipLaunchKernel#1@0+5 hipStreamSynchronize#2@8+27 hipMalloc#4@36+3 hipLaunchKernel#3@40+5
    gpu 0.0  | a#1@10+20{cat=Kernel} b#3@50+10{cat=Kernel}
  `);
  expect(idle.devices[0]).toMatchObject({ idleNs: 30_000, drainedNs: 20_000 });
  expect(causesOf(idle.devices[0])['host-late']).toMatchObject({ allocator: 3 });
});

test('a trace without device ops has no idle device', () => {
  const outcome = computeIdle(subjectOf('cpu 1 | aten::mm@0+10'), { window: DEFAULT_WINDOW });
  expect(outcome).toMatchObject({
    status: 'not-applicable',
    reason: expect.stringContaining('no device ops') as string,
  });
});

describe('the text', () => {
  const LINES = 100;

  test('of a drawing', () => {
    expectGolden(import.meta.url, 'golden/idle.txt', renderIdle(idleOf(DRAINED), PLAIN));
  });

  test('of a real trace', () => {
    const subject = realSubject('single/qwen_h100_stacks.json.gz');
    const text = renderIdle(resultOf(computeIdle(subject, { window: DEFAULT_WINDOW })), PLAIN);
    expectGolden(import.meta.url, 'golden/qwen.txt', text);
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(LINES);
  });
});
