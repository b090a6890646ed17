// `what-if` of a drawn job, each number of which can be read off the drawing.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../test-kit/draw.ts';
import { runIn } from '../test-kit/run-in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-what-if-job-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const longpole = (...args: readonly string[]) => runIn(folder, ['what-if', 'job', ...args]);

/** A rank whose kernel takes so long, µs: it begins at 6, the all-reduce 1 after it, which ends at 107 on both. */
function rank(gemm: number): string {
  const begins = 6 + gemm + 1;
  const call = `Collective name=allreduce,In msg nelems=10,Out msg nelems=10,dtype=Float,Seq=1,Process Group Name=0,Process Group Ranks=[0, 1],Group size=2`;
  return jsonOf(`
    cpu 1    | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@3+2
    gpu 0.7  | gemm#1@6+${gemm} ncclDevKernel_AllReduce#2@${begins}+${107 - begins}{${call}}
  `);
}

beforeAll(() => {
  mkdirSync(join(folder, 'job'));
  // Arrives at 57, and waits 30 µs for rank 1, which arrives at 87: the transfer is 20 µs.
  writeFileSync(join(folder, 'job', 'rank-0.json'), rank(50));
  writeFileSync(join(folder, 'job', 'rank-1.json'), rank(80));
});

interface Said {
  readonly measuredNs: number;
  readonly predictedNs: number;
  readonly winNs: number;
  readonly predicted: { readonly byRank: readonly { readonly rank: number; readonly totalNs: number }[] };
}

async function said(...args: readonly string[]): Promise<Said> {
  const { code, stdout, stderr } = await longpole(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Said;
}

describe('two ranks and one all-reduce', () => {
  test.each([
    // Rank 1 computes 60, and still comes last, at 67: all of the 20 µs that it is faster is won.
    ['the slower rank’s kernel a little faster', ['--scale', 'gemm=0.75', '--ranks', '1'], 87],
    // 40: it would come at 47, but rank 0 comes at 57, and binds: 30 of 40 µs.
    ['half', ['--scale', 'gemm=0.5', '--ranks', '1'], 77],
    ['none of it: no more than that', ['--scale', 'gemm=0', '--ranks', '1'], 77],
    ['the faster rank’s kernel: it only waits longer', ['--scale', 'gemm=0.5', '--ranks', '0'], 107],
    // 100: rank 0 comes last, at 107.
    ['the faster rank’s kernel twice as slow', ['--scale', 'gemm=2', '--ranks', '0'], 127],
    // Both: rank 1 comes last again, at 47.
    ['both ranks’', ['--scale', 'gemm=0.5'], 67],
    // The wait is none of it.
    ['the transfer', ['--scale', 'kind:collective=0.5'], 97],
    ['the transfer, and the slower rank’s kernel', ['--scale', 'gemm=0.5', '--scale', 'kind:collective=0.5'], 57],
  ] as const)('%s', async (_, flags, us) => {
    const forecast = await said(...flags);
    expect(forecast).toMatchObject({ measuredNs: 107_000, predictedNs: 1_000 * us, winNs: 1_000 * (107 - us) });
  });

  test('the path goes over to the rank that binds', async () => {
    const { predicted } = await said('--scale', 'gemm=0.5', '--ranks', '1');
    const longest = predicted.byRank.toSorted((a, b) => b.totalNs - a.totalNs)[0];
    expect(longest.rank).toBe(0);
  });
});
