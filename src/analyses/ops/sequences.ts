/** Which kernels an op launches, in which order, and how long it took until they ran. */
import { FrameKind } from '../../graph/frames.ts';
import { referTo } from '../refer.ts';
import type { HostWork, Stretch } from './host-work.ts';
import type { OpSequence } from './result.ts';

interface Draft {
  readonly op: number;
  count: number;
  toLaunchNs: number;
  toDeviceNs: number;
  deviceNs: number;
  readonly first: number;
  readonly deviceOps: readonly number[];
}

/** An op owns the launches that no op nested in it made. Ops that start in the stretch; O(device ops + frames). */
export function opSequences({ graph, frames }: HostWork, { start, end }: Stretch): OpSequence[] {
  const { host, launches, device, trace } = graph;
  const innermostOp = new Int32Array(frames.length).fill(-1);
  const callsOf = new Map<number, number[]>();
  for (let f = 0; f < frames.length; f++) {
    const p = frames.parent[f];
    innermostOp[f] = frames.kind[f] === FrameKind.op ? f : p === -1 ? -1 : innermostOp[p];
    const op = host.opOfEvent[frames.event[f]];
    const owner = innermostOp[f];
    if (op === -1 || owner === -1 || launches.first[op] === launches.first[op + 1]) continue;
    if (frames.start[owner] < start || frames.start[owner] >= end) continue;
    const calls = callsOf.get(owner);
    if (calls === undefined) callsOf.set(owner, [op]);
    else calls.push(op);
  }
  const drafts = new Map<string, Draft>();
  for (const [owner, calls] of callsOf) {
    const deviceOps = calls.flatMap((call) => [
      ...launches.ops.subarray(launches.first[call], launches.first[call + 1]),
    ]);
    const name = trace.events.name[frames.event[owner]];
    const key = `${name} ${deviceOps.map((each) => trace.events.name[device.event[each]]).join(' ')}`;
    let draft = drafts.get(key);
    if (draft === undefined) {
      draft = { op: name, count: 0, toLaunchNs: 0, toDeviceNs: 0, deviceNs: 0, first: owner, deviceOps };
      drafts.set(key, draft);
    }
    draft.count++;
    draft.toLaunchNs += host.start[calls[0]] - frames.start[owner];
    draft.toDeviceNs += device.start[deviceOps[0]] - host.start[calls[0]];
    for (const each of deviceOps) draft.deviceNs += device.end[each] - device.start[each];
  }
  const text = (event: number): string => trace.strings.text(trace.events.name[event]);
  return [...drafts.values()]
    .sort((a, b) => b.count - a.count || b.deviceNs - a.deviceNs || a.first - b.first)
    .map(({ count, toLaunchNs, toDeviceNs, deviceNs, first, deviceOps }) => ({
      op: text(frames.event[first]),
      kernels: deviceOps.map((each) => text(device.event[each])),
      count,
      meanToLaunchNs: Math.round(toLaunchNs / count),
      meanToDeviceNs: Math.round(toDeviceNs / count),
      deviceSumNs: deviceNs,
      first: referTo(graph, frames.event[first]),
    }));
}
