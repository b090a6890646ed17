// Waits that a trace does not hold but that its gaps show: ARCHITECTURE.md, and `bench/mutants/inferred.ts`.
import { describe, expect, test } from 'vitest';
import { subjectOn, syncFor, syncOf } from '../test-kit/answers.ts';
import { traceOf } from '../test-kit/draw.ts';
import { edgesOf, waitsOf } from '../test-kit/words.ts';
import { buildGraph } from './graph.ts';

const exactEdgesOf = (drawing: string): string[] => {
  const trace = traceOf(drawing);
  const graph = buildGraph(trace, { exact: true });
  return edgesOf(syncFor(subjectOn(graph)));
};

const inferredOf = (drawing: string): string[] =>
  edgesOf(syncOf(drawing)).filter((edge) => edge.startsWith('inferred-wait'));

describe('a wait call without a row', () => {
  /** `a` of stream 7 ends at 108 µs; `b` of stream 20, launched behind a wait, begins later, and nothing else holds it. */
  const handedOver = (start: string): string => `
    cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
    gpu 0.7  | a#1@8+100
    gpu 0.20 | b#4@${start}+10`;

  test('explains a long gap that ends when an op of another stream has ended: a guess, never resolved', () => {
    const sync = syncOf(handedOver('110'));
    expect(edgesOf(sync)).toEqual(['inferred-wait: a#1 -> b#4 heuristic:wait-call binds']);
    expect(waitsOf(sync)).toBe('0 = 0, 1 calls without a row');
    expect(sync.coverage.inferred).toEqual({ 'wait-call': 1, c10d: 0, 'end-start': 0 });
  });

  test('not with --exact; nor do other guesses hold anything then', () => {
    expect(exactEdgesOf(handedOver('110'))).toEqual([]);
    expect(
      exactEdgesOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaDeviceSynchronize#2@10+40
      gpu 0.7  | a#1@8+40`),
    ).toEqual(['device-sync: a#1 -> cudaDeviceSynchronize#2 heuristic:call-span']);
  });

  test('up to 15 µs after it', () => {
    expect(inferredOf(handedOver('122'))).toHaveLength(1);
    expect(inferredOf(handedOver('124'))).toEqual([]);
  });

  test('up to 1 µs before it, by the clock', () => {
    expect(inferredOf(handedOver('107500ns'))).toHaveLength(1);
    expect(inferredOf(handedOver('106500ns'))).toEqual([]);
  });

  test('not where a known constraint arrives later', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+78
      gpu 0.20 | p#2@14+70900ns b#4@100+10`),
    ).toEqual([]);
  });

  test('not where nothing is unexplained', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+50
      gpu 0.20 | b#4@60+10`),
    ).toEqual([]);
  });

  test('not where a row says that it waited for nothing', () => {
    expect(
      edgesOf(
        syncOf(`${handedOver('110')}
      sync 0   | StreamWait#3{stream=20,on=28,record=2,event=1}`),
      ),
    ).toEqual(['stream-wait 3: empty']);
  });

  test('but where its row does not know', () => {
    const sync = syncOf(`${handedOver('110')}
      sync 0   | StreamWait#3{stream=20,on=-1,record=-1,event=-1}`);
    expect(
      inferredOf(`${handedOver('110')}
      sync 0   | StreamWait#3{stream=20,on=-1,record=-1,event=-1}`),
    ).toEqual(['inferred-wait: a#1 -> b#4 heuristic:wait-call binds']);
    expect(waitsOf(sync)).toBe('1 = 1 unresolved');
  });
});

describe('its sink', () => {
  test('is on the stream into which its thread launches next', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#5@20+5
      cpu 2    | cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+100
      gpu 0.20 | b#5@110+10
      gpu 0.24 | c#4@110+10`),
    ).toEqual(['inferred-wait: a#1 -> b#5 heuristic:wait-call binds']);
  });

  test('or, where that launches nothing more, on that into which any thread does', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2
      cpu 2    | cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+100
      gpu 0.20 | b#4@110+10`),
    ).toEqual(['inferred-wait: a#1 -> b#4 heuristic:wait-call binds']);
  });

  test('is the first op there that was enqueued behind the wait, by any thread', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@3+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#5@20+5
      cpu 2    | cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+100
      gpu 0.24 | d#2@11+138
      gpu 0.20 | x#4@110+10 b#5@151+10`),
    ).toEqual(['inferred-wait: a#1 -> x#4 heuristic:wait-call binds']);
  });
});

