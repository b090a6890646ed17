import type { Graph } from './graph.ts';

interface Rows {
  readonly length: number;
  readonly [row: number]: number;
}

/** A graph without its measured times, as plain JSON: what must come before what, by how much, and where unheld moments lie. */
export interface ReplayInput {
  readonly moments: number;
  /** Moments that nothing holds, and when they came, in ns since the trace's origin. */
  readonly anchors: readonly (readonly [moment: number, timeNs: number])[];
  /** Parallel lists: `to` comes no earlier than `lagNs` after `from`. */
  readonly from: Rows;
  readonly to: Rows;
  readonly lagNs: Rows;
}

/** As arrays, so that `JSON.stringify` writes them as lists. */
export interface ExportedConstraints extends ReplayInput {
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly lagNs: readonly number[];
}

/** What a replay of the graph needs, without copying its columns. */
export function replayInput({ constraints, lag, time, binding }: Graph): ReplayInput {
  const anchors: [number, number][] = [];
  for (let moment = 0; moment < time.length; moment++) if (binding[moment] === -1) anchors.push([moment, time[moment]]);
  return { moments: time.length, anchors, from: constraints.from, to: constraints.to, lagNs: lag };
}

export function exportConstraints(graph: Graph): ExportedConstraints {
  const { from, to, lagNs, ...rest } = replayInput(graph);
  return { ...rest, from: listOf(from), to: listOf(to), lagNs: listOf(lagNs) };
}

const listOf = (rows: Rows): number[] => Array.from({ length: rows.length }, (_, row) => rows[row]);

/**
 * Computes every moment forward: the latest of its sources' times plus lags. NaN for a moment that neither an anchor nor a
 * constraint places, and for all on a cycle. O(moments + constraints).
 */
export function replay(input: ReplayInput): Float64Array {
  const { moments, from, to, lagNs } = input;
  const time = new Float64Array(moments).fill(-Infinity);
  for (const [moment, at] of input.anchors) time[moment] = at;
  const order = topologicalOrder(moments, from, to);
  const { first, out } = packBySource(moments, from);
  for (const moment of order) {
    for (let i = first[moment]; i < first[moment + 1]; i++) {
      const c = out[i];
      const arrival = time[moment] + lagNs[c];
      if (arrival > time[to[c]]) time[to[c]] = arrival;
    }
  }
  const placed = new Uint8Array(moments);
  for (const moment of order) placed[moment] = 1;
  for (let moment = 0; moment < moments; moment++) {
    if (placed[moment] === 0 || time[moment] === -Infinity) time[moment] = NaN;
  }
  return time;
}

/** The largest difference between replayed and measured moments in ns; Infinity where a moment could not be placed. */
export function replayError(replayed: Float64Array, measured: Float64Array): number {
  let worst = 0;
  for (let moment = 0; moment < measured.length; moment++) {
    const error = Math.abs(replayed[moment] - measured[moment]);
    if (Number.isNaN(error)) return Infinity;
    if (error > worst) worst = error;
  }
  return worst;
}

export function packBySource(moments: number, from: Rows): { first: Int32Array; out: Int32Array } {
  const first = new Int32Array(moments + 1);
  for (let c = 0; c < from.length; c++) first[from[c] + 1]++;
  for (let moment = 0; moment < moments; moment++) first[moment + 1] += first[moment];
  const next = first.slice();
  const out = new Int32Array(from.length);
  for (let c = 0; c < from.length; c++) out[next[from[c]]++] = c;
  return { first, out };
}

/** Moments in an order in which every constraint goes forward; those on a cycle, and behind one, are left out. */
export function topologicalOrder(moments: number, from: Rows, to: Rows): Int32Array {
  const { first, out } = packBySource(moments, from);
  const open = new Int32Array(moments);
  for (let c = 0; c < to.length; c++) open[to[c]]++;
  const order = new Int32Array(moments);
  let length = 0;
  for (let moment = 0; moment < moments; moment++) if (open[moment] === 0) order[length++] = moment;
  for (let at = 0; at < length; at++) {
    for (let i = first[order[at]]; i < first[order[at] + 1]; i++) {
      const held = to[out[i]];
      if (--open[held] === 0) order[length++] = held;
    }
  }
  return order.subarray(0, length);
}
