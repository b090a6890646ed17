import type { Outcome } from '../analyses/contract.ts';
import { type ExpertImbalance, findImbalance } from './experts.ts';
import type { JobAnalysis } from './job-analysis.ts';
import { type JudgedFamily, groupsFor } from './parallel-groups.ts';

export interface ExpertsAnswer {
  /** The most uneven first. */
  readonly groups: readonly ExpertImbalance[];
  /** Groups without two all-to-alls in a row that were matched: of them nothing is known. */
  readonly left: number;
}

export function expertsAnswer(
  { meetings, paths }: JobAnalysis,
  judged: readonly JudgedFamily[],
): Outcome<ExpertsAnswer> {
  if (meetings.status !== 'ok') return meetings;
  const groups = groupsFor(judged, 'expert');
  if (groups.size === 0) return { status: 'not-applicable', reason: 'no group is surely one of experts' };
  if (paths.status !== 'ok') return paths;
  const found = findImbalance({ ...meetings.result, windows: paths.result.windows }, groups);
  if (found.length === 0) {
    return { status: 'not-applicable', reason: 'no two all-to-alls in a row of a group of experts were matched' };
  }
  return { status: 'ok', result: { groups: found, left: groups.size - found.length } };
}
