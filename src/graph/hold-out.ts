import { align } from './align.ts';
import { OWN } from './constraint-set.ts';
import { kindCode } from './constraints.ts';
import type { Graph } from './graph.ts';
import { type HeldStep, type HeldThread, holdSteps, isHeldByOthers } from './hold-out-steps.ts';
import type { WindowTerms } from './instants.ts';
import type { Window } from './windows.ts';

/** One step foretold from another of the same shape, as shares of what the other one took. */
export interface HoldOutPair {
  /** The step whose constraints and lags were used. */
  readonly from: string;
  /** The step that was foretold: from its device durations, its host's own time and its backlog. */
  readonly to: string;
  readonly forecastNs: number;
  readonly measuredNs: number;
  /** |forecast − measured| / measured. */
  readonly error: number;
  /** What doing nothing would score: the two steps' difference. */
  readonly null: number;
  /** Share of the forecast's path that was taken over from the other step's host: nothing was foretold there. */
  readonly copied: number;
  /** The error over the rest; absent where all of the path was copied. */
  readonly net?: number;
  /** The error where only device durations are taken from the other step. */
  readonly deviceOnlyError: number;
}

/** More steps of one shape than this are thinned out, evenly. */
export interface HoldOutOptions {
  readonly mostSteps?: number;
}

const HOST_ORDER = kindCode('host-order');
const OVERLAP = kindCode('overlap');
const LAUNCH = kindCode('launch');
/** Above this share there is nothing that a forecast could have got wrong. */
export const UNTESTED_SHARE = 0.95;

/** Foretells each step of a run from each other one of the same shape. */
export function holdOut(
  graph: Graph,
  windows: readonly Window[],
  terms: readonly WindowTerms[],
  { mostSteps = Infinity }: HoldOutOptions = {},
): HoldOutPair[] {
  const { steps, owners } = holdSteps(graph, windows, terms);
  const shapes = new Map<string, number[]>();
  steps.forEach(({ shape, window }, step) => {
    if (shape === '' || window.end <= window.start) return;
    shapes.set(shape, [...(shapes.get(shape) ?? []), step]);
  });
  const pairs: HoldOutPair[] = [];
  const cast = new Caster(graph, steps, owners);
  for (const alike of shapes.values()) {
    const taken = thinned(alike, mostSteps);
    for (const from of taken) for (const to of taken) if (from !== to) pairs.push(cast.pair(from, to));
  }
  return pairs;
}

/** At most so many of a list, evenly. */
export function thinned<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]);
}

/** What of another step goes into the forecast of one. */
interface Taken {
  /** By moment of the one step: the other's, or −1. */
  readonly match: Int32Array;
  readonly hostToo: boolean;
}

interface Outcome {
  readonly wallNs: number;
  readonly copiedNs: number;
}

class Caster {
  readonly #graph: Graph;
  readonly #steps: readonly HeldStep[];
  readonly #owners: Int32Array;
  /** Relative to the step's window. */
  readonly #time: Float64Array;
  readonly #lag: Float64Array;
  readonly #bound: Int32Array;
  /** By constraint: how much of the lag is host time of the other step, in ns. */
  readonly #copied: Float64Array;
  readonly #match: Int32Array;

  constructor(graph: Graph, steps: readonly HeldStep[], owners: Int32Array) {
    this.#graph = graph;
    this.#steps = steps;
    this.#owners = owners;
    this.#time = new Float64Array(graph.moments.count);
    this.#lag = graph.lag.slice();
    this.#bound = new Int32Array(graph.moments.count).fill(-1);
    this.#copied = new Float64Array(graph.lag.length);
    this.#match = new Int32Array(graph.moments.count).fill(-1);
  }

