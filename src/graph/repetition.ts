/**
 * Steps where no annotation marks them: rounds of the main thread that do the same again and again. A guess, and made only where
 *  1. some name occurs at least three times, and the stretches between its occurrences are alike: the names in each agree with those in
 *     the median one, as multisets, by `LEAST_ALIKE`; only the last may be cut short, and then it is left out;
 *  2. the rounds cover `LEAST_COVER` of the thread's time;
 *  3. each round has a sign of a step: an optimizer or a data loader, or else a call that waits for the device or launches a graph. Equal
 *     layers of one pass are alike too, but have none; and no module's call may span two rounds.
 * The rarest name is tried first: layers repeat within steps, not the other way round.
 */
import { lowerBound } from '../base/bisect.ts';
import { fitText } from '../base/format.ts';
import type { StringId } from '../trace/ids.ts';
import { RowKind } from '../trace/kinds.ts';
import { Phase, RowFlag } from '../trace/tables.ts';
import { Api } from './api-names.ts';
import type { Graph } from './graph.ts';
import { windowsOfSpans } from './span-windows.ts';
import { type Window, mainThread } from './windows.ts';

const LEAST_ROUNDS = 3;
const LEAST_ALIKE = 0.9;
const LEAST_COVER = 0.8;
/** Of the usual length: a last round that is longer holds more than a round. */
const LONGEST_LAST = 3;
/** Different numbers of occurrences, and names of each, that are tried. */
const TRIED_COUNTS = 24;
const TRIED_NAMES = 3;

export interface Repetition {
  readonly windows: readonly Window[];
  /** The name that each round begins with. */
  readonly anchor: string;
  /** How much the rounds have in common with the median one: the least of them, 0…1. */
  readonly alike: number;
  /** Of the main thread's time, 0…1. */
  readonly cover: number;
  /** `high`: an optimizer or a data loader marks each round; `medium`: a wait for the device or a graph launch does. */
  readonly confidence: 'high' | 'medium';
  /** The trace ends within a round more, which is left out. */
  readonly isCut: boolean;
}

export type FoundRepetition =
  | { readonly ok: true; readonly value: Repetition }
  | { readonly ok: false; readonly reason: string };

/** What the main thread did, outermost, in order of time. */
interface Tokens {
  readonly time: Float64Array;
  readonly name: Int32Array;
  readonly end: number;
}

interface Rounds {
  /** Starts of the rounds, and the end of the last. */
  readonly borders: readonly number[];
  readonly alike: number;
  readonly isCut: boolean;
}

/** O(n log n) plus O(n) for each name that is tried. */
export function findRepetition(graph: Graph): FoundRepetition {
  let reason = 'the trace has no host ops';
  for (const thread of threadsToTry(graph)) {
    const found = repetitionOn(graph, thread);
    if (found.ok) return found;
    reason = found.reason;
  }
  return { ok: false, reason };
}

/** The thread that starts the others' work, then the one with most launches: where backward passes have a thread of their own, they are two. */
function threadsToTry(graph: Graph): number[] {
  const { workers, host, moments } = graph;
  const callers = workers.forks.map(({ callerBefore }) => host.thread[moments.hostOp(callerBefore)]);
  const main = mainThread(graph);
  return main === -1 ? [] : [...new Set([...callers.slice(0, 1), main])];
}

function repetitionOn(graph: Graph, thread: number): FoundRepetition {
  const tokens = tokensOf(graph, thread);
  if (tokens.time.length < 2 * LEAST_ROUNDS) return { ok: false, reason: 'the main thread has too few ops' };
  const signs = signsOf(graph, thread);
  const modules = moduleSpans(graph, thread);
  let reason: string | undefined;
  for (const anchor of anchorsOf(tokens)) {
    const rounds = roundsOf(tokens, anchor);
    if (rounds === undefined) continue;
    const { borders, alike, isCut } = rounds;
    const [first, last] = [borders[0], borders[borders.length - 1]];
    const cover = (last - first) / Math.max(1, tokens.end - tokens.time[0]);
    const name = graph.trace.strings.text(anchor as StringId);
    if (cover < LEAST_COVER) {
      reason ??= `${fitText(name, 60)} comes back, but only in ${Math.round(cover * 100)} % of the main thread's time`;
      continue;
    }
    const confidence = confidenceOf(borders, signs);
    if (confidence === undefined || spansRounds(modules, borders)) {
      reason ??= `${fitText(name, 60)} comes back, but nothing says that its rounds are steps: they may be equal layers of one pass`;
      continue;
    }
    const spans = borders
      .slice(0, -1)
      .map((start, i) => ({ label: `round ${i}`, event: -1, start, end: borders[i + 1] }));
    const windows = windowsOfSpans(graph, thread, spans);
    return { ok: true, value: { windows, anchor: name, alike, cover, confidence, isCut } };
  }
  return { ok: false, reason: reason ?? 'nothing on the main thread comes back three times in a like manner' };
}

/** Top-level ops and calls, a launch by what it launched, and annotations. */
function tokensOf({ trace, host, launches, device }: Graph, thread: number): Tokens {
  const { events, categories } = trace;
  const { track, ops } = host.threads[thread];
  const time: number[] = [];
  const name: number[] = [];
  const row: number[] = [];
  const add = (start: number, called: number, e: number): void => {
    time.push(start);
    name.push(called);
    row.push(e);
  };
  let end = -Infinity;
  for (const op of ops) {
    if (host.parent[op] !== -1) continue;
    const launched = launches.first[op] < launches.first[op + 1] ? device.event[launches.ops[launches.first[op]]] : -1;
    add(host.start[op], events.name[launched === -1 ? host.event[op] : launched], host.event[op]);
    end = Math.max(end, host.end[op]);
  }
  for (let e = 0; e < events.length; e++) {
    if (events.track[e] !== track || categories[events.category[e]].kind !== RowKind.annotation) continue;
    if (events.phase[e] > Phase.begin || (events.flags[e] & RowFlag.noTiming) !== 0) continue;
    add(events.start[e], events.name[e], e);
  }
  const order = Int32Array.from(time, (_, i) => i).sort((i, j) => time[i] - time[j] || row[i] - row[j]);
  return { time: Float64Array.from(order, (i) => time[i]), name: Int32Array.from(order, (i) => name[i]), end };
}

