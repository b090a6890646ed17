/** All stacks of the windows as one tree of arrays: a node is a name below a node. */
import { FRAME_KINDS, FrameKind } from '../../graph/frames.ts';
import type { StringId } from '../../trace/ids.ts';
import { DeviceRuns } from './device-runs.ts';
import { launchesIn } from '../../graph/launches.ts';
import { type HostWork, type Stretch, partOf } from './host-work.ts';
import type { TreeNode } from './result.ts';

/** Kinds of nodes: those of frames, then these. */
const KERNEL = FRAME_KINDS.length;
const MARK = KERNEL + 1;
export const NODE_KINDS: readonly TreeNode['kind'][] = [...FRAME_KINDS, 'kernel', 'mark'];

/** Nodes in any order in which a parent comes before its children. */
export interface CallTree {
  readonly length: number;
  readonly parent: Int32Array;
  /** Index in `NODE_KINDS`. */
  readonly kind: Uint8Array;
  nameOf(node: number): string;
  readonly count: Int32Array;
  /** Thread time in the windows, without and with what is nested. */
  readonly hostSelf: Float64Array;
  readonly hostTotal: Float64Array;
  /** Of kernels: the sum of their runs in the windows; 0 for others. */
  readonly deviceSelf: Float64Array;
  readonly deviceTotal: Float64Array;
  /** The union a device of all below, summed over devices. */
  readonly deviceUnion: Float64Array;
  readonly launches: Int32Array;
  /** An event of each, the one with most time; −1 for marks. */
  readonly longest: Int32Array;
  /** Time in which callers stood still for ops of their workers: those have it, the callers do not. */
  readonly waitedNs: number;
}

const STEP = /^ProfilerStep\s*#\d+$/;
const MARKS = ['backward', '(no launch call)', 'ProfilerStep'] as const;

/**
 * Backward passes hang below the forward op that made them, a worker's other ops below what its caller was in. Device work hangs below
 * the call that launched it. O(frames + device ops × depth).
 */
export function buildCallTree(work: HostWork, stretch: Stretch): CallTree {
  const nodes = new Nodes(work);
  const nodeOf = addFrames(work, nodes, stretch);
  addDevice(work, nodes, nodeOf, stretch);
  return nodes.finish(work, nodeOf, stretch);
}

class Nodes {
  readonly #strings: HostWork['graph']['trace']['strings'];
  readonly #names: number;
  readonly #children = new Map<number, number>();
  readonly parent: number[] = [];
  readonly name: number[] = [];
  readonly kind: number[] = [];
  readonly count: number[] = [];
  readonly hostSelf: number[] = [];
  readonly deviceSelf: number[] = [];
  readonly longest: number[] = [];
  readonly mostNs: number[] = [];
  waitedNs = 0;
  /** Device ops in order of start, and the node of each. */
  readonly runs: { readonly op: number[]; readonly node: number[] } = { op: [], node: [] };

  constructor({ graph }: HostWork) {
    this.#strings = graph.trace.strings;
    this.#names = graph.trace.strings.length + MARKS.length;
  }

