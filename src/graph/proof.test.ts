// The graph against the truth: random jobs are simulated, their traces written with and without loss, read back, and what is rebuilt from
// them is compared with what happened. See src/test-kit/proof.ts for what counts as equal. `npm run test:full` takes ten times as many.
import { describe, expect, test } from 'vitest';
import { shrink } from '../sim/shrink.ts';
import { type ProofCase, prove } from '../test-kit/proof.ts';
import { proofCase } from '../test-kit/proof-case.ts';
import { noCounts } from '../test-kit/proof-counts.ts';

const PROGRAMS = Number(process.env['LONGPOLE_PROGRAMS'] ?? 2_000);
const AT_ONCE = 250;
const counts = noCounts();

/** The seed, what is wrong, and the smallest program that still fails. */
function report(seed: number, failing: ProofCase): string {
  const faultsOf = (job: ProofCase['job']): string[] => {
    try {
      return prove({ ...failing, job }, noCounts());
    } catch (error) {
      return [`it threw ${String(error)}`];
    }
  };
  const smallest = shrink(failing.job, (job) => faultsOf(job).length > 0, 500);
  return [
    `seed ${seed}:`,
    ...faultsOf(smallest).slice(0, 6),
    `in the smallest program that fails, ${failing.isExact ? 'with' : 'without'} the latencies that the graph assumes:`,
    ...smallest.ranks.flatMap(({ threads }, rank) =>
      threads.flatMap(({ name, body }) => [
        `rank ${rank}, thread ${name}:`,
        ...body.map((action) => `  ${JSON.stringify(action)}`),
      ]),
    ),
    `costs ${JSON.stringify(smallest.costs)}`,
    `trace ${JSON.stringify(failing.kineto)}`,
  ].join('\n');
}

describe(`${PROGRAMS} random programs`, () => {
  for (let first = 1; first <= PROGRAMS; first += AT_ONCE) {
    const last = Math.min(first + AT_ONCE - 1, PROGRAMS);
    test(`${first} to ${last}: constraints, bindings and paths are the true ones`, { timeout: 300_000 }, () => {
      for (let seed = first; seed <= last; seed++) {
        const made = proofCase(seed);
        if (prove(made, counts).length > 0) expect.fail(report(seed, made));
      }
    });
  }

  test('most of what happened is told by the traces and was compared', () => {
    const share = (part: number, whole: number): number => part / whole;
    expect(share(counts.told, counts.starts + counts.ends)).toBeGreaterThan(0.93);
    expect(share(counts.sameBinding, counts.bindings)).toBeGreaterThan(0.98);
    expect(share(counts.ambiguous, counts.bindings)).toBeLessThan(0.003);
    expect(share(counts.untold, counts.bindings)).toBeLessThan(0.015);
    expect(share(counts.pathCompared, counts.pathMoments)).toBeGreaterThan(0.97);
    expect(share(counts.wholePaths, counts.paths)).toBeGreaterThan(0.5);
  });

  test('every kind of constraint was compared, and every status occurred', () => {
    expect([...counts.kinds.keys()].sort()).toEqual([
      'copy-sync',
      'device-sync',
      'event-sync',
      'launch',
      'order',
      'queue-full',
      'stream-sync',
      'stream-wait',
      'thread',
    ]);
    const seen = [
      'empty',
      'future',
      'heuristic:call-span',
      'heuristic:copy-return',
      'heuristic:event-id',
      'heuristic:graph-order',
      'heuristic:implicit-sync',
      'heuristic:last-op-before-wait',
      'heuristic:lost-rows',
      'heuristic:polling',
      'heuristic:racing-call',
      'heuristic:wait-call',
      'no-sink',
      'resolved',
      'same-stream',
      'unresolved',
    ];
    expect([...counts.statuses.keys()]).toEqual(expect.arrayContaining(seen));
  });
});
