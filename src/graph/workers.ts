import { lowerBoundBy, upperBoundBy } from '../base/bisect.ts';
import { lazy } from '../base/lazy.ts';
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
  /** Rows of `ops`. */
  const backward: number[] = [];
  const isAutograd = autogradNames(trace);
  const autograd = new Set<number>();
  const backwardThreads = new Set<number>();
  for (let i = 0; i < ops.event.length; i++) {
    const event = ops.event[i];
    const op = host.opOfEvent[event];
    if (op === -1) continue;
    const thread = host.thread[op];
    if (isAutograd(events.name[event])) autograd.add(thread);
    if (ops.sequence[i] < 0) continue;
    if (ops.forwardThread[i] > 0) {
      backward.push(i);
      backwardThreads.add(thread);
    } else forwardThreads.set(ops.sequence[i], thread);
  }
  for (let i = 0; i < backward.length; i++) {
    const caller = forwardThreads.get(ops.sequence[backward[i]]);
    if (caller !== undefined) vote(host.thread[host.opOfEvent[ops.event[backward[i]]]], caller);
  }
  eachFlowPair(trace, host, vote);
  const callers = new Map<number, number>();
  const busiest = lazy(() => busiestThread(trace, host, autograd));
  for (const worker of new Set([...votes.keys(), ...backwardThreads, ...autograd])) {
    const best = [...(votes.get(worker) ?? [])].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0];
    const caller = best === undefined ? busiest() : best[0];
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
  const isOperator = Uint8Array.from(categories, ({ kind }) => (isCall(kind) ? 0 : 1));
  const { event, thread } = host;
  for (let op = 0; op < host.length; op++) operators[thread[op]] += isOperator[events.category[event[op]]];
  let best: number | undefined;
  operators.forEach((count, thread) => {
    if (count > 0 && !except.has(thread) && (best === undefined || count > operators[best])) best = thread;
  });
  return best;
}

/** Threads joined by forward-backward flows: `s` on the caller, `f` on the worker. */
function eachFlowPair(
  { events, categories, tracks }: Trace,
  host: HostIndex,
  visit: (worker: number, caller: number) => void,
): void {
  const isLink = Uint8Array.from(categories, ({ name }) => (name === 'fwdbwd' ? 1 : 0));
  if (!isLink.includes(1)) return;
  const threadOfTrack = new Int32Array(tracks.length).fill(-1);
  host.threads.forEach(({ track }, thread) => {
    threadOfTrack[track] = thread;
  });
  const { phase, category, track, correlation } = events;
  const starts = new Map<number, number>();
  const ends: number[] = [];
  for (let e = 0; e < events.length; e++) {
    if (isLink[category[e]] === 0 || threadOfTrack[track[e]] === -1) continue;
    if (phase[e] === Phase.flowStart) starts.set(correlation[e], threadOfTrack[track[e]]);
    else if (phase[e] === Phase.flowEnd) ends.push(e);
  }
  for (let i = 0; i < ends.length; i++) {
    const worker = threadOfTrack[track[ends[i]]];
    visit(worker, starts.get(correlation[ends[i]]) ?? worker);
  }
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
  const forks: Fork[] = [];
  let cutOps = 0;
  for (let i = 1; i <= gaps.length; i++) {
    const before = gaps[i - 1];
    // The caller's last gap has no end: what the worker does then holds up nothing of the caller.
    const after = i < gaps.length ? gaps[i] : -1;
    const from = time[before];
    const to = after === -1 ? time[run[run.length - 1]] : time[after];
    // A caller inside an API call waits for the driver, not for a worker.
    if (to - from <= SHORTEST_GAP_NS || isInCall(openBetween(host, before))) continue;
    const first = lowerBoundBy(run, time, from);
    const last = upperBoundBy(run, time, to) - 1;
    if (last <= first) continue;
    const opensBefore = first > 0 && openBetween(host, run[first - 1]) !== -1;
    const opensAfter = last + 1 < run.length && openBetween(host, run[last]) !== -1;
    if (after === -1 && (opensBefore || !hasRested(time, run, first))) continue;
    const worked = (opensAfter ? to : time[run[last]]) - (opensBefore ? from : time[run[first]]);
    if (worked * 2 <= to - from) continue;
    if (opensBefore) cutOps++;
    if (opensAfter) cutOps++;
    forks.push({ callerBefore: before, workerFirst: run[first], workerLast: run[last], callerAfter: after });
  }
  return { forks, cutOps };
}

/** Did the thread do nothing for a while before this moment of it? */
const hasRested = (time: Float64Array, run: Int32Array, at: number): boolean =>
  at === 0 || time[run[at]] - time[run[at - 1]] > SHORTEST_GAP_NS;

/** The innermost op that is open right after a moment of its thread, or −1. */
export function openBetween(host: HostIndex, moment: number): number {
  const op = moment >> 1;
  return (moment & 1) === 0 ? op : host.parent[op];
}
