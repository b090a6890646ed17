import { lengthRows, scaleRows } from '../../graph/changed-lags.ts';
import { boundsAfter } from '../../graph/forecast.ts';
import type { Graph } from '../../graph/graph.ts';
import type { WindowTerms } from '../../graph/instants.ts';
import type { Segment } from '../../graph/path.ts';
import type { Replayer } from '../../graph/replayer.ts';
import type { SegmentKind } from '../../graph/segments.ts';
import { Selectors } from '../../graph/selectors.ts';
import type { Window } from '../../graph/windows.ts';
import type { StringId } from '../../trace/ids.ts';
import type { PathWin } from './result.ts';

/** Time on the path that is an op's own, so that it goes where that op goes faster. */
const OF_AN_OP: ReadonlySet<SegmentKind> = new Set(['kernel', 'collective', 'copy', 'host-work', 'data-loading']);

/**
 * What windows win where the ops with the most time on their path take half of their time, or none: one replay each, so that another chain
 * may take over. What wins most comes first. Nothing for a range, whose end is fixed. O((moments + constraints) × names).
 */
export function winsOnPath(
  graph: Graph,
  { windows, terms }: { readonly windows: readonly Window[]; readonly terms: readonly WindowTerms[] | undefined },
  segments: readonly Segment[],
  replayer: Replayer,
  most: number,
): readonly PathWin[] {
  if (terms === undefined) return [];
  const replays = new Wins(graph, windows, terms, replayer);
  const { strings } = graph.trace;
  return largestNames(graph, segments, most)
    .map(({ kind, name, pathNs }): PathWin => {
      const text = strings.text(name as StringId);
      const [half, gone] = replays.winsOf(text, [0.5, 0]);
      const byWindow = half.map((halfNs, i) => ({ halfNs, goneNs: gone[i] }));
      return { kind, name: text, pathNs, halfNs: sumOf(half), goneNs: sumOf(gone), byWindow };
    })
    .sort((a, b) => b.halfNs - a.halfNs || b.goneNs - a.goneNs || b.pathNs - a.pathNs || (a.name < b.name ? -1 : 1));
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0);

/** The names with the most time on the path, with the kind of most of it. */
function largestNames(
  { trace }: Graph,
  segments: readonly Segment[],
  most: number,
): { kind: SegmentKind; name: number; pathNs: number }[] {
  const byName = new Map<number, Map<SegmentKind, number>>();
  for (let i = 0; i < segments.length; i++) {
    const { kind, event, start, end } = segments[i];
    if (event === -1 || !OF_AN_OP.has(kind)) continue;
    const name = trace.events.name[event];
    let kinds = byName.get(name);
    if (kinds === undefined) byName.set(name, (kinds = new Map<SegmentKind, number>()));
    kinds.set(kind, (kinds.get(kind) ?? 0) + end - start);
  }
  return [...byName]
    .map(([name, kinds]) => {
      const [[kind]] = [...kinds].sort((a, b) => b[1] - a[1]);
      return { kind, name, pathNs: [...kinds.values()].reduce((sum, ns) => sum + ns, 0) };
    })
    .sort((a, b) => b.pathNs - a.pathNs || a.name - b.name)
    .slice(0, most);
}

class Wins {
  readonly #graph: Graph;
  readonly #terms: readonly WindowTerms[];
  readonly #windows: readonly Window[];
  readonly #replayer: Replayer;
  readonly #selectors: Selectors;

  constructor(graph: Graph, windows: readonly Window[], terms: readonly WindowTerms[], replayer: Replayer) {
    this.#graph = graph;
    this.#terms = terms;
    this.#windows = windows;
    this.#replayer = replayer;
    this.#selectors = new Selectors(graph);
  }

  /** By factor: what each window wins where all ops of a name take so much of their time; windows go on tiling the run. */
  winsOf(name: string, factors: readonly number[]): number[][] {
    const graph = this.#graph;
    const rows = lengthRows(graph, this.#selectors.select({ by: 'name', text: name, isPattern: false }));
    return factors.map((factor) => {
      const lag = graph.lag.slice();
      scaleRows(graph, rows, factor, lag);
      const time = this.#replayer.run({ from: graph.constraints.from, lag });
      let before = -Infinity;
      return this.#terms.map((each, i) => {
        const { start, end } = boundsAfter(graph, each, { lag }, time);
        const from = before === -Infinity ? start : before;
        before = Math.max(from, end);
        return this.#windows[i].end - this.#windows[i].start - (before - from);
      });
    });
  }
}
