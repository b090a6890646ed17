import { Contraction } from './contraction.ts';
import { keptLag, scaleRows } from './changed-lags.ts';
import type { Graph } from './graph.ts';

/** How many factors are tried at once, of one group or of several. Their times lie side by side, since fetching them takes longer than adding up. */
const WIDTH = 4;

interface Wanted {
  readonly moments: Int32Array;
  readonly pieces: Int32Array;
}

/**
 * When some moments of a graph would come if the lags of some constraints were multiplied by each of some factors, asked again and again: over
 * the contracted graph, which has a fifth of the moments or less.
 */
export class ScaledReplay {
  readonly #factors: readonly number[];
  readonly #graph: Graph;
  readonly #contracted: Contraction;
  readonly #wanted: Int32Array;
  /** By constraint, 1: its lag will be looked at. */
  readonly #isWanted: Uint8Array;
  /** By joint, and by its constraint, what is tried at once side by side; and the latter as measured. */
  readonly #times: Float64Array;
  readonly #lags: Float64Array;
  readonly #measured: Float64Array;
  /** What a visit sees: by moment, and by constraint, right for those that are wanted. */
  readonly #time: Float64Array;
  readonly #lag: Float64Array;

  /** `factors`: four at most. `moments`, `pieces`: those whose times, and the constraints whose lags, will be looked at. */
  constructor(graph: Graph, factors: readonly number[], { moments, pieces }: Wanted) {
    this.#factors = factors;
    this.#graph = graph;
    this.#wanted = moments;
    this.#isWanted = new Uint8Array(graph.lag.length);
    for (let i = 0; i < pieces.length; i++) this.#isWanted[pieces[i]] = 1;
    this.#contracted = new Contraction(graph, moments);
    this.#time = graph.time.slice();
    this.#lag = graph.lag.slice();
    this.#times = sideBySide(this.#contracted.measured);
    this.#measured = sideBySide(this.#contracted.lag);
    this.#lags = this.#measured.slice();
  }

  /**
   * `groups`: constraints, each once a group. By group and factor what a visit makes of the lags and the moments that are wanted under it; both
   * are valid until it returns. O(contracted constraints × groups + rows).
   */
  each<T>(groups: readonly Int32Array[], visit: (factor: number, lag: Float64Array, time: Float64Array) => T): T[][] {
    const factors = this.#factors;
    const atOnce = Math.floor(WIDTH / factors.length);
    const answers: T[][] = [];
    for (let next = 0; next < groups.length; next += atOnce) {
      this.#lags.set(this.#measured);
      const wanted = groups.slice(next, next + atOnce).map((rows, turn) => this.#shorten(rows, turn * factors.length));
      this.#run();
      wanted.forEach((pieces, turn) => {
        answers.push(
          factors.map((factor, at) => {
            this.#look(pieces, factor, turn * factors.length + at);
            return visit(factor, this.#lag, this.#time);
          }),
        );
        for (let i = 0; i < pieces.length; i++) this.#lag[pieces[i]] = this.#graph.lag[pieces[i]];
      });
    }
    return answers;
  }

  /**
   * Makes the lags what the factors make of the rows, at `place` and behind; gives the rows that are wanted. Times are whole ns, so that sums
   * are exact.
   */
  #shorten(rows: Int32Array, place: number): Int32Array {
    const { lag } = this.#graph;
    const { rowOf } = this.#contracted;
    const factors = this.#factors;
    const wanted: number[] = [];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (this.#isWanted[row] === 1) wanted.push(row);
      const length = lag[row] - keptLag(this.#graph, row);
      if (!(length > 0) || rowOf[row] === -1) continue;
      const at = WIDTH * rowOf[row] + place;
      for (let k = 0; k < factors.length; k++) this.#lags[at + k] += Math.round(length * factors[k]) - length;
    }
    return Int32Array.from(wanted);
  }

  /** Fills in what a visit sees of a place. */
  #look(pieces: Int32Array, factor: number, place: number): void {
    const { jointOf } = this.#contracted;
    const { lag } = this.#graph;
    for (let i = 0; i < this.#wanted.length; i++) {
      const joint = jointOf[this.#wanted[i]];
      if (joint !== -1) this.#time[this.#wanted[i]] = this.#times[WIDTH * joint + place];
    }
    for (let i = 0; i < pieces.length; i++) this.#lag[pieces[i]] = lag[pieces[i]];
    scaleRows(this.#graph, pieces, factor, this.#lag);
  }

  #run(): void {
    const { first, from, measured } = this.#contracted;
    const times = this.#times;
    const lags = this.#lags;
    for (let joint = 0; joint < measured.length; joint++) {
      const end = first[joint + 1];
      if (first[joint] === end) continue;
      let at0 = -Infinity;
      let at1 = -Infinity;
      let at2 = -Infinity;
      let at3 = -Infinity;
      for (let row = first[joint]; row < end; row++) {
        const source = WIDTH * from[row];
        const at = WIDTH * row;
        if (times[source] + lags[at] > at0) at0 = times[source] + lags[at];
        if (times[source + 1] + lags[at + 1] > at1) at1 = times[source + 1] + lags[at + 1];
        if (times[source + 2] + lags[at + 2] > at2) at2 = times[source + 2] + lags[at + 2];
        if (times[source + 3] + lags[at + 3] > at3) at3 = times[source + 3] + lags[at + 3];
      }
      const to = WIDTH * joint;
      times[to] = at0;
      times[to + 1] = at1;
      times[to + 2] = at2;
      times[to + 3] = at3;
    }
  }
}

function sideBySide(values: Float64Array): Float64Array {
  const all = new Float64Array(WIDTH * values.length);
  for (let i = 0; i < values.length; i++) {
    const at = WIDTH * i;
    all[at] = all[at + 1] = all[at + 2] = all[at + 3] = values[i];
  }
  return all;
}
