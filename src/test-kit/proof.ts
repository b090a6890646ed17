// Compares the graph that is rebuilt from a simulated trace with the truth of the simulation.
//
// (a) What a device op's start and a call's end come after, as sets of (kind, source). What the trace tells must be there, and nothing
//     else but guesses; in a trace that tells everything not even guessed stream waits.
// (b) An edge that is `resolved` has its record, source and sink from the truth, and the trace tells them.
// (c) The constraint that bound each moment is the true one, or ties with it at the trace's resolution, or is `ambiguous` where
//     latencies vary or are not those that the graph assumes.
// (d) The path is the true one from the window's end up to where (c) lets them part, and its segments say so; they partition the window.
// (e) The parts of each device's time sum to the wall time, and the causes of its idle time to that.
//
// Equal are, beside what is equal:
// 1. Streams are in order: of several sources on one stream only the last counts, and a wait for one's own stream says nothing.
// 2. `stream-order`, `overlap` and `graph` between two ops of one stream are one kind, `order`: of a kernel that may overlap the one
//    before it but did not, the trace cannot tell that it might have. What binds it is not compared.
// 3. The leaves of a graph launch are one source, its end. Nodes themselves are not compared: their order is `heuristic:graph-order`; nor
//    what comes after a launch over several streams, since no row says into which of them it was launched.
// 4. A device op whose row was lost stands for what it came after on its stream. Where its launch shows that a row is missing, no edge
//    through it may be resolved.
// 5. What was over when a call began does not bind the call's end (rule 3 of the specification).
import { resultOf, subjectOn } from './answers.ts';
import { brokenPath } from './checks.ts';
import { brokenClosing } from './closing.ts';
import { brokenLaunches } from './closing-launches.ts';
import { readJson } from './draw.ts';
import { computeCriticalPath } from '../analyses/critical-path/compute.ts';
import { OWN } from '../graph/constraint-set.ts';
import { CONSTRAINT_KINDS } from '../graph/constraints.ts';
import { momentOfSource, momentsOfSink } from '../graph/dependencies.ts';
import { type Graph, buildGraph } from '../graph/graph.ts';
import type { Edge } from '../graph/sync-edges.ts';
import { kinetoTrace } from '../sim/kineto.ts';
import type { KinetoOptions } from '../sim/kineto-options.ts';
import type { Job } from '../sim/program.ts';
import { JobRun } from '../sim/run.ts';
import { ItemKind, type RankTruth, TRUE_KINDS, timeOf } from '../sim/truth.ts';
import { type ProofCounts, count } from './proof-counts.ts';
import { comparePaths } from './proof-path.ts';
import { Sight } from './proof-sight.ts';
import { type Cause, ToldTruth, nameOf, proofKind, withoutDominated } from './proof-truth.ts';

export interface ProofCase {
  readonly job: Job;
  readonly kineto: KinetoOptions;
  /** The machine's latencies are the ones that the graph assumes without cases of its own, and do not vary. */
  readonly isExact: boolean;
}

/** What is wrong with the graphs of a job's traces, in words; empty where all is proven. */
export function prove({ job, kineto, isExact }: ProofCase, counts: ProofCounts): string[] {
  const run = new JobRun(job);
  const faults: string[] = [];
  for (let rank = 0; rank < run.rankCount; rank++) {
    const truth = run.truthOf(rank);
    const { plan, chunks } = kinetoTrace(job, truth, kineto);
    const trace = readJson([...chunks].join(''));
    if (trace.events.length === 0) continue;
    const graph = buildGraph(trace);
    const sight = new Sight(truth, plan, graph);
    const proof = new Proof(sight, new ToldTruth(sight, job, kineto), job, kineto, isExact, counts);
    faults.push(...proof.run().map((fault) => (run.rankCount > 1 ? `rank ${rank}: ${fault}` : fault)));
  }
  return faults;
}

type GraphCause = Cause & { readonly status: 'told' | 'guessed'; readonly row: number };

/** What a moment's binding was found to be. */
export type Verdict = 'same' | 'tied' | 'ambiguous' | 'untold' | 'wrong';

export class Proof {
  readonly sight: Sight;
  readonly told: ToldTruth;
  readonly counts: ProofCounts;
  readonly #graph: Graph;
  readonly #truth: RankTruth;
  readonly #isExact: boolean;
  readonly #tolerance: number;
  readonly #correlationBase: number;
  /** By constraint of the graph: 1 where only guesses made it. */
  readonly #guessed: Uint8Array;
  readonly #faults: string[] = [];

