import { lowerBound } from '../base/bisect.ts';
import { pick } from '../base/pick.ts';
import type { Graph } from './graph.ts';

/** Which lanes are launched into last and next, around any instant, by one thread or by any. */
export class InferredLaunches {
  readonly #ofThread: readonly LaunchSequence[];
  /** Of all threads, in enqueue order. */
  readonly #all: LaunchSequence;

  constructor(graph: Graph) {
    const { host, calls, launches } = graph;
    const launching = (ops: Int32Array): Int32Array => ops.filter((op) => launches.first[op] < launches.first[op + 1]);
    this.#ofThread = host.threads.map(({ ops }) => sequenceOf(graph, launching(ops), host.start));
    const all = launching(Int32Array.from({ length: host.length }, (_, op) => op));
    const keyed = all.filter((op) => !Number.isNaN(calls.key[op])).sort((a, b) => calls.key[a] - calls.key[b]);
    this.#all = sequenceOf(graph, keyed, calls.key);
  }

  /** The first device op of the thread's next launch at or after `time` into a lane that passes, or −1. */
  next(thread: number, time: number, passes: LanePredicate): number {
    return nextIn(this.#ofThread[thread], time, passes);
  }

  /** The first device op of any thread's next launch behind an enqueue key into a lane that passes, or −1. */
  nextOfAny(key: number, passes: LanePredicate): number {
    return nextIn(this.#all, key, passes);
  }

  /** The first device op of the thread's last launch before `time` into a lane that passes, or −1. */
  last(thread: number, time: number, passes: LanePredicate): number {
    const { at, ops, lanes, runStart } = this.#ofThread[thread];
    for (let i = lowerBound(at, time) - 1; i >= 0; i = runStart[i] - 1) if (passes(lanes[i])) return ops[i];
    return -1;
  }
}

type LanePredicate = (lane: number) => boolean;

interface LaunchSequence {
  /** Ascending: when each launch began, or its enqueue key. */
  readonly at: Float64Array;
  /** The first device op of each, and its lane. */
  readonly ops: Int32Array;
  readonly lanes: Int32Array;
  /** The first and the last launch of the run of launches into one lane that each is in. */
  readonly runStart: Int32Array;
  readonly runEnd: Int32Array;
}

function sequenceOf({ launches, device }: Graph, calls: Int32Array, value: Float64Array): LaunchSequence {
  const ops = calls.map((call) => launches.ops[launches.first[call]]);
  const lanes = ops.map((op) => device.lane[op]);
  const runStart = Int32Array.from(lanes.keys());
  for (let i = 1; i < lanes.length; i++) if (lanes[i] === lanes[i - 1]) runStart[i] = runStart[i - 1];
  const runEnd = Int32Array.from(lanes.keys());
  for (let i = lanes.length - 2; i >= 0; i--) if (lanes[i] === lanes[i + 1]) runEnd[i] = runEnd[i + 1];
  return { at: pick(value, calls), ops, lanes, runStart, runEnd };
}

function nextIn({ at, ops, lanes, runEnd }: LaunchSequence, from: number, passes: LanePredicate): number {
  for (let i = lowerBound(at, from); i < ops.length; i = runEnd[i] + 1) if (passes(lanes[i])) return ops[i];
  return -1;
}
