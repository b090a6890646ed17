/** Rows by name: a sweep over frames for host time, one over device ops in order of start for device time. */
import { lazy, lazyFields } from '../../base/lazy.ts';
import { FRAME_KINDS, FrameKind } from '../../graph/frames.ts';
import { launchesIn } from '../../graph/launches.ts';
import { NO_STRING } from '../../trace/ids.ts';
import { referTo } from '../refer.ts';
import { DeviceRuns } from './device-runs.ts';
import { type HostWork, type Stretch, partOf } from './host-work.ts';
import type { OpsBy, OpsRow, OpsSort } from './result.ts';

export interface ByName {
  readonly rows: OpsRow[];
  readonly hostNs: number;
  /** Thread time in rows of this sort that lies before or behind the windows. */
  readonly hostElsewhereNs: number;
  readonly threads: number;
  readonly outsideNs: number;
  readonly backwardOnlyNs: number;
}

/** Frames of the sort that is asked about, and the group of each. */
interface Groups {
  /** By frame: its group, or −1. */
  readonly of: Int32Array;
  /** By frame: the next frame of the sort around it on its thread, or −1. */
  readonly around: Int32Array;
  /** By group: a frame of it. */
  readonly sample: readonly number[];
  /** By frame of an op: rows in `trace.ops`, or −1; only by shape. */
  readonly side: Int32Array | undefined;
}

/** O(frames × depth of nesting). */
export function rowsByName(work: HostWork, stretch: Stretch, by: OpsBy, sort: OpsSort): ByName {
  const groups = groupFrames(work, by);
  const host = hostTimes(work, groups, stretch);
  // Most readers want host times only.
  const backwardNs = lazy(() => backwardTimes(work, groups, stretch));
  const device = lazy(() => deviceTimes(work, groups, stretch));
  const launches = lazy(() => launchesOf(work, groups, stretch));
  const { graph, frames } = work;
  const { trace } = graph;
  const rows = groups.sample.flatMap((sample, g): OpsRow[] => {
    const hasDevice = (): boolean => device().own.sum[g] > 0 || device().backward.sum[g] > 0;
    if (host.count[g] === 0 && backwardNs()[g] === 0 && !hasDevice()) return [];
    const side = groups.side?.[sample] ?? -1;
    const hasShape = side !== -1 && trace.ops.inputDims[side] !== NO_STRING;
    const row: OpsRow = {
      name: trace.strings.text(trace.events.name[frames.event[sample]]),
      kind: FRAME_KINDS[frames.kind[sample]],
      ...(hasShape ? { shapes: trace.strings.text(trace.ops.inputDims[side]) } : {}),
      ...(hasShape && trace.ops.inputTypes[side] !== NO_STRING
        ? { types: trace.strings.text(trace.ops.inputTypes[side]) }
        : {}),
      count: host.count[g],
      selfNs: host.self[g],
      selfShare: host.allNs > 0 ? host.self[g] / host.allNs : 0,
      totalNs: host.total[g],
      deviceNs: 0,
      deviceSumNs: 0,
      deviceSelfNs: 0,
      backwardHostNs: 0,
      backwardDeviceNs: 0,
      backwardDeviceSumNs: 0,
      launches: 0,
      longest: referTo(graph, frames.event[host.longest[g] === -1 ? sample : host.longest[g]]),
    };
    return [
      lazyFields(row, {
        deviceNs: () => device().own.union[g],
        deviceSumNs: () => device().own.sum[g],
        deviceSelfNs: () => device().self[g],
        backwardHostNs: () => backwardNs()[g],
        backwardDeviceNs: () => device().backward.union[g],
        backwardDeviceSumNs: () => device().backward.sum[g],
        launches: () => launches()[g],
      }),
    ];
  });
  sortRows(rows, sort);
  const found: ByName = {
    rows,
    hostNs: host.allNs,
    hostElsewhereNs: host.elsewhereNs,
    threads: host.threads,
    outsideNs: 0,
    backwardOnlyNs: 0,
  };
  return lazyFields(found, {
    outsideNs: () => device().outsideNs,
    backwardOnlyNs: () => device().backwardOnlyNs,
  });
}