  constructor(sight: Sight, told: ToldTruth, job: Job, kineto: KinetoOptions, isExact: boolean, counts: ProofCounts) {
    this.sight = sight;
    this.told = told;
    this.counts = counts;
    this.#graph = sight.graph;
    this.#truth = sight.truth;
    this.#isExact = isExact;
    this.#correlationBase = kineto.correlationBase;
    // Starts and ends are cut to the trace's resolution; a clock that drifts rounds them.
    const drifts = (job.ranks[sight.truth.rank].clock?.driftPpm ?? 0) !== 0;
    this.#tolerance = kineto.resolution === 'us' ? 2_000 : drifts ? 4 : 0;
    this.#guessed = guessedConstraints(sight.graph);
  }

  run(): string[] {
    const { device, host, moments, graphLaunches } = this.#graph;
    for (const edge of this.#graph.edges) {
      count(this.counts.statuses, edge.status);
      if (edge.status === 'resolved') this.#checkEdge(edge);
    }
    for (let op = 0; op < device.length; op++) {
      if (graphLaunches.of[op] !== -1 || this.sight.launchOf[this.sight.itemOfDeviceOp(op)] !== -1) continue;
      this.counts.starts++;
      this.#compare(moments.startOfOp(op));
    }
    for (let op = 0; op < host.length; op++) {
      const { constraints } = this.#graph;
      const end = 2 * op + 1;
      if (this.#truth.items.kind[this.sight.itemOfHostOp(op)] === ItemKind.call) {
        this.counts.ends++;
        this.#compare(end);
      }
      if (constraints.first[2 * op + 1] > constraints.first[2 * op]) this.#checkBinding(2 * op);
      for (const moment of [2 * op, end]) this.#checkThreads(moment);
    }
    this.#faults.push(...comparePaths(this, this.#graph));
    const subject = subjectOn(this.#graph);
    const outcome = computeCriticalPath(subject, { window: { kind: 'default' }, exact: false });
    if (outcome.status === 'ok') this.#faults.push(...brokenPath(resultOf(outcome)));
    this.#faults.push(...brokenClosing(subject, { window: { kind: 'default' } }));
    this.#faults.push(...brokenLaunches(subject, { window: { kind: 'default' } }));
    return this.#faults;
  }

  /** A worker that the graph found was given its work, and awaited, just then; where calls of no length tie, next to it. */
  #checkThreads(moment: number): void {
    if (this.#tolerance >= 1_000) return;
    const at = this.sight.trueMoment(moment);
    for (const cause of this.#graphCauses(moment)) {
      if (cause.kind !== 'thread') continue;
      count(this.counts.kinds, 'thread');
      const truth = this.told.causesOf(at).filter(({ kind }) => kind === 'thread');
      if (!truth.some(({ source }) => source === cause.source) && !this.#comesOutOfCapture(at)) {
        this.fail(at, `${nameOf(cause)} is not true`);
      }
    }
  }

  /** Was what handed over the work, or did the last of it, before the capture began, or after it ended? */
  #comesOutOfCapture(at: number): boolean {
    const { first, count: length, from } = this.#truth.constraints;
    for (let row = first[at]; row < first[at] + length[at]; row++) {
      if (from[row] !== -1 && !this.sight.isWritten(from[row] >> 1)) return true;
    }
    return false;
  }

  fail(moment: number, what: string): void {
    this.#faults.push(`${this.describe(moment)}: ${what}`);
  }

  /** A moment of the truth, for people. */
  describe(moment: number): string {
    const { items, names } = this.#truth;
    const item = moment >> 1;
    if (item < 0) return 'no moment';
    return `${(moment & 1) === 1 ? 'end' : 'start'} of ${this.sight.trueSource(2 * item + 1)} ${names[items.name[item]]} (#${items.correlation[item]}, ${timeOf(this.#truth, moment)})`;
  }

