import { lowerBound, lowerBoundBy, upperBound } from '../base/bisect.ts';
import type { Graph } from './graph.ts';
import type { UnexplainedCause } from './segments.ts';

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
