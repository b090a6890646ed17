import { lowerBoundBy } from '../base/bisect.ts';
import { Phase } from '../trace/tables.ts';
import type { Trace } from '../trace/trace.ts';
import type { HostIndex } from './host.ts';

/**
 * By host op: the forward op whose backward pass it is, or −1. The profiler's forward-backward flows say so; without them an op on a
 * backward thread belongs to the latest forward op before it that has its sequence number: an op reads the number that the next
 * node of the autograd graph will get, so the last one to read it is the one that made the node. O(n log n).
 */
export function backwardLinks(trace: Trace, host: HostIndex): Int32Array {
  const link = new Int32Array(host.length).fill(-1);
  const { ops } = trace;
  const said = flowLinks(trace, host);
  /** By thread, then by number. */
  const bySequence = host.threads.map(() => new Map<number, number>());
  for (let row = 0; row < ops.event.length; row++) {
    const op = host.opOfEvent[ops.event[row]];
    const from = op === -1 ? undefined : said.get(op);
    if (from === undefined) continue;
    link[op] = from;
    if (ops.sequence[row] >= 0) bySequence[host.thread[op]].set(ops.sequence[row], from);
  }
  let forward: ForwardOps | undefined;
  for (let row = 0; row < ops.event.length; row++) {
    if (ops.forwardThread[row] <= 0 || ops.sequence[row] < 0) continue;
    const op = host.opOfEvent[ops.event[row]];
    if (op === -1 || link[op] !== -1) continue;
    // The flow ends on the innermost of the ops that have the number.
    const known = bySequence[host.thread[op]].get(ops.sequence[row]);
    const isBefore = known !== undefined && host.start[known] < host.start[op];
    if (!isBefore) forward ??= new ForwardOps(trace, host);
    link[op] = isBefore ? known : (forward?.before(host.start[op], ops.sequence[row], ops.forwardThread[row]) ?? -1);
  }
  return link;
}

/** Forward ops by sequence number. Numbers are those of a thread: which thread a `Fwd thread id` means is found by counting. */
class ForwardOps {
  readonly #host: HostIndex;
  /** By number: ops in order of start. */
  readonly #bySequence = new Map<number, number[]>();
  /** By `Fwd thread id`: the thread that has most of the numbers. */
  readonly #threadOf = new Map<number, number>();

  constructor({ ops }: Trace, host: HostIndex) {
    this.#host = host;
    /** By number: the threads that have ops of it. */
    const threads = new Map<number, number[]>();
    for (let row = 0; row < ops.event.length; row++) {
      const op = host.opOfEvent[ops.event[row]];
      if (op === -1 || ops.sequence[row] < 0 || ops.forwardThread[row] > 0) continue;
      add(this.#bySequence, ops.sequence[row], op);
      const known = threads.get(ops.sequence[row]);
      if (known === undefined) threads.set(ops.sequence[row], [host.thread[op]]);
      else if (!known.includes(host.thread[op])) known.push(host.thread[op]);
    }
    const votes = new Map<number, Int32Array>();
    for (let row = 0; row < ops.event.length; row++) {
      const id = ops.forwardThread[row];
      if (id <= 0 || ops.sequence[row] < 0) continue;
      const counts = votes.get(id) ?? new Int32Array(host.threads.length);
      votes.set(id, counts);
      for (const thread of threads.get(ops.sequence[row]) ?? []) counts[thread]++;
    }
    for (const [id, counts] of votes) this.#threadOf.set(id, counts.indexOf(Math.max(...counts)));
  }

  /** The latest op of a number that began before `time` on the thread that is meant, else on any; −1 without one. */
  before(time: number, sequence: number, forwardThread: number): number {
    const { start, thread } = this.#host;
    const candidates = this.#bySequence.get(sequence) ?? [];
    const meant = this.#threadOf.get(forwardThread);
    const last = lowerBoundBy(candidates, start, time) - 1;
    for (let i = last; i >= 0; i--) if (thread[candidates[i]] === meant) return candidates[i];
    return candidates[last] ?? -1;
  }
}

function add(to: Map<number, number[]>, key: number, value: number): void {
  const known = to.get(key);
  if (known === undefined) to.set(key, [value]);
  else known.push(value);
}

/** By backward op: the forward op at the other end of its flow. */
function flowLinks({ events, categories }: Trace, host: HostIndex): Map<number, number> {
  const links = new Map<number, number>();
  const isLink = Uint8Array.from(categories, ({ name }) => (name === 'fwdbwd' ? 1 : 0));
  if (!isLink.includes(1)) return links;
  const threadOf = new Map(host.threads.map(({ track }, thread) => [track as number, thread]));
  const from = new Map<number, number>();
  const ends: { readonly id: number; readonly op: number }[] = [];
  for (let e = 0; e < events.length; e++) {
    if (isLink[events.category[e]] === 0) continue;
    const thread = threadOf.get(events.track[e]);
    const op = thread === undefined ? -1 : opStartingAt(host, thread, events.start[e]);
    if (op === -1) continue;
    if (events.phase[e] === Phase.flowStart) from.set(events.correlation[e], op);
    else if (events.phase[e] === Phase.flowEnd) ends.push({ id: events.correlation[e], op });
  }
  for (const { id, op } of ends) {
    const forward = from.get(id);
    if (forward !== undefined && host.start[forward] < host.start[op]) links.set(op, forward);
  }
  return links;
}

/** The outermost op of a thread that starts at an instant, or −1. */
function opStartingAt({ threads, start }: HostIndex, thread: number, time: number): number {
  const { ops } = threads[thread];
  const at = lowerBoundBy(ops, start, time);
  return at < ops.length && start[ops[at]] === time ? ops[at] : -1;
}
