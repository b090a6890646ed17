// Typical lags and what binds, where only these drawings tell a rule from its mutants (`bench/mutants/binding.ts`).
import { describe, expect, test } from 'vitest';
import { pathOf, syncOf } from '../test-kit/answers.ts';
import { traceOf } from '../test-kit/draw.ts';
import { breakdownOf, edgesOf, pathTextOf } from '../test-kit/words.ts';
import { OWN } from './constraint-set.ts';
import { buildGraph } from './graph.ts';
import { replay, replayInput } from './replay.ts';

/** One kernel, in µs. */
interface Kernel {
  readonly call: number;
  readonly start: number;
  readonly length?: number;
  readonly api?: string;
  readonly lane?: string;
}

/** Calls of 2 µs, in order. */
function drawn(kernels: readonly Kernel[]): string {
  const host: string[] = [];
  const lanes = new Map<string, string[]>();
  kernels.forEach(({ call, start, length = 1, api = 'cudaLaunchKernel', lane = '0.7' }, n) => {
    host.push(`${api}#${n + 1}@${call}+2`);
    lanes.set(lane, [...(lanes.get(lane) ?? []), `k#${n + 1}@${start}+${length}`]);
  });
  const device = [...lanes].map(([lane, ops]) => `gpu ${lane} | ${ops.join(' ')}`);
  return `cpu 1 | ${host.join(' ')}\n${device.join('\n')}`;
}

/** Launches 100 µs apart on idle streams; the last one takes 200 µs. */
function idle(count: number, each: (n: number) => Partial<Kernel> & { readonly lag: number }): string {
  const kernels = Array.from({ length: count }, (_, n): Kernel => {
    const { lag, ...rest } = each(n);
    return { call: 100 * n, start: 100 * n + (n === count - 1 ? 200 : lag), ...rest };
  });
  return drawn(kernels);
}

/** What of the last launch, 200 µs long, is unexplained: its call takes 2, so 198 less what is typical beyond that. */
const unexplained = (drawing: string): number | undefined => breakdownOf(pathOf(drawing))['unexplained'];

describe('the typical lag of launches', () => {
  test.each([
    [20, 196],
    [19, 194],
  ])('of %i cases: %i µs are unexplained', (count, expected) => {
    expect(unexplained(idle(count, () => ({ lag: 4 })))).toBe(expected);
  });

  test('cases by another API do not count', () => {
    expect(unexplained(idle(60, (n) => (n % 2 === 0 ? { lag: 2.5, api: 'cudaLaunchKernelExC' } : { lag: 4 })))).toBe(
      196,
    );
  });

  test('nor do cases on another device', () => {
    expect(unexplained(idle(60, (n) => (n % 2 === 0 ? { lag: 2.5, lane: '1.7' } : { lag: 4 })))).toBe(196);
  });

  test('unless there are too few', () => {
    expect(unexplained(idle(60, (n) => (n < 55 ? { lag: 4, lane: '1.7' } : { lag: 4 })))).toBe(196);
  });

  test('inverted cases do not count', () => {
    expect(unexplained(idle(61, (n) => ({ lag: n % 2 === 1 ? -5 : 4 })))).toBe(196);
  });

  test('nor do cases behind other work', () => {
    const queued = Array.from({ length: 100 }, (_, n): Kernel => ({ call: 3 * n, start: 400 + 11 * n, length: 10 }));
    const free = Array.from({ length: 24 }, (_, n): Kernel => {
      const call = 3000 + 100 * n;
      return { call, start: call + (n === 23 ? 200 : 4) };
    });
    expect(unexplained(drawn([...queued, ...free]))).toBe(196);
  });
});

/** Ops of 50 µs queued at once, `gap(n)` before the nth; 100 µs before the last. */
function queue(count: number, gap: (n: number) => number, lastGap = 100): string {
  const kernels: Kernel[] = [{ call: 0, start: 6, length: 300 }];
  for (let n = 1; n < count; n++) {
    const { start, length = 0 } = kernels[n - 1];
    kernels.push({ call: 3 * n, start: start + length + (n === count - 1 ? lastGap : gap(n)), length: 50 });
  }
  return drawn(kernels);
}

