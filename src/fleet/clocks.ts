import { type CausalityCheck, checkCausality } from './clock-check.ts';
import { type Hosts, type RankClock, findHosts, shareClocks } from './clock-hosts.ts';
import { type Edge, LinkMaker } from './clock-stars.ts';
import { type ClockTree, errorOf, solveClocks } from './clock-tree.ts';
import { measureTransfers } from './clock-transfers.ts';
import type { Clocks, Meeting, RankCalls } from './model.ts';
import { medianOf } from './shift.ts';
import { CallFinder } from './symmetric.ts';

/** The clocks of a job's ranks, and what speaks for and against them. */
export interface FittedClocks extends Clocks {
  /**
   * By index of rank: how much later than its own Unix time the job's is, ns, in the middle of its calls, as its calls alone have it. The ranks
   * of one host (`hosts`) then share its clock.
   */
  readonly skewNs: Float64Array;
  /** Unix time of the job's time 0, ns: that of the first rank, by the job's clock. */
  readonly originUnixNs: string;
  readonly hosts: Hosts;
  readonly check: CausalityCheck;
}

/**
 * One fit of all ranks' clocks: the ends of symmetric calls agree on all ranks but for noise, and no call ends before its last arrival. Where
 * ranks take differently long for their transfer, and each has come last often enough to tell, that is taken out. O(n log n) in the calls.
 */
export function fitClocks(ranks: readonly RankCalls[], meetings: readonly Meeting[]): FittedClocks {
  const finder = new CallFinder(ranks);
  const origins = ranks.map(({ originUnixNs }) => Number(BigInt(originUnixNs) - BigInt(ranks[0].originUnixNs)));
  const middle = Float64Array.from(ranks, ({ calls }) => (calls.length === 0 ? 0 : calls[calls.length >> 1].endNs));
  const maker = new LinkMaker(finder, resolutionOf(ranks));
  const transfers = measureTransfers(finder, meetings, (meeting) => maker.sortOf(meeting));
  const best = clocksOf(maker.edges(meetings, transfers), origins, middle);
  const hosts = findHosts(best);
  const clocks: Clocks = {
    ...shareClocks(hosts, best, best, origins, middle),
    component: best.component,
    uncertaintyNs: (a, b) => Math.min(best.uncertaintyNs(a, b), hosts.withinNs(a, b)),
  };
  return {
    ...clocks,
    skewNs: best.skewNs,
    originUnixNs: ranks[0]?.originUnixNs ?? '0',
    hosts,
    check: checkCausality(finder, meetings, clocks),
  };
}

/** Early traces have whole µs. */
function resolutionOf(ranks: readonly RankCalls[]): number {
  const isCoarse = ranks.every(({ calls }) =>
    calls.every(({ startNs, endNs }) => startNs % 1000 === 0 && endNs % 1000 === 0),
  );
  return isCoarse ? 1_000 : 1;
}

type Skewed = Clocks & RankClock;

function clocksOf(edges: readonly Edge[], origins: readonly number[], middle: Float64Array): Skewed {
  const tree = solveClocks(origins.length, edges, middle);
  const { offsetNs, driftPpm, skewNs } = centered(tree, origins, middle);
  const noiseNs = Float64Array.from(tree.parentEdge, (edge) => (edge === -1 ? 0 : edges[edge].link.noiseNs));
  const { component } = tree;
  return { offsetNs, driftPpm, skewNs, noiseNs, component, uncertaintyNs: uncertaintyOf(tree, edges) };
}

/** Of each part the clock in the middle is right: what a fit can tell is only how clocks stand against each other. */
function centered(
  { lines, component }: ClockTree,
  origins: readonly number[],
  middle: Float64Array,
): Pick<Skewed, 'offsetNs' | 'driftPpm' | 'skewNs'> {
  const members = new Map<number, number[]>();
  component.forEach((part, at) => members.set(part, [...(members.get(part) ?? []), at]));
  const offsetNs = new Float64Array(lines.length);
  const driftPpm = new Float64Array(lines.length);
  const skewNs = new Float64Array(lines.length);
  for (const part of members.values()) {
    const drift = medianOf(part.map((at) => lines[at].drift));
    const times = part.map((at) => lines[at].offset + (1 + lines[at].drift) * middle[at]);
    const center = medianOf(times);
    const skews = part.map((at, i) => center + (times[i] - center) / (1 + drift) - middle[at] - origins[at]);
    const skew = medianOf(skews);
    part.forEach((at, i) => {
      const own = (lines[at].drift - drift) / (1 + drift);
      skewNs[at] = skews[i] - skew;
      driftPpm[at] = own * 1e6;
      offsetNs[at] = skewNs[at] + origins[at] - own * middle[at];
    });
  }
  return { offsetNs, driftPpm, skewNs };
}

/** Within a star by its links alone, else along the tree. */
function uncertaintyOf({ component, parentEdge, depth }: ClockTree, edges: readonly Edge[]): Clocks['uncertaintyNs'] {
  const stars: Map<number, Edge>[] = Array.from(component, () => new Map<number, Edge>());
  for (const edge of edges) {
    if (edge.star === -1) continue;
    stars[edge.from].set(edge.star, edge);
    stars[edge.to].set(edge.star, edge);
  }
  const inStar = (a: number, b: number): number => {
    let least = Infinity;
    for (const [star, mine] of stars[a]) {
      const theirs = stars[b].get(star);
      if (theirs !== undefined) least = Math.min(least, within(mine, theirs, a, b));
    }
    return least;
  };
  const up = (at: number): number => {
    const { from, to } = edges[parentEdge[at]];
    return from === at ? to : from;
  };
  const alongTree = (a: number, b: number): number => {
    let [x, y, squares, bias] = [a, b, 0, 0];
    while (x !== y) {
      const low = depth[x] >= depth[y] ? x : y;
      const { noiseNs, biasNs } = edges[parentEdge[low]].link;
      squares += noiseNs ** 2;
      bias += biasNs;
      if (low === x) x = up(x);
      else y = up(y);
    }
    return 3 * Math.sqrt(squares) + bias;
  };
  return (a, b) => {
    if (a === b) return 0;
    return component[a] === component[b] ? Math.min(inStar(a, b), alongTree(a, b)) : Infinity;
  };
}

/** Two links of one star, or one of them where the other rank is its center. */
function within(mine: Edge, theirs: Edge, a: number, b: number): number {
  if (mine.to === a) return errorOf(theirs.link);
  if (mine.to === b) return errorOf(mine.link);
  const isInterval = mine.link.isInterval || theirs.link.isInterval;
  const [x, y] = [mine.link.biasNs, theirs.link.biasNs];
  return 3 * Math.hypot(mine.link.noiseNs, theirs.link.noiseNs) + (isInterval ? x + y : Math.max(x, y));
}
