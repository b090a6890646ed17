import { linkId } from './calls.ts';
import type { Lane } from './device.ts';
import { lastBefore } from './device.ts';
import type { Indices } from './graph.ts';
import type { Edge } from './sync-edges.ts';

/** Streams that stand for the legacy default stream: 7 in CUDA's rows, 0 in HIP's. */
const DEFAULT_STREAMS = [7, 0];

/**
 * Rule 6, on request only: the legacy default stream waits for all other streams of its device, and they wait for it. A trace does not say
 * which streams were made non-blocking (those of PyTorch's pool are), so all are assumed to block, and no edge is called resolved.
 */
export function legacyStreamEdges({ trace, device, graphLaunches: launches, sync }: Indices): Edge[] {
  const { streams } = sync;
  const edges: Edge[] = [];
  const devices = new Set(device.lanes.map((lane) => lane.device));
  for (const id of devices) {
    const lanes = device.lanes.filter((lane) => lane.device === id);
    const legacy = DEFAULT_STREAMS.map((stream) => lanes.find((lane) => lane.stream === stream)).find(Boolean);
    if (legacy === undefined) continue;
    const link = (op: number, from: Lane): void => {
      const key = device.key[op];
      const before = lastBefore(from, key);
      if (before === -1 || launches.of[op] !== -1) return;
      // A neighbour on its own lane that came after that op has waited for it already.
      const own = device.lanes[device.lane[op]];
      const previous = lastBefore(own, key);
      if (previous !== -1 && own.keys[previous] > from.keys[before]) return;
      const [source] = streams.tail(streams.at(from.device, from.stream), key, device.call[op]);
      if (source === undefined) return;
      edges.push({
        kind: 'stream-wait',
        status: 'heuristic:legacy-default-stream',
        fallback: undefined,
        wait: linkId(trace.events.correlation[device.event[op]]),
        record: -1,
        source: { ...source, rule: 'legacy-default-stream' },
        sinkOp: op,
        sinkCall: -1,
      });
    };
    for (const lane of lanes) {
      if (lane === legacy) continue;
      for (const op of lane.enqueued) link(op, legacy);
      for (const op of legacy.enqueued) link(op, lane);
    }
  }
  return edges;
}
