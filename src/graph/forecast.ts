import { lowerBound } from '../base/bisect.ts';
import { changeConstraints } from './changed-lags.ts';
import type { Change } from './changes.ts';
import type { Graph } from './graph.ts';
import { type Term, type WindowTerms, offsetAfter } from './instants.ts';
import { type ChangedConstraints, Replayer } from './replayer.ts';
import type { Window } from './windows.ts';

/** A graph whose moments came as they would after a change. */
export interface Forecast {
  /** `trace` is still what was measured; `ambiguous`, `inversions` and `coverage` are too. */
  readonly graph: Graph;
  readonly windows: readonly Window[];
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
  changed: ChangedConstraints,
  windows: readonly Window[],
  terms: readonly WindowTerms[],
): Forecast {
  const time = new Replayer(graph).run(changed);
  const after = graphAt(graph, changed, time);
  const moved: Window[] = [];
  windows.forEach((window, i) => {
    const next = moveWindow(graph, after, window, terms[i], changed);
    // Windows go on tiling the run, also where a step begins before the one before it is complete now.
    const start = moved.at(-1)?.end ?? next.start;
    moved.push({ ...next, start, end: Math.max(start, next.end) });
  });
  return { graph: after, windows: moved };
}

function graphAt(graph: Graph, { from, lag }: ChangedConstraints, time: Float64Array): Graph {
  const { host, device, moments } = graph;
  const hostTimes = time.subarray(0, moments.host);
  const deviceTimes = time.subarray(moments.host, moments.host + 2 * device.length);
  return {
    ...graph,
    constraints: graph.constraints.withSources(from),
    lag,
    time,
    binding: tightest(graph, from, lag, time),
    host: { ...host, start: everySecond(hostTimes, 0), end: everySecond(hostTimes, 1) },
    device: { ...device, start: everySecond(deviceTimes, 0), end: everySecond(deviceTimes, 1) },
  };
}

function everySecond(times: Float64Array, from: 0 | 1): Float64Array {
  const picked = new Float64Array(times.length >> 1);
  for (let i = 0; i < picked.length; i++) picked[i] = times[2 * i + from];
  return picked;
}

/**
 * By moment: of the constraints that allowed exactly its time, the one that bound before if it still does, else the one with the
 * latest source; −1 where it has none.
 */
function tightest(graph: Graph, from: Int32Array, lag: Float64Array, time: Float64Array): Int32Array {
  const { first } = graph.constraints;
  const binding = new Int32Array(time.length).fill(-1);
  for (let moment = 0; moment < time.length; moment++) {
    let best = -1;
    for (let c = first[moment]; c < first[moment + 1]; c++) {
      if (time[from[c]] + lag[c] !== time[moment]) continue;
      if (
        best === -1 ||
        c === graph.binding[moment] ||
        (best !== graph.binding[moment] && time[from[c]] > time[from[best]])
      ) {
        best = c;
      }
    }
    binding[moment] = best;
  }
  return binding;
}

/** The bounds of a window after lags and moments have changed. What is gone completes nothing. */
export function boundsAfter(
  graph: Graph,
  { start, end }: WindowTerms,
  { lag, gone }: Pick<ChangedConstraints, 'lag' | 'gone'>,
  time: Float64Array,
): { start: number; end: number } {
  const from = instantAfter(graph, start, graph.lag, lag, gone, time);
  return { start: from, end: Math.max(from, instantAfter(graph, end, graph.lag, lag, gone, time)) };
}

/** The latest of the terms that stay; where none does, of all. Without making lists: a window may have as many as there are ops. */
function instantAfter(
  { moments }: Graph,
  terms: readonly Term[],
  before: Float64Array,
  after: Float64Array,
  gone: Uint8Array | undefined,
  time: Float64Array,
): number {
  let ofAll = -Infinity;
  let ofStaying = -Infinity;
  for (let i = 0; i < terms.length; i++) {
    const { moment } = terms[i];
    const at = (moment === -1 ? 0 : time[moment]) + offsetAfter(terms[i], before, after);
    if (at > ofAll) ofAll = at;
    const stays = gone === undefined || moment === -1 || moments.isHost(moment) || gone[moments.deviceOp(moment)] === 0;
    if (stays && at > ofStaying) ofStaying = at;
  }
  return ofStaying === -Infinity ? ofAll : ofStaying;
}

function moveWindow(
  graph: Graph,
  after: Graph,
  window: Window,
  terms: WindowTerms,
  changed: ChangedConstraints,
): Window {
  const { time, moments } = after;
  const { start, end } = boundsAfter(graph, terms, changed, time);
  let lastOp = -1;
  let deviceEnd = -Infinity;
  for (const { moment } of terms.end) {
    if (moment === -1 || moments.isHost(moment) || time[moment] < deviceEnd) continue;
    if (changed.gone?.[moments.deviceOp(moment)] === 1) continue;
    deviceEnd = time[moment];
    lastOp = moments.deviceOp(moment);
  }
  return { ...window, start, end, deviceEnd, lastOp: deviceEnd === end ? lastOp : -1 };
}

/** Constraints by which a window's end leads back to its start, the last first. O(moments on the way). */
export function chainOf({ binding, constraints, host, moments, time }: Graph, window: Window): number[] {
  const { lastOp, thread, end, start } = window;
  let moment = -1;
  if (lastOp !== -1) moment = moments.endOfOp(lastOp);
  else if (thread !== -1) {
    const { sequence } = host.threads[thread];
    moment = sequence[lowerBound(timesOf(sequence, time), end + 1) - 1] ?? -1;
  }
  const chain: number[] = [];
  while (moment !== -1 && time[moment] > start && binding[moment] !== -1) {
    chain.push(binding[moment]);
    moment = constraints.from[binding[moment]];
  }
  return chain;
}

function timesOf(sequence: Int32Array, time: Float64Array): Float64Array {
  const times = new Float64Array(sequence.length);
  for (let i = 0; i < times.length; i++) times[i] = time[sequence[i]];
  return times;
}

/** Maps instants of a thread after a change to those before it, by the moments around them. */
export function warpThread(
  sequence: Int32Array,
  after: Float64Array,
  before: Float64Array,
): (instant: number) => number {
  const times = timesOf(sequence, after);
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
