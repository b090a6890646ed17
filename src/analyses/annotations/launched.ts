import type { AnnotatedWork } from '../../graph/annotated-work.ts';
import { clip, lengthOf, unionOf } from '../../graph/intervals.ts';
import { runsIn } from '../../graph/runs-in.ts';
import type { Scope } from '../scope.ts';
import type { LaunchedWork } from './result.ts';

/** Adds up what instances launched. One for all of an answer: it keeps a mark for each device op. */
export class LaunchedSums {
  readonly #scope: Scope;
  readonly #work: AnnotatedWork;
  readonly #path: Float64Array;
  readonly #mark: Int32Array;
  #turn = 0;

  /** `path`: time of the path by device op. */
  constructor(scope: Scope, work: AnnotatedWork, path: Float64Array) {
    this.#scope = scope;
    this.#work = work;
    this.#path = path;
    this.#mark = new Int32Array(scope.graph.device.length);
  }

  /** Of instances by their places; an op that several launched (one lies in the other) counts once. O(n log n) in their ops. */
  of(places: Iterable<number>): LaunchedWork & { readonly pathNs: number } {
    const { graph, start, end } = this.#scope;
    const { device } = graph;
    const { first, ops, byWorker } = this.#work;
    const byDevice = new Map<number, number[]>();
    const turn = ++this.#turn;
    const sums = { ops: 0, workerOps: 0, opTimeNs: 0, pathNs: 0 };
    for (const place of places) {
      for (let cell = first[place]; cell < first[place + 1]; cell++) {
        const op = ops[cell];
        if (this.#mark[op] === turn || !runsIn(device, op, start, end)) continue;
        this.#mark[op] = turn;
        sums.ops++;
        sums.workerOps += byWorker[cell];
        sums.opTimeNs += Math.min(device.end[op], end) - Math.max(device.start[op], start);
        sums.pathNs += this.#path[op];
        const of = device.lanes[device.lane[op]].device;
        const known = byDevice.get(of);
        if (known === undefined) byDevice.set(of, [op]);
        else known.push(op);
      }
    }
    const devices = [...byDevice]
      .sort(([a], [b]) => a - b)
      .map(([of, rows]) => ({
        device: of,
        busyNs: lengthOf(clip(unionOf(device.start, device.end, rows), start, end)),
      }));
    return { ...sums, devices };
  }
}
