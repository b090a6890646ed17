// What a device op waits for: rows 8, 16, 22, 24 and 25 of semantics.md, section 1, and groups D and E of the reported defects.
import { describe, expect, test } from 'vitest';
import { pathOf, subjectFor } from '../test-kit/answers.ts';
import { jsonOf, readJson } from '../test-kit/draw.ts';
import { breakdownOf, kindsOf, pathTextOf } from '../test-kit/words.ts';

describe('launches', () => {
  test.each([
    'cudaLaunchKernel',
    'cudaLaunchKernelExC',
    'cudaLaunchCooperativeKernel',
    'cuLaunchKernel',
    'cuLaunchKernelEx',
    'hipLaunchKernel',
    'hipExtModuleLaunchKernel',
    'cudaNameOfTheYear2030',
  ])('%s launches what shares its correlation', (call) => {
    const path = pathOf(`
      cpu 1    | mm@0+20 ${call}#1@5+5
      gpu 0.7  | a#1@12+30`);
    expect(path.coverage).toMatchObject({ launches: { total: 1, linked: 1 }, deviceOps: { total: 1, linked: 1 } });
    expect(kindsOf(path)).toEqual(['0..10 host-work', '10..12 launch a#1', '12..42 kernel a#1']);
  });

  test.each(['#-1', '#0', ''])('a device row with the correlation "%s" has no launch', (correlation) => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaGetDevice#0@6+1 cudaGetDevice#-1@8+1
      gpu 0.7  | a#1@8+10 b${correlation}@20+10`);
    expect(path.coverage).toMatchObject({ launches: { total: 1, linked: 1 }, deviceOps: { total: 2, linked: 1 } });
  });

  test('a launch whose device row is missing is counted', () => {
    const { coverage } = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaGetLastError#3@12+1
      gpu 0.7  | a#1@8+10`);
    expect(coverage.launches).toEqual({ total: 2, linked: 1 });
  });

  test('one HIP launch may have several device rows', () => {
    const path = pathOf(`
      cpu 1    | hipLaunchKernel#1@0+5
      gpu 0.0  | a#1@8+10 b#1@20+10`);
    expect(path.coverage).toMatchObject({ launches: { total: 1, linked: 1 }, deviceOps: { total: 2, linked: 2 } });
    expect(kindsOf(path)).toEqual([
      '0..5 host-work',
      '5..8 launch a#1',
      '8..18 kernel a#1',
      '18..20 stream-gap b#1',
      '20..30 kernel b#1',
    ]);
  });

  test('a sync row has the External id of an op by accident: they are not joined', () => {
    const path = pathOf(`
      cpu 1    | mm@0+20{ext=2} cudaLaunchKernel#1@5+5 cudaDeviceSynchronize#2@25+40
      gpu 0.7  | a#1@12+50
      sync 0   | ContextSync#2`);
    expect(kindsOf(path)).toEqual([
      '0..10 host-work',
      '10..12 launch a#1',
      '12..62 kernel a#1',
      '62..65 sync-overhead',
    ]);
  });
});

describe('what is device work', () => {
  test('the category decides, not a stream among the args', () => {
    const path = pathOf(`
      cpu 1    | triton_poi_fused@0+30{stream=0} cuLaunchKernel#1@5+5
      gpu 0.0  | triton_poi_fused#1@12+30`);
    expect(path.coverage.deviceOps).toEqual({ total: 1, linked: 1 });
    expect(breakdownOf(path)).toEqual({ 'host-work': 10, launch: 2, kernel: 30 });
  });

  test('rows without a stream are an order of their own', () => {
    const path = pathOf(`
      cpu 1    | urEnqueueKernelLaunch#1@0+5{cat=xpu_runtime} urEnqueueKernelLaunch#2@6+5{cat=xpu_runtime}
      gpu 0.0  | a#1@8+40{stream=none} b#2@50+10{stream=none}`);
    expect(path.coverage.deviceOps).toEqual({ total: 2, linked: 2 });
    expect(path.path.totalNs).toBe(60_000);
    expect(breakdownOf(path)).toMatchObject({ kernel: 50 });
  });

  test('a stream of a negative number is none of the streams with its digits', () => {
    const negative = jsonOf(`
      cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@3+2
      gpu 0.5  | a#1@5+30
      gpu 0.1  | b#2@10+30`).replaceAll(/("tid"|"stream"): ?5\b/g, '$1: -1');
    const { lanes } = subjectFor(readJson(negative)).graph().device;
    expect(lanes.map(({ name, ops }) => [name, ops.length])).toEqual([
      ['s-0.-1', 1],
      ['s-0.1', 1],
    ]);
  });

  test('a driver call inside a runtime call of the same correlation is one launch', () => {
    const path = pathOf(`
      cpu 1    | urEnqueueKernelLaunch#1@0+10{cat=xpu_runtime} zeCommandListAppendLaunchKernel#1@2+6{cat=xpu_driver}
      gpu 0.0  | a#1@14+40`);
    expect(path.coverage).toMatchObject({ launches: { total: 1, linked: 1 }, deviceOps: { total: 1, linked: 1 } });
    expect(path.path.totalNs).toBe(54_000);
  });
});