  /** The child of a node (−1: a root) that has a name. */
  child(parent: number, name: number, kind: number): number {
    const key = ((parent + 1) * this.#names + name) * NODE_KINDS.length + kind;
    const known = this.#children.get(key);
    if (known !== undefined) return known;
    const node = this.parent.length;
    this.#children.set(key, node);
    this.parent.push(parent);
    this.name.push(name);
    this.kind.push(kind);
    this.count.push(0);
    this.hostSelf.push(0);
    this.deviceSelf.push(0);
    this.longest.push(-1);
    this.mostNs.push(-1);
    return node;
  }

  mark(parent: number, text: (typeof MARKS)[number], kind = MARK): number {
    return this.child(parent, this.markName(text), kind);
  }

  markName(text: (typeof MARKS)[number]): number {
    return this.#strings.length + MARKS.indexOf(text);
  }

  ran(node: number, event: number, ns: number): void {
    this.count[node]++;
    if (ns <= this.mostNs[node]) return;
    this.mostNs[node] = ns;
    this.longest[node] = event;
  }

  finish(work: HostWork, nodeOf: Int32Array, stretch: Stretch): CallTree {
    const length = this.parent.length;
    const parent = Int32Array.from(this.parent);
    const hostTotal = Float64Array.from(this.hostSelf);
    const deviceTotal = Float64Array.from(this.deviceSelf);
    const launches = launchesOf(work, nodeOf, length, stretch);
    for (let node = length - 1; node >= 0; node--) {
      if (parent[node] === -1) continue;
      hostTotal[parent[node]] += hostTotal[node];
      deviceTotal[parent[node]] += deviceTotal[node];
      launches[parent[node]] += launches[node];
    }
    const devices = new DeviceRuns(work.graph);
    const sums = devices.sums(length);
    this.runs.op.forEach((op, i) => {
      for (let node = this.runs.node[i]; node !== -1; node = parent[node]) devices.add(sums, node, op, stretch);
    });
    const { name } = this;
    return {
      length,
      parent,
      kind: Uint8Array.from(this.kind),
      nameOf: (node) => MARKS[name[node] - this.#strings.length] ?? this.#strings.text(name[node] as StringId),
      count: Int32Array.from(this.count),
      hostSelf: Float64Array.from(this.hostSelf),
      hostTotal,
      deviceSelf: Float64Array.from(this.deviceSelf),
      deviceTotal,
      deviceUnion: sums.union,
      launches,
      longest: Int32Array.from(this.longest),
      waitedNs: this.waitedNs,
    };
  }
}

/** By frame: its node. */
function addFrames({ graph, frames, backward, caller }: HostWork, nodes: Nodes, stretch: Stretch): Int32Array {
  const { forward } = backward;
  const { events, strings } = graph.trace;
  const nodeOf = new Int32Array(frames.length);
  const waits = new Waits(frames, caller);
  const isStep = new Map<number, boolean>();
  const nameOf = (f: number): number => {
    const name = events.name[frames.event[f]];
    if (frames.kind[f] !== FrameKind.annotation) return name;
    let step = isStep.get(name);
    if (step === undefined) isStep.set(name, (step = STEP.test(strings.text(name))));
    return step ? nodes.markName('ProfilerStep') : name;
  };
  for (let f = 0; f < frames.length; f++) {
    let around = -1;
    if (forward[f] !== -1) around = nodes.mark(nodeOf[forward[f]], 'backward');
    else if (frames.parent[f] !== -1) around = nodeOf[frames.parent[f]];
    else if (caller[f] !== -1) around = nodeOf[caller[f]];
    const node = nodes.child(around, nameOf(f), frames.kind[f]);
    nodeOf[f] = node;
    const ns = partOf(frames.start[f], frames.end[f], stretch);
    if (frames.start[f] >= stretch.end || (ns === 0 && frames.start[f] < stretch.start)) continue;
    nodes.ran(node, frames.event[f], ns);
    nodes.hostSelf[node] += ns;
    if (frames.parent[f] !== -1) nodes.hostSelf[nodeOf[frames.parent[f]]] -= ns;
    if (caller[f] !== -1) nodes.hostSelf[nodeOf[caller[f]]] -= waits.add(f, stretch);
  }
  nodes.waitedNs = waits.totalNs;
  return nodeOf;
}

/** How long callers stood still for their workers; where two worked at once, once. Workers' frames must come by their start. */
class Waits {
  totalNs = 0;
  readonly #frames: HostWork['frames'];
  readonly #caller: Int32Array;
  readonly #until = new Map<number, number>();

  constructor(frames: HostWork['frames'], caller: Int32Array) {
    this.#frames = frames;
    this.#caller = caller;
  }

  /** What a worker's frame adds. */
  add(frame: number, stretch: Stretch): number {
    const { start, end } = this.#frames;
    const caller = this.#caller[frame];
    const until = this.#until.get(caller) ?? -Infinity;
    const to = Math.min(end[frame], end[caller]);
    const ns = partOf(Math.max(start[frame], until), to, stretch);
    this.#until.set(caller, Math.max(until, to));
    this.totalNs += ns;
    return ns;
  }
}

function addDevice({ graph, frames }: HostWork, nodes: Nodes, nodeOf: Int32Array, stretch: Stretch): void {
  const { device, host, trace } = graph;
  for (let op = 0; op < device.length; op++) {
    const ns = partOf(device.start[op], device.end[op], stretch);
    if (ns === 0) continue;
    const call = device.call[op];
    const around = call === -1 ? nodes.mark(-1, '(no launch call)') : nodeOf[frames.frameOfEvent[host.event[call]]];
    const event = device.event[op];
    const node = nodes.child(around, trace.events.name[event], KERNEL);
    nodes.ran(node, event, ns);
    nodes.deviceSelf[node] += ns;
    nodes.runs.op.push(op);
    nodes.runs.node.push(node);
  }
}

function launchesOf(
  { graph, frames }: HostWork,
  nodeOf: Int32Array,
  length: number,
  { start, end }: Stretch,
): Int32Array {
  const { host } = graph;
  const launches = new Int32Array(length);
  const calls = launchesIn(graph, start, end);
  for (let i = 0; i < calls.length; i++) launches[nodeOf[frames.frameOfEvent[host.event[calls[i]]]]]++;
  return launches;
}
