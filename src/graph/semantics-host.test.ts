// What a host call waits for: rows 3, 4, 5, 7, 20, 21, 23, 28 and 31 of semantics.md, section 1.
import { describe, expect, test } from 'vitest';
import { pathOf, syncOf } from '../test-kit/answers.ts';
import { breakdownOf, edgesOf, kindsOf, recordsOf, waitsOf } from '../test-kit/words.ts';

describe('synchronising calls', () => {
  test('an event synchronisation waits for what its record captured', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaLaunchKernel#3@9+5 cudaEventSynchronize#4@20+30
      gpu 0.7  | a#1@8+40 b#3@49+60
      sync 0   | EventSync#4{on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['event-sync 4 on 2: a#1 -> cudaEventSynchronize#4 resolved binds']);
    expect(recordsOf(sync)).toEqual(['2 on 0.7 resolved [a#1] for 4']);
  });

  test('what ended just before the call began does not bind it, though it could have arrived inside', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaEventSynchronize#3@100+3
      gpu 0.7  | a#1@8+91500ns
      sync 0   | EventSync#3{on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['event-sync 3 on 2: a#1 -> cudaEventSynchronize#3 resolved']);
  });

  test('an event synchronisation after waits has all their sources', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2 cudaStreamWaitEvent#4@15+2
               | cudaEventRecord#5@18+2 cudaEventSynchronize#6@21+50
      gpu 0.7  | a#1@8+60
      gpu 0.20 | b#2@14+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1} EventSync#6{on=20,record=5,event=2}`);
    expect(edgesOf(sync)).toEqual([
      'stream-wait 4: no-sink',
      'event-sync 6 on 5: a#1 via 3 -> cudaEventSynchronize#6 resolved binds',
      'event-sync 6 on 5: b#2 -> cudaEventSynchronize#6 resolved',
    ]);
  });

  test('an event synchronisation without its call has no sink', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2
      gpu 0.7  | a#1@8+40
      sync 0   | EventSync#3@20+30{on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['event-sync 3: no-sink']);
  });

  test('a stream synchronisation of 2026 stands on another track and means its stream', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaStreamSynchronize#3@12+40
      gpu 0.7  | a#1@8+41
      gpu 0.20 | b#2@14+60
      sync 0   | StreamSync#3{stream=7}`);
    expect(edgesOf(sync)).toEqual(['stream-sync: a#1 -> cudaStreamSynchronize#3 resolved binds']);
  });

  test('a device synchronisation waits for the last op of every stream, not for later ones', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaDeviceSynchronize#3@12+60 cudaLaunchKernel#4@80+5
      gpu 0.7  | a#1@8+41 c#4@90+10
      gpu 0.20 | b#2@14+56
      sync 0   | ContextSync#3`);
    expect(edgesOf(sync)).toEqual([
      'device-sync: a#1 -> cudaDeviceSynchronize#3 resolved',
      'device-sync: b#2 -> cudaDeviceSynchronize#3 resolved binds',
    ]);
  });

  test('a device synchronisation of 2023 has the stream 4294967295', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaDeviceSynchronize#2@10+40
      gpu 0.7  | a#1@8+40
      sync 0   | ContextSync#2{stream=4294967295}`);
    expect(edgesOf(sync)).toEqual(['device-sync: a#1 -> cudaDeviceSynchronize#2 resolved binds']);
  });

  test('only the time up to the end of the source is waiting; the rest of the call is its own', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamSynchronize#2@10+50 mm@60+10
      gpu 0.7  | a#1@8+40
      sync 0   | StreamSync#2{stream=7}`);
    expect(kindsOf(path)).toEqual([
      '0..5 host-work',
      '5..8 launch a#1',
      '8..48 kernel a#1',
      '48..60 sync-overhead',
      '60..70 host-work',
    ]);
  });
});

