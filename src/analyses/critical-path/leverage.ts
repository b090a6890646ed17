import { isHeldByCall } from '../../graph/changed-lags.ts';
import { OWN } from '../../graph/constraint-set.ts';
import { kindCode } from '../../graph/constraints.ts';
import { boundsAfter } from '../../graph/forecast.ts';
import type { Graph } from '../../graph/graph.ts';
import { type WindowTerms, partsOf } from '../../graph/instants.ts';
import { type Labels, annotationLabels, pythonLabels } from '../../graph/labels.ts';
import { ScaledReplay } from '../../graph/scaled-replay.ts';
import type { Selector } from '../../graph/selectors.ts';
import { thinTerms } from '../../graph/thin-terms.ts';
import type { Window } from '../../graph/windows.ts';
import { openBetween } from '../../graph/workers.ts';
import type { StringId } from '../../trace/ids.ts';
import type { Leverage } from './result.ts';

/** What is left of a group's time, one replay each. */
export const LEVERAGE_FACTORS = [0.75, 0.5, 0.25, 0] as const;
const MOST_GROUPS = 50;

const HOST_ORDER = kindCode('host-order');
const LAUNCH = kindCode('launch');
const OVERLAP = kindCode('overlap');
const STEP = /^ProfilerStep\s*#/;

type By = Leverage['by'];
const SORTS: readonly By[] = ['kernel', 'op', 'python', 'annotation'];

/** The selector with which `what-if` asks for the same. */
export const selectorOf = ({ by, name }: Pick<Leverage, 'by' | 'name'>): Selector => ({
  by: by === 'python' || by === 'annotation' ? by : 'name',
  text: name,
  isPattern: false,
});

/**
 * What windows win where a group of ops takes less time, for the largest groups by kernel, op, Python line and annotation; what wins
 * most comes first. O(joints × groups): all factors of a group are replayed at once, over the contracted graph.
 */
export function computeLeverage(graph: Graph, windows: readonly Window[], terms: readonly WindowTerms[]): Leverage[] {
  const [first, last] = [windows[0], windows[windows.length - 1]];
  const groups = new Groups(graph).largest(first.start, last.end);
  const thin = thinTerms(graph, terms);
  const replay = new ScaledReplay(graph, LEVERAGE_FACTORS, partsOf(thin));
  const wall = last.end - first.start;
  const wins = replay.each(
    groups.map(({ rows }) => rows),
    (factor, lag, time) => {
      const bounds = thin.map((each) => boundsAfter(graph, each, { lag }, time));
      const end = bounds.reduce((latest, window) => Math.max(latest, window.end), -Infinity);
      return { factor, winNs: wall - (end - bounds[0].start) };
    },
  );
  return groups
    .map(({ by, name, timeNs, ops }, at): Leverage => ({ by, name, timeNs, ops, wins: wins[at] }))
    .sort(
      (a, b) =>
        b.wins[3].winNs - a.wins[3].winNs || b.wins[1].winNs - a.wins[1].winNs || b.timeNs - a.timeNs || compare(a, b),
    );
}

const compare = (a: Leverage, b: Leverage): number =>
  SORTS.indexOf(a.by) - SORTS.indexOf(b.by) || (a.name < b.name ? -1 : 1);

interface Group {
  readonly by: By;
  readonly name: string;
  /** Within the windows. */
  readonly timeNs: number;
  readonly ops: number;
  /** Constraints whose lags are its time, over the whole trace. */
  readonly rows: Int32Array;
}

