import { OWN } from '../../graph/constraint-set.ts';
import type { Graph } from '../../graph/graph.ts';
import { endOf } from '../../graph/host.ts';
import { type ChainContext, kindOf, ruleOf } from './chain.ts';
import type { Held } from './result.ts';
import { detailOf, edgeBehind, guessOf } from './waits.ts';

/** By moment: those that it bound, as a list through `next`; −1 ends it. */
export interface BoundMoments {
  readonly first: Int32Array;
  readonly next: Int32Array;
}

/** O(moments). Left out are events' own lengths, and where what runs together is over. */
export function boundMoments({ binding, constraints, moments }: Graph): BoundMoments {
  const first = new Int32Array(moments.count).fill(-1);
  const next = new Int32Array(moments.count);
  for (let m = moments.count - 1; m >= 0; m--) {
    const bound = binding[m];
    if (bound === -1 || constraints.kind[bound] === OWN || moments.isJoin(m)) continue;
    next[m] = first[constraints.from[bound]];
    first[constraints.from[bound]] = m;
  }
  return { first, next };
}

/** The moments that one of the event's own bound, in order of time. Not its own end, nor ops inside it or around it. */
export function heldBy({ graph, places }: ChainContext, { first, next }: BoundMoments, event: number): Held[] {
  const { binding, time } = graph;
  const held: Held[] = [];
  for (const [source, own] of sourcesOf(graph, places.momentsOf(event))) {
    for (let m = first[source]; m !== -1; m = next[m]) if (!isNested(graph, own, m)) add(own, m);
  }
  return held.sort((a, b) => a.atNs - b.atNs || a.event.event - b.event.event);

  function add(own: number, m: number): void {
    const bound = binding[m];
    const edge = edgeBehind(graph, bound);
    held.push({
      event: places.placed(places.eventOfMoment(m)),
      moment: places.momentName(m),
      atNs: time[m],
      boundBy: kindOf(graph, bound),
      sourceMoment: places.momentName(own),
      lagNs: time[m] - time[own],
      ...(edge === undefined ? ruleOf(graph, bound) : guessOf(edge)),
      ...(edge === undefined ? {} : { wait: detailOf(graph, places, edge) }),
    });
  }
}

/** By moment that holds in the event's name: its own moment. */
function sourcesOf(
  { binding, constraints, host, device, moments }: Graph,
  own: readonly number[],
): Map<number, number> {
  const sources = new Map(own.map((moment) => [moment, moment]));
  const addBound = (moment: number): boolean => {
    const origin = binding[moment] === -1 ? undefined : sources.get(constraints.from[binding[moment]]);
    if (origin !== undefined) sources.set(moment, origin);
    return origin !== undefined;
  };
  // A graph launch is over with its last node, and an op with what it did last.
  for (let m = 2 * (host.length + device.length); m < moments.count; m++) addBound(m);
  if (!moments.isHost(own[0])) return sources;
  let around = host.parent[moments.hostOp(own[0])];
  while (around !== -1 && addBound(endOf(around))) around = host.parent[around];
  return sources;
}

/** Is it only the course of one thread, into an op or out of it? */
function isNested({ moments, host }: Graph, source: number, moment: number): boolean {
  if (!moments.isHost(source) || !moments.isHost(moment)) return false;
  if (host.thread[moments.hostOp(source)] !== host.thread[moments.hostOp(moment)]) return false;
  return moments.isStart(source) || !moments.isStart(moment);
}