describe('calls that only ask', () => {
  test('a single query never blocks', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaEventQuery#3@40+10 mm@60+10
      gpu 0.7  | a#1@8+40
      sync 0   | EventSync#3{on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual([]);
    expect(recordsOf(sync)).toEqual(['2 on 0.7 resolved [a#1] for 3']);
    expect(waitsOf(sync)).toBe('0 = 0');
  });

  test('two in a row do not block either', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaEventQuery#3@20+2 cudaEventQuery#4@47+3
      gpu 0.7  | a#1@8+40
      sync 0   | EventSync#3{on=7,record=2,event=1} EventSync#4{on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual([]);
  });

  test('three or more in a row are a blocking loop, as a guess', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaEventQuery#3@10+2 cudaEventQuery#4@20+2
               | cudaEventQuery#5@30+2 cudaEventQuery#6@47+3 mm@60+10
      gpu 0.7  | a#1@8+40
      sync 0   | EventSync#3{on=7,record=2,event=1} EventSync#4{on=7,record=2,event=1}
               | EventSync#5{on=7,record=2,event=1} EventSync#6{on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['event-sync 6 on 2: a#1 -> cudaEventQuery#6 heuristic:polling binds']);
    expect(waitsOf(sync)).toBe('0 = 0');
  });
});

describe('calls that block by themselves', () => {
  test.each([
    ['cudaMemcpy', 'Memcpy DtoH (Device -> Pinned)'],
    ['cudaMemcpy', 'Memcpy HtoD (Pinned -> Device)'],
    ['hipMemcpyWithStream', 'Memcpy DtoH (Device -> Host)'],
  ])('%s with %s that ends inside the call binds it', (call, copy) => {
    const sync = syncOf(`
      cpu 1    | ${call}#1@0+30
      gpu 0.7  | ${copy}#1@8+20`);
    expect(edgesOf(sync)).toEqual([`copy-sync: ${copy}#1 -> ${call}#1 resolved binds`]);
  });

  test('a copy to pinned memory whose call returns before it is only launched', () => {
    const sync = syncOf(`
      cpu 1    | cudaMemcpyAsync#1@0+6
      gpu 0.7  | Memcpy DtoH (Device -> Pinned)#1@8+20`);
    expect(edgesOf(sync)).toEqual([]);
  });

  test('a copy to pageable memory always blocks: a clock that contradicts it is an inversion', () => {
    const sync = syncOf(`
      cpu 1    | cudaMemcpyAsync#1@0+30
      gpu 0.7  | Memcpy DtoH (Device -> Pageable)#1@8+25`);
    expect(edgesOf(sync)).toEqual([
      expect.stringMatching(/^copy-sync: Memcpy DtoH \(Device -> Pageable\)#1 -> cudaMemcpyAsync#1 resolved/),
    ]);
    expect(sync.coverage.inversions).toEqual({ count: 1, maxNs: 3000 });
  });

  test('cudaFree that ends when the device does is an implicit synchronisation, as a guess', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaFree#2@10+40
      gpu 0.7  | a#1@8+41500ns
      sync 0   | StreamSync#9@0+1{stream=7}`);
    expect(edgesOf(sync)).toContain('device-sync: a#1 -> cudaFree#2 heuristic:implicit-sync binds');
  });

  test('cudaFree that ends elsewhere waits for nothing', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaFree#2@10+10
      gpu 0.7  | a#1@8+40`);
    expect(edgesOf(sync)).toEqual([]);
  });
});

describe('traces without sync rows', () => {
  test.each(['cudaStreamSynchronize', 'cudaEventSynchronize', 'hipDeviceSynchronize', 'hipStreamSynchronize'])(
    '%s waits for the last op that ends inside it, as a guess',
    (call) => {
      const sync = syncOf(`
        cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 ${call}#3@12+40
        gpu 0.7  | a#1@8+20
        gpu 0.20 | b#2@14+36`);
      const binding = edgesOf(sync).filter((edge) => edge.endsWith('binds'));
      expect(binding).toEqual([expect.stringMatching(`: b#2 -> ${call}#3 heuristic:call-span binds$`)]);
      expect(edgesOf(sync).filter((edge) => edge.includes('resolved'))).toEqual([]);
    },
  );

  test('waits between streams are then unknown, and the answer says so', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#4@50+10`);
    expect(edgesOf(sync).filter((edge) => edge.startsWith('stream-wait'))).toEqual([]);
    expect(waitsOf(sync)).toBe('0 = 0, 1 calls without a row');
    expect(sync.notes.length).toBeGreaterThan(0);
  });
});

