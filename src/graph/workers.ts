import { lowerBound, upperBound } from '../base/bisect.ts';
import { pick } from '../base/pick.ts';
import type { StringId } from '../trace/ids.ts';
import { isCall } from '../trace/kinds.ts';
import { Phase } from '../trace/tables.ts';
import type { Trace } from '../trace/trace.ts';
import type { HostIndex } from './host.ts';

/** A worker thread that worked while its caller stood still: the caller's moment before the gap starts it, its last one ends the gap. */
export interface Fork {
  /** Moments of the host. */
  readonly callerBefore: number;
  readonly workerFirst: number;
  readonly workerLast: number;
  /** −1 where the caller does nothing any more. */
  readonly callerAfter: number;
}

export interface Workers {
  readonly forks: readonly Fork[];
  /** Ops of a worker that cross the border of a gap. */
  readonly cutOps: number;
}

const SHORTEST_GAP_NS = 50_000;

/**
 * Backward passes run on threads of their own while the caller waits in Python, where no row shows it (rule 28). A thread is a worker
 * where its ops have a forward thread id above 0, or forward-backward flows end on it, or its ops have autograd's names. Its caller
 * is the thread of the forward ops with the same sequence numbers.
 */
export function buildWorkers(trace: Trace, host: HostIndex, time: Float64Array): Workers {
  const { events, categories } = trace;
  const isInCall = (op: number): boolean => op !== -1 && isCall(categories[events.category[host.event[op]]].kind);
  const forks: Fork[] = [];
  let cutOps = 0;
  for (const [worker, caller] of callersOfWorkers(trace, host)) {
    const found = forksOf(host, worker, caller, time, isInCall);
    forks.push(...found.forks);
    cutOps += found.cutOps;
  }
  return { forks, cutOps };
}

/** By worker thread: its caller. */
function callersOfWorkers(trace: Trace, host: HostIndex): Map<number, number> {
  const { events, ops } = trace;
  const votes = new Map<number, Map<number, number>>();
  const vote = (worker: number, caller: number): void => {
    const known = votes.get(worker) ?? new Map<number, number>();
    known.set(caller, (known.get(caller) ?? 0) + 1);
    votes.set(worker, known);
  };
  const forwardThreads = new Map<number, number>();
  const backward: { thread: number; sequence: number }[] = [];
  const autograd = new Set<number>();
  const isAutograd = autogradNames(trace);
  for (let i = 0; i < ops.event.length; i++) {
    const op = host.opOfEvent[ops.event[i]];
    if (op === -1) continue;
    if (isAutograd(events.name[ops.event[i]])) autograd.add(host.thread[op]);
    if (ops.sequence[i] < 0) continue;
    if (ops.forwardThread[i] > 0) backward.push({ thread: host.thread[op], sequence: ops.sequence[i] });
    else forwardThreads.set(ops.sequence[i], host.thread[op]);
  }
  for (const { thread, sequence } of backward) {
    const caller = forwardThreads.get(sequence);
    if (caller !== undefined) vote(thread, caller);
  }
  for (const { worker, caller } of flowPairs(trace, host)) vote(worker, caller);
  const callers = new Map<number, number>();
  const busiest = busiestThread(trace, host, autograd);
  for (const worker of new Set([...votes.keys(), ...backward.map(({ thread }) => thread), ...autograd])) {
    const best = [...(votes.get(worker) ?? [])].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0];
    const caller = best === undefined ? busiest : best[0];
    if (caller !== undefined && caller !== worker) callers.set(worker, caller);
  }
  return callers;
}

/** Each name is looked at once: there are far more ops than names. */
function autogradNames({ strings }: Trace): (name: StringId) => boolean {
  const known = new Int8Array(strings.length);
  return (name) => {
    if (known[name] === 0) known[name] = /^autograd::engine|^torch::autograd::/.test(strings.text(name)) ? 1 : -1;
    return known[name] === 1;
  };
}

/** The thread with the most operators; one that only calls the API (a watchdog that polls) calls nobody. */
function busiestThread(
  { events, categories }: Trace,
  host: HostIndex,
  except: ReadonlySet<number>,
): number | undefined {
  const operators = new Int32Array(host.threads.length);
  for (let op = 0; op < host.length; op++) {
    if (!isCall(categories[events.category[host.event[op]]].kind)) operators[host.thread[op]]++;
  }
  let best: number | undefined;
  operators.forEach((count, thread) => {
    if (count > 0 && !except.has(thread) && (best === undefined || count > operators[best])) best = thread;
  });
  return best;
}

/** Threads joined by forward-backward flows: `s` on the caller, `f` on the worker. */
function flowPairs({ events, categories }: Trace, host: HostIndex): { worker: number; caller: number }[] {
  const threadOfTrack = new Map(host.threads.map(({ track }, thread) => [track as number, thread]));
  const starts = new Map<number, number>();
  const pairs: { worker: number; caller: number }[] = [];
  const isLink = categories.map(({ name }) => name === 'fwdbwd');
  for (const wanted of [Phase.flowStart, Phase.flowEnd]) {
    for (let e = 0; e < events.length; e++) {
      if (events.phase[e] !== wanted || !isLink[events.category[e]]) continue;
      const thread = threadOfTrack.get(events.track[e]);
      if (thread === undefined) continue;
      if (wanted === Phase.flowStart) starts.set(events.correlation[e], thread);
      else pairs.push({ worker: thread, caller: starts.get(events.correlation[e]) ?? thread });
    }
  }
  return pairs;
}

function forksOf(
  host: HostIndex,
  worker: number,
  caller: number,
  time: Float64Array,
  isInCall: (op: number) => boolean,
): Workers {
  const gaps = host.threads[caller].sequence;
  const run = host.threads[worker].sequence;
  const runTimes = pick(time, run);
  const forks: Fork[] = [];
  let cutOps = 0;
  for (let i = 1; i <= gaps.length; i++) {
    const before = gaps[i - 1];
    // The caller's last gap has no end: what the worker does then holds up nothing of the caller.
    const after = i < gaps.length ? gaps[i] : -1;
    const from = time[before];
    const to = after === -1 ? runTimes[runTimes.length - 1] : time[after];
    // A caller inside an API call waits for the driver, not for a worker.
    if (to - from <= SHORTEST_GAP_NS || isInCall(openBetween(host, before))) continue;
    const first = lowerBound(runTimes, from);
    const last = upperBound(runTimes, to) - 1;
    if (last <= first) continue;
    const opensBefore = first > 0 && openBetween(host, run[first - 1]) !== -1;
    const opensAfter = last + 1 < run.length && openBetween(host, run[last]) !== -1;
    if (after === -1 && (opensBefore || !hasRested(runTimes, first))) continue;
    const worked = (opensAfter ? to : runTimes[last]) - (opensBefore ? from : runTimes[first]);
    if (worked * 2 <= to - from) continue;
    if (opensBefore) cutOps++;
    if (opensAfter) cutOps++;
    forks.push({ callerBefore: before, workerFirst: run[first], workerLast: run[last], callerAfter: after });
  }
  return { forks, cutOps };
}

/** Did the thread do nothing for a while before this moment of it? */
const hasRested = (times: Float64Array, at: number): boolean => at === 0 || times[at] - times[at - 1] > SHORTEST_GAP_NS;

/** The innermost op that is open right after a moment of its thread, or −1. */
export function openBetween(host: HostIndex, moment: number): number {
  const op = moment >> 1;
  return (moment & 1) === 0 ? op : host.parent[op];
}
