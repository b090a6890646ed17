import { upperBound } from '../base/bisect.ts';
import type { Graph } from './graph.ts';

/** Which thread stood still for a thread at an instant, or −1. */
export function callersAt({ workers, host, time }: Graph): (thread: number, at: number) => number {
  const byWorker = new Map<number, { from: number[]; to: number[]; caller: number[] }>();
  const forks = [...workers.forks].sort((a, b) => time[a.callerBefore] - time[b.callerBefore]);
  for (const { callerBefore, workerFirst, workerLast, callerAfter } of forks) {
    const worker = host.thread[workerFirst >> 1];
    const spans = byWorker.get(worker) ?? { from: [], to: [], caller: [] };
    byWorker.set(worker, spans);
    // The whole gap of the caller: waking the worker, and being woken, is of its wait as well.
    spans.from.push(time[callerBefore]);
    spans.to.push(time[callerAfter === -1 ? workerLast : callerAfter]);
    spans.caller.push(host.thread[callerBefore >> 1]);
  }
  return (thread, at) => {
    const spans = byWorker.get(thread);
    if (spans === undefined) return -1;
    const found = upperBound(spans.from, at) - 1;
    return found === -1 || spans.to[found] < at ? -1 : spans.caller[found];
  };
}
