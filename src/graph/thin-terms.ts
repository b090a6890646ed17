import type { Graph } from './graph.ts';
import type { Term, WindowTerms } from './instants.ts';

/**
 * The terms that can be the latest while lengths of ops change and nothing goes: an op that must have ended before another of the same terms
 * begins or ends is never later, since its constraints' lags are not negative and stay so. Of a stream mostly the last op is left.
 */
export function thinTerms(graph: Graph, terms: readonly WindowTerms[]): readonly WindowTerms[] {
  // Moments on a cycle stay where they are, whatever they wait for.
  if (graph.order.length < graph.moments.count) return terms;
  const covered = new Int32Array(graph.moments.count);
  const thinned = new Map<readonly Term[], readonly Term[]>();
  const thin = (all: readonly Term[]): readonly Term[] => {
    let left = thinned.get(all);
    if (left === undefined) {
      left = uncovered(graph, all, covered, thinned.size + 1);
      thinned.set(all, left);
    }
    return left;
  };
  return terms.map(({ start, end }) => ({ start: thin(start), end: thin(end) }));
}

/** `covered`: by moment, the last list in which another moment came no earlier; `list`: the number of this one. */
function uncovered(graph: Graph, terms: readonly Term[], covered: Int32Array, list: number): readonly Term[] {
  for (let i = 0; i < terms.length; i++) {
    const { moment, offset } = terms[i];
    if (moment === -1 || offset < 0) continue;
    coverSources(graph, moment, covered, list);
    // The end of a device op covers what its start waits for.
    if (!graph.moments.isHost(moment) && !graph.moments.isJoin(moment) && covered[moment - 1] === list) {
      coverSources(graph, moment - 1, covered, list);
    }
  }
  return terms.filter(({ moment, offset, piece }) => {
    return moment === -1 || offset !== 0 || piece !== undefined || covered[moment] !== list;
  });
}

function coverSources({ constraints, lag }: Graph, moment: number, covered: Int32Array, list: number): void {
  const { first, from } = constraints;
  for (let c = first[moment]; c < first[moment + 1]; c++) if (lag[c] >= 0) covered[from[c]] = list;
}
