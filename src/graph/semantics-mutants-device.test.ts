// Rules of device ops that only these drawings tell from their mutants (`bench/mutants/device.ts`).
import { describe, expect, test } from 'vitest';
import { pathOf, subjectOn, syncFor, syncOf } from '../test-kit/answers.ts';
import { brokenPath } from '../test-kit/checks.ts';
import { traceOf } from '../test-kit/draw.ts';
import { edgesOf, kindsOf, pathTextOf, recordsOf } from '../test-kit/words.ts';
import { OWN } from './constraint-set.ts';
import { buildGraph } from './graph.ts';
import { replay, replayInput } from './replay.ts';

describe('the legacy default stream', () => {
  const drawing = `
    cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaLaunchKernel#3@12+5 cudaLaunchKernel#4@18+5
    gpu 0.20 | a#1@8+40 c#3@72+10
    gpu 0.7  | b#2@50+20
    gpu 1.20 | d#4@26+10`;

  test('waits for the other streams of its device, and they for it, where that is asked for: a guess', () => {
    const trace = traceOf(drawing);
    const graph = buildGraph(trace, { legacyDefaultStream: true });
    expect(edgesOf(syncFor(subjectOn(graph)))).toEqual([
      'stream-wait 2: a#1 -> b#2 heuristic:legacy-default-stream binds',
      'stream-wait 3: b#2 -> c#3 heuristic:legacy-default-stream binds',
    ]);
  });

  test('else it is a stream like others', () => {
    expect(edgesOf(syncOf(drawing))).toEqual([]);
  });
});

describe('graph launches', () => {
  test('a node follows the one that ended last before it began; only the first is launched', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaGraphLaunch#2@6+10
      gpu 0.7  | pre#1@8+40 n1#2@50+10 n2#2@61+20 n3#2@82+10`);
    expect(kindsOf(path).slice(-4)).toEqual([
      '60..61 stream-gap n2#2',
      '61..81 kernel n2#2',
      '81..82 stream-gap n3#2',
      '82..92 kernel n3#2',
    ]);
    expect(path.graph.constraints).toMatchObject({ launch: 2, 'stream-order': 1, graph: 2 });
  });

  test('a root on another stream waits for what came before on the stream of the launch', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaGraphLaunch#2@6+10
      gpu 0.7  | pre#1@8+140 n1#2@150+10
      gpu 0.20 | n2#2@151+30`);
    expect(kindsOf(path).slice(-3)).toEqual([
      '8..148 kernel pre#1',
      '148..151 stream-gap n2#2',
      '151..181 kernel n2#2',
    ]);
  });

  test('what a record behind a graph on several streams captures is a guess', () => {
    const sync = syncOf(`
      cpu 1    | cudaGraphLaunch#1@0+10 cudaEventRecord#2@12+2 cudaStreamWaitEvent#3@15+2 cudaLaunchKernel#4@18+5
      gpu 0.7  | n1#1@14+10
      gpu 0.20 | n2#1@26+30
      gpu 0.24 | z#4@58+10
      sync 0   | StreamWait#3{stream=24,on=7,record=2,event=1}`);
    expect(edgesOf(sync)).toEqual(['stream-wait 3 on 2: n2#1 -> z#4 heuristic:graph-order binds']);
  });

  test('a wait holds all of its roots', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaGraphLaunch#4@12+8
      gpu 0.24 | a#1@8+140
      gpu 0.7  | x#4@150+10 y#4@151+30
      sync 0   | StreamWait#3{stream=7,on=24,record=2,event=1}`);
    expect(path.graph.constraints['stream-wait']).toBe(2);
    expect(pathTextOf(path, { bounds: true }).at(-1)).toBe('151..181 kernel y#4 < stream-wait');
  });

  test('a record behind it captures the node that ended last', () => {
    const sync = syncOf(`
      cpu 1    | cudaGraphLaunch#1@0+10 cudaEventRecord#2@12+2
      gpu 0.7  | x#1@14+40 y#1@15+20
      record 0 | #2{stream=7,event=1}`);
    expect(recordsOf(sync)).toEqual(['2 on 0.7 resolved [x#1]']);
  });
});

