// Rules of host calls and threads that only these drawings tell from their mutants (`bench/mutants/host.ts`).
import { describe, expect, test } from 'vitest';
import { pathOf, syncOf } from '../test-kit/answers.ts';
import { edgesOf } from '../test-kit/words.ts';

describe('synchronising calls', () => {
  /** Calls that return 5 µs after what they waited for, 100 µs apart; then one that began just after its source had ended. */
  function lateReturns(count: number): string {
    const host: string[] = [];
    const device: string[] = [];
    const sync: string[] = [];
    for (let n = 0; n <= count; n++) {
      const [at, id] = [100 * n, 3 * n];
      const wait = n === count ? `${at + 48.5}+3` : `${at + 10}+43`;
      host.push(
        `cudaLaunchKernel#${id + 1}@${at}+5 cudaEventRecord#${id + 2}@${at + 6}+2 cudaEventSynchronize#${id + 3}@${wait}`,
      );
      device.push(`k#${id + 1}@${at + 8}+40`);
      sync.push(`EventSync#${id + 3}{on=7,record=${id + 2},event=1}`);
    }
    return `cpu 1 | ${host.join(' ')}\ngpu 0.7 | ${device.join(' ')}\nsync 0 | ${sync.join(' ')}`;
  }

  test('what had ended when the call began does not bind it, however long returns take', () => {
    const edges = edgesOf(syncOf(lateReturns(24)));
    expect(edges[0]).toBe('event-sync 3 on 2: k#1 -> cudaEventSynchronize#3 resolved binds');
    expect(edges.at(-1)).toBe('event-sync 75 on 74: k#73 -> cudaEventSynchronize#75 resolved');
  });

  test('waits that its stream is told of later do not reach a stream synchronisation', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaStreamSynchronize#3@12+30 cudaEventRecord#4@43+2
               | cudaStreamWaitEvent#5@46+2 cudaLaunchKernel#6@49+5
      gpu 0.7  | a#1@8+60
      gpu 0.20 | b#2@14+26 c#6@70+10
      sync 0   | StreamSync#3{stream=20} StreamWait#5{stream=20,on=7,record=4,event=1}`);
    expect(edgesOf(sync)).toEqual([
      'stream-sync: b#2 -> cudaStreamSynchronize#3 resolved binds',
      'stream-wait 5 on 4: a#1 -> c#6 resolved binds',
    ]);
  });

  test.each([
    ['long after the device was done', 'cudaFree#2@10+60'],
    ['after it began when the device was done', 'cudaFree#2@50+5'],
  ])('cudaFree that ends %s waits for nothing', (_, free) => {
    expect(
      edgesOf(
        syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 ${free}
      gpu 0.7  | a#1@8+40`),
      ),
    ).toEqual([]);
  });
});

