// What a job's report says, from its ranks alone: no file, host or time of its own making is in it.
import type { Outcome } from '../analyses/contract.ts';
import type { Diagnostic } from '../trace/diagnostics.ts';
import type { RankSpan } from '../trace/job.ts';
import type { Job, JobMember } from './job.ts';
import { type GroupsAnswer, type NamedGroup, findParallelGroups } from './parallel-groups.ts';
import { matchCalls } from './match.ts';
import type { Meeting } from './model.ts';

/** One rank by itself: nothing here compares clocks. */
export interface JobRankRow {
  readonly rank: number;
  readonly file: string;
  /** The name of its device; absent where the trace has none. */
  readonly device?: string;
  readonly events: number;
  readonly spanNs: number;
  /** How many windows were looked at, and the median of their lengths; the second absent without any. */
  readonly windows: number;
  readonly medianNs?: number;
  /** Over its devices and windows: unions over the streams of each. */
  readonly computationNs: number;
  readonly communicationNs: number;
  readonly exposedNs: number;
  readonly idleNs: number;
  readonly calls: number;
  readonly damage: readonly Diagnostic[];
  /** Why it has no windows. */
  readonly noPath?: string;
}

/** Which calls of the ranks are one. Every call is in exactly one of the four counts. */
export interface CallsAnswer {
  readonly calls: number;
  readonly matched: number;
  readonly mismatched: number;
  readonly ambiguous: number;
  readonly unmatched: number;
  /** How calls were matched, and how many of each. */
  readonly by: Readonly<Partial<Record<Meeting['how'], number>>>;
  /** Meetings, and those of them that miss a member. */
  readonly meetings: number;
  readonly incomplete: number;
}

export interface JobReport {
  readonly from: Job['from'];
  readonly worldSize?: number;
  readonly missing: readonly RankSpan[];
  /** Why there are no numbers across ranks: the files are not of one run. Empty where they are. */
  readonly mixed: readonly string[];
  readonly unread: Job['unread'];
  readonly ranks: readonly JobRankRow[];
  readonly calls: Outcome<CallsAnswer>;
  readonly groups: Outcome<GroupsAnswer>;
}

export interface JobReportOptions {
  /** Of `--groups`: what the user knows of some groups. */
  readonly named?: readonly NamedGroup[];
}

export function reportJob(job: Job, options: JobReportOptions = {}): JobReport {
  const { from, worldSize, missing, mixed, unread, members } = job;
  const across = acrossRanks(job);
  return {
    from,
    ...(worldSize === undefined ? {} : { worldSize }),
    missing,
    mixed,
    unread,
    ranks: members.map(rowOf),
    calls: across.status === 'ok' ? callsAnswer(job, across.result) : across,
    groups: across.status === 'ok' ? findParallelGroups(members, options.named ?? []) : across,
  };
}

/** What is found once and asked by many. */
function acrossRanks({ members, mixed }: Job): Outcome<ReturnType<typeof matchCalls>> {
  if (mixed.length > 0) return { status: 'not-applicable', reason: `the files are not of one run: ${mixed[0]}` };
  if (members.length < 2) return { status: 'not-applicable', reason: 'one rank alone meets nobody' };
  return { status: 'ok', result: matchCalls(members.map(({ calls }) => calls)) };
}

function callsAnswer({ members }: Job, { meetings, report }: ReturnType<typeof matchCalls>): Outcome<CallsAnswer> {
  const calls = members.reduce((sum, member) => sum + member.calls.calls.length, 0);
  if (calls === 0) return { status: 'not-applicable', reason: 'no rank has a communication call' };
  const by: Partial<Record<Meeting['how'], number>> = {};
  for (const meeting of meetings) by[meeting.how] = (by[meeting.how] ?? 0) + meeting.members.length;
  const { matched, mismatched, ambiguous, unmatched } = report;
  const incomplete = meetings.filter(({ isComplete }) => !isComplete).length;
  const result = { calls, matched, mismatched, ambiguous, unmatched, by, meetings: meetings.length, incomplete };
  return { status: 'ok', result };
}

function rowOf({ rank, file, calls, summary }: JobMember): JobRankRow {
  const { info, windows, devices, diagnostics, noPath } = summary;
  const device = info.devices.find(({ name = '' }) => name !== '')?.name;
  const walls = windows.map(({ startNs, endNs }) => endNs - startNs).sort((a, b) => a - b);
  const sum = (field: 'computationNs' | 'communicationNs' | 'exposedNs' | 'idleNs'): number =>
    devices.reduce((total, each) => total + each[field], 0);
  return {
    rank,
    file,
    ...(device === undefined ? {} : { device }),
    events: info.events,
    spanNs: info.spanNs,
    windows: windows.length,
    ...(walls.length === 0
      ? {}
      : { medianNs: Math.round((walls[(walls.length - 1) >> 1] + walls[walls.length >> 1]) / 2) }),
    computationNs: sum('computationNs'),
    communicationNs: sum('communicationNs'),
    exposedNs: sum('exposedNs'),
    idleNs: sum('idleNs'),
    calls: calls.calls.length,
    damage: diagnostics,
    ...(noPath === undefined ? {} : { noPath }),
  };
}
