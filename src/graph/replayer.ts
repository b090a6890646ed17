import { lagOf } from './binding.ts';
import type { Graph } from './graph.ts';
import { replayError } from './replay.ts';

/** The columns of a graph's constraints that a change may touch. A lag of −∞ is a constraint that is no more. */
export interface ChangedConstraints {
  readonly from: Int32Array;
  readonly lag: Float64Array;
  /** By device op: 1 where it is no more. What came before it still comes before what follows it. Absent: all are there. */
  readonly gone?: Uint8Array;
}

/**
 * Computes all moments of one graph again and again under changed lags: the order is found once, and the times are written into one
 * buffer. A changed source must be an ancestor of the old one, so that the order stays right.
 */
export class Replayer {
  /** By moment, of the last run. */
  readonly time: Float64Array;
  readonly #order: Int32Array;
  readonly #first: Int32Array;
  readonly #measured: Float64Array;

  constructor({ constraints, order, time }: Graph) {
    this.#order = order;
    this.#first = constraints.first;
    this.#measured = time;
    this.time = time.slice();
  }

  /** How far its own lags put a moment from where it was measured, at most, in ns; Infinity where constraints make a cycle. */
  errorOf(graph: Graph): number {
    if (this.#order.length < this.#measured.length) return Infinity;
    const { time } = this;
    const order = this.#order;
    const first = this.#first;
    const { from } = graph.constraints;
    // One lag after the other, since a column of them is large.
    for (let i = 0; i < order.length; i++) {
      const moment = order[i];
      let latest = -Infinity;
      for (let c = first[moment], end = first[moment + 1]; c < end; c++) {
        const arrival = time[from[c]] + lagOf(graph, moment, c);
        if (arrival > latest) latest = arrival;
      }
      time[moment] = latest === -Infinity ? this.#measured[moment] : latest;
    }
    return replayError(time, this.#measured);
  }

  /** O(moments + constraints). A moment that nothing holds comes as it was measured. */
  run({ from, lag }: Pick<ChangedConstraints, 'from' | 'lag'>): Float64Array {
    const { time } = this;
    const order = this.#order;
    const first = this.#first;
    for (let i = 0; i < order.length; i++) {
      const moment = order[i];
      let latest = -Infinity;
      for (let c = first[moment], end = first[moment + 1]; c < end; c++) {
        const arrival = time[from[c]] + lag[c];
        if (arrival > latest) latest = arrival;
      }
      time[moment] = latest === -Infinity ? this.#measured[moment] : latest;
    }
    return time;
  }
}