describe('order on a stream', () => {
  test('an op is kept before the next one however long ago it ended', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 mm@6+3000 cudaLaunchKernel#2@3010+5
      gpu 0.7  | a#1@8+40 b#2@3017+10`);
    expect(path.graph.constraints['stream-order']).toBe(1);
  });

  test('an op inside its predecessor ends when it likes', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5
      gpu 0.7  | a#1@8+60 b#2@40+10`);
    expect(path.graph.constraints.overlap).toBe(1);
    expect(path.coverage.inversions.count).toBe(0);
  });

  test('a record behind both captures both', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaEventRecord#3@12+2
      gpu 0.7  | a#1@8+60 b#2@40+10
      record 0 | #3{stream=7,event=1}`);
    expect(recordsOf(sync)).toEqual(['3 on 0.7 resolved [a#1, b#2]']);
  });

  test('one that outlasts its predecessor ends earlier if that does', () => {
    const graph = buildGraph(
      traceOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5
      gpu 0.7  | a#1@8+40 b#2@40+30`),
    );
    const { constraints, moments } = graph;
    const lagNs = graph.lag.slice();
    for (let c = 0; c < lagNs.length; c++) {
      if (constraints.kind[c] === OWN && constraints.to[c] === moments.endOfOp(0)) lagNs[c] -= 10_000;
    }
    const time = replay({ ...replayInput(graph), lagNs });
    expect(time[moments.endOfOp(0)]).toBe(38_000);
    // 22 µs after its start at least: that is how long it went on alone.
    expect(time[moments.endOfOp(1)]).toBe(62_000);
  });
});

describe('clocks that contradict', () => {
  test('of several inversions the largest is told', () => {
    const { coverage } = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@57+5 cudaLaunchKernel#3@74+5
      gpu 0.7  | a#1@8+38 b#2@48+20 c#3@70+10`);
    expect(coverage.inversions).toEqual({ count: 2, maxNs: 9000 });
  });

  test('where all constraints are inverted the latest arrival binds all the same', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@54+2 cudaLaunchKernel#4@57+5
      gpu 0.7  | a#1@8+42
      gpu 0.20 | b#4@48+20
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
    expect(path.coverage.inversions).toEqual({ count: 2, maxNs: 9000 });
    expect(kindsOf(path).slice(-2)).toEqual(['8..48 host-gap', '48..68 kernel b#4']);
    expect([path.replay.maxErrorNs, ...brokenPath(path)]).toEqual([0]);
  });

  /**
   * Ids say a before b before c before a: b is the last op that began on stream 7 of those enqueued before record 3, and c waits for it;
   * the next op enqueued behind the wait for c is a, which began first of all.
   */
  test('of what goes in a circle only that is dropped which contradicts the clock, too', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#2@0+2 cudaEventRecord#3@3+1 cudaStreamWaitEvent#4@5+1 cudaLaunchKernel#5@7+2
               | cudaEventRecord#6@10+1 cudaStreamWaitEvent#7@12+1 cudaLaunchKernel#8@14+2
      gpu 0.7  | a#8@20+10 b#2@32+10
      gpu 0.20 | c#5@44+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1} StreamWait#7{stream=7,on=20,record=6,event=2}`);
    expect(path.coverage.orderConflicts).toBe(2);
    expect(path.graph.constraints).toMatchObject({ 'stream-order': 1, 'stream-wait': 1, launch: 3 });
    expect(kindsOf(path).slice(-5)).toEqual([
      '20..30 kernel a#8',
      '30..32 stream-gap b#2',
      '32..42 kernel b#2',
      '42..44 stream-gap c#5',
      '44..54 kernel c#5',
    ]);
    expect([path.replay.maxErrorNs, ...brokenPath(path)]).toEqual([0]);
  });
});
