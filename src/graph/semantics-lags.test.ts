// Typical lags, what binds, and how near the rival was: ARCHITECTURE.md, "Typical lag" and "Binding".
import { describe, expect, test } from 'vitest';
import { pathOf, syncOf } from '../test-kit/answers.ts';
import { breakdownOf, edgesOf, kindsOf } from '../test-kit/words.ts';

/** Launches 100 µs apart on an idle stream, half of which take 4 µs to begin and half 12; then one that takes 200. */
function idleLaunches(count: number): string {
  const host: string[] = [];
  const device: string[] = [];
  for (let n = 0; n < count; n++) {
    host.push(`cudaLaunchKernel#${n + 1}@${100 * n}+2`);
    device.push(`k#${n + 1}@${100 * n + (n === count - 1 ? 200 : n % 2 === 0 ? 4 : 12)}+1`);
  }
  return `cpu 1 | ${host.join(' ')}\ngpu 0.7 | ${device.join(' ')}`;
}

/** A first op of 100 µs, meanwhile others of 50 µs are enqueued: each begins 3 µs after the one before, the last one 100 µs. */
function queuedOps(count: number): string {
  const host: string[] = [];
  const device: string[] = [];
  for (let n = 0; n < count; n++) {
    host.push(`cudaLaunchKernel#${n + 1}@${2 * n}+1`);
    device.push(n === 0 ? 'k#1@6+100' : `k#${n + 1}@${56 + 53 * n + (n === count - 1 ? 97 : 0)}+50`);
  }
  return `cpu 1 | ${host.join(' ')}\ngpu 0.7 | ${device.join(' ')}`;
}

describe('typical lags', () => {
  test('from 20 cases on, a launch on an idle stream takes the lower quartile', () => {
    expect(breakdownOf(pathOf(idleLaunches(24)))).toMatchObject({ unexplained: 196, launch: 2, kernel: 1 });
  });

  test('under 20 cases a launch takes 6 µs', () => {
    expect(breakdownOf(pathOf(idleLaunches(10)))).toMatchObject({ unexplained: 194, launch: 4, kernel: 1 });
  });

  test('from 20 cases on, the step to the next op of a full stream takes the median', () => {
    expect(breakdownOf(pathOf(queuedOps(30)))).toMatchObject({ unexplained: 97, 'stream-gap': 28 * 3 + 3 });
  });

  test('under 20 cases it takes 1.5 µs', () => {
    expect(breakdownOf(pathOf(queuedOps(10)))).toMatchObject({ unexplained: 98.5, 'stream-gap': 8 * 3 + 1.5 });
  });
});

describe('binding', () => {
  const twoWaits = (endOfB: number): string => `
    cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaLaunchKernel#3@9+5 cudaEventRecord#4@15+2
             | cudaStreamWaitEvent#5@18+2 cudaStreamWaitEvent#6@21+2 cudaLaunchKernel#7@24+5
    gpu 0.7  | a#1@8+68
    gpu 0.20 | b#3@17+${endOfB - 17}
    gpu 0.24 | c#7@79+10
    sync 0   | StreamWait#5{stream=24,on=7,record=2,event=1} StreamWait#6{stream=24,on=20,record=4,event=2}`;

  test('the source that ended last binds; near rivals make it ambiguous', () => {
    expect(edgesOf(syncOf(twoWaits(77)))[1]).toMatch(/b#3 -> c#7 resolved binds$/);
    const path = pathOf(twoWaits(77));
    expect(path.path.segments.at(-1)?.ambiguous).toBe(true);
    expect(path.coverage.ambiguous).toBe(1);
  });

  test('a clear winner is not ambiguous', () => {
    expect(edgesOf(syncOf(twoWaits(60)))[0]).toMatch(/a#1 -> c#7 resolved binds$/);
    const path = pathOf(twoWaits(60));
    expect(path.path.segments.some(({ ambiguous }) => ambiguous === true)).toBe(false);
    expect(path.coverage.ambiguous).toBe(0);
  });

  test('a launch that was late binds, though the op before ended later than the call began', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@45+5
      gpu 0.7  | a#1@8+38 b#2@52+10`);
    expect(kindsOf(path).slice(-2)).toEqual(['50..52 launch b#2', '52..62 kernel b#2']);
  });
});