describe('threads', () => {
  test('a worker that fills a gap of its caller is forked and joined', () => {
    const path = pathOf(`
      cpu 1               | fwd@0+150{seq=1} opt@400+100
      cpu 2:pt_autograd_0 | bwd@160+220{seq=1,fwd=1}`);
    expect(kindsOf(path)).toEqual([
      '0..150 host-work',
      '150..160 host-gap',
      '160..380 host-work',
      '380..400 host-gap',
      '400..500 host-work',
    ]);
    expect(path.graph.constraints.thread).toBe(2);
  });

  test('forward-backward flows and sequence numbers find a worker without a name', () => {
    const path = pathOf(`
      cpu 1    | fwd@0+150{seq=1} opt@400+100
      cpu 2    | bwd@160+220{seq=1}
      flow     | fwdbwd#1 1@0 -> 2@160`);
    expect(kindsOf(path)).toContain('160..380 host-work');
    expect(path.graph.constraints.thread).toBe(2);
  });

  test('forward and backward on one thread need no fork', () => {
    const path = pathOf('cpu 1 | fwd@0+150{seq=1} bwd@160+220{seq=1} opt@400+100');
    expect(breakdownOf(path)).toEqual({ 'host-work': 470, 'host-gap': 30 });
    expect(path.graph.constraints.thread).toBe(0);
  });

  test('a worker that fills less than half of the gap is not joined', () => {
    const path = pathOf(`
      cpu 1               | fwd@0+150{seq=1} opt@400+100
      cpu 2:pt_autograd_0 | bwd@160+100{seq=1,fwd=1}`);
    expect(kindsOf(path)).toEqual(['0..150 host-work', '150..400 host-gap', '400..500 host-work']);
    expect(path.graph.constraints.thread).toBe(0);
  });

  test('a gap of up to 50 µs is never a fork', () => {
    const path = pathOf(`
      cpu 1               | fwd@0+150{seq=1} opt@199+100
      cpu 2:pt_autograd_0 | bwd@152+45{seq=1,fwd=1}`);
    expect(kindsOf(path)).toContain('150..199 host-gap');
    expect(path.graph.constraints.thread).toBe(0);
  });

  test('ops of a worker across the border of the gap are cut and counted', () => {
    const path = pathOf(`
      cpu 1               | fwd@0+150{seq=1} opt@400+100
      cpu 2:pt_autograd_0 | bwd@160+210{seq=1,fwd=1} late@390+20`);
    expect(path.path.totalNs).toBe(500_000);
    expect(path.coverage.cutOps).toBe(1);
  });

  test('a thread that only polls forks nothing', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 fwd@10+140 opt@400+100
      cpu 2    | cudaEventQuery#2@160+70 cudaEventQuery#3@240+70 cudaEventQuery#4@320+70
      gpu 0.7  | a#1@8+40`);
    expect(kindsOf(path)).toContain('150..400 host-gap');
    expect(path.graph.constraints.thread).toBe(0);
  });
});

/**
 * Launches of one 1-µs kernel each, 2 µs apart. The first kernel runs from 3,000 to 3,006 µs, so that all others queue behind it, and
 * the call after 1,024 pending ones lasts until then.
 */
function fullQueue(calls: number, call: string): string {
  const host: string[] = [];
  const device = ['k#1@3000+6'];
  for (let n = 0; n < calls; n++) {
    const span = n < 1024 ? `${2 * n}+1` : n === 1024 ? '2048+959' : `${3008 + 2 * (n - 1025)}+1`;
    host.push(`${call}#${n + 1}@${span}`);
    if (n > 0) device.push(`k#${n + 1}@${3006 + 2 * n}+1`);
  }
  return `cpu 1 | ${host.join(' ')}\ngpu 0.7 | ${device.join(' ')}`;
}

describe('a full launch queue', () => {
  test('the call after 1,024 pending ones waits for the op 1,024 calls before', () => {
    expect(pathOf(fullQueue(1030, 'cudaLaunchKernel')).graph.constraints['queue-full']).toBeGreaterThan(0);
  });

  test('1,024 calls do not fill it', () => {
    expect(pathOf(fullQueue(1024, 'cudaLaunchKernel')).graph.constraints['queue-full']).toBe(0);
  });

  test('HIP has no such limit', () => {
    expect(pathOf(fullQueue(1030, 'hipLaunchKernel')).graph.constraints['queue-full']).toBe(0);
  });
});
