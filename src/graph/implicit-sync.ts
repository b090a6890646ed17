import { Api } from './api-names.ts';
import { linkId } from './calls.ts';
import type { Indices } from './graph.ts';
import type { Edge } from './sync-edges.ts';
import type { Source } from './sync-streams.ts';

/** A call that returns this soon after the device's last op ended is taken to have waited for it. */
const SOON_NS = 10_000;
/** These have to wait where the device is busy. In an allocation that takes no longer than that, an op may end by accident. */
const FREES = /^(cuda|hip)Free$|^cuMemFree(_v2)?$/;
/** A device that worked so long inside the call was no accident: what the call waited for, calls of its name wait for. */
const LONG_NS = 20_000;

interface Allocation {
  readonly call: number;
  /** The device on which its thread launched last. */
  readonly device: number;
  /** What had to be over, had it waited for that device. */
  readonly sources: readonly Source[];
}

/**
 * Rule 5, last part: an allocation or a free that returned just when all work enqueued before it on its device was over waited for
 * all of that device's streams. Where calls of one name do so, and none returned too early for it, the others waited as
 * well: for what was over already, which shows only once that takes longer.
 */
export function implicitSyncEdges(indices: Indices): Edge[] {
  const { trace, host } = indices;
  const { events } = trace;
  const allocations = findAllocations(indices);
  const waited = allocations.map((allocation) => findWaited(indices, allocation));
  const blocking = new Set(
    waited.flatMap((each) =>
      each !== undefined && lastEnd(indices, each) - host.start[each.call] > LONG_NS
        ? [events.name[host.event[each.call]]]
        : [],
    ),
  );
  allocations.forEach(({ call, sources }, i) => {
    if (waited[i] === undefined && !areOver(indices, call, sources)) blocking.delete(events.name[host.event[call]]);
  });
  return allocations.flatMap((allocation, i) => {
    const name = events.name[host.event[allocation.call]];
    const found = waited[i] ?? (blocking.has(name) ? allocation : undefined);
    return found === undefined ? [] : edgesOf(indices, found);
  });
}

function findAllocations({ host, calls, device, launches, sync }: Indices): Allocation[] {
  const found: Allocation[] = [];
  const only = new Set(device.lanes.map((lane) => lane.device));
  for (const { ops } of host.threads) {
    let current = only.size === 1 ? device.lanes[0].device : -1;
    for (let i = 0; i < ops.length; i++) {
      const call = ops[i];
      if (launches.first[call] < launches.first[call + 1]) {
        current = device.lanes[device.lane[launches.ops[launches.first[call]]]].device;
      }
      if ((calls.api[call] & Api.allocate) === 0 || current === -1 || Number.isNaN(calls.key[call])) continue;
      const streams = sync.streams.ofDevice(current);
      const sources = streams.flatMap((stream) => sync.streams.tail(stream, calls.key[call], call));
      found.push({ call, device: current, sources });
    }
  }
  return found;
}

/** Itself where it shows that it waited. A thread may have chosen another device since its last launch: then one that shows it. */
function findWaited(indices: Indices, allocation: Allocation): Allocation | undefined {
  if (showsWait(indices, allocation)) return allocation;
  const { calls, device, sync } = indices;
  const { call } = allocation;
  const others = [...new Set(device.lanes.map((lane) => lane.device))].filter((id) => id !== allocation.device);
  const shown = others
    .map((id) => {
      const streams = sync.streams.ofDevice(id);
      return { call, device: id, sources: streams.flatMap((each) => sync.streams.tail(each, calls.key[call], call)) };
    })
    .filter((each) => showsWait(indices, each));
  return shown.length === 1 ? shown[0] : undefined;
}

/** Was the device's work over inside the call, and just before it returned? */
function showsWait(indices: Indices, allocation: Allocation): boolean {
  const { host, trace } = indices;
  const { call } = allocation;
  const isShort = host.end[call] - host.start[call] <= SOON_NS;
  if (isShort && !FREES.test(trace.strings.text(trace.events.name[host.event[call]]))) return false;
  const ended = lastEnd(indices, allocation);
  return ended > host.start[call] && ended <= host.end[call] && host.end[call] - ended <= SOON_NS;
}

function lastEnd({ device }: Indices, { sources }: Allocation): number {
  let ended = -Infinity;
  for (const { op } of sources) ended = Math.max(ended, device.end[op]);
  return ended;
}

const areOver = ({ host, device }: Indices, call: number, sources: readonly Source[]): boolean =>
  sources.every(({ op }) => device.end[op] <= host.end[call]);

function edgesOf({ trace, host }: Indices, { call, sources }: Allocation): Edge[] {
  const known = new Map(sources.map((source) => [source.op, source]));
  return [...known.values()].map((source) => ({
    kind: 'device-sync',
    status: 'heuristic:implicit-sync',
    fallback: undefined,
    wait: linkId(trace.events.correlation[host.event[call]]),
    record: -1,
    source,
    sinkOp: -1,
    sinkCall: call,
  }));
}
