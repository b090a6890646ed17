import { OWN } from '../../graph/constraint-set.ts';
import type { Graph } from '../../graph/graph.ts';
import { type ChainContext, kindOf, ruleOf } from './chain.ts';
import { momentsOf } from './compute.ts';
import type { Held } from './result.ts';
import { detailOf, edgeBehind, guessOf } from './waits.ts';

/** The moments that one of the event's own bound, in order of time. Not its own end, nor ops inside it or around it. O(moments). */
export function heldBy({ graph, places }: ChainContext, event: number): Held[] {
  const { binding, constraints, time, moments } = graph;
  const sources = new Set(momentsOf(graph, event));
  for (let m = 2 * (graph.host.length + graph.device.length); m < moments.count; m++) {
    // A graph launch is over with its last node: what its end holds, that node holds.
    if (binding[m] !== -1 && sources.has(constraints.from[binding[m]])) sources.add(m);
  }
  const held: Held[] = [];
  for (let m = 0; m < moments.count; m++) {
    const bound = binding[m];
    if (bound === -1 || !sources.has(constraints.from[bound]) || constraints.kind[bound] === OWN) continue;
    if (moments.isJoin(m) || isNested(graph, constraints.from[bound], m)) continue;
    const edge = edgeBehind(graph, bound);
    held.push({
      event: places.placed(places.eventOfMoment(m)),
      moment: places.momentName(m),
      atNs: time[m],
      boundBy: kindOf(graph, bound),
      sourceMoment: places.momentName(constraints.from[bound]),
      lagNs: time[m] - time[constraints.from[bound]],
      ...(edge === undefined ? ruleOf(graph, bound) : guessOf(edge)),
      ...(edge === undefined ? {} : { wait: detailOf(graph, places, edge) }),
    });
  }
  return held.sort((a, b) => a.atNs - b.atNs || a.event.event - b.event.event);
}

/** Is it only the course of one thread, into an op or out of it? */
function isNested({ moments, host }: Graph, source: number, moment: number): boolean {
  if (!moments.isHost(source) || !moments.isHost(moment)) return false;
  if (host.thread[moments.hostOp(source)] !== host.thread[moments.hostOp(moment)]) return false;
  return moments.isStart(source) || !moments.isStart(moment);
}
