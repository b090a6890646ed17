// Records and stream waits: rows 1, 2, 9 to 19 of semantics.md, section 1.
import { describe, expect, test } from 'vitest';
import { syncOf } from '../test-kit/answers.ts';
import { edgesOf, recordsOf, waitsOf } from '../test-kit/words.ts';

describe('what a record captures', () => {
  test('its stream is that of its own row, though nobody waits for it', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#2@14+40
      record 0 | #3{stream=7,event=1}`);
    expect(recordsOf(sync)).toEqual(['3 on 0.7 resolved [a#1]']);
    expect(edgesOf(sync)).toEqual([]);
  });

  test('a record row without a time says the same', () => {
    const drawing = `
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2
      gpu 0.7  | a#1@8+40
      record 0 | #2{stream=7,event=1}`;
    expect(recordsOf(syncOf(drawing, { recordTimes: 'zero' }))).toEqual(['2 on 0.7 resolved [a#1]']);
  });

  test('without a row of its own and without a waiter its stream is unknown', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamSynchronize#3@10+40
      gpu 0.7  | a#1@8+40
      sync 0   | StreamSync#3{stream=7}`);
    expect(recordsOf(sync)).toEqual(['2 unknown-stream']);
  });

  test('three threads feed one stream: the last op by call order counts', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#4@30+2 cudaStreamWaitEvent#5@33+2 cudaLaunchKernel#6@36+5
      cpu 2    | cudaLaunchKernel#2@10+5 cudaLaunchKernel#7@50+5
      cpu 3    | cudaLaunchKernel#3@20+5
      gpu 0.7  | a#1@8+40 b#2@50+40 c#3@92+40 e#7@134+10
      gpu 0.20 | d#6@134+10
      sync 0   | StreamWait#5{stream=20,on=7,record=4,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 5 on 4: c#3 -> d#6 resolved binds']);
  });

  test('an op that the host enqueued after the record is not captured, though it ran before the wait', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaLaunchKernel#3@9+5
               | cudaStreamWaitEvent#4@100+2 cudaLaunchKernel#5@103+5
      gpu 0.7  | a#1@8+20 b#3@30+60
      gpu 0.20 | c#5@111+10
      sync 0   | StreamWait#4{stream=20,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 2: a#1 -> c#5 resolved']);
  });

  test('a record after a wait carries the source of that wait', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2 cudaStreamWaitEvent#4@15+2
               | cudaEventRecord#5@18+2 cudaStreamWaitEvent#6@21+2 cudaLaunchKernel#7@24+5 cudaLaunchKernel#8@30+5
      gpu 0.7  | a#1@8+60
      gpu 0.20 | b#2@14+10 d#7@70+5
      gpu 0.24 | c#8@71+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1} StreamWait#6{stream=24,on=20,record=5,event=2}`);
    expect(recordsOf(sync)).toEqual(['3 on 0.7 resolved [a#1] for 4', '5 on 0.20 resolved [a#1 via 3, b#2] for 6']);
    expect(edgesOf(sync)).toEqual([
      'stream-wait 4 on 3: a#1 -> d#7 resolved binds',
      'stream-wait 6 on 5: a#1 via 3 -> c#8 resolved binds',
      'stream-wait 6 on 5: b#2 -> c#8 resolved',
    ]);
    expect(waitsOf(sync)).toBe('2 = 2 resolved');
  });

  test('a record after two waits carries both of their sources', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaLaunchKernel#3@9+5 cudaEventRecord#4@15+2
               | cudaStreamWaitEvent#5@18+2 cudaStreamWaitEvent#6@21+2 cudaEventRecord#7@24+2
               | cudaStreamWaitEvent#8@27+2 cudaLaunchKernel#9@30+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#3@17+60
      gpu 0.28 | c#9@79+10
      sync 0   | StreamWait#5{stream=24,on=7,record=2,event=1} StreamWait#6{stream=24,on=20,record=4,event=2}
               | StreamWait#8{stream=28,on=24,record=7,event=3}`);
    expect(edgesOf(sync).slice(-2)).toEqual([
      'stream-wait 8 on 7: a#1 via 2 -> c#9 resolved',
      'stream-wait 8 on 7: b#3 via 4 -> c#9 resolved binds',
    ]);
  });

  test('chained waits without an op between pass their source on', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaEventRecord#4@12+2
               | cudaStreamWaitEvent#5@15+2 cudaEventRecord#6@18+2 cudaStreamWaitEvent#7@21+2 cudaLaunchKernel#8@24+5
      gpu 0.7  | a#1@8+40
      gpu 0.28 | b#8@50+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1} StreamWait#5{stream=24,on=20,record=4,event=2}
               | StreamWait#7{stream=28,on=24,record=6,event=3}`);
    expect(edgesOf(sync).at(-1)).toMatch(/^stream-wait 7 on 6: a#1 via \d -> b#8 resolved binds$/);
    expect(waitsOf(sync)).toBe('3 = 1 resolved + 2 noSink');
  });

  test('an op after the wait stands for the waited source', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaEventRecord#5@18+2 cudaStreamWaitEvent#6@21+2 cudaLaunchKernel#7@24+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#4@50+10
      gpu 0.24 | c#7@62+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1} StreamWait#6{stream=24,on=20,record=5,event=2}`);
    expect(recordsOf(sync)[1]).toBe('5 on 0.20 resolved [b#4] for 6');
    expect(edgesOf(sync)[1]).toBe('stream-wait 6 on 5: b#4 -> c#7 resolved binds');
  });
});

