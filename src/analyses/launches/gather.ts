import { Api } from '../../graph/api-names.ts';
import type { Graph } from '../../graph/graph.ts';
import { type Summed, lengthWithin, unionOf, withSums } from '../../graph/intervals.ts';
import { launchesIn } from '../../graph/launches.ts';
import type { QueueDepth } from '../../graph/queue-depth.ts';

/** The launch calls that begin in a span of time, by columns: one row a call, in order of start. */
export interface LaunchColumns {
  readonly length: number;
  /** Host op. */
  readonly call: Int32Array;
  /** The first of its device ops to begin, or −1. */
  readonly op: Int32Array;
  readonly deviceOps: Int32Array;
  readonly callNs: Float64Array;
  /** ≥ 0; NaN without a device op, as the next one. */
  readonly delayNs: Float64Array;
  readonly queued: Float64Array;
  readonly deviceNs: Float64Array;
  /** 1 where a copy or fill was over before its call came back: the call waited for the device, not for the driver. */
  readonly waited: Uint8Array;
}

export function gatherLaunches(graph: Graph, depth: QueueDepth, start: number, end: number): LaunchColumns {
  const { host, device, launches, calls } = graph;
  const call = launchesIn(graph, start, end);
  const { length } = call;
  const op = new Int32Array(length).fill(-1);
  const deviceOps = new Int32Array(length);
  const callNs = new Float64Array(length);
  const delayNs = new Float64Array(length).fill(NaN);
  const queued = new Float64Array(length).fill(NaN);
  const deviceNs = new Float64Array(length);
  const waited = new Uint8Array(length);
  /** By lane: how much of its series lies before the launches so far. */
  const place = new Int32Array(device.lanes.length);
  for (let row = 0; row < length; row++) {
    const by = call[row];
    callNs[row] = host.end[by] - host.start[by];
    let over = -Infinity;
    for (let i = launches.first[by]; i < launches.first[by + 1]; i++) {
      const each = launches.ops[i];
      over = Math.max(over, device.end[each]);
      deviceOps[row]++;
      deviceNs[row] += device.end[each] - device.start[each];
    }
    if (deviceOps[row] === 0) continue;
    if ((calls.api[by] & (Api.copy | Api.fill)) !== 0 && over <= host.end[by]) waited[row] = 1;
    // Device ops of a call lie by start.
    const first = launches.ops[launches.first[by]];
    op[row] = first;
    delayNs[row] = Math.max(0, device.start[first] - host.end[by]);
    const lane = device.lane[first];
    const { time, value } = depth.ops[lane];
    while (place[lane] < time.length && time[place[lane]] < host.start[by]) place[lane]++;
    queued[row] = place[lane] === 0 ? 0 : value[place[lane] - 1];
  }
  return { length, call, op, deviceOps, callNs, delayNs, queued, deviceNs, waited };
}

/** Of each launch's delay the time in which its stream was idle; NaN without a device op. O(n log n). */
export function idleOf(graph: Graph, { length, call, op, delayNs }: LaunchColumns): Float64Array {
  const { host, device } = graph;
  const runs = runsByLane(graph);
  const idleNs = new Float64Array(length).fill(NaN);
  for (let row = 0; row < length; row++) {
    if (op[row] === -1) continue;
    // Whatever runs on the stream before the op begins is an earlier op.
    const busyNs = lengthWithin(runs[device.lane[op[row]]], host.end[call[row]], device.start[op[row]]);
    idleNs[row] = delayNs[row] - busyNs;
  }
  return idleNs;
}

/** By lane: when its ops ran. */
const runsByLane = ({ device }: Graph): Summed[] =>
  device.lanes.map(({ ops }) => withSums(unionOf(device.start, device.end, ops)));
