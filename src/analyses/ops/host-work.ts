import { upperBound } from '../../base/bisect.ts';
import { lazyFields } from '../../base/lazy.ts';
import { pick } from '../../base/pick.ts';
import { backwardLinks } from '../../graph/backward-links.ts';
import { FrameKind, type FrameIndex, buildFrames } from '../../graph/frames.ts';
import type { Graph } from '../../graph/graph.ts';
import { ColBuilder } from '../../trace/columns.ts';
import type { StringId } from '../../trace/ids.ts';

/** What rows, trees and stacks are all made of. */
export interface HostWork {
  readonly graph: Graph;
  readonly frames: FrameIndex;
  readonly backward: BackwardWork;
  /** By frame without a parent: the frame of its caller, which stood still for it on another thread; else −1. */
  readonly caller: Int32Array;
}

export interface BackwardWork {
  /** By frame: its forward op's frame, where it is the outermost op of a backward pass; else −1. */
  readonly forward: Int32Array;
  /** Ops of backward passes with and without a forward op. */
  readonly linked: number;
  readonly unlinked: number;
}

const NONE = new Int32Array(0);

const BACKWARD = /^autograd::engine::evaluate_function|Backward\d*$|^torch::autograd::/;

/** What not every question needs is made when it is first asked for. */
export function hostWorkOf(graph: Graph): HostWork {
  const frames = buildFrames(graph.trace, graph.host);
  return lazyFields<HostWork>(
    { graph, frames, backward: { forward: NONE, linked: 0, unlinked: 0 }, caller: NONE },
    { backward: () => backwardWork(graph, frames), caller: () => callersOf(graph, frames) },
  );
}

function backwardWork({ trace, host }: Graph, frames: FrameIndex): BackwardWork {
  const link = backwardLinks(trace, host);
  const forward = new Int32Array(frames.length).fill(-1);
  const inside = new Int32Array(frames.length).fill(-1);
  const isBackward = backwardNames(trace);
  let linked = 0;
  let unlinked = 0;
  for (let f = 0; f < frames.length; f++) {
    const around = frames.parent[f] === -1 ? -1 : inside[frames.parent[f]];
    inside[f] = around;
    const op = host.opOfEvent[frames.event[f]];
    if (op === -1) continue;
    const from = link[op] === -1 ? -1 : frames.frameOfEvent[host.event[link[op]]];
    if (from !== -1 && from !== around && from < f) {
      forward[f] = from;
      inside[f] = from;
    }
    if (frames.kind[f] !== FrameKind.op || around !== -1) continue;
    if (inside[f] !== -1) linked++;
    else if (isOutermost(frames, f) && isBackward(trace.events.name[frames.event[f]])) unlinked++;
  }
  return { forward, linked, unlinked };
}

const isOutermost = ({ parent, kind }: FrameIndex, frame: number): boolean =>
  parent[frame] === -1 || kind[parent[frame]] !== FrameKind.op;

/** Is an op one of a backward pass by its name? Each name is looked at once. */
function backwardNames({ strings }: Graph['trace']): (name: StringId) => boolean {
  const known = new Int8Array(strings.length);
  return (name) => {
    if (known[name] === 0) known[name] = BACKWARD.test(strings.text(name)) ? 1 : -1;
    return known[name] === 1;
  };
}

/** Of a worker's outermost frames: the innermost frame of its caller at the fork. */
function callersOf({ workers, host, time, moments }: Graph, frames: FrameIndex): Int32Array {
  const caller = new Int32Array(frames.length).fill(-1);
  if (workers.forks.length === 0) return caller;
  const byThread = new FramesByTime(frames);
  for (const { callerBefore, workerFirst, workerLast } of workers.forks) {
    const worker = host.thread[moments.hostOp(workerFirst)];
    const from = time[workerFirst];
    const around = byThread.innermostAt(host.thread[moments.hostOp(callerBefore)], from);
    if (around === -1) continue;
    const rows = byThread.rows(worker);
    for (let i = upperBound(byThread.starts(worker), from - 1); i < rows.length; i++) {
      const f = rows[i];
      if (frames.start[f] > time[workerLast]) break;
      if (frames.parent[f] === -1 && around < f) caller[f] = around;
    }
  }
  return caller;
}

class FramesByTime {
  readonly #frames: FrameIndex;
  readonly #rows: readonly Int32Array[];
  readonly #starts: readonly Float64Array[];

  constructor(frames: FrameIndex) {
    const rows = frames.tracks.map(() => new ColBuilder(Int32Array));
    for (let f = 0; f < frames.length; f++) rows[frames.thread[f]].push(f);
    this.#frames = frames;
    this.#rows = rows.map((each) => each.take<number>() as Int32Array);
    this.#starts = this.#rows.map((each) => pick(frames.start, each));
  }

  rows(thread: number): Int32Array {
    return this.#rows[thread];
  }

  starts(thread: number): Float64Array {
    return this.#starts[thread];
  }

  innermostAt(thread: number, time: number): number {
    const { end, parent } = this.#frames;
    let f = this.#rows[thread][upperBound(this.#starts[thread], time) - 1] ?? -1;
    while (f !== -1 && end[f] <= time) f = parent[f];
    return f;
  }
}

/** A stretch of time that is asked about. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The part of a run that lies in a stretch, in ns. */
export const partOf = (from: number, to: number, { start, end }: Stretch): number =>
  Math.max(0, Math.min(to, end) - Math.max(from, start));
