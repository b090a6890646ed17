import { lowerBound, upperBound } from '../base/bisect.ts';
import { pick } from '../base/pick.ts';
import { kindCode } from './constraints.ts';
import type { Graph } from './graph.ts';
import { type LaunchTimes, launchTimes } from './steps.ts';
import { type Window, mainThread } from './windows.ts';

const HOST_ORDER = kindCode('host-order');

/**
 * A part of an instant that is no moment of its own: it comes `offset` ns after a moment. An instant is the latest of its terms. A
 * moment of −1 is the trace's origin.
 */
export interface Term {
  readonly moment: number;
  readonly offset: number;
  /** The constraint in whose stretch of a thread the offset lies, so that both shrink together; absent: none. */
  readonly piece?: number;
}

export interface WindowTerms {
  readonly start: readonly Term[];
  readonly end: readonly Term[];
}

export function instantOf(terms: readonly Term[], time: Float64Array): number {
  let latest = -Infinity;
  for (let i = 0; i < terms.length; i++) {
    const { moment, offset } = terms[i];
    latest = Math.max(latest, (moment === -1 ? 0 : time[moment]) + offset);
  }
  return latest;
}

/** A term's offset after lags have changed: it shrinks with the stretch of host time in which it lies. */
export function offsetAfter({ piece = -1, offset }: Term, before: Float64Array, after: Float64Array): number {
  if (piece === -1 || after[piece] >= before[piece]) return offset;
  return Math.round((offset * Math.max(0, after[piece])) / before[piece]);
}

/** Terms after lags have changed. */
export const termsAfter = (terms: readonly Term[], before: Float64Array, after: Float64Array): readonly Term[] =>
  terms.map((term) => ({ ...term, offset: offsetAfter(term, before, after) }));

/**
 * What the bounds of windows are made of, so that they can be found again when moments move: the ends of the device ops launched inside,
 * and the stretch between the thread's last moment and the annotation's own border. `undefined` for a `--range`, which is fixed.
 */
export function termsOfWindows(graph: Graph, windows: readonly Window[]): WindowTerms[] | undefined {
  const times = launchTimes(graph);
  const borders = new Borders(graph);
  const completions = new Map<number, readonly Term[]>();
  const found: WindowTerms[] = [];
  for (const { bounds, start, end: until } of windows) {
    switch (bounds.kind) {
      case 'range':
        return undefined;
      case 'whole':
        found.push({ start: [{ moment: -1, offset: start }], end: wholeEnd(graph) });
        break;
      case 'between':
        found.push({ start: completionOf(bounds.before), end: borders.of(bounds.event, 'start') });
        break;
      case 'annotation': {
        const from = bounds.before === -1 ? borders.of(bounds.event, 'start') : completionOf(bounds.before);
        const own = completionOf(bounds.event);
        // Work of earlier steps may end after this one's: a step is never complete before the one before it. Only then is that needed.
        const end = instantOf(own, graph.time) >= until ? own : [...own, ...from];
        completions.set(bounds.event, end);
        found.push({ start: from, end });
        break;
      }
    }
  }
  return found;

  function completionOf(event: number): readonly Term[] {
    let terms = completions.get(event);
    if (terms === undefined) {
      terms = [...borders.of(event, 'end'), ...deviceEnds(graph, times, event)];
      completions.set(event, terms);
    }
    return terms;
  }
}

function wholeEnd(graph: Graph): Term[] {
  const { device, moments, host } = graph;
  const thread = mainThread(graph);
  const terms: Term[] = Array.from(device.event, (_, op) => ({ moment: moments.endOfOp(op), offset: 0 }));
  if (thread !== -1) terms.push({ moment: host.threads[thread].sequence.at(-1) ?? -1, offset: 0 });
  return terms;
}

/** The starts and ends of annotations, each measured from the last moment of its thread up to it. */
class Borders {
  readonly #graph: Graph;
  /** By track: when the moments of its thread came. */
  readonly #times = new Map<number, Float64Array>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  of(event: number, side: 'start' | 'end'): Term[] {
    const { trace, host, time } = this.#graph;
    const { events } = trace;
    const at = events.start[event] + (side === 'end' ? events.dur[event] : 0);
    const thread = host.threads.find(({ track }) => track === events.track[event]);
    if (thread === undefined) return [{ moment: -1, offset: at }];
    let times = this.#times.get(thread.track);
    if (times === undefined) {
      times = pick(time, thread.sequence);
      this.#times.set(thread.track, times);
    }
    const last = upperBound(times, at) - 1;
    if (last < 0) return [{ moment: -1, offset: at }];
    const moment = thread.sequence[last];
    const next = thread.sequence[last + 1];
    const piece = next === undefined ? -1 : pieceBefore(this.#graph, next);
    return [{ moment, offset: at - time[moment], ...(piece === -1 ? {} : { piece }) }];
  }
}

/** The stretch of its thread that leads to a moment, as a constraint, or −1. */
function pieceBefore({ constraints }: Graph, moment: number): number {
  for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
    if (constraints.kind[c] === HOST_ORDER) return c;
  }
  return -1;
}

function deviceEnds({ trace, launches, moments }: Graph, times: LaunchTimes, event: number): Term[] {
  const { events } = trace;
  const end = events.start[event] + events.dur[event];
  const terms: Term[] = [];
  for (let i = lowerBound(times.start, events.start[event]); i < times.call.length && times.start[i] < end; i++) {
    const call = times.call[i];
    for (let j = launches.first[call]; j < launches.first[call + 1]; j++) {
      terms.push({ moment: moments.endOfOp(launches.ops[j]), offset: 0 });
    }
  }
  return terms;
}

/** The moments that bounds of windows are made of, and the constraints in whose stretches parts of them lie. */
export function partsOf(terms: readonly WindowTerms[]): { readonly moments: Int32Array; readonly pieces: Int32Array } {
  const moments: number[] = [];
  const pieces: number[] = [];
  for (const { start, end } of terms) {
    for (const term of [start, end].flat()) {
      if (term.moment !== -1) moments.push(term.moment);
      if (term.piece !== undefined) pieces.push(term.piece);
    }
  }
  return { moments: Int32Array.from(moments), pieces: Int32Array.from(pieces) };
}
