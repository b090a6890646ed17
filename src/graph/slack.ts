import { OWN } from './constraint-set.ts';
import { kindCode } from './constraints.ts';
import type { Graph } from './graph.ts';
import { type Term, instantOf } from './instants.ts';

const HOST_ORDER = kindCode('host-order');

/**
 * By moment: the latest instant at which it may come without moving the instant that `end` makes, in ns since the trace's origin;
 * Infinity where that does not depend on it. One pass backwards: O(moments + constraints).
 */
export function latestMoments({ constraints, order, lag, time }: Graph, end: readonly Term[]): Float64Array {
  const { first, from } = constraints;
  const latest = new Float64Array(time.length).fill(Infinity);
  const instant = instantOf(end, time);
  for (const { moment, offset } of end) if (moment !== -1) latest[moment] = Math.min(latest[moment], instant - offset);
  for (let i = order.length - 1; i >= 0; i--) {
    const moment = order[i];
    const own = latest[moment];
    if (own === Infinity) continue;
    for (let c = first[moment]; c < first[moment + 1]; c++) {
      if (own - lag[c] < latest[from[c]]) latest[from[c]] = own - lag[c];
    }
  }
  return latest;
}

/** The constraint that stands for an event's own length: of a device op from its start, of a host op from the moment before its end. */
export function lengthConstraint({ constraints, host, moments }: Graph, endMoment: number): number {
  const { first, kind } = constraints;
  const isHost = endMoment < 2 * host.length;
  for (let c = first[endMoment]; c < first[endMoment + 1]; c++) {
    if (isHost ? kind[c] === HOST_ORDER : kind[c] === OWN && !moments.isJoin(endMoment)) return c;
  }
  return -1;
}

/** How much the event that ends at a moment may grow, in ns, before the instant of `latest` moves; Infinity where it never does. */
export function slackOf(graph: Graph, latest: Float64Array, endMoment: number): number {
  const own = lengthConstraint(graph, endMoment);
  if (own === -1) return Infinity;
  return latest[endMoment] - (graph.time[graph.constraints.from[own]] + graph.lag[own]);
}
