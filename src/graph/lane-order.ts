import { MinHeap } from '../base/heap.ts';
import type { ConstraintBuilder } from './constraint-set.ts';
import { type DeviceIndex, lastBefore } from './device.ts';
import type { GraphLaunches } from './graph-launch.ts';
import type { Moments } from './moments.ts';
import { kindCode } from './constraints.ts';

export interface LaneOrder {
  /** Neighbours that began in another order than they were enqueued. */
  readonly orderConflicts: number;
  /** Neighbours that overlap in time. */
  readonly laneOverlaps: number;
}

/**
 * The order of each stream, as the device began its ops. An op starts after the one that ended last before it began; where an op
 * was still running (programmatic dependent launch, rule 25) it starts after that op's start and ends after its end. A graph launch
 * on one stream counts as one op for what comes before and after it; inside it, nodes follow nodes.
 */
export function addLaneOrder(
  constraints: ConstraintBuilder,
  device: DeviceIndex,
  launches: GraphLaunches,
  moments: Moments,
): LaneOrder {
  let orderConflicts = 0;
  let laneOverlaps = 0;
  for (const { ops } of device.lanes) {
    for (let i = 1; i < ops.length; i++) {
      if (device.key[ops[i]] < device.key[ops[i - 1]]) orderConflicts++;
      if (device.start[ops[i]] < device.end[ops[i - 1]]) laneOverlaps++;
    }
    addLane(constraints, device, launches, moments, ops);
  }
  addGraphs(constraints, device, launches, moments);
  return { orderConflicts, laneOverlaps };
}

function addLane(
  constraints: ConstraintBuilder,
  device: DeviceIndex,
  launches: GraphLaunches,
  moments: Moments,
  ops: Int32Array,
): void {
  /** Ends of what runs, by end: values are moments. */
  const running = new MinHeap();
  let ended = -1;
  let latestOp = -1;
  let latestEnd = -Infinity;
  const begun = new Set<number>();
  for (let i = 0; i < ops.length; i++) {
    const op = ops[i];
    const start = device.start[op];
    while (running.least <= start) ended = running.pop();
    const launch = oneLaneLaunch(launches, op);
    const isInside = launch !== -1 && launches.follows[op] !== -1;
    if (!isInside) {
      if (ended !== -1) constraints.add(kindCode('stream-order'), ended, moments.startOfOp(op));
      const stillRuns = latestOp !== -1 && latestEnd > start;
      if (stillRuns && (launch === -1 || oneLaneLaunch(launches, latestOp) !== launch)) {
        constraints.add(kindCode('overlap'), moments.startOfOp(latestOp), moments.startOfOp(op));
        if (latestEnd <= device.end[op]) {
          constraints.add(kindCode('overlap'), moments.endOfOp(latestOp), moments.endOfOp(op));
        }
      }
    }
    if (launch === -1) running.push(device.end[op], moments.endOfOp(op));
    else if (!begun.has(launch)) {
      begun.add(launch);
      running.push(moments.endTimeOfLaunch(launch), moments.endOfLaunch(launch));
    }
    if (device.end[op] >= latestEnd) {
      latestEnd = device.end[op];
      latestOp = op;
    }
  }
}

/** The graph launch of an op whose nodes are all reported on one lane, or −1. */
function oneLaneLaunch(launches: GraphLaunches, op: number): number {
  const launch = launches.of[op];
  return launch !== -1 && launches.list[launch].oneLane ? launch : -1;
}

function addGraphs(
  constraints: ConstraintBuilder,
  device: DeviceIndex,
  launches: GraphLaunches,
  moments: Moments,
): void {
  const { list, follows } = launches;
  list.forEach((launch, index) => {
    for (const op of launch.ops) {
      const before = follows[op];
      if (before === -1 || (!launch.oneLane && device.lane[before] === device.lane[op])) continue;
      constraints.add(kindCode('graph'), moments.endOfOp(before), moments.startOfOp(op));
    }
    if (launch.leaves.length > 1) {
      for (const leaf of launch.leaves) {
        constraints.add(kindCode('graph'), moments.endOfOp(leaf), moments.endOfLaunch(index));
      }
    }
    if (!launch.oneLane) addAround(constraints, device, launches, index, moments);
  });
}

/** A launch over several lanes: its roots wait for what came before on the stream of the launch, the next op there for all leaves. */
function addAround(
  constraints: ConstraintBuilder,
  device: DeviceIndex,
  launches: GraphLaunches,
  index: number,
  moments: Moments,
): void {
  const launch = launches.list[index];
  const lane = device.lanes[launch.lane];
  const key = device.key[launch.ops[0]];
  const at = lastBefore(lane, key);
  const before = at === -1 ? -1 : lane.enqueued[at];
  const other = before === -1 ? -1 : launches.of[before];
  // What came before may itself be a launch over several lanes: then all of it.
  const isLaunch = other !== -1 && launches.list[other].lane === launch.lane;
  const end = isLaunch ? moments.endOfLaunch(other) : moments.endOfOp(before);
  const ended = isLaunch ? moments.endTimeOfLaunch(other) : device.end[before];
  for (const root of launch.roots) {
    if (before === -1 || ended > device.start[root] || (device.lane[root] === launch.lane && !isLaunch)) continue;
    constraints.add(kindCode('graph'), end, moments.startOfOp(root));
  }
  let next = at + 1;
  while (next < lane.enqueued.length && lane.keys[next] <= key) next++;
  if (next < lane.enqueued.length) {
    constraints.add(kindCode('graph'), moments.endOfLaunch(index), moments.startOfOp(lane.enqueued[next]));
  }
}
