import { lowerBound } from '../base/bisect.ts';
import { Api } from './api-names.ts';
import { kindCode } from './constraints.ts';
import type { Graph } from './graph.ts';
import type { WindowTerms } from './instants.ts';
import type { Window } from './windows.ts';

/** A step cut out of its run: what its annotation holds, and what those calls launched. */
export interface HeldStep {
  readonly window: Window;
  readonly terms: WindowTerms;
  readonly label: string;
  /** Its moments, so that every constraint goes forward. */
  readonly moments: Int32Array;
  /** By lane, in the order in which the device began them. */
  readonly lanes: ReadonlyMap<string, readonly number[]>;
  readonly threads: readonly HeldThread[];
  /** Equal for steps that ran the same ops on each lane. */
  readonly shape: string;
}

/** The host's time on one thread of a step, cut at anchors: calls by which host and device meet, forks and joins. */
export interface HeldThread {
  /** Its row in `trace.tracks`. */
  readonly track: number;
  readonly sequence: readonly number[];
  /** By place in `sequence`: the stretch that leads there, as a constraint, or −1 where it begins outside. */
  readonly pieces: readonly number[];
  /** By place: host time from the first moment up to it, waits left out, in ns. */
  readonly elapsed: readonly number[];
  /** Places of anchors, ascending. */
  readonly anchors: readonly number[];
  /** By anchor: what it is; equal for anchors that can stand for each other. */
  readonly labels: readonly number[];
}

const HOST_ORDER = kindCode('host-order');
const THREAD = kindCode('thread');
/** Where host and device meet. A query does not hold anything up, and how many there are is chance. */
const ANCHOR =
  Api.launch |
  Api.copy |
  Api.fill |
  Api.record |
  Api.streamWait |
  Api.eventSync |
  Api.streamSync |
  Api.deviceSync |
  Api.graphLaunch;

/** By moment: the row in the list of steps that it belongs to, or −1. */
export type Owners = Int32Array;

/** Cuts out the windows that an annotation bounds, in order of time. O(moments + constraints). */
export function holdSteps(
  graph: Graph,
  windows: readonly Window[],
  terms: readonly WindowTerms[],
): { readonly steps: readonly HeldStep[]; readonly owners: Owners } {
  const { host, device, moments, order, trace } = graph;
  const chosen: { window: Window; terms: WindowTerms; start: number; end: number }[] = [];
  windows.forEach((window, i) => {
    if (window.bounds.kind !== 'annotation') return;
    const start = trace.events.start[window.bounds.event];
    chosen.push({ window, terms: terms[i], start, end: start + trace.events.dur[window.bounds.event] });
  });
  const stepOfOp = new Int32Array(host.length).fill(-1);
  chosen.forEach(({ start, end }, step) => {
    for (let op = lowerBound(host.start, start); op < host.length && host.start[op] < end; op++) stepOfOp[op] = step;
  });
  const owners = new Int32Array(moments.count).fill(-1);
  for (let op = 0; op < host.length; op++) owners[2 * op] = owners[2 * op + 1] = stepOfOp[op];
  for (let op = 0; op < device.length; op++) {
    const call = device.call[op];
    if (call !== -1) owners[moments.startOfOp(op)] = owners[moments.endOfOp(op)] = stepOfOp[call];
  }
  for (let moment = moments.host + 2 * device.length; moment < moments.count; moment++) {
    owners[moment] = owners[moments.endOfOp(moments.deviceOp(moment))];
  }
  const members = chosen.map((): number[] => []);
  for (let i = 0; i < order.length; i++) if (owners[order[i]] !== -1) members[owners[order[i]]].push(order[i]);
  const meets = forkMoments(graph);
  const steps = chosen.map((step, i): HeldStep => {
    const lanes = lanesOf(graph, owners, i);
    return {
      window: step.window,
      terms: step.terms,
      label: step.window.label,
      moments: Int32Array.from(members[i]),
      lanes,
      threads: host.threads.flatMap(({ track, sequence }) => heldThread(graph, track, sequence, owners, i, meets)),
      shape: shapeOf(graph, lanes),
    };
  });
  return { steps, owners };
}

/** Moments from which a worker starts, or its caller goes on. */
function forkMoments({ constraints, moments }: Graph): Uint8Array {
  const meets = new Uint8Array(moments.count);
  for (let c = 0; c < constraints.from.length; c++) if (constraints.kind[c] === THREAD) meets[constraints.from[c]] = 1;
  return meets;
}

function lanesOf({ device, moments }: Graph, owners: Owners, step: number): Map<string, readonly number[]> {
  const lanes = new Map<string, readonly number[]>();
  for (const { name, ops } of device.lanes) {
    const own = [...ops].filter((op) => owners[moments.startOfOp(op)] === step);
    if (own.length > 0) lanes.set(name, own);
  }
  return lanes;
}

function shapeOf({ trace, device }: Graph, lanes: ReadonlyMap<string, readonly number[]>): string {
  return [...lanes]
    .map(([name, ops]) => `${name}:${ops.map((op) => trace.events.name[device.event[op]]).join(',')}`)
    .sort()
    .join(';');
}

function heldThread(
  graph: Graph,
  track: number,
  all: Int32Array,
  owners: Owners,
  step: number,
  meets: Uint8Array,
): HeldThread[] {
  const { constraints, lag, calls, trace, host, launches, device } = graph;
  const sequence = [...all].filter((moment) => owners[moment] === step);
  if (sequence.length === 0) return [];
  const pieces: number[] = [];
  const elapsed: number[] = [];
  const anchors: number[] = [];
  const labels: number[] = [];
  let sum = 0;
  sequence.forEach((moment, place) => {
    let piece = -1;
    let holds = 0;
    for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
      if (constraints.kind[c] !== HOST_ORDER) holds++;
      else if (place > 0 && constraints.from[c] === sequence[place - 1]) piece = c;
    }
    pieces.push(piece);
    if (piece !== -1) sum += lag[piece];
    elapsed.push(sum);
    const op = moment >> 1;
    const isCall = (calls.api[op] & ANCHOR) !== 0;
    const isLast = place === sequence.length - 1;
    if (!isCall && holds === 0 && meets[moment] === 0 && place > 0 && !isLast) return;
    anchors.push(place);
    labels.push(isCall || holds > 0 ? labelOf(moment) : isLast ? -1 : moment & 1);
  });
  return [{ track, sequence, pieces, elapsed, anchors, labels }];

  /** What is called and, where that launches one op, what that is. */
  function labelOf(moment: number): number {
    const op = moment >> 1;
    const name = trace.events.name[host.event[op]];
    const first = launches.first[op];
    const launched = first < launches.first[op + 1] ? trace.events.name[device.event[launches.ops[first]]] + 1 : 0;
    return 2 * (launched * trace.strings.length + name) + (moment & 1) + 2;
  }
}

/** Does anything but its thread hold this moment? */
export function isHeldByOthers({ constraints }: Graph, moment: number): boolean {
  for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
    if (constraints.kind[c] !== HOST_ORDER) return true;
  }
  return false;
}
