// What a trace shows only where it binds: allocations that wait, a worker at the end of a trace, dependent launches, the leaves of a graph.
import { describe, expect, test } from 'vitest';
import { pathOf, syncOf } from '../test-kit/answers.ts';
import { traceOf } from '../test-kit/draw.ts';
import { edgesOf } from '../test-kit/words.ts';
import type { Change } from './changes.ts';
import { forecast } from './forecast.ts';
import { buildGraph } from './graph.ts';
import { termsOfWindows } from './instants.ts';
import { wholeTrace } from './windows.ts';

describe('an allocation that waits', () => {
  test('waits for every stream of its device', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaFree#3@20+40
      gpu 0.7  | a#1@8+20
      gpu 0.20 | b#2@14+44`);
    expect(edgesOf(sync)).toEqual([
      'device-sync: a#1 -> cudaFree#3 heuristic:implicit-sync',
      'device-sync: b#2 -> cudaFree#3 heuristic:implicit-sync binds',
    ]);
  });

  test('may be for another device than that of the launch before', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@6+5 cudaFree#3@20+40
      gpu 1.7  | a#1@8+50
      gpu 0.20 | b#2@14+4`);
    expect(edgesOf(sync)).toEqual(['device-sync: a#1 -> cudaFree#3 heuristic:implicit-sync binds']);
  });

  const WAITED = `cudaLaunchKernel#1@0+5 cudaMalloc#2@20+40 cudaLaunchKernel#3@70+5`;
  test('tells of the others of its name, which wait for what was over already', () => {
    const sync = syncOf(`
      cpu 1    | ${WAITED} cudaMalloc#4@90+4
      gpu 0.7  | a#1@8+50 b#3@78+5`);
    expect(edgesOf(sync)).toEqual([
      'device-sync: a#1 -> cudaMalloc#2 heuristic:implicit-sync binds',
      'device-sync: b#3 -> cudaMalloc#4 heuristic:implicit-sync',
    ]);
  });

  test('but not where another of them returned while the device was busy', () => {
    const sync = syncOf(`
      cpu 1    | ${WAITED} cudaMalloc#4@90+4 cudaMalloc#5@100+4
      gpu 0.7  | a#1@8+50 b#3@78+24`);
    expect(edgesOf(sync)).toEqual(['device-sync: a#1 -> cudaMalloc#2 heuristic:implicit-sync binds']);
  });

  test('nor by a wait of 20 µs or less, which may be an accident', () => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaMalloc#2@38+22 cudaLaunchKernel#3@70+5 cudaMalloc#4@90+4
      gpu 0.7  | a#1@8+50 b#3@78+5`);
    expect(edgesOf(sync)).toEqual(['device-sync: a#1 -> cudaMalloc#2 heuristic:implicit-sync binds']);
  });

  test.each([
    ['cudaMalloc', 0],
    ['cudaFree', 1],
  ])('within 10 µs an op ends in a %s by accident: %i edges', (call, edges) => {
    const sync = syncOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 ${call}#2@50+10
      gpu 0.7  | a#1@8+50`);
    expect(edgesOf(sync)).toHaveLength(edges);
  });
});

describe('a worker at the end of a trace', () => {
  const threadsOf = (worker: string): number =>
    pathOf(`
      cpu 1               | fwd@0+150{seq=1}
      cpu 2:pt_autograd_0 | ${worker}`).graph.constraints.thread;

  test('was started by its caller, which does not come back', () =>
    expect(threadsOf('bwd@160+60{seq=1,fwd=1}')).toBe(1));
  test('not where it worked for half of the time since or less', () =>
    expect(threadsOf('bwd@220+60{seq=1,fwd=1}')).toBe(0));
  test('not where it goes on with what it did before', () =>
    expect(threadsOf('old@100+10 bwd@160+60{seq=1,fwd=1}')).toBe(0));
  test('not where an op of it was under way', () => expect(threadsOf('old@80+75 bwd@160+60{seq=1,fwd=1}')).toBe(0));
});

/** What the whole trace takes after a change, in µs. */
function after(drawing: string, change: Change): number {
  const graph = buildGraph(traceOf(drawing));
  const window = wholeTrace(graph);
  const terms = termsOfWindows(graph, [window]);
  if (terms === undefined) throw new Error('a whole trace has no fixed borders');
  const [{ start, end }] = forecast(graph, [change], [window], terms).windows;
  return (end - start) / 1000;
}

const named = (text: string): { by: 'name'; text: string; isPattern: false } => ({
  by: 'name',
  text,
  isPattern: false,
});

describe('a dependent launch', () => {
  // b begins 10 µs after a, and ends 6 µs after it.
  const DRAWN = `
    cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@2+2 cudaLaunchKernel#3@4+2
    gpu 0.7  | a#1@6+40 b#2@16+36 c#3@53+10`;

  test('may begin once the op before it has come as far as before: half as long, half as late', () => {
    // a 6..26, b from 11, ends 3 after a (half of its 6): 29, c 30..40.
    expect(after(DRAWN, { kind: 'scale', select: { by: 'name', text: '^[ab]$', isPattern: true }, factor: 0.5 })).toBe(
      40,
    );
  });

  test('that is gone leaves what follows behind what came before', () => {
    // a 6..46, c where b would have been over at once, 1 later.
    expect(after(DRAWN, { kind: 'remove', select: named('b') })).toBe(57);
  });
});

test('a graph launch is over with its last leaf, at no cost', () => {
  // Both branches end a launch; the longer one, made shorter, no longer does.
  const drawing = `
    cpu 1    | cudaGraphLaunch#1@0+5 cudaLaunchKernel#2@6+5
    gpu 0.7  | root#1@10+5{graph=9} long#1@16+30{graph=9} short#1@16+20{graph=9} next#2@48+10`;
  // long 16..31, short 16..36, next 2 after it: 38..48.
  expect(after(drawing, { kind: 'scale', select: named('long'), factor: 0.5 })).toBe(48);
});