/** Names worth a try: the rarest first, of equals the earliest. */
function anchorsOf({ name }: Tokens): number[] {
  const counts = new Map<number, number>();
  for (const each of name) counts.set(each, (counts.get(each) ?? 0) + 1);
  const byCount = new Map<number, number[]>();
  for (const [each, count] of counts) {
    if (count < LEAST_ROUNDS) continue;
    const names = byCount.get(count) ?? [];
    if (names.length < TRIED_NAMES) names.push(each);
    byCount.set(count, names);
  }
  return [...byCount]
    .sort(([a], [b]) => a - b)
    .slice(0, TRIED_COUNTS)
    .flatMap(([, names]) => names);
}

function roundsOf({ time, name, end }: Tokens, anchor: number): Rounds | undefined {
  const starts: number[] = [];
  for (let i = 0; i < name.length; i++) if (name[i] === anchor) starts.push(i);
  const bags = starts.map((from, i) => bagOf(name, from, starts[i + 1] ?? name.length));
  // The last stretch may hold what comes after the steps, or be cut: its size says nothing.
  const sizes = starts.slice(0, -1).map((from, i) => starts[i + 1] - from);
  const typical = sizes.toSorted((a, b) => a - b)[sizes.length >> 1];
  const median = bags[sizes.indexOf(typical)];
  const alike = bags.map((bag) => likeness(bag, median));
  const lengths = starts.map((i, round) => (starts[round + 1] === undefined ? end : time[starts[round + 1]]) - time[i]);
  const usual = lengths.slice(0, -1).toSorted((a, b) => a - b)[(lengths.length - 1) >> 1];
  // One more round, or one and what came after all of them.
  const isCut = alike[alike.length - 1] < LEAST_ALIKE || lengths[lengths.length - 1] > LONGEST_LAST * usual;
  const whole = isCut ? alike.slice(0, -1) : alike;
  const least = Math.min(...whole);
  if (whole.length < LEAST_ROUNDS || least < LEAST_ALIKE) return undefined;
  const borders = starts.map((i) => time[i]);
  return { borders: isCut ? borders : [...borders, end], alike: least, isCut };
}

interface Bag {
  readonly counts: ReadonlyMap<number, number>;
  readonly size: number;
}

function bagOf(name: Int32Array, from: number, to: number): Bag {
  const counts = new Map<number, number>();
  for (let i = from; i < to; i++) counts.set(name[i], (counts.get(name[i]) ?? 0) + 1);
  return { counts, size: to - from };
}

/** What two bags have in common, of the larger one. */
function likeness(a: Bag, b: Bag): number {
  let common = 0;
  for (const [name, count] of a.counts) common += Math.min(count, b.counts.get(name) ?? 0);
  return common / Math.max(a.size, b.size);
}

interface Signs {
  readonly strong: Float64Array;
  readonly weak: Float64Array;
}

const STRONG = /^Optimizer\.(step|zero_grad)|DataLoader/;
const WEAK = Api.eventSync | Api.streamSync | Api.deviceSync | Api.graphLaunch;

/** When the thread did what a step does once, ascending. */
function signsOf({ trace, host, calls }: Graph, thread: number): Signs {
  const { events, strings } = trace;
  const { track, ops } = host.threads[thread];
  const strong: number[] = [];
  const isStrong = new Map<number, boolean>();
  for (let e = 0; e < events.length; e++) {
    if (events.track[e] !== track) continue;
    const name = events.name[e];
    let known = isStrong.get(name);
    if (known === undefined) isStrong.set(name, (known = STRONG.test(strings.text(name))));
    if (known) strong.push(events.start[e]);
  }
  const weak = ops.filter((op) => (calls.api[op] & WEAK) !== 0);
  return { strong: Float64Array.from(strong), weak: Float64Array.from(weak, (op) => host.start[op]) };
}

function confidenceOf(borders: readonly number[], { strong, weak }: Signs): Repetition['confidence'] | undefined {
  const inEach = (times: Float64Array): boolean =>
    borders.slice(0, -1).every((start, i) => lowerBound(times, start) < lowerBound(times, borders[i + 1]));
  if (inEach(strong)) return 'high';
  return inEach(weak) ? 'medium' : undefined;
}

const MODULE = /^nn\.Module: /;

interface Spans {
  readonly start: readonly number[];
  readonly end: readonly number[];
}

/** Calls of modules on the thread. */
function moduleSpans({ trace, host }: Graph, thread: number): Spans {
  const { events, categories, strings } = trace;
  const { track } = host.threads[thread];
  const start: number[] = [];
  const end: number[] = [];
  for (let e = 0; e < events.length; e++) {
    if (events.track[e] !== track || categories[events.category[e]].kind !== RowKind.python) continue;
    if (!MODULE.test(strings.text(events.name[e]))) continue;
    start.push(events.start[e]);
    end.push(events.start[e] + events.dur[e]);
  }
  return { start, end };
}

/** Does any module's call hold the border between two rounds? */
const spansRounds = ({ start, end }: Spans, borders: readonly number[]): boolean =>
  start.some((from, i) => {
    const at = Math.max(1, lowerBound(borders, from + 1));
    return at < borders.length - 1 && borders[at] < end[i];
  });