  /** (b) An edge that is called resolved is a true dependency with exactly that record and source. */
  #checkEdge(edge: Edge): void {
    const { sight } = this;
    const { moments } = this.#graph;
    const { syncs } = this.#truth;
    if (edge.source === undefined) {
      this.#faults.push(`a resolved edge of wait ${edge.wait} without a source`);
      return;
    }
    const to = edge.sinkCall === -1 ? moments.startOfOp(edge.sinkOp) : 2 * edge.sinkCall + 1;
    const at = sight.trueMoment(to);
    const name = sight.source(momentOfSource(moments, edge.source));
    const wrong = (what: string): void =>
      this.fail(at, `resolved ${edge.kind} of wait ${edge.wait}, record ${edge.record}, source ${name}: ${what}`);
    const call = edge.sinkCall === -1 ? this.#callOfWait(edge.wait) : sight.itemOfHostOp(edge.sinkCall);
    const sync = call === -1 ? -1 : this.told.syncOfCall(call);
    if (sync === -1 || syncs[sync].kind !== edge.kind) {
      wrong('the truth has no such wait');
      return;
    }
    if (!this.told.mayBeResolved(sync)) wrong('the trace does not tell');
    const sources = this.told.sourcesOf(sync).filter(({ standsIn }) => standsIn !== true);
    const place = sight.placeOf(sight.trueMoment(momentOfSource(moments, edge.source)) >> 1);
    // What came through waits of another stream may be behind what came through another wait, or behind that stream's own last op.
    const isOwn = edge.kind !== 'device-sync' && edge.source.via === -1;
    const isTrue = sources.some((cause) => (isOwn ? cause.source === name : covers(cause, name, place)));
    if (!isTrue) wrong(`the truth has ${sources.map(nameOf).join(', ') || 'none'}`);
    if (edge.record > 0 && this.#idOf(syncs[sync].record) !== edge.record) {
      wrong(`its record is ${this.#idOf(syncs[sync].record)}`);
    }
    if (edge.sinkOp !== -1 && !this.told.isSinkOf(sync, at >> 1)) wrong(`it holds ${syncs[sync].sinks.join()}`);
  }

  #callOfWait(id: number): number {
    const { calls } = this.#graph;
    const op = calls.find(id, Infinity);
    return op === -1 ? -1 : this.sight.itemOfHostOp(op);
  }

  /** The correlation that the trace shows of a call. */
  #idOf(call: number): number {
    if (call === -1) return -1;
    const id = this.#truth.items.correlation[call] + this.#correlationBase;
    return id < 2 ** 32 ? id : id - 2 ** 32 + 1;
  }

  /** (a) and (c) for one moment of the graph. */
  #compare(moment: number): void {
    const { sight } = this;
    const at = sight.trueMoment(moment);
    if (at < 0) {
      this.#faults.push(`a moment of the graph that the truth does not have`);
      return;
    }
    const truth = this.told.causesOf(at).filter(isCompared);
    const all = this.#graphCauses(moment);
    const found = withoutDominated(all.filter(isCompared), sight.placeOf(at >> 1).lane);
    const trueNames = new Set(truth.map(nameOf));
    const foundNames = new Set(all.map(nameOf));
    let isTold = true;
    for (const cause of truth) {
      if (!cause.isTold) isTold = false;
      else if (foundNames.has(nameOf(cause))) count(this.counts.kinds, cause.kind);
      else {
        this.fail(at, `${nameOf(cause)} is missing; the graph has ${[...foundNames].join(', ')}`);
      }
    }
    if (isTold) this.counts.told++;
    for (const cause of found) {
      if (trueNames.has(nameOf(cause))) continue;
      if (cause.status === 'guessed' && !(this.told.isWhole && !this.told.mayRace && cause.kind === 'stream-wait')) {
        continue;
      }
      const isCovered = truth.some((other) => other.kind === cause.kind && covers(other, cause.source, cause));
      // What held the first nodes of a launch may be taken to hold what follows, where just their rows were lost.
      const isBehindLoss =
        cause.kind === 'stream-wait' &&
        truth.some((other) => other.kind === 'order' && this.told.lostNodes(other.item));
      if (!isCovered && !isBehindLoss && !(cause.kind === 'order' && this.told.mayTie)) {
        this.fail(at, `${nameOf(cause)} is not true; the truth has ${[...trueNames].join(', ')}`);
      }
    }
    this.#checkBinding(moment);
  }

  #graphCauses(moment: number): GraphCause[] {
    const { constraints } = this.#graph;
    const causes: GraphCause[] = [];
    for (let row = constraints.first[moment]; row < constraints.first[moment + 1]; row++) {
      causes.push(this.#graphCause(row));
    }
    return causes;
  }

  #graphCause(row: number): GraphCause {
    const { constraints } = this.#graph;
    const from = constraints.from[row];
    const code = constraints.kind[row];
    const name = code === OWN ? 'own' : CONSTRAINT_KINDS[code];
    const kind = name === 'inferred-wait' ? 'stream-wait' : proofKind(name);
    const item = this.sight.trueMoment(from) >> 1;
    // An overlap holds the start of what it overlaps; as an order it stands for its end.
    const source = name === 'overlap' ? this.sight.trueSource(2 * item + 1) : this.sight.source(from);
    return {
      kind,
      source,
      ...this.sight.placeOf(item),
      isTold: true,
      status:
        this.#guessed[row] === 1 || name === 'thread' || name === 'inferred-wait' || name === 'graph'
          ? 'guessed'
          : 'told',
      row,
    };
  }

  #checkBinding(moment: number): void {
    const verdict = this.verdictOf(moment);
    if (verdict === undefined) return;
    const { counts } = this;
    counts.bindings++;
    if (verdict === 'same') counts.sameBinding++;
    else if (verdict === 'tied') counts.tied++;
    else if (verdict === 'ambiguous') counts.ambiguous++;
    else if (verdict === 'untold') counts.untold++;
    else {
      const at = this.sight.trueMoment(moment);
      const { binding, from, kind } = this.#truth.constraints;
      const bound = binding[at];
      this.fail(
        at,
        `bound by ${nameOf(this.#graphCause(this.#graph.binding[moment]))}; in truth by ${bound === -1 ? 'nothing' : `${TRUE_KINDS[kind[bound]]} < ${this.sight.trueSource(from[bound])}`}`,
      );
    }
  }

  /** (c) Does the graph name what bound a moment? Undefined where neither side has anything. */
  verdictOf(moment: number): Verdict | undefined {
    const { constraints: truth } = this.#truth;
    const at = this.sight.trueMoment(moment);
    const bound = this.#graph.binding[moment];
    const truly = truth.binding[at];
    if (truly === -1 && bound === -1) return undefined;
    // Whatever the graph should have had is missing, which is a fault of its own.
    if (bound === -1) return 'untold';
    const chosen = this.#graphCause(bound);
    if (chosen.status === 'guessed') {
      return truly !== -1 && nameOf(chosen) === this.#trueName(truly) ? 'same' : 'untold';
    }
    if (truly === -1 || truth.from[truly] === -1 || !this.sight.isWritten(truth.from[truly] >> 1)) return 'untold';
    const right = this.#trueName(truly);
    if (right === nameOf(chosen)) return 'same';
    const arrival = this.#trueArrival(at, nameOf(chosen));
    if (timeOf(this.#truth, at) - arrival <= this.#tolerance) return 'tied';
    const causes = this.#graphCauses(moment);
    if (!causes.some((cause) => nameOf(cause) === right) || this.sight.isSpread(truth.from[truly] >> 1)) {
      return 'untold';
    }
    // Rule 3: what was over when a call began does not bind its end.
    if (
      this.#graph.moments.isHost(moment) &&
      (at & 1) === 1 &&
      timeOf(this.#truth, truth.from[truly]) <= timeOf(this.#truth, at - 1)
    ) {
      return 'untold';
    }
    // Of a kernel that might have overlapped the one before it.
    if (chosen.kind === 'order' && this.#mayOverlap(at)) return 'untold';
    return this.#graph.ambiguous[moment] === 1 && !this.#isExact ? 'ambiguous' : 'wrong';
  }

  #mayOverlap(at: number): boolean {
    const action = this.#truth.actions[at >> 1];
    return this.sight.launchOf[at >> 1] !== -1 || (action?.kind === 'launch' && action.dependent !== undefined);
  }

  #trueName(row: number): string {
    const { constraints } = this.#truth;
    const kind = proofKind(TRUE_KINDS[constraints.kind[row]]);
    const from = constraints.from[row];
    if (!this.sight.isDevice(from >> 1) || kind === 'queue-full' || kind === 'own') {
      return nameOf({ kind, source: this.sight.trueSource(from) });
    }
    return nameOf({ kind, source: this.sight.trueSource(from | 1) });
  }

  /** When the truth allows a moment by one of its causes; −Infinity where it has no such cause. */
  #trueArrival(at: number, name: string): number {
    const { constraints } = this.#truth;
    const first = constraints.first[at];
    let latest = -Infinity;
    for (let row = first; row < first + constraints.count[at]; row++) {
      if (constraints.from[row] === -1 || this.#trueName(row) !== name) continue;
      latest = Math.max(latest, timeOf(this.#truth, constraints.from[row]) + constraints.lag[row]);
    }
    return latest;
  }
}

const isCompared = ({ kind }: Cause): boolean => kind !== 'host-order' && kind !== 'thread' && kind !== 'own';

/** Is a source behind one that the truth has: itself, earlier on its stream, or a node of its launch? */
const covers = (
  cause: Cause,
  source: string,
  { lane, item }: { readonly lane: number; readonly item: number },
): boolean =>
  cause.source === source ||
  (cause.lane === lane && (cause.item > item || (cause.item === item && cause.source.startsWith('g'))));

function guessedConstraints({ edges, device, graphLaunches, moments, constraints }: Graph): Uint8Array {
  const guessed = new Uint8Array(constraints.from.length);
  const resolved = new Set<string>();
  const guesses = new Set<string>();
  for (const edge of edges) {
    if (edge.source === undefined) continue;
    const from = momentOfSource(moments, edge.source);
    for (const to of momentsOfSink(device, graphLaunches, moments, edge)) {
      (edge.status === 'resolved' ? resolved : guesses).add(`${edge.kind} ${from} ${to}`);
    }
  }
  for (let row = 0; row < guessed.length; row++) {
    const kind = CONSTRAINT_KINDS[constraints.kind[row]];
    const key = `${kind} ${constraints.from[row]} ${constraints.to[row]}`;
    if (guesses.has(key) && !resolved.has(key)) guessed[row] = 1;
  }
  return guessed;
}
