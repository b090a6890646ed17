// The path of small programs, whose segments can be read off the drawing.
import { describe, expect, test } from 'vitest';
import { pathFor, pathOf, subjectOf } from '../test-kit/answers.ts';
import { brokenPath } from '../test-kit/checks.ts';
import { breakdownOf, kindsOf, pathTextOf } from '../test-kit/words.ts';

describe('the whole trace', () => {
  test('a host that runs ahead: launch, device, wait, host', () => {
    const path = pathOf(`
      cpu 1    | mm@0+20 cudaLaunchKernel#1@5+10 relu@22+20 cudaLaunchKernel#2@27+10 cudaDeviceSynchronize#3@45+75 add@122+20
      gpu 0.7  | gemm#1@17+60 relu_kernel#2@79+38
      sync 0   | ContextSync#3`);
    expect(kindsOf(path)).toEqual([
      '0..15 host-work',
      '15..17 launch gemm#1',
      '17..77 kernel gemm#1',
      '77..79 stream-gap relu_kernel#2',
      '79..117 kernel relu_kernel#2',
      '117..120 sync-overhead',
      '120..122 host-gap',
      '122..142 host-work',
    ]);
    expect(brokenPath(path)).toEqual([]);
  });

  test('a segment names the op whose time it is', () => {
    const path = pathOf(`
      cpu 1    | mm@0+20 cudaLaunchKernel#1@5+10
      gpu 0.7  | gemm#1@17+60`);
    expect(pathTextOf(path)).toEqual([
      '0..5 host-work mm',
      '5..15 host-work cudaLaunchKernel#1',
      '15..17 launch gemm#1',
      '17..77 kernel gemm#1',
    ]);
  });

  test('the time between top-level ops is host-gap, not zero', () => {
    const path = pathOf('cpu 1 | a@0+10 b@50+10');
    expect(pathTextOf(path)).toEqual(['0..10 host-work a', '10..50 host-gap b', '50..60 host-work b']);
  });

  test('a host gap names the innermost Python frame', () => {
    const path = pathOf(`
      cpu 1    | a@0+10 b@50+10
      py 1     | train.py(1): main@0+60{id=1} train.py(9): log@12+36{id=2,parent=1}`);
    expect(path.path.segments.find(({ kind }) => kind === 'host-gap')?.python).toBe('train.py(9): log');
  });

  test('Python frames and annotations label, they are no work', () => {
    const path = pathOf(`
      ann 1    | note@0+100
      py 1     | main@0+100
      cpu 1    | a@10+10 b@50+10`);
    expect(kindsOf(path)).toEqual(['10..20 host-work', '20..50 host-gap', '50..60 host-work']);
  });

  test('two launches a millisecond apart: the host between them is the path', () => {
    const path = pathOf(`
      cpu 1    | op@0+20 cudaLaunchKernel#1@5+5 op@1000+20 cudaLaunchKernel#2@1005+5
      gpu 0.7  | a#1@15+20 b#2@1015+35`);
    expect(breakdownOf(path)).toEqual({ 'host-gap': 980, kernel: 35, 'host-work': 30, launch: 5 });
  });

  test('device work that was over before the host waited for it is not on the path', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 long@5+495 cudaDeviceSynchronize#2@500+5
      gpu 0.7  | a#1@8+400
      sync 0   | ContextSync#2`);
    expect(kindsOf(path)).toEqual(['0..500 host-work', '500..505 sync-overhead']);
  });

  test('a wait leads the path to the stream that was waited for', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+40
      gpu 0.20 | b#4@49+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
    expect(pathTextOf(path, { bounds: true }).at(-1)).toBe('49..59 kernel b#4 < stream-wait');
    expect(kindsOf(path)).toEqual([
      '0..5 host-work',
      '5..8 launch a#1',
      '8..48 kernel a#1',
      '48..49 stream-gap b#4',
      '49..59 kernel b#4',
    ]);
  });

  test('copies, fills and collectives have their own kinds', () => {
    const path = pathOf(`
      cpu 1    | cudaMemcpyAsync#1@0+5 cudaMemsetAsync#2@6+5 cudaLaunchKernel#3@12+5
      gpu 0.7  | Memcpy HtoD (Pinned -> Device)#1@8+20 Memset (Device)#2@29+10 ncclDevKernel_AllReduce_Sum_f32_RING_LL#3@40+30`);
    expect(breakdownOf(path)).toEqual({ copy: 30, collective: 30, 'host-work': 5, launch: 3, 'stream-gap': 2 });
  });

  test('data loading is named where an op or an annotation says so', () => {
    const loader = 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__';
    const path = pathOf(`
      ann 1    | ${loader}@20+30
      cpu 1    | a@0+20 collate@25+10 b@50+10 ${loader}@60+40 c@100+10`);
    expect(kindsOf(path)).toEqual([
      '0..20 host-work',
      '20..50 data-loading',
      '50..60 host-work',
      '60..100 data-loading',
      '100..110 host-work',
    ]);
  });

  test('further data-loading names can be given', () => {
    const path = pathFor(subjectOf('cpu 1 | a@0+20 fetch_batch@20+30'), { dataLoading: '^fetch_' });
    expect(kindsOf(path)).toEqual(['0..20 host-work', '20..50 data-loading']);
  });

  test('a trace of the host alone has a path of the host alone', () => {
    expect(breakdownOf(pathOf('cpu 1 | a@0+20 b@30+20'))).toEqual({ 'host-work': 40, 'host-gap': 10 });
  });
});

describe('what no constraint explains', () => {
  const unexplained = (drawing: string): string[] =>
    pathTextOf(pathOf(drawing)).flatMap((line) => /unexplained .*\((.+)\)$/.exec(line)?.[1] ?? []);

  test('a long stream gap keeps the typical part; the rest is unexplained, on an idle device', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5
      gpu 0.7  | a#1@8+40 b#2@148+10`);
    expect(breakdownOf(path)).toEqual({
      unexplained: 98.5,
      kernel: 50,
      'host-work': 5,
      launch: 3,
      'stream-gap': 1.5,
    });
    expect(path.path.segments.find(({ kind }) => kind === 'unexplained')?.cause).toBe('device-idle');
  });

  test('up to ten times the typical lag it is a stream gap', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5
      gpu 0.7  | a#1@8+40 b#2@63+10`);
    expect(breakdownOf(path)).toMatchObject({ 'stream-gap': 15 });
  });

  test('a long launch lag keeps the typical part', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5
      gpu 0.7  | a#1@106+10`);
    expect(breakdownOf(path)).toEqual({ unexplained: 100, kernel: 10, 'host-work': 5, launch: 1 });
  });

  test('where another stream ran meanwhile, an unseen wait is likely', () => {
    expect(
      unexplained(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaLaunchKernel#3@12+5
      gpu 0.7  | a#1@8+40 b#2@148+10
      gpu 0.20 | c#3@20+100`),
    ).toEqual(['other-lane-busy']);
  });

  test('an op without a launch says so', () => {
    expect(
      unexplained(`
      cpu 1    | mm@0+20
      gpu 0.7  | a@60+50`),
    ).toEqual(['no-launch']);
  });
});
