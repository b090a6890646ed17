import { changeConstraints } from '../../graph/changed-lags.ts';
import type { Change } from '../../graph/changes.ts';
import { boundsAfter } from '../../graph/forecast.ts';
import type { Graph } from '../../graph/graph.ts';
import { type WindowTerms, termsOfWindows } from '../../graph/instants.ts';
import type { Segment } from '../../graph/path.ts';
import { Replayer } from '../../graph/replayer.ts';
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
  windows: readonly Window[],
  segments: readonly Segment[],
  most: number,
): readonly PathWin[] {
  const terms = termsOfWindows(graph, windows);
  if (terms === undefined) return [];
  const replays = new Wins(graph, windows, terms);
  const { strings } = graph.trace;
  return largestNames(graph, segments, most)
    .map(({ kind, name, pathNs }): PathWin => {
      const text = strings.text(name as StringId);
      const scale = (factor: number): Change => ({
        kind: 'scale',
        select: { by: 'name', text, isPattern: false },
        factor,
      });
      return { kind, name: text, pathNs, halfNs: replays.winOf(scale(0.5)), goneNs: replays.winOf(scale(0)) };
    })
    .sort((a, b) => b.halfNs - a.halfNs || b.goneNs - a.goneNs || b.pathNs - a.pathNs || (a.name < b.name ? -1 : 1));
}

/** The names with the most time on the path, with the kind of most of it. */
function largestNames(
  { trace }: Graph,
  segments: readonly Segment[],
  most: number,
): { kind: SegmentKind; name: number; pathNs: number }[] {
  const byName = new Map<number, Map<SegmentKind, number>>();
  for (const { kind, event, start, end } of segments) {
    if (event === -1 || !OF_AN_OP.has(kind)) continue;
    const name = trace.events.name[event];
    const kinds = byName.get(name) ?? new Map<SegmentKind, number>();
    kinds.set(kind, (kinds.get(kind) ?? 0) + end - start);
    byName.set(name, kinds);
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
  readonly #wallNs: number;
  readonly #replayer: Replayer;
  readonly #selectors: Selectors;

  constructor(graph: Graph, windows: readonly Window[], terms: readonly WindowTerms[]) {
    this.#graph = graph;
    this.#terms = terms;
    this.#wallNs = windows[windows.length - 1].end - windows[0].start;
    this.#replayer = new Replayer(graph);
    this.#selectors = new Selectors(graph);
  }

  winOf(change: Change): number {
    const changed = changeConstraints(this.#graph, [change], this.#selectors);
    const time = this.#replayer.run(changed);
    const bounds = this.#terms.map((each) => boundsAfter(this.#graph, each, changed, time));
    const end = bounds.reduce((latest, window) => Math.max(latest, window.end), -Infinity);
    return this.#wallNs - (end - bounds[0].start);
  }
}