/** Host and device time by what it is called, in one pass over the constraints. */
class Groups {
  readonly #graph: Graph;
  readonly #python: Labels;
  readonly #annotations: Labels;
  /** By host op: the names under which it runs; made when first asked for. */
  readonly #pythonOf: Int32Array;
  readonly #annotationsOf: (readonly number[] | undefined)[];

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#python = pythonLabels(graph.trace);
    this.#annotations = annotationLabels(graph.trace);
    this.#pythonOf = new Int32Array(graph.host.length).fill(-2);
    this.#annotationsOf = Array.from({ length: graph.host.length });
  }

  largest(start: number, end: number): Group[] {
    const { trace, constraints, lag, time } = this.#graph;
    const { strings } = trace;
    const totals = SORTS.map(() => new Float64Array(strings.length));
    const counts = SORTS.map(() => new Int32Array(strings.length));
    this.#eachRow((sort, name, c) => {
      const at = time[constraints.to[c]];
      if (at <= start || at > end || lag[c] <= 0 || this.#isTrigger(c) || constraints.kind[c] === LAUNCH) return;
      totals[sort][name] += lag[c];
      counts[sort][name]++;
    });
    const ranked: { sort: number; name: number; timeNs: number }[] = [];
    totals.forEach((ofName, sort) => {
      ofName.forEach((timeNs, name) => {
        const isStep = SORTS[sort] === 'annotation' && timeNs > 0 && STEP.test(strings.text(name as StringId));
        if (timeNs > 0 && !isStep) ranked.push({ sort, name, timeNs });
      });
    });
    ranked.sort((a, b) => b.timeNs - a.timeNs || a.sort - b.sort || a.name - b.name);
    const chosen = ranked.slice(0, MOST_GROUPS);
    return this.#withRows(chosen, counts);
  }

  #withRows(chosen: readonly { sort: number; name: number; timeNs: number }[], counts: readonly Int32Array[]): Group[] {
    const { strings } = this.#graph.trace;
    const placeOf = SORTS.map(() => new Int32Array(strings.length).fill(-1));
    chosen.forEach(({ sort, name }, place) => {
      placeOf[sort][name] = place;
    });
    const rows = chosen.map((): number[] => []);
    this.#eachRow((sort, name, c) => {
      const place = placeOf[sort][name];
      if (place !== -1) rows[place].push(c);
    });
    return chosen.map(({ sort, name, timeNs }, place) => ({
      by: SORTS[sort],
      name: strings.text(name as StringId),
      timeNs,
      ops: counts[sort][name],
      rows: Int32Array.from(rows[place]),
    }));
  }

  /** Every constraint whose lag is time of something, with each name that it goes by; a name at most once. */
  #eachRow(visit: (sort: number, name: number, constraint: number) => void): void {
    const { constraints, device, moments } = this.#graph;
    for (let c = 0; c < constraints.from.length; c++) {
      const from = constraints.from[c];
      if (constraints.kind[c] === HOST_ORDER) this.#visitPiece(c, from, visit);
    }
    for (let op = 0; op < device.length; op++) {
      const end = moments.endOfOp(op);
      for (let c = constraints.first[end]; c < constraints.first[end + 1]; c++) {
        if (constraints.kind[c] === OWN || constraints.kind[c] === OVERLAP) this.#visitOp(c, op, visit);
      }
    }
    for (let c = 0; c < constraints.from.length; c++) {
      if (this.#isTrigger(c)) this.#visitOp(c, moments.deviceOp(constraints.from[c]), visit);
      // Time of the call is counted by its pieces; this is scaled with it.
      if (isHeldByCall(this.#graph, c)) this.#visitCall(c, moments.hostOp(constraints.from[c]), visit);
    }
  }

  /** How far an op has come when the next may begin: scaled with it, but no time beside its own. */
  #isTrigger(c: number): boolean {
    const { constraints, moments } = this.#graph;
    return constraints.kind[c] === OVERLAP && moments.isStart(constraints.to[c]);
  }

  #visitOp(c: number, op: number, visit: (sort: number, name: number, constraint: number) => void): void {
    const { device, trace } = this.#graph;
    visit(0, trace.events.name[device.event[op]], c);
    const call = device.call[op];
    if (call === -1) return;
    const frame = this.#frameOf(call);
    if (frame !== -1) visit(2, frame, c);
    for (const label of this.#labelsOf(call)) visit(3, label, c);
  }

  #visitPiece(c: number, from: number, visit: (sort: number, name: number, constraint: number) => void): void {
    const { host, trace, time, constraints } = this.#graph;
    const { name } = trace.events;
    const open = openBetween(host, from);
    if (open === -1) {
      const { track } = host.threads[host.thread[from >> 1]];
      const middle = (time[from] + time[constraints.to[c]]) / 2;
      const frame = this.#python.innermostAt(track, middle);
      if (frame !== -1) visit(2, name[frame], c);
      for (const label of namesOf(this.#annotations.allAt(track, middle), name)) visit(3, label, c);
      return;
    }
    this.#visitCall(c, open, visit);
  }

  /** By a host op, and all that it runs in. */
  #visitCall(c: number, open: number, visit: (sort: number, name: number, constraint: number) => void): void {
    const { host, trace } = this.#graph;
    const { name } = trace.events;
    const seen: number[] = [];
    for (let op = open; op !== -1; op = host.parent[op]) {
      const called = name[host.event[op]];
      if (!seen.includes(called)) visit(1, called, c);
      seen.push(called);
    }
    const frame = this.#frameOf(open);
    if (frame !== -1) visit(2, frame, c);
    for (const label of this.#labelsOf(open)) visit(3, label, c);
  }

  /** The name of the innermost Python frame when a host op began, or −1. */
  #frameOf(op: number): number {
    if (this.#pythonOf[op] === -2) {
      const { host, trace } = this.#graph;
      const frame = this.#python.innermostAt(host.threads[host.thread[op]].track, host.start[op]);
      this.#pythonOf[op] = frame === -1 ? -1 : trace.events.name[frame];
    }
    return this.#pythonOf[op];
  }

  #labelsOf(op: number): readonly number[] {
    const { host, trace } = this.#graph;
    return (this.#annotationsOf[op] ??= namesOf(
      this.#annotations.allAt(host.threads[host.thread[op]].track, host.start[op]),
      trace.events.name,
    ));
  }
}

/** The names of events, each once. */
function namesOf(events: readonly number[], name: { readonly [event: number]: number }): readonly number[] {
  if (events.length === 0) return NONE;
  const names: number[] = [];
  for (const event of events) if (!names.includes(name[event])) names.push(name[event]);
  return names;
}

const NONE: readonly number[] = [];