describe('its source', () => {
  test('was enqueued before the wait', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      cpu 2    | cudaLaunchKernel#5@18+5
      gpu 0.7  | a#1@8+10
      gpu 0.20 | b#4@110+10
      gpu 0.24 | d#5@25+83`),
    ).toEqual([]);
  });

  test('is of each stream the op that ended last', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@3+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+100 inner#2@50+50
      gpu 0.20 | b#4@110+10`),
    ).toEqual(['inferred-wait: a#1 -> b#4 heuristic:wait-call binds']);
  });

  /** Ops of two streams end before `b` begins at 110 µs; the thread launches into the first stream named last. */
  const rivals = (last: string, lastEnd: number, other: string, otherEnd: number, between = ''): string => `
    cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@3+2 ${between} cudaStreamWaitEvent#5@16+2 cudaLaunchKernel#6@19+5
    gpu ${other} | other#1@8+${otherEnd - 8}
    gpu ${last} | last#2@11+${lastEnd - 11}
    gpu 0.20 | b#6@110+10`;

  test.each([
    { why: 'ended as long before as is usual', drawing: rivals('0.7', 100, '0.24', 108.5), source: 'other#1' },
    {
      why: 'is on the stream that the thread launched into last',
      drawing: rivals('0.7', 108.2, '0.24', 108.5),
      source: 'last#2',
    },
    {
      why: 'is on the stream before that, if a record directly before the wait says so',
      drawing: rivals('0.7', 100, '0.24', 108.5, 'cudaEventRecord#4@12+2'),
      source: 'last#2',
    },
    {
      why: 'is not, if another call came between',
      drawing: rivals('0.7', 100, '0.24', 108.5, 'cudaEventRecord#3@8+2 cudaGetDevice#4@12+2'),
      source: 'other#1',
    },
  ])('of several streams $why', ({ drawing, source }) => {
    expect(inferredOf(drawing)).toEqual([`inferred-wait: ${source} -> b#6 heuristic:wait-call binds`]);
  });

  test('is on the device of its sink, where one there is nearly as likely', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@3+2 cudaLaunchKernel#3@6+2 cudaStreamWaitEvent#5@16+2
               | cudaLaunchKernel#6@19+5
      gpu 0.7  | near#1@8+100200ns
      gpu 1.7  | far#2@11+97500ns
      gpu 0.28 | early#3@14+10
      gpu 0.20 | b#6@110+10`),
    ).toEqual(['inferred-wait: near#1 -> b#6 heuristic:wait-call binds']);
  });
});

describe("PyTorch's collectives", () => {
  const NCCL = 'ncclDevKernel_AllReduce_Sum';

  test('wait for the stream of their caller, up to the call', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 record_param_comms@10+20 cudaLaunchKernelExC#2@15+5 cudaLaunchKernel#3@32+5
      gpu 0.7  | a#1@8+100 c#3@109+60
      gpu 0.20 | ${NCCL}#2@110+30`),
    ).toEqual([`inferred-wait: a#1 -> ${NCCL}#2 heuristic:c10d binds`]);
  });

  test('where a row says what they waited for, nothing is inferred', () => {
    expect(
      edgesOf(
        syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 record_param_comms@10+20 cudaEventRecord#2@11+1 cudaStreamWaitEvent#3@13+1
               | cudaLaunchKernelExC#4@15+5
      gpu 0.7  | a#1@8+100
      gpu 0.20 | ${NCCL}#4@110+30
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`),
      ),
    ).toEqual([`stream-wait 3 on 2: a#1 -> ${NCCL}#4 resolved binds`]);
  });

  test('their wait makes the stream of the caller wait for theirs, not for any other', () => {
    expect(
      inferredOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 record_param_comms@10+20 cudaLaunchKernelExC#2@15+5 cudaLaunchKernel#3@33+2
               | record_param_comms@40+10 cudaStreamWaitEvent#4@42+2 cudaLaunchKernel#5@52+5
      gpu 0.7  | a#1@8+10 c#5@142+10
      gpu 0.20 | ${NCCL}#2@22+115
      gpu 0.28 | d#3@40+100500ns`),
    ).toContain(`inferred-wait: ${NCCL}#2 -> c#5 heuristic:c10d binds`);
  });
});

