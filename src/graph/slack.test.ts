// Growing an event by its slack moves nothing; 1 ns more moves the end.
import { describe, expect, test } from 'vitest';
import { EVERYTHING, randomCase } from '../sim/random.ts';
import { seededRandom } from '../test-kit/random.ts';
import { simulatedTrace } from '../test-kit/simulated.ts';
import { realGraph } from '../test-kit/traces.ts';
import { traceOf } from '../test-kit/draw.ts';
import { type Graph, buildGraph } from './graph.ts';
import { instantOf, termsOfWindows } from './instants.ts';
import { Replayer } from './replayer.ts';
import { latestMoments, lengthConstraint, slackOf } from './slack.ts';
import { findWindows } from './windows.ts';

/** The end of the default windows after an event has grown. */
function growing(graph: Graph): {
  endAfter: (endMoment: number, byNs: number) => number;
  slack: (moment: number) => number;
} {
  const found = findWindows(graph, { kind: 'default' });
  if (!found.ok) throw new Error(found.reason);
  const terms = termsOfWindows(graph, found.windows)?.at(-1)?.end ?? [];
  const latest = latestMoments(graph, terms);
  const replayer = new Replayer(graph);
  const { from } = graph.constraints;
  return {
    slack: (moment) => slackOf(graph, latest, moment),
    endAfter: (moment, byNs) => {
      const lag = graph.lag.slice();
      lag[lengthConstraint(graph, moment)] += byNs;
      return instantOf(terms, replayer.run({ from, lag }));
    },
  };
}

function checkSample(graph: Graph, sample: number, seed: number): number {
  const { endAfter, slack } = growing(graph);
  const random = seededRandom(seed);
  const end = endAfter(1, 0);
  let checked = 0;
  for (let n = 0; n < sample; n++) {
    const ends = graph.host.length + graph.device.length;
    const moment = 2 * Math.floor(random() * ends) + 1;
    const room = slack(moment);
    if (room === Infinity) {
      if (lengthConstraint(graph, moment) !== -1) expect(endAfter(moment, 1e9), `moment ${moment}`).toBe(end);
      continue;
    }
    checked++;
    expect(room).toBeGreaterThanOrEqual(0);
    expect(endAfter(moment, room), `moment ${moment} by ${room}`).toBe(end);
    expect(endAfter(moment, room + 1), `moment ${moment} by ${room} + 1`).toBe(end + 1);
  }
  return checked;
}

test('on random programs', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { job, kineto } = randomCase(seed, EVERYTHING);
    const graph = buildGraph(simulatedTrace(job, 0, kineto));
    if (graph.host.length + graph.device.length > 0) checkSample(graph, 30, seed);
  }
});

describe.each(['sync/alexnet.json.gz', 'diff/a100_eager.json.gz', 'diff/v100_graphs.json.gz'])('%s', (file) => {
  test('a sample of its events', () => {
    expect(checkSample(realGraph(file), 60, 7)).toBeGreaterThan(10);
  });
});

test('a kernel beside the path has the room that the drawing shows', () => {
  // The wait on stream 7 needs what ends at 60; the one that ends at 30 may grow until 60.5: the wait returned at 62, 1.5 after it.
  const graph = buildGraph(
    traceOf(`
      cpu 1   | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@4+2 cudaDeviceSynchronize#3@8+54
      gpu 0.7 | long#1@6+54
      gpu 0.9 | short#2@10+20
      sync 0  | ContextSync#3@8+54
    `),
  );
  const { slack } = growing(graph);
  const ends = [...graph.device.event.keys()].map((op) => slack(graph.moments.endOfOp(op)));
  expect(ends).toEqual([0, 30_500]);
});