describe('copies', () => {
  const copyEdge = (call: string, copy: string, callEnd: string): string[] =>
    edgesOf(
      syncOf(`
      cpu 1    | ${call}#1@0+${callEnd}
      gpu 0.7  | ${copy}#1@8+20`),
    );

  test('an asynchronous copy of pinned memory never blocks', () => {
    expect(copyEdge('cudaMemcpyAsync', 'Memcpy DtoH (Device -> Pinned)', '40')).toEqual([]);
  });

  test('a copy on the device never blocks', () => {
    expect(copyEdge('cudaMemcpy', 'Memcpy DtoD (Device -> Device)', '40')).toEqual([]);
  });

  test('a call that returns up to 1 µs before its copy ends returned with it', () => {
    expect(copyEdge('cudaMemcpy', 'Memcpy DtoH (Device -> Pinned)', '27500ns')).toEqual([
      expect.stringMatching(/^copy-sync: .* -> cudaMemcpy#1 resolved/),
    ]);
    expect(copyEdge('cudaMemcpy', 'Memcpy DtoH (Device -> Pinned)', '26')).toEqual([]);
  });

  test.each(['cudaMemcpy', 'cudaMemcpyAsync'])('%s from pageable memory may only be staged: a guess', (call) => {
    expect(copyEdge(call, 'Memcpy HtoD (Pageable -> Device)', '40')).toEqual([
      `copy-sync: Memcpy HtoD (Pageable -> Device)#1 -> ${call}#1 heuristic:copy-return binds`,
    ]);
  });
});

describe('polling', () => {
  /** Queries about one record, or about the other one where they say so; and other calls. */
  function polled(calls: string, about: string): string[] {
    return edgesOf(
      syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+2 cudaEventRecord#2@3+2 cudaEventRecord#3@6+2 ${calls}
      gpu 0.7  | a#1@8+40
      sync 0   | ${about}`),
    );
  }
  const SAME = [11, 12, 13].map((id) => `EventSync#${id}{on=7,record=2,event=1}`).join(' ');

  test('three queries in a row are a loop', () => {
    expect(polled('cudaEventQuery#11@10+2 cudaEventQuery#12@20+2 cudaEventQuery#13@47+3', SAME)).toEqual([
      'event-sync 13 on 2: a#1 -> cudaEventQuery#13 heuristic:polling binds',
    ]);
  });

  test('if they ask about the same record', () => {
    const about = SAME.replace('#12{on=7,record=2,event=1}', '#12{on=7,record=3,event=2}');
    expect(polled('cudaEventQuery#11@10+2 cudaEventQuery#12@20+2 cudaEventQuery#13@47+3', about)).toEqual([]);
  });

  test('if no other call came between', () => {
    const calls = 'cudaEventQuery#11@10+2 cudaGetDevice#20@15+1 cudaEventQuery#12@20+2 cudaEventQuery#13@47+3';
    expect(polled(calls, SAME)).toEqual([]);
  });

  test('if the work ended while they asked', () => {
    expect(polled('cudaEventQuery#11@50+2 cudaEventQuery#12@55+2 cudaEventQuery#13@60+3', SAME)).toEqual([]);
  });
});

describe('synchronising calls without rows', () => {
  test('what was launched after the call began is not waited for', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamSynchronize#2@10+60
      cpu 2    | cudaLaunchKernel#3@15+5
      gpu 0.7  | a#1@8+30
      gpu 0.20 | b#3@22+40`);
    expect(edgesOf(sync)).toEqual(['stream-sync: a#1 -> cudaStreamSynchronize#2 heuristic:call-span binds']);
  });

  test.each([
    ['before it began', 'cudaStreamSynchronize#2@50+10'],
    ['long before it returned', 'cudaStreamSynchronize#2@10+200'],
  ])('nor is what ended %s', (_, call) => {
    expect(
      edgesOf(
        syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 ${call}
      gpu 0.7  | a#1@8+40`),
      ),
    ).toEqual([]);
  });
});

describe('synchronising calls of which some have rows', () => {
  const edges = (length: string): string[] =>
    edgesOf(
      syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamSynchronize#2@${length} cudaStreamSynchronize#3@120+5
      gpu 0.7  | a#1@8+40
      sync 0   | StreamSync#3{stream=7}`),
    ).filter((edge) => edge.includes('#2'));

  test('a short one without a row found nothing to wait for', () => {
    expect(edges('46+3')).toEqual([]);
  });

  test('what a long one waited for is a guess', () => {
    expect(edges('10+39')).toEqual(['stream-sync: a#1 -> cudaStreamSynchronize#2 heuristic:call-span binds']);
  });
});

describe('workers', () => {
  const forks = (drawing: string): number | undefined => pathOf(drawing).graph.constraints.thread;

  test('one that fills a little more than half of the gap is joined', () => {
    expect(
      forks(`
      cpu 1               | fwd@0+150{seq=1} opt@400+100
      cpu 2:pt_autograd_0 | bwd@160+140{seq=1,fwd=1}`),
    ).toBe(2);
  });

  test('a gap of a little more than 50 µs may be a fork', () => {
    expect(
      forks(`
      cpu 1               | fwd@0+150{seq=1} opt@201+100
      cpu 2:pt_autograd_0 | bwd@152+45{seq=1,fwd=1}`),
    ).toBe(2);
  });

  test('a caller inside an API call waits for the driver', () => {
    expect(
      forks(`
      cpu 1               | fwd@0+150{seq=1} cudaDeviceSynchronize#1@150+250 opt@400+100
      cpu 2:pt_autograd_0 | bwd@160+220{seq=1,fwd=1}`),
    ).toBe(0);
  });

  test('the sequence numbers say who called, not who is the busiest', () => {
    expect(
      forks(`
      cpu 1 | a@0+100 b@100+100 c@200+100 d@300+100 e@400+100
      cpu 3 | fwd@0+150{seq=1} opt@400+100
      cpu 2 | bwd@160+220{seq=1,fwd=1}`),
    ).toBe(2);
  });

  test('an op of the worker that began before the gap is cut and counted', () => {
    const path = pathOf(`
      cpu 1               | fwd@0+150{seq=1} opt@400+100
      cpu 2:pt_autograd_0 | bwd@140+240{seq=1,fwd=1} more@382+10`);
    expect(path.graph.constraints.thread).toBe(2);
    expect(path.coverage.cutOps).toBe(1);
  });

  test("autograd's names make a worker", () => {
    expect(
      forks(`
      cpu 1 | fwd@0+150 opt@400+100
      cpu 2 | autograd::engine::evaluate_function: MmBackward0@160+220`),
    ).toBe(2);
  });
});

describe('a full launch queue', () => {
  const constraints = (drawing: string): number | undefined => pathOf(drawing).graph.constraints['queue-full'];

  test('counts calls, not device rows', () => {
    const host: string[] = [];
    const device: string[] = [];
    // Graphs of two nodes. The first begins at 3,000 µs, while call 512, behind 1,024 nodes, is under way.
    for (let n = 0; n < 520; n++) {
      host.push(`cudaGraphLaunch#${n + 1}@${n < 512 ? `${2 * n}+1` : n === 512 ? '1024+2000' : `${3030 + 2 * n}+1`}`);
      device.push(`k#${n + 1}@${3000 + 10 * n}+3 k#${n + 1}@${3005 + 10 * n}+3`);
    }
    expect(constraints(`cpu 1 | ${host.join(' ')}\ngpu 0.7 | ${device.join(' ')}`)).toBe(0);
  });

  test('holds a call only if its op began while that was under way', () => {
    const host: string[] = [];
    const device: string[] = [];
    for (let n = 0; n < 1030; n++) {
      host.push(`cudaLaunchKernel#${n + 1}@${4 * n}+1`);
      device.push(`k#${n + 1}@${4 * n + 3}+1`);
    }
    expect(constraints(`cpu 1 | ${host.join(' ')}\ngpu 0.7 | ${device.join(' ')}`)).toBe(0);
  });
});