describe('which record a wait means', () => {
  test('without a later op on the waiting stream there is no sink', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2 cudaStreamWaitEvent#4@15+2
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#2@14+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4: no-sink']);
    expect(waitsOf(sync)).toBe('1 = 1 noSink');
  });

  test('a later record of the same event changes nothing for a wait before it', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaEventRecord#5@18+2 cudaLaunchKernel#6@21+5
      gpu 0.7  | a#1@8+10 b#4@20+40
      gpu 0.20 | c#6@30+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}
      record 0 | #2{stream=7,event=1} #5{stream=7,event=1}`);
    expect(edgesOf(sync)).toEqual([expect.stringMatching(/^stream-wait 3 on 2: a#1 -> c#6 resolved/)]);
  });

  test('of earlier records the latest counts, of the same event and context', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaLaunchKernel#3@9+5 cudaEventRecord#4@15+2
               | cudaLaunchKernel#5@18+5 cudaEventRecord#6@24+2 cudaEventRecord#7@27+2
               | cudaStreamWaitEvent#8@30+2 cudaLaunchKernel#9@33+5 cudaEventRecord#10@39+2
      gpu 0.7  | a#1@8+10 b#3@20+40 c#5@61+40
      gpu 1.7  | other#99@0+5
      gpu 0.20 | d#9@62+10
      sync 0   | StreamWait#8{stream=20,on=7,record=10,event=1}
      record 0 | #2{stream=7,event=1} #4{stream=7,event=1} #6{stream=7,event=2} #10{stream=7,event=1}
      record 1 | #7{stream=7,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 8 on 4: b#3 -> d#9 resolved (earlier-record) binds']);
  });

  test('a later record without record rows is the future', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaEventRecord#5@18+2
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#4@50+10
      sync 0   | StreamWait#3{stream=20,on=7,record=5,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3: future']);
    expect(waitsOf(sync)).toBe('1 = 1 future');
  });

  test('with -1 for the record, the event id finds it where there are record rows', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaEventSynchronize#5@18+40
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#4@50+10
      sync 0   | StreamWait#3{stream=20,on=-1,record=-1,event=1} EventSync#5{on=-1,record=-1,event=1}
      record 0 | #2{stream=7,event=1}`);
    expect(edgesOf(sync)).toEqual([
      'stream-wait 3 on 2: a#1 -> b#4 resolved (event-id) binds',
      'event-sync 5 on 2: a#1 -> cudaEventSynchronize#5 resolved (event-id) binds',
    ]);
    expect(waitsOf(sync)).toBe('2 = 2 resolved');
  });

  test('with -1 for the record and no earlier record of that event it stays unresolved', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaEventRecord#5@18+2
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#4@50+10
      sync 0   | StreamWait#3{stream=20,on=-1,record=-1,event=1}
      record 0 | #2{stream=7,event=2} #5{stream=7,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3: unresolved']);
  });

  test('a row of 2023 without a record id takes the last op before the wait, as a guess', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaLaunchKernel#5@18+5
      gpu 0.7  | a#1@8+40 c#5@50+10
      gpu 0.20 | b#4@50+10
      sync 0   | StreamWait#3{stream=20,on=7,record=none,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3: a#1 -> b#4 heuristic:last-op-before-wait binds']);
    expect(waitsOf(sync)).toBe('1 = 1 heuristic');
  });
});