describe('a trace without any wait calls', () => {
  interface Step {
    /** Between the end of the other stream's op and the start of `b`, in µs; by default 2. */
    readonly gap?: number;
    /** `b` begins when its launch lets it. */
    readonly soon?: boolean;
  }

  interface Extra {
    /** Further streams whose ops end with those of stream 20. */
    readonly twin?: boolean;
    /** The op of the other stream is launched behind `b`. */
    readonly behind?: boolean;
    readonly wait?: boolean;
  }

  /** Steps of 1 ms: an op of stream 20 runs for about 200 µs; `b` of stream 7, launched meanwhile, begins when it has ended. */
  function steps(each: readonly Step[], { twin = false, behind = false, wait = false }: Extra = {}): string {
    const ann: string[] = [];
    const host: string[] = [];
    const lanes: [string[], string[], string[]] = [[], [], []];
    each.forEach(({ gap = 2, soon = false }, n) => {
      const [at, id, end] = [1000 * n, 10 * n + 1, 1000 * n + 208 + 7 * n];
      ann.push(`ProfilerStep#${n}@${at}+900`);
      const [first, second] = behind ? [id + 2, id] : [id, id + 2];
      const calls = [
        `cudaLaunchKernel#${first}@${at + (behind ? 20 : 0)}+3`,
        `cudaLaunchKernel#${second}@${at + 10}+3`,
      ];
      host.push(...(behind ? calls.reverse() : calls));
      if (twin) host.push(`cudaLaunchKernel#${id + 1}@${at + 5}+3`);
      if (twin) lanes[2].push(`v#${id + 1}@${at + 30}+${end - at - 30}`);
      lanes[1].push(`w#${first}@${at + 30}+${end - at - 30}`);
      lanes[0].push(`b#${second}@${soon ? at + 18 : end + gap}+10`);
    });
    if (wait) host.push(`cudaStreamWaitEvent#9999@${1000 * each.length}+1`);
    const tracks = [`ann 1 | ${ann.join(' ')}`, `cpu 1 | ${host.join(' ')}`];
    [7, 20, 24].forEach((stream, i) => {
      if (lanes[i].length > 0) tracks.push(`gpu 0.${stream} | ${lanes[i].join(' ')}`);
    });
    return tracks.join('\n');
  }

  const times = (count: number, step: Step = {}): Step[] => Array.from({ length: count }, () => step);

  test('shows by its gaps what began when another op had ended, step after step', () => {
    expect(inferredOf(steps(times(6)))).toEqual(
      Array.from(
        { length: 6 },
        (_, n) => `inferred-wait: w#${10 * n + 1} -> b#${10 * n + 3} heuristic:end-start binds`,
      ),
    );
  });

  test('in 8 of 9 cases', () => {
    expect(inferredOf(steps([...times(8), ...times(1, { gap: 100 })]))).toHaveLength(8);
  });

  test.each([
    ['with a wait call, be it elsewhere', steps(times(6), { wait: true })],
    ['in two steps alone', steps([...times(2), ...times(4, { soon: true })])],
    ['where two other streams have such ops', steps(times(6), { twin: true })],
    ['where those ops were enqueued later', steps(times(6), { behind: true })],
    ['where they ended more than 10 µs before', steps(times(6, { gap: 12 }))],
    ['in 6 of 9 cases', steps([...times(6), ...times(3, { gap: 100 })])],
  ])('not %s', (_, drawing) => {
    expect(inferredOf(drawing)).toEqual([]);
  });

  test('nor where the other stream ends ops all the time', () => {
    const host: string[] = [];
    const dense: string[] = [];
    for (let n = 0; n < 500; n++) {
      host.push(`cudaLaunchKernel#${n + 1}@${n}+1`);
      dense.push(`w#${n + 1}@${600 + 9 * n}+8`);
    }
    const own: string[] = [];
    const ann: string[] = [];
    for (let n = 0; n < 4; n++) {
      const at = 700 + 1000 * n;
      ann.push(`ProfilerStep#${n}@${at}+900`);
      host.push(`cudaLaunchKernel#${1000 + n}@${at + 10}+3`);
      own.push(`b#${1000 + n}@${at + 300 + 3 * n}+10`);
    }
    expect(
      inferredOf(
        [
          `ann 1 | ${ann.join(' ')}`,
          `cpu 1 | ${host.join(' ')}`,
          `gpu 0.7 | ${own.join(' ')}`,
          `gpu 0.20 | ${dense.join(' ')}`,
        ].join('\n'),
      ),
    ).toEqual([]);
  });
});
