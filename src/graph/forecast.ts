import { lowerBound } from '../base/bisect.ts';
import { type Change } from './changes.ts';
import { type ChangedConstraints, changeConstraints } from './changed-lags.ts';
import type { Graph } from './graph.ts';
import { type WindowTerms, instantOf } from './instants.ts';
import { replay, replayInput } from './replay.ts';
import type { Window } from './windows.ts';

/** A graph whose moments came as they would after a change. */
export interface Forecast {
  readonly graph: Graph;
  readonly windows: readonly Window[];
  /** By kind and typical lag: constraints that bind now and did not before, so that their lag is assumed, not measured. */
  readonly wallNs: number;
}

/** Replays the changed constraints and binds every moment anew by what is tight. O(moments + constraints). */
export function forecast(
  graph: Graph,
  changes: readonly Change[],
  windows: readonly Window[],
  terms: readonly WindowTerms[],
): Forecast {
  return forecastFrom(graph, changeConstraints(graph, changes), windows, terms);
}

export function forecastFrom(
  graph: Graph,
  { from, lag }: ChangedConstraints,
  windows: readonly Window[],
  terms: readonly WindowTerms[],
): Forecast {
  const time = replay({ ...replayInput(graph), from, lagNs: lag });
  const constraints = { ...graph.constraints, from };
  const binding = tightest(graph, from, lag, time);
  const { host, device, moments } = graph;
  const changed: Graph = {
    ...graph,
    constraints,
    lag,
    time,
    binding,
    host: {
      ...host,
      start: Float64Array.from(host.start, (_, op) => time[2 * op]),
      end: Float64Array.from(host.end, (_, op) => time[2 * op + 1]),
    },
    device: {
      ...device,
      start: Float64Array.from(device.start, (_, op) => time[moments.startOfOp(op)]),
      end: Float64Array.from(device.end, (_, op) => time[moments.endOfOp(op)]),
    },
  };
  const moved = windows.map((window, i) => moveWindow(changed, window, terms[i]));
  const first = moved[0];
  const last = moved[moved.length - 1];
  return { graph: changed, windows: moved, wallNs: last.end - first.start };
}

/** By moment: of the constraints that allowed exactly its time, the one with the latest source; −1 where it has none. */
function tightest({ constraints }: Graph, from: Int32Array, lag: Float64Array, time: Float64Array): Int32Array {
  const binding = new Int32Array(time.length).fill(-1);
  for (let moment = 0; moment < time.length; moment++) {
    let best = -1;
    for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
      if (time[from[c]] + lag[c] !== time[moment]) continue;
      if (best === -1 || time[from[c]] > time[from[best]]) best = c;
    }
    binding[moment] = best;
  }
  return binding;
}

function moveWindow(changed: Graph, window: Window, { start, end }: WindowTerms): Window {
  const { time, moments } = changed;
  const from = instantOf(start, time);
  const to = Math.max(from, instantOf(end, time));
  let lastOp = -1;
  let deviceEnd = -Infinity;
  for (const { moment, offset } of end) {
    if (moment === -1 || moments.isHost(moment) || offset !== 0) continue;
    if (time[moment] < deviceEnd) continue;
    deviceEnd = time[moment];
    lastOp = moments.deviceOp(moment);
  }
  return { ...window, start: from, end: to, deviceEnd, lastOp: deviceEnd === to ? lastOp : -1 };
}

/** Maps instants of a thread after a change to those before it, by the moments around them. */
export function warpThread(
  sequence: Int32Array,
  after: Float64Array,
  before: Float64Array,
): (instant: number) => number {
  const times = Float64Array.from(sequence, (moment) => after[moment]);
  return (instant) => {
    const next = lowerBound(times, instant);
    if (next >= sequence.length) {
      const last = sequence[sequence.length - 1];
      return last === undefined ? instant : before[last] + (instant - after[last]);
    }
    if (next === 0) return before[sequence[0]] - (after[sequence[0]] - instant);
    const [left, right] = [sequence[next - 1], sequence[next]];
    const length = after[right] - after[left];
    const share = length === 0 ? 1 : (instant - after[left]) / length;
    return before[left] + share * (before[right] - before[left]);
  };
}