describe('the typical lag of the order of a stream', () => {
  test('is the median', () => {
    expect(unexplained(queue(31, (n) => (n % 3 === 0 ? 1 : 3)))).toBe(97);
  });

  test('is 25 µs at most', () => {
    expect(unexplained(queue(31, () => 40, 300))).toBe(275);
  });

  test('is not learned where the call was still to come when the op before began', () => {
    const kernels: Kernel[] = [{ call: 0, start: 6, length: 300 }];
    for (let n = 1; n < 75; n++) {
      const { start, length = 0 } = kernels[n - 1];
      const end = start + length;
      // 24 steps of 3 µs between queued ops, 49 of 8 µs behind calls that came late, then one of 60.
      if (n < 25) kernels.push({ call: 3 * n, start: end + 3, length: 50 });
      else if (n < 74) kernels.push({ call: end - 2, start: end + 8, length: 50 });
      else kernels.push({ call: start - 5, start: end + 60, length: 50 });
    }
    expect(unexplained(drawn(kernels))).toBe(57);
  });

  test('nor where an event came later than the op before', () => {
    const host: string[] = [];
    const sync: string[] = [];
    const lane: string[] = [];
    const other: string[] = [];
    let id = 0;
    let at = 0;
    const call = (name: string): number => {
      host.push(`${name}#${++id}@${at}+1`);
      at += 2;
      return id;
    };
    let end = 1500;
    let otherEnd = end;
    lane.push(`k#${call('cudaLaunchKernel')}@6+${end - 6}`);
    other.push(`w#${call('cudaLaunchKernelExC')}@10+${end - 10}`);
    for (let n = 0; n < 65; n++) {
      if (n < 24) {
        lane.push(`k#${call('cudaLaunchKernel')}@${end + 3}+50`);
        end += 53;
        continue;
      }
      // Another stream's op ends 30 µs after the one before on this stream.
      other.push(`w#${call('cudaLaunchKernelExC')}@${otherEnd + 3}+${end + 30 - otherEnd - 3}`);
      otherEnd = end + 30;
      const record = call('cudaEventRecord');
      sync.push(`StreamWait#${call('cudaStreamWaitEvent')}{stream=7,on=20,record=${record},event=1}`);
      lane.push(`k#${call('cudaLaunchKernel')}@${end + 32}+50`);
      end += 82;
    }
    lane.push(`k#${call('cudaLaunchKernel')}@${end + 60}+50`);
    const drawing = [`cpu 1 | ${host.join(' ')}`, `gpu 0.7 | ${lane.join(' ')}`, `gpu 0.20 | ${other.join(' ')}`];
    const { segments } = pathOf([...drawing, `sync 0 | ${sync.join(' ')}`].join('\n')).path;
    const last = segments.findLast(({ kind }) => kind === 'unexplained');
    expect([last?.startNs, last?.endNs]).toEqual([(end + 3) * 1000, (end + 60) * 1000]);
  });
});

describe('binding', () => {
  test('of equal arrivals the later source binds', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@42+5
      gpu 0.7  | a#1@8+38500ns b#2@49+10`);
    expect(pathTextOf(path, { bounds: true }).at(-1)).toBe('49..59 kernel b#2 < stream-order');
  });

  test('of equal sources the order of the stream binds before a wait', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaLaunchKernel#3@9+5 cudaStreamWaitEvent#4@15+2
               | cudaLaunchKernel#5@18+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#3@17+31 c#5@50+10
      sync 0   | StreamWait#4{stream=20,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 2: a#1 -> c#5 resolved']);
  });

  test('of equal waits that for the op that began first binds', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaLaunchKernel#3@9+5 cudaEventRecord#4@15+2
               | cudaStreamWaitEvent#5@18+2 cudaStreamWaitEvent#6@21+2 cudaLaunchKernel#7@24+5
      gpu 0.7  | a#1@8+52
      gpu 0.20 | b#3@17+43
      gpu 0.24 | c#7@62+10
      sync 0   | StreamWait#5{stream=24,on=20,record=4,event=2} StreamWait#6{stream=24,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual([
      'stream-wait 5 on 4: b#3 -> c#7 resolved',
      'stream-wait 6 on 2: a#1 -> c#7 resolved binds',
    ]);
  });

  test('a rival nearer than the larger of the two typical lags makes it ambiguous', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@44500ns+5
      gpu 0.7  | a#1@8+38 b#2@52+10`);
    expect(pathTextOf(path, { bounds: true }).at(-1)).toBe('52..62 kernel b#2 < launch');
    expect(path.coverage.ambiguous).toBe(1);
  });

  test('what did not bind holds as long as it typically takes, once what bound is faster', () => {
    const graph = buildGraph(
      traceOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@20+5
      gpu 0.7  | a#1@8+40 b#2@50+10`),
    );
    const { constraints, moments } = graph;
    const lagNs = graph.lag.slice();
    for (let c = 0; c < lagNs.length; c++) {
      if (constraints.kind[c] === OWN && constraints.to[c] === moments.endOfOp(0)) lagNs[c] -= 30_000;
    }
    const time = replay({ ...replayInput(graph), lagNs });
    expect(time[moments.endOfOp(0)]).toBe(18_000);
    // Not 2 µs after that, but 6 µs after its call began.
    expect(time[moments.startOfOp(1)]).toBe(26_000);
  });
});
