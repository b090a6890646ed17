// The 20 minimal cases of semantics.md, section 4.
import { describe, expect, test } from 'vitest';
import { annotationWindow, pathOf, syncOf } from '../test-kit/answers.ts';
import { edgesOf, kindsOf, recordsOf, waitsOf } from '../test-kit/words.ts';

describe('minimal cases', () => {
  test('S1 a record takes the last op of its stream by call order, whichever thread launched it', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#3@20+2 cudaStreamWaitEvent#4@23+2 cudaLaunchKernel#5@26+5
      cpu 2    | cudaLaunchKernel#2@10+5
      gpu 0.7  | a#1@8+40 b#2@50+40
      gpu 0.20 | c#5@92+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 3: b#2 -> c#5 resolved binds']);
    expect(recordsOf(sync)).toEqual(['3 on 0.7 resolved [b#2] for 4']);
    expect(waitsOf(sync)).toBe('1 = 1 resolved');
  });

  test('S2 of three kernels after a wait the first is its sink', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2
               | cudaLaunchKernel#4@12+5 cudaLaunchKernel#5@18+5 cudaLaunchKernel#6@24+5
      gpu 0.7  | a#1@8+60
      gpu 0.20 | b#4@70+10 c#5@81+10 d#6@92+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3 on 2: a#1 -> b#4 resolved binds']);
  });

  test('S3 two waits before one kernel keep both sources; the later one binds', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaLaunchKernel#3@9+5 cudaEventRecord#4@15+2
               | cudaStreamWaitEvent#5@18+2 cudaStreamWaitEvent#6@21+2 cudaLaunchKernel#7@24+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#3@17+60
      gpu 0.24 | c#7@79+10
      sync 0   | StreamWait#5{stream=24,on=7,record=2,event=1} StreamWait#6{stream=24,on=20,record=4,event=2}`);
    expect(edgesOf(sync)).toEqual([
      'stream-wait 5 on 2: a#1 -> c#7 resolved',
      'stream-wait 6 on 4: b#3 -> c#7 resolved binds',
    ]);
    expect(waitsOf(sync)).toBe('2 = 2 resolved');
  });

  test('S4 a wait that names a later record of its event takes the latest one before it', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaLaunchKernel#5@18+5 cudaEventRecord#6@24+2
      gpu 0.7  | a#1@8+40 b#5@50+30
      gpu 0.20 | c#4@50+10
      sync 0   | StreamWait#3{stream=20,on=7,record=6,event=1}
      record 0 | #2{stream=7,event=1} #6{stream=7,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3 on 2: a#1 -> c#4 resolved (earlier-record) binds']);
    expect(waitsOf(sync)).toBe('1 = 1 resolved');
  });

  test('S5 a record on a stream without an earlier op captures nothing', () => {
    const sync = syncOf(`
      cpu 1    | cudaEventRecord#1@0+2 cudaStreamWaitEvent#2@3+2 cudaLaunchKernel#3@6+5
      gpu 0.20 | a#3@14+10
      sync 0   | StreamWait#2{stream=20,on=7,record=1,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 2: empty']);
    expect(recordsOf(sync)).toEqual(['1 on 0.7 empty for 2']);
    expect(waitsOf(sync)).toBe('1 = 1 empty');
  });

  test('S6 a wait before any record of its event is no edge', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamWaitEvent#2@6+2 cudaLaunchKernel#3@9+5 cudaEventRecord#4@15+2
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#3@17+10
      sync 0   | StreamWait#2{stream=20,on=7,record=4,event=1}
      record 0 | #4{stream=7,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 2: future']);
    expect(waitsOf(sync)).toBe('1 = 1 future');
  });

  test('S7 a wait on the stream of its own record is no edge', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+40 b#4@50+10
      sync 0   | StreamWait#3{stream=7,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3: same-stream']);
    expect(waitsOf(sync)).toBe('1 = 1 sameStream');
  });

  test('S8 a wait whose writer did not know the record is unresolved', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#4@50+10
      sync 0   | StreamWait#3{stream=20,on=-1,record=-1,event=-1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3: unresolved']);
    expect(recordsOf(sync)).toEqual(['2 unknown-stream']);
    expect(waitsOf(sync)).toBe('1 = 1 unresolved');
  });

  test('S9 a source that ended before the call began does not bind', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaEventSynchronize#3@100+3
      gpu 0.7  | a#1@8+40
      sync 0   | EventSync#3{on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['event-sync 3 on 2: a#1 -> cudaEventSynchronize#3 resolved']);
    expect(waitsOf(sync)).toBe('1 = 1 resolved');
  });

  test('S10 a stream synchronisation does not wait for what another thread launches after it began', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamSynchronize#2@10+40
      cpu 2    | cudaLaunchKernel#3@15+5
      gpu 0.7  | a#1@8+38 b#3@47500ns+2
      sync 0   | StreamSync#2{stream=7}`);
    expect(edgesOf(sync)).toEqual(['stream-sync: a#1 -> cudaStreamSynchronize#2 resolved binds']);
  });

  test('S11 a device synchronisation waits for the streams of its own device', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaLaunchKernel#3@12+5 cudaDeviceSynchronize#4@20+45
      gpu 0.7  | a#1@8+56
      gpu 1.7  | b#2@14+48
      gpu 1.20 | c#3@20+10
      sync 1   | ContextSync#4`);
    expect(edgesOf(sync)).toEqual([
      'device-sync: b#2 -> cudaDeviceSynchronize#4 resolved binds',
      'device-sync: c#3 -> cudaDeviceSynchronize#4 resolved',
    ]);
  });

  test.each([
    { left: 30, right: 50, last: 'right' },
    { left: 51, right: 20, last: 'left' },
  ])('S12 the op after a graph launch waits for both of its branches: $last ends last', ({ left, right, last }) => {
    const path = pathOf(`
      cpu 1    | cudaGraphLaunch#1@0+10 cudaLaunchKernel#2@12+5
      gpu 0.7  | root#1@14+10 left#1@25+${left} right#1@26+${right} next#2@78+10`);
    const start = last === 'left' ? 25 : 26;
    expect(kindsOf(path)).toEqual([
      '0..10 host-work',
      '10..14 launch root#1',
      '14..24 kernel root#1',
      `24..${start} stream-gap ${last}#1`,
      `${start}..76 kernel ${last}#1`,
      '76..78 stream-gap next#2',
      '78..88 kernel next#2',
    ]);
    expect(path.coverage.laneOverlaps).toBe(1);
  });

  test('S13 a copy to pageable memory ends before its call', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaMemcpyAsync#2@10+60
      gpu 0.7  | a#1@8+40 Memcpy DtoH (Device -> Pageable)#2@50+15`);
    expect(edgesOf(sync)).toEqual([
      'copy-sync: Memcpy DtoH (Device -> Pageable)#2 -> cudaMemcpyAsync#2 resolved binds',
    ]);
  });

  test('S14 a copy from pageable memory may outlast its call', () => {
    const sync = syncOf(`
      cpu 1    | cudaMemcpyAsync#1@0+20 mm@25+10
      gpu 0.7  | Memcpy HtoD (Pageable -> Device)#1@12+30`);
    expect(edgesOf(sync)).toEqual([]);
  });

  test('S15 a kernel that begins before its predecessor has ended gets a lag, not another order', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5
      gpu 0.7  | a#1@8+40 b#2@40+30`);
    expect(kindsOf(path)).toEqual(['0..5 host-work', '5..8 launch a#1', '8..48 kernel a#1', '48..70 kernel b#2']);
    expect(path.graph.constraints.overlap).toBeGreaterThan(0);
    expect(path.coverage).toMatchObject({ laneOverlaps: 1, orderConflicts: 0, inversions: { count: 0, maxNs: 0 } });
  });

  test('S16 a kernel that begins 9 µs before its launch, after an op on its stream, is bound by that op', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@57+5
      gpu 0.7  | a#1@8+38 b#2@48+20`);
    expect(kindsOf(path)).toEqual([
      '0..5 host-work',
      '5..8 launch a#1',
      '8..46 kernel a#1',
      '46..48 stream-gap b#2',
      '48..68 kernel b#2',
    ]);
    expect(path.coverage.inversions).toEqual({ count: 1, maxNs: 9000 });
  });

  test('S17 a wait call whose row the writer dropped is counted and said', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaStreamSynchronize#4@12+40
      gpu 0.7  | a#1@8+40
      sync 0   | StreamSync#4{stream=7}`);
    expect(edgesOf(sync)).toEqual(['stream-sync: a#1 -> cudaStreamSynchronize#4 resolved binds']);
    expect(waitsOf(sync)).toBe('0 = 0, 1 calls without a row');
    expect(sync.notes.join('\n')).toMatch(/row/);
  });

  test('S18 a record before the window keeps its edge to a wait inside', () => {
    const drawing = `
      ann 1    | window@100+20
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@105+2 cudaLaunchKernel#4@110+5
      gpu 0.7  | a#1@8+152
      gpu 0.20 | b#4@162+18
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`;
    expect(edgesOf(syncOf(drawing))).toEqual(['stream-wait 3 on 2: a#1 -> b#4 resolved binds']);
    expect(kindsOf(pathOf(drawing, annotationWindow('window')))).toEqual([
      '100..160 kernel a#1',
      '160..162 stream-gap b#4',
      '162..180 kernel b#4',
    ]);
  });

  test("S19 a wait by one thread reaches another thread's launch on the waiting stream", () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#5@30+5
      cpu 2    | cudaLaunchKernel#4@14+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#4@50+10 c#5@62+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3 on 2: a#1 -> b#4 resolved binds']);
  });

  test('S20 without sync rows a synchronising call waits for what ends inside it, as a guess, and says so', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaDeviceSynchronize#2@10+40
      gpu 0.7  | a#1@8+40`);
    expect(edgesOf(sync)).toEqual(['device-sync: a#1 -> cudaDeviceSynchronize#2 heuristic:call-span binds']);
    expect(sync.notes.join('\n')).toMatch(/sync/i);
    expect(sync.coverage.syncRows.total).toBe(0);
  });
});
