// Waits that no row holds, inferred from gaps: each rule drawn, with what must not become an edge.
import { describe, expect, test } from 'vitest';
import { traceOf } from '../test-kit/draw.ts';
import { type Graph, buildGraph } from './graph.ts';
import type { GraphOptions } from './graph-options.ts';

const graphOf = (drawing: string, options: GraphOptions = {}): Graph => buildGraph(traceOf(drawing), options);

/** `wait-call 3: a#1 -> b#4`; the number is that of the wait call. */
function inferredIn({ edges, device, trace }: Graph): string[] {
  const nameOf = (op: number): string => {
    const event = device.event[op];
    return `${trace.strings.text(trace.events.name[event])}#${trace.events.correlation[event]}`;
  };
  return edges
    .filter(({ kind }) => kind === 'inferred-wait')
    .map(({ status, source, sinkOp, wait }) => {
      const call = wait === -1 ? '' : ` ${wait}`;
      return `${status.replace('heuristic:', '')}${call}: ${nameOf(source?.op ?? -1)} -> ${nameOf(sinkOp)}`;
    });
}

const inferredOf = (drawing: string, options: GraphOptions = {}): string[] => inferredIn(graphOf(drawing, options));
const supportOf = (drawing: string): (string | undefined)[] =>
  graphOf(drawing).edges.flatMap(({ kind, support }) => (kind === 'inferred-wait' ? [support] : []));

describe('wait-call', () => {
  const PLAIN = `
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+400
      gpu 0.20 | b#4@410+10`;

  test('the op of another stream that ended just before a late one is what it waited for', () => {
    expect(inferredOf(PLAIN)).toEqual(['wait-call 3: a#1 -> b#4']);
    expect(supportOf(PLAIN)).toEqual(['call 3 of cudaStreamWaitEvent; it began 2000 ns after that ended']);
  });

  test('is never resolved, and counted', () => {
    const { edges, coverage } = graphOf(PLAIN);
    expect(edges.some(({ status }) => status === 'resolved')).toBe(false);
    expect(coverage.inferred).toEqual({ 'wait-call': 1, c10d: 0, 'end-start': 0 });
    expect(coverage.waits).toMatchObject({ total: 0, resolved: 0, heuristic: 0, callsWithoutRow: 1 });
  });

  test('--exact removes it', () => {
    expect(inferredOf(PLAIN, { exact: true })).toEqual([]);
  });

  test('not where the op began as soon as it was launched: the wait did not bind', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamWaitEvent#3@409+2 cudaLaunchKernel#4@412+5
      gpu 0.7  | a#1@8+400
      gpu 0.20 | b#4@420+10`),
    ).toEqual([]);
  });

  test('not where the op before it on its stream ended as late', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+400
      gpu 0.20 | c#2@14+394 b#4@410+10`),
    ).toEqual([]);
  });

  test('not for an op that ended long before: the gap was spent on something else', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+300
      gpu 0.20 | b#4@410+10`),
    ).toEqual([]);
  });

  test('not for an op that was enqueued after the wait', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5 cudaLaunchKernel#5@18+5
      gpu 0.7  | a#5@26+382
      gpu 0.20 | b#4@410+10`),
    ).toEqual([]);
  });

  test('contention: a late op without a wait call before it, though another stream ended just then', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaStreamWaitEvent#1@0+2 cudaLaunchKernel#2@3+2 cudaLaunchKernel#3@6+2 cudaLaunchKernel#4@9+2
      gpu 0.7  | a#3@12+396
      gpu 0.20 | first#2@9+10 late#4@410+10`),
    ).toEqual([]);
  });

  test('contention: the other op goes on while the late one runs', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+440
      gpu 0.20 | b#4@410+10`),
    ).toEqual([]);
  });

  test('a record directly before it on the thread: the stream that the thread had launched into last', () => {
    const drawing = `
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+2 cudaEventRecord#3@9+1 cudaStreamWaitEvent#4@11+2
               | cudaLaunchKernel#5@14+5
      gpu 0.7  | a#1@8+401
      gpu 0.24 | c#2@14+390
      gpu 0.20 | b#5@410+10`;
    expect(inferredOf(drawing)).toEqual(['wait-call 4: c#2 -> b#5']);
    expect(supportOf(drawing)).toEqual([
      'call 4 of cudaStreamWaitEvent; directly behind call 3 of cudaEventRecord, whose thread had launched into that stream last; it began 6000 ns after that ended',
    ]);
    expect(inferredOf(drawing.replace('cudaEventRecord#3@9+1 ', ''))).toEqual(['wait-call 4: a#1 -> b#5']);
  });

  test('a record before it of a stream that explains nothing: any other stream', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+2 cudaEventRecord#3@9+1 cudaStreamWaitEvent#4@11+2
               | cudaLaunchKernel#5@14+5
      gpu 0.7  | a#1@8+400
      gpu 0.24 | c#2@14+90
      gpu 0.20 | b#5@410+10`),
    ).toEqual(['wait-call 4: a#1 -> b#5']);
  });

  test('of several sources the one whose delay is usual; the others are named', () => {
    const drawing = `
      cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@3+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+400.5
      gpu 0.24 | c#2@14+395.9
      gpu 0.20 | b#4@410+10`;
    // 1.5 µs after a ended, 0.1 µs after c did: too soon for a wait.
    expect(inferredOf(drawing)).toEqual(['wait-call 3: a#1 -> b#4']);
    expect(supportOf(drawing)).toEqual([
      'call 3 of cudaStreamWaitEvent; it began 1500 ns after that ended; less likely an op of s-0.24, which ended then, too',
    ]);
  });

  test('of several sources the one on the stream that the thread launched into last, where delays do not tell', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@3+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+400.5
      gpu 0.24 | c#2@14+394.8
      gpu 0.20 | b#4@410+10`),
    ).toEqual(['wait-call 3: c#2 -> b#4']);
  });

  test('a thread that hands its work to another: the next launch of any thread', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#9@500+5
      cpu 2    | cudaLaunchKernel#4@20+5
      gpu 0.7  | a#1@8+400 z#9@508+5
      gpu 0.20 | b#4@410+10`),
    ).toEqual(['wait-call 3: a#1 -> b#4']);
  });

  test('another device', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 1.7  | a#1@8+400
      gpu 0.20 | b#4@410+10`),
    ).toEqual(['wait-call 3: a#1 -> b#4']);
  });

  test('beside rows: only for the call that has none', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaLaunchKernel#5@18+5 cudaStreamWaitEvent#6@24+2 cudaLaunchKernel#7@27+5
      gpu 0.7  | a#1@8+400 c#5@409+200
      gpu 0.20 | b#4@410+10 d#7@611+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`),
    ).toEqual(['wait-call 6: c#5 -> d#7']);
  });

  test('a clock that shows the source a little later', () => {
    const drawing = PLAIN.replace('b#4@410+10', 'b#4@407.5+10');
    expect(inferredOf(drawing)).toEqual(['wait-call 3: a#1 -> b#4']);
    expect(supportOf(drawing)).toEqual([
      'call 3 of cudaStreamWaitEvent; it began when that ended (500 ns before, by the clock)',
    ]);
  });
});

