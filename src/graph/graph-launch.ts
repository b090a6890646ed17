import type { CallIndex } from './calls.ts';
import { Api } from './api-names.ts';
import { type DeviceIndex, lastBefore } from './device.ts';

/**
 * A graph launch: one call that enqueues a graph of device ops. The trace does not say the graph's edges, so a node follows the
 * node that ended last before it began (`heuristic:graph-order`, rule 8 of the specification); on several streams each keeps
 * its own order besides.
 */
export interface GraphLaunch {
  readonly call: number;
  /** Device ops by start. */
  readonly ops: readonly number[];
  /** Ops that follow no other node: they wait for the launch and for what came before on the stream. */
  readonly roots: readonly number[];
  /** Ops that no other node follows: the launch is over when all of them are. */
  readonly leaves: readonly number[];
  /** Taken as the stream of the launch: the lane of the first root whose lane was in use before, else of the first op. */
  readonly lane: number;
  /** All nodes are reported on that lane. */
  readonly oneLane: boolean;
}

export interface GraphLaunches {
  readonly list: readonly GraphLaunch[];
  /** By device op: row in `list`, or −1. */
  readonly of: Int32Array;
  /** By device op: the node that it follows, or −1. */
  readonly follows: Int32Array;
}

export function buildGraphLaunches(device: DeviceIndex, calls: CallIndex): GraphLaunches {
  const of = new Int32Array(device.length).fill(-1);
  const follows = new Int32Array(device.length).fill(-1);
  const members = new Map<number, number[]>();
  for (let op = 0; op < device.length; op++) {
    const call = device.call[op];
    if (call === -1 || (calls.api[call] & Api.graphLaunch) === 0) continue;
    const ops = members.get(call);
    if (ops === undefined) members.set(call, [op]);
    else ops.push(op);
  }
  const list: GraphLaunch[] = [];
  for (const [call, ops] of members) {
    if (ops.length < 2) continue;
    for (const op of ops) of[op] = list.length;
    linkNodes(device, ops, follows);
    const followed = new Set(ops.map((op) => follows[op]));
    const roots = ops.filter((op) => follows[op] === -1);
    const first = roots.find((op) => lastBefore(device.lanes[device.lane[op]], device.key[op]) !== -1) ?? ops[0];
    list.push({
      call,
      ops,
      roots,
      leaves: ops.filter((op) => !followed.has(op)),
      lane: device.lane[first],
      oneLane: ops.every((op) => device.lane[op] === device.lane[ops[0]]),
    });
  }
  return { list, of, follows };
}

/** `ops` by start. One sweep over starts and ends: O(n log n). */
function linkNodes({ start, end }: DeviceIndex, ops: readonly number[], follows: Int32Array): void {
  const byEnd = [...ops].sort((a, b) => end[a] - end[b] || a - b);
  let ended = 0;
  for (const op of ops) {
    while (ended < byEnd.length && end[byEnd[ended]] <= start[op] && byEnd[ended] !== op) ended++;
    const last = byEnd[ended - 1];
    if (last !== undefined && last < op) follows[op] = last;
  }
}
