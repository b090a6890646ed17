// Compares the waits that a graph infers with the truth of the simulation that its trace was written from.
import { readJson } from './draw.ts';
import { unexplainedLimit } from '../graph/unexplained.ts';
import { type Graph, buildGraph } from '../graph/graph.ts';
import type { InferredRule } from '../graph/inferred-edge.ts';
import { kinetoTrace } from '../sim/kineto.ts';
import { Random } from '../sim/draws.ts';
import type { KinetoOptions } from '../sim/kineto-options.ts';
import type { Job } from '../sim/program.ts';
import { JobRun } from '../sim/run.ts';
import { Kind, type RankTruth, startOf, timeOf } from '../sim/truth.ts';
import { Sight } from './proof-sight.ts';

/** What a trace lacks besides its sync rows: calls and rows of records, wait calls, `record_param_comms`. */
export type Hidden = 'records' | 'wait calls' | 'collective ops';

export interface InferredScore {
  /** By rule: its edges, and those of them that are true. */
  readonly edges: Record<InferredRule, { made: number; right: number }>;
  /** Ops whose start a wait for another stream bound, by more than the unexplained limit: all, and those with a right edge. */
  bound: number;
  found: number;
  /** By rule: ops of `found` that the rule alone finds. */
  readonly foundBy: Record<InferredRule, number>;
  readonly wrong: string[];
  readonly missed: string[];
}

export const noScore = (): InferredScore => ({
  edges: { 'wait-call': { made: 0, right: 0 }, c10d: { made: 0, right: 0 }, 'end-start': { made: 0, right: 0 } },
  bound: 0,
  found: 0,
  foundBy: { 'wait-call': 0, c10d: 0, 'end-start': 0 },
  wrong: [],
  missed: [],
});

const RULES: Readonly<Record<string, InferredRule | undefined>> = {
  'heuristic:wait-call': 'wait-call',
  'heuristic:c10d': 'c10d',
  'heuristic:end-start': 'end-start',
};

const RECORD = /"name":"(cuda|cu|hip)EventRecord/;
const WAIT = /"name":"(cuda|cu|hip)StreamWaitEvent/;
const COLLECTIVE = /"name":"record_param_comms"/;
const KERNEL = /"cat":"kernel"/;
const STREAM = /"stream":\d+/;
const TIMES = /"ts":([\d.]+),"dur":([\d.]+)/;

const SHORTEST_LATE_US = 60;
const LEAST_LATE_US = 20;
const ROOM_US = 1;

export interface ScoredTrace {
  readonly job: Job;
  readonly kineto: KinetoOptions;
  readonly hidden: readonly Hidden[];
  /** Share of the longer kernels that begin later than anything tells, as if they had to share the device. */
  readonly lateShare?: number;
  readonly ranks?: number;
}

/** Compares the ranks of a job, or the first few. */
export function scoreJob(
  { job, kineto, hidden, lateShare = 0, ranks = Infinity }: ScoredTrace,
  score: InferredScore,
): void {
  const run = new JobRun(job);
  for (let rank = 0; rank < Math.min(ranks, run.rankCount); rank++) {
    const truth = run.truthOf(rank);
    const recordRows = hidden.includes('records') ? 'none' : kineto.recordRows;
    const { plan, chunks } = kinetoTrace(job, truth, { ...kineto, syncRows: false, recordRows });
    const random = new Random(job.seed * 1_000 + rank);
    const rows = [...chunks].join('').split('},\n{');
    const lateness = new Lateness(rows, random, lateShare);
    // The first and the last one hold the file's head and tail.
    const text = rows
      .map((row, i) => (i === 0 || i === rows.length - 1 ? row : lateness.of(hide(row, hidden))))
      .join('},\n{');
    const graph = buildGraph(readJson(text, `${job.name}.json`));
    scoreRank(new Sight(truth, plan, graph), graph, score, `${job.name}, seed ${job.seed}, rank ${rank}`);
  }
}

/** Hidden rows leave an empty one behind, so that the others keep their positions. Rows are without their outermost braces. */
function hide(row: string, hidden: readonly Hidden[]): string {
  const isHidden =
    (hidden.includes('records') && RECORD.test(row)) ||
    (hidden.includes('wait calls') && WAIT.test(row)) ||
    (hidden.includes('collective ops') && COLLECTIVE.test(row));
  return isHidden ? '"ph":"M","name":"hidden","pid":0,"tid":0,"args":{}' : row;
}

/**
 * Kernels that begin late, as they do that must share the device: at any time in their first half, or, where one can, just after a kernel of
 * another stream ended.
 */
class Lateness {
  readonly #random: Random;
  readonly #share: number;
  readonly #ends: { readonly stream: string; readonly end: number }[] = [];

  constructor(rows: readonly string[], random: Random, share: number) {
    this.#random = random;
    this.#share = share;
    if (share === 0) return;
    for (const row of rows) {
      const [ts, dur] = timesOf(row);
      if (KERNEL.test(row)) this.#ends.push({ stream: STREAM.exec(row)?.[0] ?? '', end: ts + dur });
    }
    this.#ends.sort((a, b) => a.end - b.end);
  }

