// Rules of records and stream waits that only these drawings tell from their mutants (`bench/mutants/waits.ts`).
import { describe, expect, test } from 'vitest';
import { syncOf } from '../test-kit/answers.ts';
import { edgesOf, recordsOf } from '../test-kit/words.ts';

describe('where a record was made', () => {
  test('its own row knows better than the row of a wait', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2 cudaStreamWaitEvent#4@15+2
               | cudaLaunchKernel#5@18+5
      gpu 0.7  | a#1@8+40
      gpu 0.24 | b#2@14+10
      gpu 0.20 | c#5@50+10
      sync 0   | StreamWait#4{stream=20,on=24,record=3,event=1}
      record 0 | #3{stream=7,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 3: a#1 -> c#5 resolved binds']);
  });

  test('waits that disagree leave it unknown', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2 cudaStreamWaitEvent#4@15+2
               | cudaStreamWaitEvent#5@18+2 cudaLaunchKernel#6@21+5
      gpu 0.7  | a#1@8+40
      gpu 0.24 | b#2@14+10
      gpu 0.20 | c#6@50+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1} StreamWait#5{stream=20,on=24,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4: unresolved', 'stream-wait 5: unresolved']);
    expect(recordsOf(sync)).toEqual(['3 unknown-stream for 4 5']);
  });

  test('a record of an unknown event between makes the event id a guess', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaEventRecord#3@9+2 cudaStreamWaitEvent#4@12+2
               | cudaLaunchKernel#5@15+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#5@50+10
      sync 0   | StreamWait#4{stream=20,on=-1,record=-1,event=1}
      record 0 | #2{stream=7,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 2: a#1 -> b#5 heuristic:event-id (event-id) binds']);
  });
});

describe('what a record captures', () => {
  test('an op between two waits has taken over what the first one held', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaLaunchKernel#5@18+5 cudaEventRecord#6@24+2 cudaStreamWaitEvent#7@27+2 cudaEventRecord#8@30+2
               | cudaStreamWaitEvent#9@33+2 cudaLaunchKernel#10@36+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#4@50+10
      gpu 0.24 | c#5@26+60
      gpu 0.28 | d#10@88+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1} StreamWait#7{stream=20,on=24,record=6,event=2}
               | StreamWait#9{stream=28,on=20,record=8,event=3}`);
    expect(recordsOf(sync).at(-1)).toBe('8 on 0.20 resolved [b#4, c#5 via 6] for 9');
  });

  test('a wait for a record that only passed on an op of the waiting stream is on its own stream', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaEventRecord#4@12+2
               | cudaStreamWaitEvent#5@15+2 cudaLaunchKernel#6@18+5
      gpu 0.7  | a#1@8+40 b#6@50+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1} StreamWait#5{stream=7,on=20,record=4,event=2}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3: no-sink', 'stream-wait 5: same-stream']);
  });

  test('of what comes back to its own stream only the other sources count', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2 cudaStreamWaitEvent#4@15+2
               | cudaEventRecord#5@18+2 cudaStreamWaitEvent#6@21+2 cudaLaunchKernel#7@24+5
      gpu 0.7  | a#1@8+40 c#7@62+10
      gpu 0.20 | b#2@14+46
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1} StreamWait#6{stream=7,on=20,record=5,event=2}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4: no-sink', 'stream-wait 6 on 5: b#2 -> c#7 resolved binds']);
  });
});

