import { lowerBoundBy } from '../base/bisect.ts';
import { RowKind, isCall } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import { apiLookup } from './api-names.ts';
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
  const api = new Int32Array(host.length);
  const ids = new Float64Array(host.length).fill(-1);
  const calls: number[] = [];
  for (let op = 0; op < host.length; op++) {
    const e = host.event[op];
    if (!isCall(categories[events.category[e]].kind)) continue;
    api[op] = apiOfName(events.name[e]);
    const id = linkId(events.correlation[e]);
    if (id <= 0) continue;
    ids[op] = id;
    calls.push(op);
  }
  const key = unwrap(calls, ids);
  const byClock = !risesOnThreads(host, key);
  if (byClock) for (const op of calls) key[op] = host.start[op];

  /** By id the latest call, and by call the one before it of the same id: ids repeat only where they wrap or calls nest. */
  const latest = new Map<number, number>();
  const earlier = new Int32Array(host.length).fill(-1);
  for (let i = 0; i < calls.length; i++) {
    const op = calls[i];
    earlier[op] = latest.get(ids[op]) ?? -1;
    latest.set(ids[op], op);
  }
  const isDriver = (op: number): boolean => categories[events.category[host.event[op]]].kind === RowKind.driver;
  const find = (correlation: number, time: number): number => {
    const id = linkId(correlation);
    let best = id > 0 ? (latest.get(id) ?? -1) : -1;
    for (let op = best === -1 ? -1 : earlier[best]; op !== -1; op = earlier[op]) {
      if (isDriver(op) !== isDriver(best)) best = isDriver(best) ? op : best;
      else if (host.start[best] > time) best = op;
    }
    return best;
  };
  // A driver call inside the runtime call of the same correlation is the same call once more: it does nothing of its own.
  for (let i = 0; i < calls.length; i++) {
    const op = calls[i];
    if (isDriver(op) && find(ids[op], host.start[op]) !== op) api[op] = 0;
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

/** 32-bit ids begin again at 0 after 2^32: each is put into the turn that lies nearest to the ids before it. */
function unwrap(calls: readonly number[], ids: Float64Array): Float64Array {
  const key = new Float64Array(ids.length).fill(NaN);
  let running = calls.length > 0 ? ids[calls[0]] : 0;
  for (const op of calls) {
    key[op] = ids[op] + epochsBetween(running, ids[op]) * WRAP;
    if (key[op] > running) running = key[op];
  }
  return key;
}

/**
 * One call in a hundred may fall behind (a glitch of a writer); more, and the ids give no order. Calls of one instant contradict
 * nothing: where times are whole µs there are many.
 */
function risesOnThreads(host: HostIndex, key: Float64Array): boolean {
  let pairs = 0;
  let falls = 0;
  for (const { ops } of host.threads) {
    let last = -1;
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i];
      if (Number.isNaN(key[op])) continue;
      if (last !== -1) pairs++;
      if (last !== -1 && key[op] < key[last] && host.start[op] > host.start[last]) falls++;
      last = op;
    }
  }
  return falls <= pairs / 100;
}
