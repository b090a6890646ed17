/** The tree of calls as rows: from the outermost down, or from what has the time up to its callers. */
import { referTo } from '../refer.ts';
import type { Graph } from '../../graph/graph.ts';
import { type CallTree, NODE_KINDS } from './call-tree.ts';
import type { FoldedStack, OpsTree, OpsTreeResult, TreeNode } from './result.ts';

/** Of the host time, or of the device time. */
const LEAST_SHARE = 0.001;

/** What both directions are printed from. */
interface Shown {
  readonly parent: ArrayLike<number>;
  readonly length: number;
  readonly host: ArrayLike<number>;
  readonly device: ArrayLike<number>;
  readonly rowOf: (node: number, depth: number) => TreeNode;
}

export function treeResult(graph: Graph, tree: CallTree, direction: OpsTree): OpsTreeResult {
  const shown = direction === 'top-down' ? topDown(graph, tree) : bottomUp(graph, tree);
  const hostNs = sumOf(tree.hostSelf);
  const leastHost = LEAST_SHARE * hostNs;
  const leastDevice = LEAST_SHARE * sumOf(tree.deviceSelf);
  const isKept = (node: number): boolean =>
    (shown.host[node] > 0 && shown.host[node] >= leastHost) ||
    (shown.device[node] > 0 && shown.device[node] >= leastDevice);
  const children = new Map<number, number[]>();
  let omitted = 0;
  for (let node = 0; node < shown.length; node++) {
    if (!isKept(node)) {
      if (shown.host[node] > 0 || shown.device[node] > 0) omitted++;
      continue;
    }
    const siblings = children.get(shown.parent[node]);
    if (siblings === undefined) children.set(shown.parent[node], [node]);
    else siblings.push(node);
  }
  for (const siblings of children.values()) {
    siblings.sort((a, b) => shown.host[b] - shown.host[a] || shown.device[b] - shown.device[a] || a - b);
  }
  const nodes = preorder(children, shown);
  return { direction, hostNs, waitedNs: tree.waitedNs, nodes, leastShare: LEAST_SHARE, omitted };
}

function preorder(children: ReadonlyMap<number, readonly number[]>, { rowOf }: Shown): TreeNode[] {
  const nodes: TreeNode[] = [];
  const open = (children.get(-1) ?? []).toReversed().map((node) => ({ node, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    nodes.push(rowOf(node, depth));
    const below = children.get(node) ?? [];
    for (let i = below.length - 1; i >= 0; i--) open.push({ node: below[i], depth: depth + 1 });
  }
  return nodes;
}

function topDown(graph: Graph, tree: CallTree): Shown {
  return {
    parent: tree.parent,
    length: tree.length,
    host: tree.hostTotal,
    device: tree.deviceTotal,
    rowOf: (node, depth) => ({
      depth,
      name: tree.nameOf(node),
      kind: NODE_KINDS[tree.kind[node]],
      count: tree.count[node],
      selfNs: tree.hostSelf[node],
      totalNs: tree.hostTotal[node],
      deviceNs: tree.deviceUnion[node],
      deviceSumNs: tree.deviceTotal[node],
      launches: tree.launches[node],
      ...(tree.longest[node] === -1 ? {} : { longest: referTo(graph, tree.longest[node]) }),
    }),
  };
}

/** Every node with time of its own is a root by its name; below it its callers, each with the part that came through it. O(nodes × depth). */
function bottomUp(graph: Graph, tree: CallTree): Shown {
  const parent: number[] = [];
  const host: number[] = [];
  const device: number[] = [];
  const launches: number[] = [];
  const count: number[] = [];
  const sample: number[] = [];
  const mostNs: number[] = [];
  const longest: number[] = [];
  const known = new Map<string, number>();
  const names = new Map<string, number>();
  const nameOf = Int32Array.from({ length: tree.length }, (_, node) => {
    const key = `${tree.kind[node]} ${tree.nameOf(node)}`;
    if (!names.has(key)) names.set(key, names.size);
    return names.get(key) as number;
  });
  for (let leaf = 0; leaf < tree.length; leaf++) {
    if (tree.hostSelf[leaf] === 0 && tree.deviceSelf[leaf] === 0) continue;
    let at = -1;
    for (let node = leaf; node !== -1; node = tree.parent[node]) {
      const key = `${at} ${nameOf[node]}`;
      let own = known.get(key);
      if (own === undefined) {
        own = parent.length;
        known.set(key, own);
        for (const column of [host, device, launches, count]) column.push(0);
        parent.push(at);
        sample.push(node);
        mostNs.push(-1);
        longest.push(-1);
      }
      host[own] += tree.hostSelf[leaf];
      device[own] += tree.deviceSelf[leaf];
      count[own] += tree.count[leaf];
      launches[own] += tree.launches[leaf];
      const ns = tree.hostSelf[leaf] + tree.deviceSelf[leaf];
      if (ns > mostNs[own]) {
        mostNs[own] = ns;
        longest[own] = tree.longest[leaf];
      }
      at = own;
    }
  }
  return {
    parent,
    length: parent.length,
    host,
    device,
    rowOf: (node, depth) => ({
      depth,
      name: tree.nameOf(sample[node]),
      kind: NODE_KINDS[tree.kind[sample[node]]],
      count: count[node],
      selfNs: host[node],
      totalNs: host[node],
      deviceSumNs: device[node],
      launches: launches[node],
      ...(longest[node] === -1 ? {} : { longest: referTo(graph, longest[node]) }),
    }),
  };
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Every stack with a weight of its own, the heaviest first. */
export function foldedStacks(tree: CallTree, weight: 'host' | 'device'): FoldedStack[] {
  const own = weight === 'host' ? tree.hostSelf : tree.deviceSelf;
  const stacks: FoldedStack[] = [];
  for (let leaf = 0; leaf < tree.length; leaf++) {
    if (own[leaf] <= 0) continue;
    const frames: string[] = [];
    for (let node = leaf; node !== -1; node = tree.parent[node]) frames.push(tree.nameOf(node));
    stacks.push({ frames: frames.reverse(), weightNs: own[leaf] });
  }
  return stacks.sort((a, b) => b.weightNs - a.weightNs || compareFrames(a.frames, b.frames));
}

function compareFrames(a: readonly string[], b: readonly string[]): number {
  const [left, right] = [a.join(';'), b.join(';')];
  return left < right ? -1 : left > right ? 1 : 0;
}
