import { lowerBoundBy } from '../base/bisect.ts';
import { RowKind, isCall } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import { apiLookup } from './api-names.ts';
import { CallIds } from './call-ids.ts';
import type { HostIndex } from './host.ts';

const WRAP = 2 ** 32;

/**
 * API calls by correlation, and the enqueue order of everything that a call enqueues. Correlation ids rise with host call order
 * over all threads of a process, so they are that order; where they do not rise on the threads themselves, the calls' starts are.
 */
export interface CallIndex {
  /** `Api` flags by host op; 0 for ops that are no calls. */
  readonly api: Int32Array;
  /** Enqueue key by host op; NaN for ops that are no calls or have no correlation. */
  readonly key: Float64Array;
  /** True where correlation ids give no order and the clock is used. */
  readonly byClock: boolean;
  /** The call of a correlation: runtime before driver, then the last one that began by `time`, else the first. −1: none. */
  find(correlation: number, time: number): number;
  /** The enqueue key of a correlation seen at `time`, also where its call is not in the trace. NaN where there is no order. */
  keyOf(correlation: number, time: number): number;
  /** A key just behind the last call that had begun by `time`: the latest place in enqueue order of what ran by then. */
  keyAt(time: number): number;
}

/** An id that was cast to a signed 32-bit number is put back; −1, 0 and absent link nothing and stay below 1. */
export const linkId = (correlation: number): number => (correlation < -1 ? correlation + WRAP : correlation);

export function buildCalls(trace: Trace, host: HostIndex): CallIndex {
  const { events, categories } = trace;
  const apiOfName = apiLookup(trace.strings);
  const { event } = host;
  const isCallKind = Uint8Array.from(categories, ({ kind }) => (isCall(kind) ? 1 : 0));
  const isDriverKind = Uint8Array.from(categories, ({ kind }) => (kind === RowKind.driver ? 1 : 0));
  const api = new Int32Array(host.length);
  const key = new Float64Array(host.length).fill(NaN);
  let count = 0;
  for (let op = 0; op < host.length; op++) {
    const e = event[op];
    if (isCallKind[events.category[e]] === 0) continue;
    api[op] = apiOfName(events.name[e]);
    if (linkId(events.correlation[e]) > 0) count++;
  }
  const calls = new Int32Array(count);
  const ids = new Float64Array(count);
  for (let op = 0, at = 0; at < count; op++) {
    if (isCallKind[events.category[event[op]]] === 0) continue;
    const id = linkId(events.correlation[event[op]]);
    if (id <= 0) continue;
    calls[at] = op;
    ids[at++] = id;
  }
  unwrap(calls, ids, key);
  const byClock = !risesOnThreads(host, key);
  if (byClock) for (let i = 0; i < calls.length; i++) key[calls[i]] = host.start[calls[i]];

  const known = new CallIds(calls, ids);
  const isDriver = (op: number): boolean => isDriverKind[events.category[event[op]]] === 1;
  const find = (correlation: number, time: number): number => {
    const id = linkId(correlation);
    let place = id > 0 ? known.last(id) : -1;
    if (place === -1) return -1;
    let best = known.callAt(place);
    for (place = known.before(place); place !== -1; place = known.before(place)) {
      const op = known.callAt(place);
      if (isDriver(op) !== isDriver(best)) best = isDriver(best) ? op : best;
      else if (host.start[best] > time) best = op;
    }
    return best;
  };
  // A driver call inside the runtime call of the same correlation is the same call once more: it does nothing of its own.
  for (let i = 0; i < calls.length; i++) {
    const op = calls[i];
    if (isDriver(op) && find(ids[i], host.start[op]) !== op) api[op] = 0;
  }
  const keyOf = (correlation: number, time: number): number => {
    const op = find(correlation, time);
    if (op !== -1) return key[op];
    const id = linkId(correlation);
    if (byClock || id <= 0) return NaN;
    const near = calls[Math.max(0, lowerBoundBy(calls, host.start, time) - 1)];
    return near === undefined ? id : id + epochsBetween(key[near], id) * WRAP;
  };
  const keyAt = (time: number): number => {
    const last = calls[lowerBoundBy(calls, host.start, time + 1) - 1];
    return last === undefined ? -1 : key[last] + 0.5;
  };
  return { api, key, byClock, find, keyOf, keyAt };
}

/** Below 0 for an id from before the turn in which the first call lies. */
const epochsBetween = (running: number, id: number): number => (id < WRAP ? Math.round((running - id) / WRAP) : 0);

/** Fills in the keys. 32-bit ids begin again at 0 after 2^32: each is put into the turn that lies nearest to the ids before it. */
function unwrap(calls: Int32Array, ids: Float64Array, key: Float64Array): void {
  let running = ids.length > 0 ? ids[0] : 0;
  for (let i = 0; i < calls.length; i++) {
    const id = ids[i] + epochsBetween(running, ids[i]) * WRAP;
    key[calls[i]] = id;
    if (id > running) running = id;
  }
}

/**
 * One call in a hundred may fall behind (a glitch of a writer); more, and the ids give no order. Calls of one instant contradict
 * nothing: where times are whole µs there are many.
 */
function risesOnThreads({ threads, start }: HostIndex, key: Float64Array): boolean {
  let pairs = 0;
  let falls = 0;
  for (const { ops } of threads) {
    let last = -1;
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i];
      if (Number.isNaN(key[op])) continue;
      if (last !== -1) pairs++;
      if (last !== -1 && key[op] < key[last] && start[op] > start[last]) falls++;
      last = op;
    }
  }
  return falls <= pairs / 100;
}
