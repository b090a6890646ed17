// What is found once of a job, and asked by every command: meetings, clocks, the graph of all ranks, its windows and their paths.
import type { Outcome } from '../analyses/contract.ts';
import { fitClocks, type FittedClocks } from './clocks.ts';
import type { Job, JobMember } from './job.ts';
import { type JobPath, walkJobPath } from './job-path.ts';
import { replayJob, type JobTimes } from './job-replay.ts';
import { findJobWindows, type JobWindow } from './job-windows.ts';
import { matchCalls, type MatchReport } from './match.ts';
import { type Stragglers, findStragglers } from './stragglers.ts';
import { mergeJob, type JobGraph, type JobRank } from './merge.ts';
import type { Meeting } from './model.ts';

/** Meetings and clocks. Indices of ranks are places in `members`. */
export interface Meetings {
  /** Ranks that have something to compare: ascending. */
  readonly members: readonly JobMember[];
  readonly meetings: readonly Meeting[];
  readonly matching: MatchReport;
  readonly clocks: FittedClocks;
}

/** What runs from rank to rank. */
export interface Replayed {
  readonly graph: JobGraph;
  readonly times: JobTimes;
}

export interface JobPaths extends Replayed {
  readonly windows: readonly JobWindow[];
  readonly paths: readonly JobPath[];
  readonly notes: readonly string[];
}

export class JobAnalysis {
  readonly job: Job;
  readonly meetings: Outcome<Meetings>;
  #paths: Outcome<JobPaths> | undefined;
  #stragglers: Outcome<Stragglers> | undefined;

  constructor(job: Job) {
    this.job = job;
    this.meetings = meet(job);
  }

  /** The windows that were asked about, or those that all ranks have, and what bounds them. */
  get paths(): Outcome<JobPaths> {
    return (this.#paths ??= this.#findPaths());
  }

  /** Which ranks hold the others up. */
  get stragglers(): Outcome<Stragglers> {
    if (this.#stragglers !== undefined) return this.#stragglers;
    const { paths } = this;
    if (paths.status !== 'ok') return paths;
    const { graph, times, windows } = paths.result;
    return (this.#stragglers = { status: 'ok', result: findStragglers(graph, times, windows) });
  }

  #findPaths(): Outcome<JobPaths> {
    if (this.meetings.status !== 'ok') return this.meetings;
    const replayed = replay(this.meetings.result);
    const found = findJobWindows(replayed.graph, replayed.times);
    if (!found.ok) return { status: 'not-applicable', reason: found.reason };
    const asked = new Set(this.job.members.flatMap(({ summary }) => summary.windows.map(({ label }) => label)));
    const chosen = found.windows.filter(({ label }) => asked.has(label));
    const windows = chosen.length > 0 ? chosen : found.windows;
    const paths = windows.map((window) => walkJobPath(replayed.graph, replayed.times, window));
    return { status: 'ok', result: { ...replayed, windows, paths, notes: found.notes } };
  }
}

function meet({ members: all, mixed }: Job): Outcome<Meetings> {
  if (mixed.length > 0) return { status: 'not-applicable', reason: `the files are not of one run: ${mixed[0]}` };
  const members = all.filter(({ skeleton }) => skeleton !== undefined);
  if (members.length < 2) return { status: 'not-applicable', reason: aloneReason(all, members) };
  const calls = members.map((member) => member.calls);
  if (calls.every((each) => each.calls.length === 0)) {
    return { status: 'not-applicable', reason: 'no rank has a communication call' };
  }
  const { meetings, report } = matchCalls(calls);
  return { status: 'ok', result: { members, meetings, matching: report, clocks: fitClocks(calls, meetings) } };
}

/** Why nobody is compared: of several ranks those without a path, mostly without the window that was asked for, are left out. */
function aloneReason(all: readonly JobMember[], members: readonly JobMember[]): string {
  if (all.length < 2) return 'one rank alone meets nobody';
  const why = all.find(({ skeleton }) => skeleton === undefined)?.summary.noPath;
  const [only] = members;
  const who =
    only === undefined
      ? `none of the ${all.length} ranks has a path of its own`
      : `of the ${all.length} ranks only rank ${only.rank} has a path of its own`;
  return why === undefined ? who : `${who}: ${why}`;
}

/** All that was kept of the ranks, in one graph, and when it comes. */
export function replay({ members, meetings, clocks }: Meetings): Replayed {
  const ranks = members.flatMap(({ calls, skeleton }): JobRank[] =>
    skeleton === undefined ? [] : [{ calls, skeleton }],
  );
  const graph = mergeJob(ranks, meetings, clocks);
  return { graph, times: replayJob(graph) };
}
