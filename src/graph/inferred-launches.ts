import { ascendsBy, lowerBound } from '../base/bisect.ts';
import { pick } from '../base/pick.ts';
import type { Graph } from './graph.ts';

/** Which lanes are launched into last and next, around any instant, by one thread or by any. */
export class InferredLaunches {
  readonly #ofThread: readonly LaunchSequence[];
  /** Of all threads, in enqueue order. */
  readonly #all: LaunchSequence;

  constructor(graph: Graph) {
    const { host, calls, launches } = graph;
    const launching: number[] = [];
    const byThread = host.threads.map((): number[] => []);
    for (let i = 0; i < launches.calls.length; i++) {
      const op = launches.calls[i];
      if (launches.first[op] === launches.first[op + 1]) continue;
      byThread[host.thread[op]].push(op);
      if (!Number.isNaN(calls.key[op])) launching.push(op);
    }
    this.#ofThread = byThread.map((ops) => sequenceOf(graph, Int32Array.from(ops), host.start));
    const keyed = Int32Array.from(launching);
    if (!ascendsBy(keyed, calls.key)) keyed.sort((a, b) => calls.key[a] - calls.key[b]);
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
  const { length } = calls;
  const ops = new Int32Array(length);
  const lanes = new Int32Array(length);
  const runStart = new Int32Array(length);
  const runEnd = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    ops[i] = launches.ops[launches.first[calls[i]]];
    lanes[i] = device.lane[ops[i]];
    runStart[i] = i > 0 && lanes[i] === lanes[i - 1] ? runStart[i - 1] : i;
  }
  for (let i = length - 1; i >= 0; i--) runEnd[i] = i + 1 < length && lanes[i] === lanes[i + 1] ? runEnd[i + 1] : i;
  return { at: pick(value, calls), ops, lanes, runStart, runEnd };
}

function nextIn({ at, ops, lanes, runEnd }: LaunchSequence, from: number, passes: LanePredicate): number {
  for (let i = lowerBound(at, from); i < ops.length; i = runEnd[i] + 1) if (passes(lanes[i])) return ops[i];
  return -1;
}