describe('order', () => {
  test('a launch with the smaller id came first, though it began later', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#3@20+4 cudaStreamWaitEvent#4@26+2 cudaLaunchKernel#5@29+5
      cpu 2    | cudaLaunchKernel#2@21+2
      gpu 0.7  | a#1@8+20 b#2@30+20
      gpu 0.20 | c#5@52+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual([expect.stringMatching(/^stream-wait 4 on 3: b#2 -> c#5 .* binds$/)]);
  });

  test('so it did where the ids wrapped between', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#4294967293@0+5 cudaEventRecord#1@20+4 cudaStreamWaitEvent#2@26+2 cudaLaunchKernel#3@29+5
      cpu 2    | cudaLaunchKernel#4294967295@21+2
      gpu 0.7  | a#4294967293@8+20 b#4294967295@30+20
      gpu 0.20 | c#3@52+10
      sync 0   | StreamWait#2{stream=20,on=7,record=1,event=1}`);
    expect(edgesOf(sync)).toEqual([expect.stringMatching(/^stream-wait 2 on 1: b#4294967295 -> c#3 .* binds$/)]);
  });

  test('of two ops behind a wait the one that the device began first is held', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+20
      cpu 2    | cudaLaunchKernel#5@17+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | y#5@50+5 x#4@57+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3 on 2: a#1 -> y#5 resolved binds']);
    expect(sync.coverage.orderConflicts).toBe(1);
  });

  test('ops that began at one instant are in the order of their calls', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@3+2 cudaEventRecord#3@6+2 cudaStreamWaitEvent#4@9+2
               | cudaLaunchKernel#5@12+5
      gpu 0.7  | y#1@8+0 x#2@8+1
      gpu 0.20 | c#5@19+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(recordsOf(sync)).toEqual(['3 on 0.7 resolved [x#2] for 4']);
    expect(sync.coverage.orderConflicts).toBe(0);
  });
});

describe('launches that left no row', () => {
  test('may have been behind the op that a record captures: a guess', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2 cudaStreamWaitEvent#4@15+2
               | cudaLaunchKernel#5@18+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | c#5@50+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 3: a#1 -> c#5 heuristic:lost-rows binds']);
  });

  test('or before the op that a wait holds', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
               | cudaLaunchKernel#5@18+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | c#5@50+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3 on 2: a#1 -> c#5 heuristic:lost-rows binds']);
  });

  test('copies of nothing leave none', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaMemcpyAsync#2@6+5 cudaEventRecord#3@12+2 cudaStreamWaitEvent#4@15+2
               | cudaLaunchKernel#5@18+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | c#5@50+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 3: a#1 -> c#5 resolved binds']);
  });
});

describe('racing calls', () => {
  test('a thread does not race with itself', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@10+8 cudaEventRecord#3@14+2 cudaStreamWaitEvent#4@20+2
               | cudaLaunchKernel#5@23+5
      gpu 0.7  | a#1@8+20 b#2@30+20
      gpu 0.20 | c#5@52+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 3: b#2 -> c#5 resolved binds']);
  });

  test('nor with a launch of another thread that is over', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+19 cudaEventRecord#3@14+2 cudaStreamWaitEvent#4@20+2 cudaLaunchKernel#5@23+5
      cpu 2    | cudaLaunchKernel#2@10+2
      gpu 0.7  | a#1@8+20 b#2@30+20
      gpu 0.20 | c#5@52+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 3: b#2 -> c#5 resolved binds']);
  });

  test('but with one of another thread that begins while the call is under way', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@20+4 cudaStreamWaitEvent#4@26+2 cudaLaunchKernel#5@29+5
      cpu 2    | cudaLaunchKernel#3@21+2
      gpu 0.7  | a#1@8+20 b#3@30+20
      gpu 0.20 | c#5@52+10
      sync 0   | StreamWait#4{stream=20,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual([expect.stringMatching(/^stream-wait 4 on 2: a#1 -> c#5 heuristic:racing-call/)]);
  });

  test('or with a wait of another thread on the same stream', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaEventRecord#4@22+2 cudaStreamWaitEvent#5@26+2
               | cudaLaunchKernel#6@29+5
      cpu 2    | cudaStreamWaitEvent#3@20+5
      gpu 0.7  | a#1@8+40
      gpu 0.24 | c#6@50+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1} StreamWait#5{stream=24,on=20,record=4,event=2}`);
    expect(edgesOf(sync)).toEqual([
      'stream-wait 3: no-sink',
      'stream-wait 5 on 4: a#1 via 2 -> c#6 heuristic:racing-call binds',
    ]);
  });

  test('or with a record of another thread, of the event of the wait', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#4@20+5 cudaLaunchKernel#5@29+5
      cpu 2    | cudaEventRecord#3@22+2
      gpu 0.7  | a#1@8+40
      gpu 0.20 | c#5@50+10
      sync 0   | StreamWait#4{stream=20,on=7,record=-1,event=1}
      record 0 | #2{stream=7,event=1} #3{stream=7,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 4 on 3: a#1 -> c#5 heuristic:racing-call (event-id) binds']);
  });
});