describe('c10d', () => {
  const CALL = `
      cpu 1    | cudaLaunchKernel#1@0+5 record_param_comms@10+10 cudaStreamWaitEvent#2@11+2 cudaLaunchKernel#3@14+4
               | record_param_comms@30+5 cudaStreamWaitEvent#4@31+2 cudaLaunchKernel#5@40+5
      gpu 0.7  | a#1@8+400 c#5@612+10
      gpu 0.20 | ncclKernel_AllReduce#3@410+200`;

  test('a collective waits for the stream of its caller, and that one for it', () => {
    expect(inferredOf(CALL)).toEqual(['c10d: a#1 -> ncclKernel_AllReduce#3', 'c10d 4: ncclKernel_AllReduce#3 -> c#5']);
    expect(supportOf(CALL)).toEqual([
      'record_param_comms e-1 makes it wait for its caller, whose thread launched into s-0.7 last',
      "a collective's wait, call 4 of cudaStreamWaitEvent; it began 2000 ns after that ended",
    ]);
    expect(inferredOf(CALL, { exact: true })).toEqual([]);
  });

  test('a synchronous one waits behind its launch, in the same row', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 record_param_comms@10+20 cudaStreamWaitEvent#2@11+2 cudaLaunchKernel#3@14+4
               | cudaStreamWaitEvent#4@20+2 cudaLaunchKernel#5@40+5
      gpu 0.7  | a#1@8+400 c#5@612+10
      gpu 0.20 | ncclKernel_AllReduce#3@410+200`),
    ).toEqual(['c10d: a#1 -> ncclKernel_AllReduce#3', 'c10d 4: ncclKernel_AllReduce#3 -> c#5']);
  });

  test('the caller is known without its wait call', () => {
    expect(inferredOf(CALL.replace('cudaStreamWaitEvent#2@11+2 ', ''))).toContain(
      'c10d: a#1 -> ncclKernel_AllReduce#3',
    );
  });

  test('the wait is not on the stream of a collective that is called next', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 record_param_comms@10+10 cudaStreamWaitEvent#2@11+2 cudaLaunchKernel#3@14+4
               | record_param_comms@30+5 cudaStreamWaitEvent#4@31+2
               | record_param_comms@40+10 cudaStreamWaitEvent#5@41+2 cudaLaunchKernel#6@44+4 cudaLaunchKernel#7@60+5
      gpu 0.7  | a#1@8+400 c#7@612+10
      gpu 0.20 | ncclKernel_AllReduce#3@410+200
      gpu 0.24 | ncclKernel_AllGather#6@410+100`),
    ).toContain('c10d 4: ncclKernel_AllReduce#3 -> c#7');
  });

  test('not for a collective that does not wait: the caller still runs when it begins', () => {
    expect(inferredOf(CALL.replace('a#1@8+400', 'a#1@8+500'))).toEqual(['c10d 4: ncclKernel_AllReduce#3 -> c#5']);
  });

  test('not where a row says what the collective waited for', () => {
    const drawing = `
      cpu 1    | cudaLaunchKernel#1@0+5 record_param_comms@10+10 cudaEventRecord#2@11+1 cudaStreamWaitEvent#3@13+2
               | cudaLaunchKernel#4@16+3
      gpu 0.7  | a#1@8+400
      gpu 0.20 | ncclKernel_AllReduce#4@410+200`;
    expect(inferredOf(drawing)).toEqual(['c10d: a#1 -> ncclKernel_AllReduce#4']);
    expect(inferredOf(`${drawing}\n      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`)).toEqual([]);
  });
});

