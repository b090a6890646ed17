// What a job would take if its ranks, or what passes between them, were otherwise: replays of skeletons.
import type { Outcome } from '../analyses/contract.ts';
import { formatPlural } from '../base/format.ts';
import type { HoldOutSummary } from '../graph/hold-out.ts';
import { type JobChange, changeRanks } from './balance.ts';
import type { JobAnalysis } from './job-analysis.ts';
import { summarizeJobHoldOut } from './job-hold-out.ts';
import { type JobPathAnswer, pathAnswer } from './job-path-answer.ts';
import { walkJobPath } from './job-path.ts';
import { jobReplayError, replayJob } from './job-replay.ts';
import { findJobWindows } from './job-windows.ts';
import type { JobGraph } from './merge.ts';
import { findRoles } from './roles.ts';

/** A change as it was asked for. */
export interface AskedJobChange {
  readonly text: string;
  readonly change: JobChange;
}

export interface JobForecast {
  readonly changes: readonly string[];
  readonly measuredNs: number;
  readonly predictedNs: number;
  /** measured − predicted: below 0 it gets slower. */
  readonly winNs: number;
  readonly winShare: number;
  /** In time order; they sum to the whole. */
  readonly windows: readonly {
    readonly label: string;
    readonly measuredNs: number;
    readonly predictedNs: number;
    readonly winNs: number;
  }[];
  /** What the windows differ by among themselves, (longest − shortest) ÷ median: a smaller win means nothing. Absent for one window. */
  readonly spread?: number;
  /** How far the replay of the unchanged job is from what was measured, ns. */
  readonly replayErrorNs: number;
  /** Roles of ranks, and those with one rank, which nothing can balance. */
  readonly roles: number;
  readonly lonely: number;
  /** What the path across ranks is spent on, and on which ranks. */
  readonly measured: ForecastPath;
  readonly predicted: ForecastPath;
  /** How well steps of the job foretell each other, with each rank's own work and another step's transfers. */
  readonly holdOut: HoldOutSummary;
  /** Of changes within ranks. */
  readonly within?: ChangesWithin;
  readonly notes: readonly string[];
}

export type ForecastPath = Pick<JobPathAnswer, 'breakdown' | 'byRank'>;

/** Changes that were made within ranks, and how well steps of these foretell each other. */
export interface ChangesWithin {
  readonly ranks: readonly number[];
  /** By change: on how many ranks it is about something, and how many ops that are on all of them. */
  readonly about: readonly {
    readonly text: string;
    readonly ranks: number;
    readonly hostOps: number;
    readonly deviceOps: number;
  }[];
  /** Of the rank that is foretold worst; of one without like steps, where there is any. */
  readonly holdOut: HoldOutSummary & { readonly rank: number };
}

/** Calls whose meeting is not whole, or not known: what they wait for stays in their length. */
const unseenCalls = ({ arrivalOf, gateOf }: JobGraph): number =>
  arrivalOf.reduce((count, arrival, moment) => count + (arrival !== -1 && gateOf[moment] === -1 ? 1 : 0), 0);

function forecastNotes(graph: JobGraph, { legs }: JobPathAnswer): string[] {
  const unseen = unseenCalls(graph);
  const ties = legs.filter(({ left }) => left?.isTie === true).length;
  return [
    ...(unseen === 0
      ? []
      : [`${formatPlural(unseen, 'call')} of unmatched or unseen ranks: a wait for these is taken for transfer`]),
    ...(ties === 0 ? [] : [`on the new path the clocks do not tell who came last at ${formatPlural(ties, 'call')}`]),
  ];
}

export function forecastJob(
  { paths }: JobAnalysis,
  asked: readonly AskedJobChange[],
  within?: ChangesWithin,
): Outcome<JobForecast> {
  if (paths.status !== 'ok') return paths;
  const { graph, times, windows, notes } = paths.result;
  const changed = changeRanks(
    graph,
    asked.map(({ change }) => change),
  );
  const after = replayJob(changed, changed.transferNs);
  const found = findJobWindows(changed, after);
  if (!found.ok) return { status: 'not-applicable', reason: found.reason };
  const labels = new Set(windows.map(({ label }) => label));
  const same = found.windows.filter(({ label }) => labels.has(label));
  const newPaths = same.map((window) => walkJobPath(changed, after, window));
  const measured = pathAnswer(paths.result);
  const predicted = pathAnswer({ graph: changed, times: after, windows: same, paths: newPaths, notes: [] });
  const rows = windows.map(({ label, startNs, endNs }) => {
    const moved = same.find((each) => each.label === label);
    const measuredNs = Math.round(endNs) - Math.round(startNs);
    const predictedNs = moved === undefined ? measuredNs : Math.round(moved.endNs) - Math.round(moved.startNs);
    return { label, measuredNs, predictedNs, winNs: measuredNs - predictedNs };
  });
  const sum = (field: 'measuredNs' | 'predictedNs'): number => rows.reduce((total, row) => total + row[field], 0);
  const [measuredNs, predictedNs] = [sum('measuredNs'), sum('predictedNs')];
  const roles = findRoles(graph.ranks);
  const walls = rows.map((row) => row.measuredNs).sort((a, b) => a - b);
  return {
    status: 'ok',
    result: {
      changes: asked.map(({ text }) => text),
      measuredNs,
      predictedNs,
      winNs: measuredNs - predictedNs,
      winShare: measuredNs > 0 ? (measuredNs - predictedNs) / measuredNs : 0,
      windows: rows,
      ...(walls.length > 1
        ? { spread: (walls[walls.length - 1] - walls[0]) / Math.max(1, walls[(walls.length - 1) >> 1]) }
        : {}),
      replayErrorNs: jobReplayError(graph, times),
      holdOut: summarizeJobHoldOut(paths.result, windows),
      roles: roles.length,
      lonely: roles.filter(({ members }) => members.length === 1).length,
      measured: { breakdown: measured.breakdown, byRank: measured.byRank },
      predicted: { breakdown: predicted.breakdown, byRank: predicted.byRank },
      ...(within === undefined ? {} : { within }),
      notes: [...notes, ...forecastNotes(changed, predicted)],
    },
  };
}
