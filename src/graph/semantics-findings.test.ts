// Cases in which an earlier build gave a wrong answer, each as small as it can be drawn.
import { describe, expect, test } from 'vitest';
import { DEFAULT_WINDOW, pathOf, rangeWindow, syncOf } from '../test-kit/answers.ts';
import { edgesOf, kindsOf, recordsOf, windowsOf } from '../test-kit/words.ts';

describe('rows without a correlation', () => {
  test('one that began after a record is not what the record captured, and leaves a doubt', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5 mm@310+1
      gpu 0.7  | a#1@8+40 u@200+100
      gpu 0.20 | b#4@50+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3 on 2: a#1 -> b#4 heuristic:no-launch binds']);
  });

  test('one that ran before a record was called is captured, as a guess', () => {
    const sync = syncOf(`
      cpu 1    | mm@0+1 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a@1+49
      gpu 0.20 | b#4@52+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3 on 2: a -> b#4 heuristic:no-launch binds']);
  });
});

test('calls of one microsecond are ordered by their ids', () => {
  const sync = syncOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+0 cudaStreamWaitEvent#3@6+1 cudaLaunchKernel#4@9+5
    gpu 0.7  | a#1@8+40
    gpu 0.20 | b#4@50+10
    sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
  expect(edgesOf(sync)).toEqual(['stream-wait 3 on 2: a#1 -> b#4 resolved binds']);
});

test('where ops of a stream overlap, a record captures also the one that ends last', () => {
  const sync = syncOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+3 cudaEventRecord#3@10+2 cudaStreamWaitEvent#4@13+2
             | cudaLaunchKernel#5@16+5
    gpu 0.7  | a#1@8+100 b#2@50+10
    gpu 0.20 | c#5@110+10
    sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
  expect(recordsOf(sync)).toEqual([expect.stringContaining('b#2')]);
  expect(edgesOf(sync)).toEqual([
    'stream-wait 4 on 3: a#1 -> c#5 resolved binds',
    'stream-wait 4 on 3: b#2 -> c#5 resolved',
  ]);
});

test('a loop of queries waits also between them', () => {
  const drawing = `
    cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaEventQuery#3@10+1 cudaEventQuery#4@30+1
             | cudaEventQuery#5@50+1 cudaEventQuery#6@70+1 cudaEventQuery#7@90+1 mm@95+10
    gpu 0.7  | a#1@8+72
    sync 0   | EventSync#3{on=7,record=2,event=1} EventSync#4{on=7,record=2,event=1}
             | EventSync#5{on=7,record=2,event=1} EventSync#6{on=7,record=2,event=1}
             | EventSync#7{on=7,record=2,event=1}`;
  expect(edgesOf(syncOf(drawing))).toEqual([expect.stringMatching(/a#1 -> cudaEventQuery#7 heuristic:polling binds/)]);
  expect(kindsOf(pathOf(drawing))).toContain('8..80 kernel a#1');
});

describe('synchronising calls without a usable row', () => {
  test('one that waited is joined to what ended in it, though the trace has other rows', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamSynchronize#2@6+50 cudaLaunchKernel#3@60+5 cudaDeviceSynchronize#4@70+80
      gpu 0.7  | a#1@8+40 b#3@68+80
      sync 0   | StreamSync#2{stream=7}`);
    expect(edgesOf(sync)).toContainEqual(expect.stringMatching(/^device-sync: b#3 -> .* heuristic:call-span binds/));
  });

  test('a row that names a device without work is believed, and a note says so', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaDeviceSynchronize#2@6+90
      gpu 1.7  | a#1@8+80
      sync 0   | ContextSync#2`);
    expect(edgesOf(sync)).toEqual(['device-sync: empty']);
    expect(sync.notes).toContain('1 synchronisation row names a device that has no work in the trace');
  });

  test('a stream query never blocks, even with a row', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaStreamQuery#2@40+10
      gpu 0.7  | a#1@8+40
      sync 0   | StreamSync#2{stream=7}`);
    expect(edgesOf(sync)).toEqual([]);
  });
});

test('a launch over several streams waits for all of the one before it', () => {
  const path = pathOf(`
    cpu 1    | cudaGraphLaunch#1@0+5 cudaGraphLaunch#2@6+5
    gpu 0.7  | r#1@8+10 s#2@102+10
    gpu 0.13 | x#1@20+80
    gpu 0.14 | y#2@102+60`);
  expect(kindsOf(path)).toContain('20..100 kernel x#1');
});

test('a wait elsewhere does not move a record to another device', () => {
  const sync = syncOf(`
    cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
             | cudaStreamWaitEvent#5@18+2
    gpu 0.7  | a#1@8+40
    gpu 1.20 | b#4@50+10
    sync 1   | StreamWait#3{stream=20,on=7,record=2,event=1} StreamWait#5{stream=7,on=7,record=2,event=1}`);
  expect(edgesOf(sync)[0]).toBe('stream-wait 3 on 2: a#1 -> b#4 resolved binds');
});

test('step numbers that begin again are taken by place', () => {
  const path = pathOf(
    `
    ann 1 | ProfilerStep#5@0+50 ProfilerStep#6@50+50 ProfilerStep#0@100+50 ProfilerStep#1@150+50
    cpu 1 | a@0+40 b@50+40 c@100+40 d@150+40`,
    DEFAULT_WINDOW,
  );
  expect(windowsOf(path)).toHaveLength(4);
});

test('a range is cut to what the trace holds', () => {
  const path = pathOf('cpu 1 | a@0+40', rangeWindow(0, 1_000_000));
  expect(path.window).toMatchObject({ startNs: 0, endNs: 40_000 });
  expect(path.notes).toContain('the range is cut to what the trace holds');
});
