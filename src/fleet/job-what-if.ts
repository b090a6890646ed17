// What a job would take if its ranks, or what passes between them, were otherwise: replays of skeletons.
import type { Outcome } from '../analyses/contract.ts';
import { type JobChange, changeRanks } from './balance.ts';
import type { JobAnalysis } from './job-analysis.ts';
import { jobReplayError, replayJob } from './job-replay.ts';
import { findJobWindows } from './job-windows.ts';
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
  readonly notes: readonly string[];
}

export function forecastJob({ paths }: JobAnalysis, asked: readonly AskedJobChange[]): Outcome<JobForecast> {
  if (paths.status !== 'ok') return paths;
  const { graph, times, windows, notes } = paths.result;
  const changed = changeRanks(
    graph,
    asked.map(({ change }) => change),
  );
  const found = findJobWindows(changed, replayJob(changed, changed.transferNs));
  if (!found.ok) return { status: 'not-applicable', reason: found.reason };
  const rows = windows.map(({ label, startNs, endNs }) => {
    const after = found.windows.find((each) => each.label === label);
    const measuredNs = Math.round(endNs) - Math.round(startNs);
    const predictedNs = after === undefined ? measuredNs : Math.round(after.endNs) - Math.round(after.startNs);
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
      roles: roles.length,
      lonely: roles.filter(({ members }) => members.length === 1).length,
      notes,
    },
  };
}
