// What the largest groups can win: each number is that of a what-if of its own.
import { expect, test } from 'vitest';
import { forecast } from '../../graph/forecast.ts';
import { type Graph, buildGraph } from '../../graph/graph.ts';
import { termsOfWindows } from '../../graph/instants.ts';
import { type Window, findWindows } from '../../graph/windows.ts';
import { dataParallel } from '../../sim/programs/data-parallel.ts';
import { decode } from '../../sim/programs/decode.ts';
import { EVERYTHING, randomCase } from '../../sim/random.ts';
import { simulatedTrace } from '../../test-kit/simulated.ts';
import { realGraph } from '../../test-kit/traces.ts';
import { computeLeverage, selectorOf } from './leverage.ts';
import type { Leverage } from './result.ts';

function leverageOf(graph: Graph): { leverage: Leverage[]; windows: readonly Window[] } {
  const found = findWindows(graph, { kind: 'default' });
  if (!found.ok) throw new Error(found.reason);
  return { leverage: computeLeverage(graph, found.windows, termsOf(graph, found.windows)), windows: found.windows };
}

function termsOf(graph: Graph, windows: readonly Window[]): NonNullable<ReturnType<typeof termsOfWindows>> {
  const terms = termsOfWindows(graph, windows);
  if (terms === undefined) throw new Error('fixed borders');
  return terms;
}

/** A whole what-if for a row and a factor. */
function replayed(graph: Graph, windows: readonly Window[], row: Leverage, factor: number): number {
  const change = { kind: 'scale', select: selectorOf(row), factor } as const;
  const after = forecast(graph, [change], windows, termsOf(graph, windows)).windows;
  const wall = (list: readonly Window[]): number => list[list.length - 1].end - list[0].start;
  return wall(windows) - wall(after);
}

function checkRows(graph: Graph, most: number): void {
  const { leverage, windows } = leverageOf(graph);
  for (const row of leverage.slice(0, most)) {
    for (const { factor, winNs } of row.wins) {
      expect(winNs, `${row.by} ${row.name} × ${factor}`).toBe(replayed(graph, windows, row, factor));
    }
  }
}

test('each row equals a full replay: ready programs, with Python frames, annotations and a worker', () => {
  for (const job of [
    dataParallel({ ranks: 1, steps: 2, layers: 2 }),
    decode({ steps: 3, layers: 3, usesGraph: false }),
  ]) {
    const graph = buildGraph(simulatedTrace(job));
    const { leverage } = leverageOf(graph);
    expect(new Set(leverage.map(({ by }) => by)).size).toBeGreaterThan(2);
    checkRows(graph, 50);
  }
});

test('each row equals a full replay: random programs', () => {
  for (let seed = 1; seed <= 15; seed++) {
    const { job, kineto } = randomCase(seed, EVERYTHING);
    const graph = buildGraph(simulatedTrace(job, 0, kineto));
    if (graph.host.length + graph.device.length > 0) checkRows(graph, 50);
  }
});

test('each row equals a full replay: a real trace with stacks', () => {
  checkRows(realGraph('single/qwen_h100_stacks.json.gz'), 8);
});

test('what wins most comes first, and no group wins less by shrinking further', () => {
  const { leverage } = leverageOf(buildGraph(simulatedTrace(dataParallel({ ranks: 1, steps: 2, layers: 3 }))));
  const gone = leverage.map(({ wins }) => wins[3].winNs);
  expect(gone).toEqual([...gone].sort((a, b) => b - a));
  for (const { wins, name } of leverage) {
    const curve = wins.map(({ winNs }) => winNs);
    expect(curve, name).toEqual([...curve].sort((a, b) => a - b));
  }
});
