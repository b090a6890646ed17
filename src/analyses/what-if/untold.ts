import { formatPlural } from '../../base/format.ts';
import { kindCode } from '../../graph/constraints.ts';
import type { Graph } from '../../graph/graph.ts';

/**
 * What decides a changed run but shows in a trace only where it held something up. The forecast keeps it as it showed, so that where it
 * would show anew, or no more, it can be far off: docs/what-if.md has how far. Graph launches have a note of their own.
 */
export function untoldNotes(graph: Graph): string[] {
  const parts = [
    counted(dependentLaunches(graph), 'dependent launch', 'dependent launches', 'when such may begin'),
    counted(graph.workers.forks.length, 'hand-over to a worker thread', 'hand-overs to worker threads', 'who waits'),
    counted(sharedLanes(graph), 'stream of several threads', 'streams of several threads', 'whose turn it is'),
    counted(waitingAllocations(graph), 'allocation that waits', 'allocations that wait', 'which do'),
  ].flat();
  if (parts.length === 0) return [];
  return [
    `taken as they were, though a change may change them too: ${parts.join('; ')}. A trace shows them only where they bind`,
  ];
}

const counted = (count: number, one: string, many: string, what: string): string[] =>
  count === 0 ? [] : [`${formatPlural(count, one, many)} (${what})`];

function dependentLaunches({ constraints, moments, graphLaunches }: Graph): number {
  const overlap = kindCode('overlap');
  let count = 0;
  for (let c = 0; c < constraints.kind.length; c++) {
    if (constraints.kind[c] !== overlap || !moments.isStart(constraints.to[c])) continue;
    if (graphLaunches.of[moments.deviceOp(constraints.to[c])] === -1) count++;
  }
  return count;
}

function sharedLanes({ device, host }: Graph): number {
  const threadOfLane = new Int32Array(device.lanes.length).fill(-1);
  const isShared = new Uint8Array(device.lanes.length);
  for (let op = 0; op < device.length; op++) {
    if (device.call[op] === -1) continue;
    const thread = host.thread[device.call[op]];
    const lane = device.lane[op];
    if (threadOfLane[lane] !== -1 && threadOfLane[lane] !== thread) isShared[lane] = 1;
    threadOfLane[lane] = thread;
  }
  return isShared.reduce((sum, each) => sum + each, 0);
}

const waitingAllocations = ({ edges }: Graph): number =>
  new Set(edges.filter(({ status }) => status === 'heuristic:implicit-sync').map(({ sinkCall }) => sinkCall)).size;