  pair(i: number, j: number): HoldOutPair {
    const [from, to] = [this.#steps[i], this.#steps[j]];
    const measuredNs = to.window.end - to.window.start;
    const aligned = this.#matchSteps(from, to);
    const full = this.#cast(i, to, aligned, true);
    const deviceOnly = this.#cast(i, to, aligned, false);
    for (const moment of from.moments) this.#match[moment] = -1;
    const error = Math.abs(full.wallNs - measuredNs) / measuredNs;
    const copied = full.wallNs > 0 ? full.copiedNs / full.wallNs : 0;
    return {
      from: from.label,
      to: to.label,
      forecastNs: full.wallNs,
      measuredNs,
      error,
      null: Math.abs(from.window.end - from.window.start - measuredNs) / measuredNs,
      copied,
      ...(copied < 1 ? { net: error / (1 - copied) } : {}),
      deviceOnlyError: Math.abs(deviceOnly.wallNs - measuredNs) / measuredNs,
    };
  }

  /** Ops of a lane by their order, host moments by their anchors. */
  #matchSteps(from: HeldStep, to: HeldStep): readonly (readonly [HeldThread, HeldThread, Int32Array])[] {
    const { moments } = this.#graph;
    for (const [lane, ops] of from.lanes) {
      const others = to.lanes.get(lane) ?? [];
      ops.forEach((op, n) => {
        this.#match[moments.startOfOp(op)] = moments.startOfOp(others[n]);
        this.#match[moments.endOfOp(op)] = moments.endOfOp(others[n]);
      });
    }
    const aligned: [HeldThread, HeldThread, Int32Array][] = [];
    for (const thread of from.threads) {
      const other = to.threads.find(({ track }) => track === thread.track);
      if (other === undefined) continue;
      const places = align(thread.labels, other.labels);
      aligned.push([thread, other, places]);
      places.forEach((place, n) => {
        if (place !== -1) {
          this.#match[thread.sequence[thread.anchors[n]]] = other.sequence[other.anchors[place]];
        }
      });
    }
    return aligned;
  }