describe('order and devices', () => {
  test('a call that begins while another thread launches into its stream is racing', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#3@14+2 cudaStreamWaitEvent#4@20+2 cudaLaunchKernel#5@23+5
      cpu 2    | cudaLaunchKernel#2@10+8
      gpu 0.7  | a#1@8+20 b#2@30+20
      gpu 0.20 | c#5@52+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 3: b#2 -> c#5 heuristic:racing-call binds']);
    expect(waitsOf(sync)).toBe('1 = 1 heuristic');
  });

  test('a wait with one racing source among others counts as a guess', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@10+8 cudaStreamWaitEvent#4@19+2 cudaEventRecord#5@22+2
               | cudaStreamWaitEvent#6@25+2 cudaLaunchKernel#7@28+5
      cpu 2    | cudaEventRecord#3@14+2
      gpu 0.7  | a#1@8+10
      gpu 0.20 | b#2@16+20
      gpu 0.24 | c#7@38+10
      sync 0   | StreamWait#4{stream=7,on=20,record=3,event=1} StreamWait#6{stream=24,on=7,record=5,event=2}`);
    expect(edgesOf(sync)).toEqual([
      'stream-wait 4: no-sink',
      'stream-wait 6 on 5: a#1 -> c#7 resolved',
      'stream-wait 6 on 5: b#2 via 3 -> c#7 heuristic:racing-call binds',
    ]);
    expect(waitsOf(sync)).toBe('2 = 1 noSink + 1 heuristic');
  });

  test('correlation ids that wrap at 2^32 go on rising', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#4294967293@0+5 cudaLaunchKernel#4294967295@6+5 cudaEventRecord#1@12+2
               | cudaStreamWaitEvent#2@15+2 cudaLaunchKernel#3@18+5
      gpu 0.7  | a#4294967293@8+40 b#4294967295@50+40
      gpu 0.20 | c#3@92+10
      sync 0   | StreamWait#2{stream=20,on=7,record=1,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 2 on 1: b#4294967295 -> c#3 resolved binds']);
  });

  test('where ids do not rise on a thread, the start of the calls is the order', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#9@0+5 cudaLaunchKernel#3@10+5 cudaEventRecord#2@20+2
               | cudaStreamWaitEvent#8@23+2 cudaLaunchKernel#4@26+5
      gpu 0.7  | a#9@8+20 b#3@30+40
      gpu 0.20 | c#4@72+10
      sync 0   | StreamWait#8{stream=20,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 8 on 2: b#3 -> c#4 resolved binds']);
  });

  test('where the device began two ops in the other order, the device is right and it is counted', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+20 cudaEventRecord#3@30+2 cudaStreamWaitEvent#4@33+2 cudaLaunchKernel#5@36+5
      cpu 2    | cudaLaunchKernel#2@5+5
      gpu 0.7  | y#2@12+20 x#1@34+20
      gpu 0.20 | c#5@56+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 3: x#1 -> c#5 resolved binds']);
    expect(sync.coverage.orderConflicts).toBe(1);
  });

  test('two devices with the same stream: without a record row, the waiting device is meant', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2 cudaStreamWaitEvent#4@15+2
               | cudaLaunchKernel#5@18+5
      gpu 0.7  | a#1@8+70
      gpu 1.7  | b#2@14+40
      gpu 1.20 | c#5@56+10
      sync 1   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 3: b#2 -> c#5 resolved binds']);
    expect(recordsOf(sync)).toEqual(['3 on 1.7 resolved [b#2] for 4']);
  });

  test('a stream that only one other device has is on that device', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.24 | a#1@8+40
      gpu 1.20 | b#4@50+10
      sync 1   | StreamWait#3{stream=20,on=24,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3 on 2: a#1 -> b#4 resolved binds']);
  });

  test('a stream that two other devices have is unresolved', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2 cudaStreamWaitEvent#4@15+2
               | cudaLaunchKernel#5@18+5
      gpu 0.7  | a#1@8+40
      gpu 1.7  | b#2@14+40
      gpu 2.20 | c#5@56+10
      sync 2   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4: unresolved']);
  });

  test('a record on one device is waited for by two others, on streams of the same number', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaStreamWaitEvent#5@18+2 cudaLaunchKernel#6@21+5
      gpu 0.7  | a#1@8+40
      gpu 1.7  | b#4@50+10
      gpu 2.7  | c#6@51+10
      sync 1   | StreamWait#3{stream=7,on=7,record=2,event=1}
      sync 2   | StreamWait#5{stream=7,on=7,record=2,event=1}
      record 0 | #2{stream=7,event=1}`);
    expect(edgesOf(sync)).toEqual([
      'stream-wait 3 on 2: a#1 -> b#4 resolved binds',
      'stream-wait 5 on 2: a#1 -> c#6 resolved binds',
    ]);
    expect(recordsOf(sync)).toEqual(['2 on 0.7 resolved [a#1] for 3 5']);
  });

  test('a graph launch between two waits is the sink of the one and the source of the other', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaGraphLaunch#4@12+8
               | cudaEventRecord#5@21+2 cudaStreamWaitEvent#6@24+2 cudaLaunchKernel#7@27+5
      gpu 0.24 | a#1@8+40
      gpu 0.7  | n1#4@50+10 n2#4@61+30
      gpu 0.20 | z#7@93+10
      sync 0   | StreamWait#3{stream=7,on=24,record=2,event=1} StreamWait#6{stream=20,on=7,record=5,event=2}`);
    expect(edgesOf(sync)).toEqual([
      'stream-wait 3 on 2: a#1 -> n1#4 resolved binds',
      'stream-wait 6 on 5: n2#4 -> z#7 resolved binds',
    ]);
  });

  test('HIP names say the same', () => {
    const drawing = `
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaEventSynchronize#5@18+50 cudaStreamSynchronize#6@70+3
      gpu 0.0  | a#1@8+40
      gpu 0.1  | b#4@50+10
      sync 0   | StreamWait#3{stream=1,on=0,record=2,event=1} EventSync#5{on=0,record=2,event=1} StreamSync#6{stream=1}`;
    const cuda = edgesOf(syncOf(drawing));
    expect(cuda).toHaveLength(3);
    expect(edgesOf(syncOf(drawing, { vendor: 'hip' }))).toEqual(cuda.map((edge) => edge.replace('cuda', 'hip')));
  });
});
