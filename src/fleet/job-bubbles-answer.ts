import type { Outcome } from '../analyses/contract.ts';
import { type PipelineBubbles, findBubbles } from './bubbles.ts';
import type { JobAnalysis } from './job-analysis.ts';
import { type JudgedFamily, groupsFor } from './parallel-groups.ts';
import { waitsOf } from './waits.ts';

export interface BubblesAnswer {
  /** The largest share first. */
  readonly pipelines: readonly PipelineBubbles[];
  /** Pipelines of which no send was matched with its receive: of them nothing is known. */
  readonly left: number;
}

export function bubblesAnswer(
  { meetings, paths }: JobAnalysis,
  judged: readonly JudgedFamily[],
): Outcome<BubblesAnswer> {
  if (meetings.status !== 'ok') return meetings;
  const groups = groupsFor(judged, 'pipeline');
  if (groups.size === 0) return { status: 'not-applicable', reason: 'no group is surely a pipeline' };
  if (paths.status !== 'ok') return paths;
  const { members, clocks } = meetings.result;
  const sends = meetings.result.meetings.filter(({ op, groupKey }) => op === 'send' && groups.has(groupKey));
  const calls = members.map((member) => member.calls);
  const waits = waitsOf(calls, sends, clocks);
  const pipelines = findBubbles({ members, meetings: sends, waits, clocks, windows: paths.result.windows }, groups);
  if (pipelines.length === 0) {
    return { status: 'not-applicable', reason: 'no send of a pipeline was matched with its receive' };
  }
  return { status: 'ok', result: { pipelines, left: groups.size - pipelines.length } };
}
