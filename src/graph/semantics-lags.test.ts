// Typical lags, what binds, and how near the rival was: ARCHITECTURE.md, "Typical lag" and "Binding".
import { describe, expect, test } from 'vitest';
import { pathOf, syncOf } from '../test-kit/answers.ts';
import { breakdownOf, edgesOf, kindsOf } from '../test-kit/words.ts';

/** Launches 100 µs apart on an idle stream: every third takes 4 µs to begin, the others 12; then one that takes 200. */
function idleLaunches(count: number): string {
  const host: string[] = [];
  const device: string[] = [];
  for (let n = 0; n < count; n++) {
    host.push(`cudaLaunchKernel#${n + 1}@${100 * n}+2`);
    device.push(`k#${n + 1}@${100 * n + (n === count - 1 ? 200 : n % 3 === 0 ? 4 : 12)}+1`);
  }
  return `cpu 1 | ${host.join(' ')}\ngpu 0.7 | ${device.join(' ')}`;
}

interface Queue {
  readonly ops: number;
  /** Between two ops, in µs. */
  readonly gap: number;
  /** Before the last op, in µs. */
  readonly lastGap: number;
}

/** A first op of 100 µs, meanwhile the others, of 50 µs each, are enqueued. */
function queuedOps({ ops, gap, lastGap }: Queue): string {
  const host: string[] = [];
  const device = ['k#1@6+100'];
  for (let n = 0; n < ops; n++) {
    host.push(`cudaLaunchKernel#${n + 1}@${2 * n}+1`);
    const start = 106 + n * gap + (n - 1) * 50 + (n === ops - 1 ? lastGap - gap : 0);
    if (n > 0) device.push(`k#${n + 1}@${start}+50`);
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
    const path = pathOf(queuedOps({ ops: 30, gap: 3, lastGap: 100 }));
    expect(breakdownOf(path)).toMatchObject({ unexplained: 97, 'stream-gap': 28 * 3 + 3 });
  });

  test('under 20 cases it takes 1.5 µs', () => {
    const path = pathOf(queuedOps({ ops: 10, gap: 3, lastGap: 100 }));
    expect(breakdownOf(path)).toMatchObject({ unexplained: 98.5, 'stream-gap': 8 * 3 + 1.5 });
  });

  test.each([
    { gap: 3, lastGap: 30, unexplained: 0 },
    { gap: 3, lastGap: 31, unexplained: 28 },
    { gap: 0.5, lastGap: 10, unexplained: 0 },
    { gap: 0.5, lastGap: 11, unexplained: 10.5 },
  ])(
    'beyond ten times that, and 10 µs, it is unexplained: $lastGap µs after steps of $gap',
    ({ gap, lastGap, unexplained }) => {
      const path = pathOf(queuedOps({ ops: 30, gap, lastGap }));
      expect(breakdownOf(path)['unexplained'] ?? 0).toBe(unexplained);
    },
  );
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