  /** Replays step `i` alone with what is taken from another one, and undoes what that changed. */
  #cast(
    i: number,
    to: HeldStep,
    aligned: readonly (readonly [HeldThread, HeldThread, Int32Array])[],
    hostToo: boolean,
  ): Outcome {
    const step = this.#steps[i];
    const changed: number[] = [];
    this.#takeDurations(step, changed);
    if (hostToo) {
      for (const [thread, other, places] of aligned) this.#takeHostTime(thread, other, places, changed);
      this.#takeSlowLaunches(step, changed);
    }
    this.#replay(i, to, { match: this.#match, hostToo });
    const outcome = this.#outcome(i, to, hostToo);
    for (const c of changed) {
      this.#lag[c] = this.#graph.lag[c];
      this.#copied[c] = 0;
    }
    return outcome;
  }

  /** Where its own length bound an op's end, the other's length; where it outlasted the op before, by how much the other did. */
  #takeDurations(step: HeldStep, changed: number[]): void {
    const { constraints, moments, time, lag, binding } = this.#graph;
    for (const ops of step.lanes.values()) {
      for (const op of ops) {
        const end = moments.endOfOp(op);
        const other = this.#match[end];
        if (other === -1) continue;
        for (let c = constraints.first[end]; c < constraints.first[end + 1]; c++) {
          if (constraints.kind[c] === OWN && binding[end] === c) this.#lag[c] = time[other] - time[other - 1];
          else if (constraints.kind[c] === OVERLAP) this.#lag[c] = lag[this.#sameKind(other, c)] ?? lag[c];
          else continue;
          changed.push(c);
        }
      }
    }
  }

  /** The constraint of a moment that is of the same kind as another one's, or −1. */
  #sameKind(moment: number, like: number): number {
    const { constraints } = this.#graph;
    for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
      if (constraints.kind[c] === constraints.kind[like]) return c;
    }
    return -1;
  }

  /** Between anchors that are neighbours in both steps: the host's time there, never while it waited. */
  #takeHostTime(thread: HeldThread, other: HeldThread, places: Int32Array, changed: number[]): void {
    for (let n = 1; n < places.length; n++) {
      const place = places[n];
      if (place === -1 || places[n - 1] !== place - 1) continue;
      const [begin, end] = [thread.anchors[n - 1], thread.anchors[n]];
      if (isHeldByOthers(this.#graph, thread.sequence[end])) continue;
      const [otherBegin, otherEnd] = [other.anchors[place - 1], other.anchors[place]];
      if (isHeldByOthers(this.#graph, other.sequence[otherEnd])) continue;
      this.#stretch(thread, begin, end, other.elapsed[otherEnd] - other.elapsed[otherBegin], changed);
    }
  }

  /** What a launch took inside its call beyond the typical is the host's time too: a lock, an allocation. */
  #takeSlowLaunches(step: HeldStep, changed: number[]): void {
    const { constraints, moments } = this.#graph;
    for (const ops of step.lanes.values()) {
      for (const op of ops) {
        const start = moments.startOfOp(op);
        const other = this.#match[start];
        for (let c = constraints.first[start]; c < constraints.first[start + 1]; c++) {
          if (other === -1 || constraints.kind[c] !== LAUNCH) continue;
          const [own, others] = [this.#slowPart(start, c), this.#slowPart(other, this.#sameKind(other, c))];
          this.#lag[c] += others - own;
          this.#copied[c] = others;
          changed.push(c);
        }
      }
    }
  }

  /** Of the launch that bound an op's start. */
  #slowPart(start: number, launch: number): number {
    const { binding, constraints, moments, host, time, typical } = this.#graph;
    if (launch === -1 || binding[start] !== launch) return 0;
    const called = constraints.from[launch];
    const inCall = Math.min(host.end[moments.hostOp(called)], time[start]) - time[called];
    return Math.max(0, inCall - typical[launch]);
  }

  /** Gives the host's time between two places another length in all. */
  #stretch({ pieces, elapsed }: HeldThread, begin: number, end: number, lengthNs: number, changed: number[]): void {
    const own = elapsed[end] - elapsed[begin];
    let done = 0;
    for (let place = begin + 1; place <= end; place++) {
      const c = pieces[place];
      if (c === -1) continue;
      const upTo =
        place === end ? lengthNs : own > 0 ? Math.round(((elapsed[place] - elapsed[begin]) * lengthNs) / own) : 0;
      this.#lag[c] = upTo - done;
      this.#copied[c] = upTo - done;
      done = upTo;
      changed.push(c);
    }
  }

  #replay(i: number, to: HeldStep, taken: Taken): void {
    const { constraints } = this.#graph;
    for (const moment of this.#steps[i].moments) {
      let latest = -Infinity;
      let bound = -1;
      for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
        const source = constraints.from[c];
        const at =
          this.#owners[source] === i ? this.#time[source] + this.#lag[c] : this.#arrivalFromOutside(i, to, c, taken);
        if (at > latest) [latest, bound] = [at, c];
      }
      this.#time[moment] = bound === -1 ? this.#instantOf(i, to, moment, taken) : latest;
      this.#bound[moment] = bound;
    }
  }

  /** When a constraint from outside the step arrives: in the other step, where the same one is known there (its backlog). */
  #arrivalFromOutside(i: number, to: HeldStep, c: number, { match, hostToo }: Taken): number {
    const { constraints, time, lag } = this.#graph;
    const own = time[constraints.from[c]] - this.#steps[i].window.start + lag[c];
    const other = match[constraints.to[c]];
    if (!hostToo || other === -1) return own;
    const same = this.#sameKind(other, c);
    if (same === -1 || this.#owners[constraints.from[same]] === this.#owners[other]) return own;
    // How long the host took from before the step to its first moment is the host's time too.
    const delay = constraints.kind[c] === HOST_ORDER ? lag[same] : lag[c];
    return time[constraints.from[same]] - to.window.start + delay;
  }

  #instantOf(i: number, to: HeldStep, moment: number, { match, hostToo }: Taken): number {
    const { time } = this.#graph;
    const other = match[moment];
    if (hostToo && other !== -1) return time[other] - to.window.start;
    return time[moment] - this.#steps[i].window.start;
  }

  /** When the step is complete, and how much of the way there was the other step's host. */
  #outcome(i: number, to: HeldStep, hostToo: boolean): Outcome {
    const { terms } = this.#steps[i];
    let wallNs = 0;
    let last = -1;
    let tail = 0;
    let isTailCopied = false;
    for (const { moment, offset } of terms.end) {
      if (moment === -1 || this.#owners[moment] !== i) continue;
      const isBorder = this.#graph.moments.isHost(moment);
      const stretch = isBorder && hostToo ? this.#tailOf(to) : undefined;
      const at = this.#time[moment] + (stretch ?? offset);
      if (at < wallNs || (at === wallNs && last !== -1)) continue;
      [wallNs, last, tail] = [at, moment, at - this.#time[moment]];
      isTailCopied = stretch !== undefined;
    }
    if (last === -1) return { wallNs, copiedNs: 0 };
    return { wallNs, copiedNs: (isTailCopied ? Math.min(tail, wallNs) : 0) + this.#copiedUpTo(i, last, hostToo) };
  }

  /** How long after its thread's last moment a step's annotation ended. */
  #tailOf({ terms }: HeldStep): number | undefined {
    return terms.end.find(({ moment }) => moment !== -1 && this.#graph.moments.isHost(moment))?.offset;
  }

  #copiedUpTo(i: number, end: number, hostToo: boolean): number {
    if (!hostToo) return 0;
    const { constraints } = this.#graph;
    let copied = 0;
    let moment = end;
    for (;;) {
      const now = this.#time[moment];
      const c = this.#bound[moment];
      if (now <= 0 || c === -1) return copied;
      const source = constraints.from[c];
      const isInside = this.#owners[source] === i;
      const begin = isInside ? Math.max(0, this.#time[source]) : 0;
      const isHost = constraints.kind[c] === HOST_ORDER;
      if (isInside) copied += Math.min(this.#copied[c], now - begin);
      else if (isHost) copied += now - begin;
      if (!isInside) return copied;
      moment = source;
    }
  }
}

/** What a trace says about its forecasts. */
export interface HoldOutSummary {
  /**
   * `one-step`: no two steps are alike; `untested`: forecasts were copied by more than 95 % (median); `poor`: above 15 %, `fair`: above 5 %.
   */
  readonly verdict: 'good' | 'fair' | 'poor' | 'untested' | 'one-step';
  readonly pairs: number;
  /** Median over the pairs of max(error, null), of the step's time; absent without pairs. */
  readonly share?: number;
  readonly worst?: number;
  readonly error?: number;
  readonly null?: number;
  readonly copied?: number;
}

const WARN_SHARE = 0.05;
export const WITHHOLD_SHARE = 0.15;

export function summarizeHoldOut(pairs: readonly Pick<HoldOutPair, 'error' | 'null' | 'copied'>[]): HoldOutSummary {
  if (pairs.length === 0) return { verdict: 'one-step', pairs: 0 };
  const larger = pairs.map((pair) => Math.max(pair.error, pair.null));
  const share = medianOf(larger);
  const copied = medianOf(pairs.map((pair) => pair.copied));
  const verdict =
    share > WITHHOLD_SHARE ? 'poor' : copied > UNTESTED_SHARE ? 'untested' : share > WARN_SHARE ? 'fair' : 'good';
  return {
    verdict,
    pairs: pairs.length,
    share,
    worst: Math.max(...larger),
    error: medianOf(pairs.map((pair) => pair.error)),
    null: medianOf(pairs.map((pair) => pair.null)),
    copied,
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