function sortRows(rows: OpsRow[], sort: OpsSort): void {
  const keys: Readonly<Record<OpsSort, (row: OpsRow) => number>> = {
    self: ({ selfNs }) => selfNs,
    total: ({ totalNs }) => totalNs,
    device: ({ deviceNs, backwardDeviceNs }) => deviceNs + backwardDeviceNs,
    launches: ({ launches }) => launches,
  };
  const key = keys[sort];
  rows.sort(
    (a, b) => key(b) - key(a) || b.totalNs - a.totalNs || compare(a.name, b.name) || compare(a.shapes, b.shapes),
  );
}

const compare = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);

function groupFrames({ graph, frames }: HostWork, by: OpsBy): Groups {
  const { trace } = graph;
  const isOps = by === 'op' || by === 'shape';
  const wanted = (kind: number): boolean =>
    isOps ? kind >= FrameKind.op : FRAME_KINDS[kind] === by || (by === 'python' && kind === FrameKind.module);
  const side = by === 'shape' ? sideRows(trace.ops.event, frames.frameOfEvent, frames.length) : undefined;
  const of = new Int32Array(frames.length).fill(-1);
  const around = new Int32Array(frames.length).fill(-1);
  const sample: number[] = [];
  const groupOf = new Map<string | number, number>();
  for (let f = 0; f < frames.length; f++) {
    const p = frames.parent[f];
    if (p !== -1) around[f] = of[p] === -1 ? around[p] : p;
    if (!wanted(frames.kind[f])) continue;
    const name = trace.events.name[frames.event[f]] as number;
    const row = side === undefined ? -1 : side[f];
    const isPlain = row === -1 || trace.ops.inputDims[row] === NO_STRING;
    const key = isPlain
      ? name * 8 + frames.kind[f]
      : `${name} ${trace.ops.inputDims[row]} ${trace.ops.inputTypes[row]}`;
    let group = groupOf.get(key);
    if (group === undefined) {
      group = sample.length;
      groupOf.set(key, group);
      sample.push(f);
    }
    of[f] = group;
  }
  return { of, around, sample, side };
}

function sideRows(
  events: { readonly length: number; readonly [row: number]: number },
  frameOf: Int32Array,
  length: number,
): Int32Array {
  const side = new Int32Array(length).fill(-1);
  for (let row = 0; row < events.length; row++) if (frameOf[events[row]] !== -1) side[frameOf[events[row]]] = row;
  return side;
}

function hostTimes({ frames }: HostWork, { of, around, sample }: Groups, stretch: Stretch) {
  const groups = sample.length;
  const [self, total, most] = [0, 1, 2].map(() => new Float64Array(groups));
  const count = new Int32Array(groups);
  const longest = new Int32Array(groups).fill(-1);
  const threads = new Set<number>();
  let allNs = 0;
  let elsewhereNs = 0;
  for (let f = 0; f < frames.length; f++) {
    const from = frames.start[f];
    const ns = partOf(from, frames.end[f], stretch);
    const g = of[f];
    if (g !== -1 && around[f] === -1) elsewhereNs += frames.end[f] - from - ns;
    if (g === -1 || from >= stretch.end || (ns === 0 && from < stretch.start)) continue;
    count[g]++;
    self[g] += ns;
    if (longest[g] === -1 || ns > most[g]) {
      longest[g] = f;
      most[g] = ns;
    }
    const outer = around[f];
    if (outer === -1) {
      allNs += ns;
      threads.add(frames.thread[f]);
    } else self[of[outer]] -= ns;
    if (!isInsideOfGroup(g, outer, of, around)) total[g] += ns;
  }
  return { self, total, count, longest, allNs, elsewhereNs, threads: threads.size };
}