describe('order on a stream', () => {
  const binding = (drawing: string, op: string): string | undefined =>
    pathTextOf(pathOf(drawing), { bounds: true }).find((line) => line.includes(` kernel ${op} `));

  test('both the launch and the op before are kept; the later one binds', () => {
    const queued = `
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5
      gpu 0.7  | a#1@8+40 b#2@50+10`;
    const drained = `
      cpu 1    | cudaLaunchKernel#1@0+5 mm@6+50 cudaLaunchKernel#2@60+5
      gpu 0.7  | a#1@8+40 b#2@67+10`;
    expect(binding(queued, 'b#2')).toMatch(/< stream-order$/);
    expect(binding(drained, 'b#2')).toMatch(/< launch$/);
    for (const drawing of [queued, drained]) {
      expect(pathOf(drawing).graph.constraints).toMatchObject({ launch: 2, 'stream-order': 1 });
    }
  });

  test('streams of the same number on two devices do not order each other', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5
      gpu 0.7  | a#1@8+40
      gpu 1.7  | b#2@14+60`);
    expect(path.graph.constraints['stream-order']).toBe(0);
    expect(path.coverage.laneOverlaps).toBe(0);
    expect(kindsOf(path).slice(-2)).toEqual(['11..14 launch b#2', '14..74 kernel b#2']);
  });

  test('stream 0 is a stream', () => {
    const path = pathOf(`
      cpu 1    | hipLaunchKernel#1@0+5 hipLaunchKernel#2@6+5
      gpu 0.0  | a#1@8+40 b#2@50+10`);
    expect(kindsOf(path)).toContain('48..50 stream-gap b#2');
  });

  test('a first op that begins before its launch keeps its negative lag, and the replay is exact', () => {
    const path = pathOf(`
      cpu 1    | mm@0+10 cudaLaunchKernel#1@12+5
      gpu 0.7  | a#1@8+40`);
    expect(path.coverage.inversions).toEqual({ count: 1, maxNs: 4000 });
    expect(path.replay.maxErrorNs).toBe(0);
    expect(path.path.totalNs).toBe(48_000);
    expect(breakdownOf(path)['kernel']).toBe(40);
  });

  test('an overlap inside a chain keeps its order, and time is not counted twice', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaLaunchKernel#3@12+5
      gpu 0.7  | a#1@8+40 b#2@40+30 c#3@72+10`);
    expect(path.path.totalNs).toBe(82_000);
    expect(kindsOf(path).slice(-3)).toEqual(['48..70 kernel b#2', '70..72 stream-gap c#3', '72..82 kernel c#3']);
    expect(path.coverage).toMatchObject({ laneOverlaps: 1, orderConflicts: 0 });
  });

  test('an op that is wholly inside its predecessor does not release the op after both', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaLaunchKernel#3@12+5
      gpu 0.7  | a#1@8+60 b#2@40+10 c#3@70+10`);
    expect(path.path.totalNs).toBe(80_000);
    expect(kindsOf(path)).toEqual([
      '0..5 host-work',
      '5..8 launch a#1',
      '8..68 kernel a#1',
      '68..70 stream-gap c#3',
      '70..80 kernel c#3',
    ]);
  });
});

describe('graph launches', () => {
  test('the first node waits for the stream, and the next op for the last node', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaGraphLaunch#2@6+10 cudaLaunchKernel#3@18+5
      gpu 0.7  | pre#1@8+40 n1#2@50+10 n2#2@61+20 post#3@83+10`);
    expect(kindsOf(path)).toEqual([
      '0..5 host-work',
      '5..8 launch pre#1',
      '8..48 kernel pre#1',
      '48..50 stream-gap n1#2',
      '50..60 kernel n1#2',
      '60..61 stream-gap n2#2',
      '61..81 kernel n2#2',
      '81..83 stream-gap post#3',
      '83..93 kernel post#3',
    ]);
    expect(path.coverage).toMatchObject({ launches: { total: 3, linked: 3 }, deviceOps: { total: 4, linked: 4 } });
  });

  test('nodes on another stream hold the op after the launch, too', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaGraphLaunch#2@6+10 cudaLaunchKernel#3@18+5
      gpu 0.7  | pre#1@8+40 n1#2@50+10 post#3@92+10
      gpu 0.20 | n2#2@62+28`);
    expect(kindsOf(path).slice(4)).toEqual([
      '50..60 kernel n1#2',
      '60..62 stream-gap n2#2',
      '62..90 kernel n2#2',
      '90..92 stream-gap post#3',
      '92..102 kernel post#3',
    ]);
  });

  test('two launches of a graph follow each other', () => {
    const path = pathOf(`
      cpu 1    | cudaGraphLaunch#1@0+10 cudaGraphLaunch#2@12+10
      gpu 0.7  | r#1@14+10 x#1@25+30 y#1@26+50 r#2@78+10 x#2@89+40 y#2@90+20`);
    expect(kindsOf(path)).toEqual([
      '0..10 host-work',
      '10..14 launch r#1',
      '14..24 kernel r#1',
      '24..26 stream-gap y#1',
      '26..76 kernel y#1',
      '76..78 stream-gap r#2',
      '78..88 kernel r#2',
      '88..89 stream-gap x#2',
      '89..129 kernel x#2',
    ]);
  });
});