describe('end-start', () => {
  interface Steps {
    readonly steps: number;
    /** In which step the source ends long before the sink begins. */
    readonly except?: readonly number[];
    readonly more?: string;
  }

  /** Steps of 1 ms; in each b starts 2 µs after a of another stream ends, 400 µs after its launch. */
  function stepsOf({ steps, except = [], more = '' }: Steps): string {
    const at = Array.from({ length: steps }, (_, step) => 1_000 * step);
    const call = (step: number): number => 10 * step + 2;
    return `
      ann 1    | ${at.map((from, step) => `ProfilerStep#${step}@${from}+900`).join(' ')}
      cpu 1    | ${at.map((from, step) => `cudaLaunchKernel#${call(step)}@${from}+5 cudaLaunchKernel#${call(step) + 1}@${from + 10}+5`).join(' ')}
      gpu 0.7  | ${at.map((from, step) => `a#${call(step)}@${from + 8}+${except.includes(step) ? 300 : 400}`).join(' ')}
      gpu 0.20 | ${at.map((from, step) => `b#${call(step) + 1}@${from + 410}+10`).join(' ')}
      ${more}`;
  }

  test('late starts that come, step after step, just when an op of one other stream ended', () => {
    expect(inferredOf(stepsOf({ steps: 3 }))).toEqual([
      'end-start: a#2 -> b#3',
      'end-start: a#12 -> b#13',
      'end-start: a#22 -> b#23',
    ]);
    expect(supportOf(stepsOf({ steps: 3 }))[0]).toBe(
      'it began 2000 ns after that ended; so did 3 of its 3 late starts in 3 steps; sharing the device would look the same',
    );
    expect(inferredOf(stepsOf({ steps: 3 }), { exact: true })).toEqual([]);
  });

  test('not in two steps', () => {
    expect(inferredOf(stepsOf({ steps: 2 }))).toEqual([]);
  });

  test('four of five are enough, three of four are not', () => {
    expect(inferredOf(stepsOf({ steps: 5, except: [2] }))).toHaveLength(4);
    expect(inferredOf(stepsOf({ steps: 4, except: [2] }))).toEqual([]);
  });

  test('not where a trace has wait calls', () => {
    expect(inferredOf(stepsOf({ steps: 3, more: 'cpu 2 | cudaStreamWaitEvent#500@2990+2' }))).toEqual([]);
  });

  test('not where chance does as well: an op of the other stream ends every 12 µs', () => {
    const many = Array.from({ length: 250 }, (_, i) => `s#${1_000 + i}@${12 * i}+11`).join(' ');
    const drawing = stepsOf({ steps: 3 }).replace(/gpu 0\.7 .*/, `gpu 0.7 | ${many}`);
    const calls = Array.from({ length: 250 }, (_, i) => `cudaLaunchKernel#${1_000 + i}@${i / 10 - 100}+0.05`).join(' ');
    expect(inferredOf(`${drawing}\n      cpu 2    | ${calls}`)).toEqual([]);
  });

  test('not where two streams ended then: which of them is not told', () => {
    const third = [0, 1, 2].map((step) => `c#${10 * step + 1}@${1_000 * step + 20}+388`).join(' ');
    const calls = [0, 1, 2].map((step) => `cudaLaunchKernel#${10 * step + 1}@${1_000 * step - 6}+2`).join(' ');
    expect(inferredOf(stepsOf({ steps: 3, more: `gpu 0.24 | ${third}\n      cpu 2 | ${calls}` }))).toEqual([]);
  });
});
