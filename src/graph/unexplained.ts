import { lowerBound, lowerBoundBy, upperBound } from '../base/bisect.ts';
import { kindCode } from './constraints.ts';
import type { Graph } from './graph.ts';
import type { UnexplainedCause } from './segments.ts';

const LAUNCH = kindCode('launch');
const UNEXPLAINED_NS = 10_000;
const UNEXPLAINED_FACTOR = 10;

/** A lag beyond this is not explained by its constraint alone. */
export const unexplainedLimit = (typicalNs: number): number => Math.max(UNEXPLAINED_FACTOR * typicalNs, UNEXPLAINED_NS);

/**
 * Of the lag of the constraint that bound a `moment`, the start of a device op, the part that it does not explain, in ns: all beyond the typical, where
 * the lag is beyond the limit; else 0. A launch call that took longer than typical has explained that much itself.
 */
export function unexplainedPart(
  { constraints, moments, time, typical, host }: Graph,
  constraint: number,
  moment: number,
): number {
  const from = constraints.from[constraint];
  const now = time[moment];
  const usual = typical[constraint];
  if (constraints.kind[constraint] !== LAUNCH) {
    const lag = now - time[from];
    return lag > unexplainedLimit(usual) ? lag - usual : 0;
  }
  const returned = Math.min(host.end[moments.hostOp(from)], now);
  const inside = returned - time[from];
  const lag = now - time[from] - Math.max(0, inside - usual);
  return lag > unexplainedLimit(usual) ? now - returned - Math.max(0, usual - inside) : 0;
}

/** What can be said of the time in [from, to) before a device op that no constraint explains. */
export function causeOf(graph: Graph, op: number, from: number, to: number): UnexplainedCause {
  const { device } = graph;
  if (device.call[op] === -1) return beforeFirstCall(graph, op) ? 'before-capture' : 'no-launch';
  if (lostGraphBefore(graph, op)) return 'graph-rows-missing';
  return otherLanesBusy(graph, op, from, to) * 2 >= to - from ? 'other-lane-busy' : 'device-idle';
}

function beforeFirstCall({ device, host }: Graph, op: number): boolean {
  return host.length === 0 || device.start[op] < host.start[0];
}

/** Was a graph launched, without rows, between the op before on the lane and this one? */
function lostGraphBefore({ device, lostGraphs }: Graph, op: number): boolean {
  const key = device.key[op];
  const { keys } = device.lanes[device.lane[op]];
  const before = keys[lowerBound(keys, key) - 1] ?? -Infinity;
  const lost = upperBound(lostGraphs, before);
  return lost < lostGraphs.length && lostGraphs[lost] < key;
}

/** Time in [from, to) during which another lane of the op's device ran, as a union. */
function otherLanesBusy({ device }: Graph, op: number, from: number, to: number): number {
  const own = device.lanes[device.lane[op]];
  const spans: [number, number][] = [];
  for (const lane of device.lanes) {
    if (lane === own || lane.device !== own.device) continue;
    const starts = lane.ops;
    let at = lowerBoundBy(starts, device.start, to);
    // Ends on a lane rise with starts, but for overlaps: a few ops more are looked at.
    for (let late = 0; at > 0 && late < 8;) {
      const other = starts[--at];
      if (device.end[other] <= from) late++;
      else spans.push([Math.max(from, device.start[other]), Math.min(to, device.end[other])]);
    }
  }
  spans.sort((a, b) => a[0] - b[0]);
  let busy = 0;
  let until = from;
  for (const [start, end] of spans) {
    if (end <= until) continue;
    busy += end - Math.max(start, until);
    until = end;
  }
  return busy;
}
