import type { Link } from './clock-link.ts';
import type { Edge } from './clock-stars.ts';

/** A clock: the job's time is `offset` + (1 + `drift`) × its own, ns. */
export interface Line {
  readonly offset: number;
  readonly drift: number;
}

/** Clocks tied to each other by the surest links, then moved to where all links together want them. */
export interface ClockTree {
  readonly lines: Line[];
  /** By place: a number of the part that it belongs to. */
  readonly component: Int32Array;
  /** By place: what it hangs on, as an edge; −1 of a root. */
  readonly parentEdge: Int32Array;
  readonly depth: Int32Array;
}

/** How far a link may be off: three standard deviations, and what does not average out. */
export const errorOf = ({ noiseNs, biasNs }: Link): number => 3 * noiseNs + biasNs;

const SWEEPS = 20;

/** `middle`: of each rank the middle of its calls by its own clock, where clocks are compared. O(links × log). */
export function solveClocks(count: number, edges: readonly Edge[], middle: Float64Array): ClockTree {
  const chosen = surest(count, edges);
  const tree: ClockTree = {
    lines: Array.from({ length: count }, () => ({ offset: 0, drift: 0 })),
    component: new Int32Array(count).fill(-1),
    parentEdge: new Int32Array(count).fill(-1),
    depth: new Int32Array(count),
  };
  const byRank = edgesByRank(count, chosen, edges);
  const byLinks = Array.from({ length: count }, (_, at) => at).sort(
    (a, b) => byRank[b].length - byRank[a].length || a - b,
  );
  let components = 0;
  for (const root of byLinks) {
    if (tree.component[root] !== -1) continue;
    grow(tree, root, components++, byRank, edges);
  }
  if (chosen.length < edges.length) relax(tree, edges, middle);
  return tree;
}

/** Of each part the links that tie all of it with the least doubt. */
function surest(count: number, edges: readonly Edge[]): number[] {
  const parent = Int32Array.from({ length: count }, (_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (parent[root] !== root) root = parent[root];
    for (let each = at; parent[each] !== root;) [each, parent[each]] = [parent[each], root];
    return root;
  };
  const order = edges.map((_, edge) => edge).sort((a, b) => errorOf(edges[a].link) - errorOf(edges[b].link) || a - b);
  return order.filter((edge) => {
    const [a, b] = [rootOf(edges[edge].from), rootOf(edges[edge].to)];
    parent[a] = b;
    return a !== b;
  });
}

function edgesByRank(count: number, chosen: readonly number[], edges: readonly Edge[]): number[][] {
  const found: number[][] = Array.from({ length: count }, () => []);
  for (const edge of chosen) {
    found[edges[edge].from].push(edge);
    found[edges[edge].to].push(edge);
  }
  return found;
}

function grow(
  tree: ClockTree,
  root: number,
  component: number,
  byRank: readonly (readonly number[])[],
  edges: readonly Edge[],
): void {
  tree.component[root] = component;
  const open = [root];
  for (let i = 0; i < open.length; i++) {
    const at = open[i];
    for (const each of byRank[at]) {
      const edge = edges[each];
      const next = edge.from === at ? edge.to : edge.from;
      if (tree.component[next] !== -1) continue;
      tree.component[next] = component;
      tree.parentEdge[next] = each;
      tree.depth[next] = tree.depth[at] + 1;
      tree.lines[next] = across(edge, next, tree.lines[at]);
      open.push(next);
    }
  }
}

/** The line of one end of a link by that of the other end. */
function across({ from, link }: Edge, wanted: number, other: Line): Line {
  const { apart, center, slope } = link;
  const atZero = apart - slope * center;
  if (wanted === from) {
    return { offset: other.offset + atZero * (1 + other.drift), drift: slope + other.drift + slope * other.drift };
  }
  const rate = (1 + other.drift) / (1 + slope);
  return { offset: other.offset - atZero * rate, drift: (other.drift - slope) / (1 + slope) };
}

/** Each clock moves to the mean of what its links say, weighed by how sure they are. The roots stay. */
function relax({ lines, parentEdge }: ClockTree, edges: readonly Edge[], middle: Float64Array): void {
  const byRank = edgesByRank(
    lines.length,
    edges.map((_, edge) => edge),
    edges,
  );
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let at = 0; at < lines.length; at++) {
      if (parentEdge[at] === -1 || byRank[at].length < 2) continue;
      let [total, time, slopes, drift] = [0, 0, 0, 0];
      for (const each of byRank[at]) {
        const edge = edges[each];
        const line = across(edge, at, lines[edge.from === at ? edge.to : edge.from]);
        const weight = 1 / errorOf(edge.link) ** 2;
        const sure = 1 / edge.link.slopeError ** 2;
        total += weight;
        time += weight * (line.offset + line.drift * middle[at]);
        slopes += sure;
        drift += sure * line.drift;
      }
      drift /= slopes;
      lines[at] = { offset: time / total - drift * middle[at], drift };
    }
  }
}
