// What a job's report says, from its ranks alone: no file, host or time of its own making is in it.
import type { Outcome } from '../analyses/contract.ts';
import type { Diagnostic } from '../trace/diagnostics.ts';
import type { RankSpan } from '../trace/job.ts';
import type { Job, JobMember } from './job.ts';
import { JobAnalysis, type Meetings } from './job-analysis.ts';
import { pathAnswer, type JobPathAnswer } from './job-path-answer.ts';
import { waitsAnswer, type WaitsAnswer } from './job-waits-answer.ts';
import type { Meeting } from './model.ts';
import type { RankVerdict, Stragglers } from './stragglers.ts';
import { type BubblesAnswer, bubblesAnswer } from './job-bubbles-answer.ts';
import { type ExpertsAnswer, expertsAnswer } from './job-experts-answer.ts';
import { type GroupsAnswer, type NamedGroup, groupsAnswer, judgeGroups } from './parallel-groups.ts';

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

/** Where the ranks' clocks stand. */
export interface ClocksAnswer {
  readonly ranks: readonly {
    readonly rank: number;
    /**
     * How much later than the rank's own clock the job's is as fitted, ns. Of ranks of one part only the differences mean something; among
     * ranks of a host with `sharesClock` they are what the fit scatters, and are not applied.
     */
    readonly skewNs: number;
    readonly driftPpm: number;
    /** It is set to the one clock of its host: its times are compared with those of its neighbours there as they are written. */
    readonly sharesClock: boolean;
    /** Ranks of other parts cannot be compared with it. */
    readonly part: number;
    /** How far its clock may be off against the first rank of its part (of that one: the next), ns; absent where there is none. */
    readonly uncertaintyNs?: number;
  }[];
  readonly parts: number;
  /** Hosts as far as clocks tell: how many, and how many ranks are of none. */
  readonly hosts: number;
  readonly withoutHost: number;
  /** Ends of calls that were compared with what they need, and those that came too early; the most by which one did. */
  readonly checked: number;
  readonly violated: number;
  readonly worstNs: number;
  readonly medianResidualNs: number;
  readonly largestResidualNs: number;
}

/** Who holds the others up, who only began late, and whose victims there are. */
export interface StragglersAnswer {
  /** Ranks that make the same calls are of one role, and are compared. */
  readonly roles: number;
  /** Ranks that have others of their role beside them. */
  readonly compared: number;
  readonly named: readonly RankVerdict[];
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
  readonly clocks: Outcome<ClocksAnswer>;
  readonly waits: Outcome<WaitsAnswer>;
  readonly path: Outcome<JobPathAnswer>;
  readonly stragglers: Outcome<StragglersAnswer>;
  readonly groups: Outcome<GroupsAnswer>;
  /** How long the stages of each pipeline wait for their neighbours. */
  readonly bubbles: Outcome<BubblesAnswer>;
  /** How unevenly the ranks of each expert group work between its all-to-alls. */
  readonly experts: Outcome<ExpertsAnswer>;
}

export interface JobReportOptions {
  /** Of `--groups`: what the user knows of some groups. */
  readonly named?: readonly NamedGroup[];
}

export function reportJob(job: Job, options: JobReportOptions = {}): JobReport {
  const { from, worldSize, missing, mixed, unread, members } = job;
  const analysis = new JobAnalysis(job);
  const { meetings, paths } = analysis;
  const judged = mixed.length === 0 ? judgeGroups(members, options.named ?? []) : [];
  return {
    from,
    ...(worldSize === undefined ? {} : { worldSize }),
    missing,
    mixed,
    unread,
    ranks: members.map(rowOf),
    calls: answered(meetings, callsAnswer),
    clocks: answered(meetings, clocksAnswer),
    waits: answered(meetings, waitsAnswer),
    path: answered(paths, pathAnswer),
    stragglers: answered(analysis.stragglers, stragglersAnswer),
    groups: mixed.length === 0 ? groupsAnswer(judged) : (meetings as Outcome<never>),
    bubbles: bubblesAnswer(analysis, judged),
    experts: expertsAnswer(analysis, judged),
  };
}

const answered = <T, U>(outcome: Outcome<T>, answer: (result: T) => U): Outcome<U> =>
  outcome.status === 'ok' ? { status: 'ok', result: answer(outcome.result) } : outcome;

function callsAnswer({ members, meetings, matching }: Meetings): CallsAnswer {
  const by: Partial<Record<Meeting['how'], number>> = {};
  for (const meeting of meetings) by[meeting.how] = (by[meeting.how] ?? 0) + meeting.members.length;
  const { matched, mismatched, ambiguous, unmatched } = matching;
  return {
    calls: members.reduce((sum, member) => sum + member.calls.calls.length, 0),
    matched,
    mismatched,
    ambiguous,
    unmatched,
    by,
    meetings: meetings.length,
    incomplete: meetings.filter(({ isComplete }) => !isComplete).length,
  };
}

function stragglersAnswer({ ranks, roles }: Stragglers): StragglersAnswer {
  return {
    roles,
    compared: ranks.filter(({ peers }) => peers > 0).length,
    named: ranks.filter(({ verdict }) => verdict !== 'none'),
  };
}

function clocksAnswer({ members, clocks }: Meetings): ClocksAnswer {
  const { skewNs, driftPpm, component, hosts, check } = clocks;
  // Against the first rank of its part, and that one against the next.
  const first = new Map<number, number>();
  const againstFirst = Float64Array.from(component, (part, at) => {
    const known = first.get(part) ?? at;
    first.set(part, known);
    return known === at ? Infinity : clocks.uncertaintyNs(known, at);
  });
  for (const [part, at] of first) {
    const next = component.indexOf(part, at + 1);
    if (next !== -1) againstFirst[at] = againstFirst[next];
  }
  return {
    ranks: members.map(({ rank }, at) => ({
      rank,
      skewNs: Math.round(skewNs[at]),
      driftPpm: driftPpm[at],
      sharesClock: hosts.withinNs(at, at) < Infinity,
      part: component[at],
      ...(againstFirst[at] === Infinity ? {} : { uncertaintyNs: Math.ceil(againstFirst[at]) }),
    })),
    parts: new Set(component).size,
    hosts: hosts.count,
    withoutHost: hosts.host.filter((host) => host === -1).length,
    ...check,
  };
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