/** Thread time of the backward passes of whatever is around their forward ops, each name once. */
function backwardTimes({ frames, backward }: HostWork, { of, around, sample }: Groups, stretch: Stretch): Float64Array {
  const { forward } = backward;
  const times = new Float64Array(sample.length);
  const seen = new Int32Array(sample.length).fill(-1);
  for (let f = 0; f < frames.length; f++) {
    if (forward[f] === -1) continue;
    const ns = partOf(frames.start[f], frames.end[f], stretch);
    for (let a = withinSort(forward[f], of, around); a !== -1; a = around[a]) {
      if (seen[of[a]] === f) continue;
      seen[of[a]] = f;
      times[of[a]] += ns;
    }
  }
  return times;
}

/** The frame itself, or the next one around it, that is of the sort. */
const withinSort = (frame: number, of: Int32Array, around: Int32Array): number =>
  of[frame] === -1 ? around[frame] : frame;

function isInsideOfGroup(group: number, outer: number, of: Int32Array, around: Int32Array): boolean {
  for (let a = outer; a !== -1; a = around[a]) if (of[a] === group) return true;
  return false;
}

function deviceTimes(
  { graph, frames, backward: { forward } }: HostWork,
  { of, around, sample }: Groups,
  stretch: Stretch,
) {
  const { device, host } = graph;
  const devices = new DeviceRuns(graph);
  const own = devices.sums(sample.length);
  const backward = devices.sums(sample.length);
  const self = new Float64Array(sample.length);
  const seen = new Int32Array(sample.length).fill(-1);
  let outsideNs = 0;
  let backwardOnlyNs = 0;
  for (let op = 0; op < device.length; op++) {
    const ns = partOf(device.start[op], device.end[op], stretch);
    if (ns === 0 || device.call[op] === -1) continue;
    const call = frames.frameOfEvent[host.event[device.call[op]]];
    const first = innermost(call, of, around, frames.kind);
    if (first !== -1) self[of[first]] += ns;
    for (let a = first; a !== -1; a = around[a]) {
      if (seen[of[a]] === op) continue;
      seen[of[a]] = op;
      devices.add(own, of[a], op, stretch);
    }
    const made = forwardOf(call, forward, frames.parent);
    const outer = made === -1 ? -1 : withinSort(made, of, around);
    for (let a = outer; a !== -1; a = around[a]) {
      if (seen[of[a]] === op) continue;
      seen[of[a]] = op;
      devices.add(backward, of[a], op, stretch);
    }
    if (first === -1 && outer === -1) outsideNs += ns;
    else if (first === -1) backwardOnlyNs += ns;
  }
  return { own, backward, self, outsideNs, backwardOnlyNs };
}

/** The forward op whose backward pass a frame is in, or −1. */
function forwardOf(frame: number, forward: Int32Array, parent: Int32Array): number {
  for (let f = frame; f !== -1; f = parent[f]) if (forward[f] !== -1) return forward[f];
  return -1;
}

/** The innermost frame of the sort that launched something; a call inside an op acts for that op. */
function innermost(call: number, of: Int32Array, around: Int32Array, kind: Uint8Array): number {
  let first = withinSort(call, of, around);
  while (first !== -1 && kind[first] === FrameKind.call && around[first] !== -1) first = around[first];
  return first;
}

/** Calls that enqueue device work, of each group in which they lie. */
function launchesOf({ graph, frames }: HostWork, { of, around, sample }: Groups, { start, end }: Stretch): Int32Array {
  const { host } = graph;
  const counts = new Int32Array(sample.length);
  const seen = new Int32Array(sample.length).fill(-1);
  const calls = launchesIn(graph, start, end);
  for (let i = 0; i < calls.length; i++) {
    const frame = frames.frameOfEvent[host.event[calls[i]]];
    for (let a = withinSort(frame, of, around); a !== -1; a = around[a]) {
      if (seen[of[a]] === i) continue;
      seen[of[a]] = i;
      counts[of[a]]++;
    }
  }
  return counts;
}