  of(row: string): string {
    if (this.#share === 0 || !KERNEL.test(row)) return row;
    const [ts, dur] = timesOf(row);
    if (dur < SHORTEST_LATE_US || !this.#random.chance(this.#share)) return row;
    const stream = STREAM.exec(row)?.[0] ?? '';
    const [least, most] = [ts + LEAST_LATE_US, ts + dur / 2];
    const made = this.#ends.find(({ stream: other, end }) => end > least && end < most && other !== stream);
    const start = made === undefined ? least + this.#random.next() * (most - least) : made.end + ROOM_US;
    return row.replace(TIMES, `"ts":${start.toFixed(3)},"dur":${(ts + dur - start).toFixed(3)}`);
  }
}

function timesOf(row: string): [ts: number, dur: number] {
  const [, ts, dur] = TIMES.exec(row) ?? [];
  return [Number(ts), Number(dur)];
}

function scoreRank(sight: Sight, graph: Graph, score: InferredScore, where: string): void {
  const { truth } = sight;
  const itemOf = (op: number): number => sight.itemOfDeviceOp(op);
  const right = new Map<number, Set<InferredRule>>();
  for (const { status, source, sinkOp } of graph.edges) {
    const rule = RULES[status];
    if (rule === undefined || source === undefined) continue;
    const sink = itemOf(sinkOp);
    const isRight = waitsFor(truth, sink).some((item) => isSame(truth, item, itemOf(source.op)));
    score.edges[rule].made++;
    if (!isRight) {
      score.wrong.push(
        `${where}: ${rule} d${itemOf(source.op)} → d${sink}; true: ${waitsFor(truth, sink)
          .map((item) => `d${item}`)
          .join(' ')}`,
      );
      continue;
    }
    score.edges[rule].right++;
    // What counts as found is the wait that bound.
    const bound = truth.constraints.binding[startOf(sink)];
    if (bound === -1 || truth.constraints.from[bound] === -1) continue;
    if (!isSame(truth, truth.constraints.from[bound] >> 1, itemOf(source.op))) continue;
    const known = right.get(sink) ?? new Set();
    right.set(sink, known.add(rule));
  }
  for (const sink of boundByWaits(truth)) {
    if (!sight.isWritten(sink)) continue;
    score.bound++;
    const rules = right.get(sink);
    if (rules === undefined) {
      score.missed.push(
        `${where}: d${sink} waited for d${truth.constraints.from[truth.constraints.binding[startOf(sink)]] >> 1}`,
      );
      continue;
    }
    score.found++;
    for (const rule of rules) score.foundBy[rule]++;
  }
}

/** The device items whose ends the start of an item had to wait for, across streams. */
function waitsFor({ constraints }: RankTruth, sink: number): number[] {
  const first = constraints.first[startOf(sink)];
  const sources: number[] = [];
  for (let c = first; c < first + constraints.count[startOf(sink)]; c++) {
    const from = constraints.from[c];
    if (constraints.kind[c] === Kind['stream-wait'] && from !== -1) sources.push(from >> 1);
  }
  return sources;
}

/** The same item, or nodes of one graph launch of which the guess ends no earlier. */
function isSame({ items, actions }: RankTruth, item: number, guess: number): boolean {
  if (item === guess) return true;
  return (
    actions[item]?.kind === 'graph' && items.parent[item] === items.parent[guess] && items.end[guess] >= items.end[item]
  );
}

/** Items whose start came with a wait for another stream, later than all else allowed by more than the unexplained limit. */
function boundByWaits(truth: RankTruth): number[] {
  const { items, constraints } = truth;
  const sinks: number[] = [];
  for (let item = 0; item < items.length; item++) {
    const bound = constraints.binding[startOf(item)] ?? -1;
    if (bound === -1 || constraints.kind[bound] !== Kind['stream-wait'] || constraints.from[bound] === -1) continue;
    const first = constraints.first[startOf(item)];
    let other = -1;
    for (let c = first; c < first + constraints.count[startOf(item)]; c++) {
      if (constraints.kind[c] === Kind['stream-wait'] || constraints.from[c] === -1) continue;
      if (other === -1 || arrival(truth, c) > arrival(truth, other)) other = c;
    }
    if (other === -1) continue;
    // As long as the graph takes such a lag to be before it has cases of its own.
    const usual = Math.max(constraints.lag[other], constraints.kind[other] === Kind.launch ? 6_000 : 1_500);
    const lag = items.start[item] - timeOf(truth, constraints.from[other]);
    if (lag > unexplainedLimit(usual)) sinks.push(item);
  }
  return sinks;
}

const arrival = (truth: RankTruth, c: number): number =>
  timeOf(truth, truth.constraints.from[c]) + truth.constraints.lag[c];
