import { describe, expect, test } from 'vitest';
import { EVERYTHING, randomCase } from '../sim/random.ts';
import { simulatedTrace } from '../test-kit/simulated.ts';
import { scaleRows } from './changed-lags.ts';
import { type Graph, buildGraph } from './graph.ts';
import { Replayer } from './replayer.ts';
import { ScaledReplay } from './scaled-replay.ts';

const FACTORS = [0.75, 0.5, 0.25, 0] as const;

/** The times of moments with some lags scaled, in a replay of the whole graph. */
function replayed(graph: Graph, rows: Int32Array, factor: number, wanted: Int32Array): number[] {
  const lag = graph.lag.slice();
  scaleRows(graph, rows, factor, lag);
  const time = new Replayer(graph).run({ from: graph.constraints.from, lag });
  return Array.from(wanted, (moment) => time[moment]);
}

const every = (length: number, step: number, begin: number): Int32Array =>
  Int32Array.from({ length: Math.max(0, Math.ceil((length - begin) / step)) }, (_, i) => begin + i * step);

describe('the contracted graph', () => {
  test.each([...Array(25).keys()])('random program %i: each factor as in a replay of the whole graph', (seed) => {
    const { job, kineto } = randomCase(7_000 + seed, { ...EVERYTHING, size: 120 });
    const graph = buildGraph(simulatedTrace(job, 0, kineto));
    const wanted = every(graph.moments.count, 7, seed % 7);
    const pieces = every(graph.lag.length, 5, seed % 5);
    const lagsOf = (lag: Float64Array): number[] => Array.from(pieces, (piece) => lag[piece]);
    // One after the other, so that what one leaves behind would show in the next.
    const groups = [1, 2, 3, 11].map((step) => every(graph.constraints.from.length, step, step >> 1));
    groups.push(new Int32Array(0));
    for (const factors of [FACTORS, [0.5, 0], [0.25]]) {
      const scaled = new ScaledReplay(graph, factors, { moments: wanted, pieces });
      const found = scaled.each(groups, (_, lag, time) => [
        ...lagsOf(lag),
        ...Array.from(wanted, (moment) => time[moment]),
      ]);
      const whole = groups.map((rows) =>
        factors.map((factor) => {
          const lag = graph.lag.slice();
          scaleRows(graph, rows, factor, lag);
          return [...lagsOf(lag), ...replayed(graph, rows, factor, wanted)];
        }),
      );
      expect(found).toEqual(whole);
    }
  });
});
