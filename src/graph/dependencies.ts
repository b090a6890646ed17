import { type Constraint, ConstraintBuilder, type ConstraintSet, OWN } from './constraint-set.ts';
import { kindCode } from './constraints.ts';
import type { DeviceIndex } from './device.ts';
import type { GraphLaunches } from './graph-launch.ts';
import type { Indices } from './graph.ts';
import { type HostIndex, endOf, startOf } from './host.ts';
import { type LaneOrder, addLaneOrder } from './lane-order.ts';
import type { Moments } from './moments.ts';
import { addQueueFull } from './queue-full.ts';
import type { Edge } from './sync-edges.ts';
import type { Source } from './sync-streams.ts';

export interface Dependencies extends LaneOrder {
  readonly constraints: ConstraintSet;
  readonly cutOps: number;
}

const HOST_ORDER = kindCode('host-order');
const LAUNCH = kindCode('launch');

/** Every constraint of the trace: all that `docs/critical-path.md` lists, whether it bound or not. */
export function addDependencies(indices: Indices, edges: readonly Edge[]): Dependencies {
  const { host, calls, device, graphLaunches: launches, moments, workers } = indices;
  const constraints = new ConstraintBuilder(3 * device.length + 2 * edges.length);
  for (let op = 0; op < device.length; op++) {
    constraints.add(OWN, moments.startOfOp(op), moments.endOfOp(op));
    if (device.call[op] === -1 || launches.follows[op] !== -1) continue;
    constraints.add(LAUNCH, startOf(device.call[op]), moments.startOfOp(op));
  }
  const order = addLaneOrder(constraints, device, launches, moments);
  for (const { kind, from, to } of constraintsOf(indices, edges)) constraints.add(kind, from, to);
  for (const fork of workers.forks) {
    constraints.add(kindCode('thread'), fork.callerBefore, fork.workerFirst);
    if (fork.callerAfter !== -1) constraints.add(kindCode('thread'), fork.workerLast, fork.callerAfter);
  }
  addQueueFull(constraints, host, calls, device, moments);
  const set = constraints.pack(moments.count, chainsOf(host), HOST_ORDER, device.length);
  return { constraints: set, ...order, cutOps: host.cutOps + workers.cutOps };
}

/** The moments of each thread, in the order in which they happen. */
export const chainsOf = (host: HostIndex): Int32Array[] => host.threads.map(({ sequence }) => sequence);

/** The moment at which a source is done. */
export const momentOfSource = (moments: Moments, source: Source): number =>
  source.launch === -1 ? moments.endOfOp(source.op) : moments.endOfLaunch(source.launch);

/** The moments that an edge holds: the end of a call, the start of an op, the starts of the roots of a graph launch. */
export function momentsOfSink(device: DeviceIndex, launches: GraphLaunches, moments: Moments, edge: Edge): number[] {
  if (edge.sinkCall !== -1) return [endOf(edge.sinkCall)];
  if (edge.sinkOp === -1) return [];
  const launch = launches.of[edge.sinkOp];
  if (launch === -1 || launches.list[launch].lane !== device.lane[edge.sinkOp]) return [moments.startOfOp(edge.sinkOp)];
  return launches.list[launch].roots.map((root) => moments.startOfOp(root));
}

/** The constraints of what waited for what. */
export function constraintsOf({ device, graphLaunches, moments }: Indices, edges: readonly Edge[]): Constraint[] {
  return edges.flatMap((edge) => {
    if (edge.source === undefined) return [];
    const from = momentOfSource(moments, edge.source);
    const kind = kindCode(edge.kind);
    return momentsOfSink(device, graphLaunches, moments, edge).map((to) => ({ kind, from, to }));
  });
}
