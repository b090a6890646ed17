import { toJob } from './job-clock.ts';
import type { JobTimes } from './job-replay.ts';
import type { JobGraph } from './merge.ts';
import type { SkeletonWindow } from './skeleton.ts';

/** A stretch of the job that is asked about; job time, ns. */
export interface JobWindow {
  readonly label: string;
  readonly startNs: number;
  readonly endNs: number;
  /** It is complete on every rank. */
  readonly complete: boolean;
  /** By index of rank: the moment with which the window ends there; −1 for ranks that are not looked at. */
  readonly ends: Int32Array;
}

/** What of a job its windows are found by. */
export type WindowedJob = Pick<JobGraph, 'ranks' | 'clocks' | 'meetings' | 'first'>;
type Times = Pick<JobTimes, 'timeNs'>;

export type JobWindows =
  | { readonly ok: true; readonly windows: readonly JobWindow[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/**
 * The windows of a job, of the ranks whose clocks are tied to each other. Window k runs from the latest completion of step k − 1 on any
 * rank to that of step k; the first begins where the first trace does. Steps are the same where their labels are. Without steps that
 * all ranks have: from the first to the last event of all.
 */
export function findJobWindows(job: WindowedJob, times: Times): JobWindows {
  const { meetings, clocks, ranks } = job;
  if (meetings.length === 0) return { ok: false, reason: 'no call of one rank was matched with one of another' };
  if (!meetings.some(({ isComplete }) => isComplete)) return { ok: false, reason: unseenReason(job) };
  const { members, notes } = largestComponent(clocks.component);
  const common = commonWindows(members.map((rank) => ranks[rank].skeleton.windows));
  const complete = common.filter(({ windows }) => windows.every((window) => window.complete));
  const taken =
    complete.length > 0
      ? common.slice(common.indexOf(complete[0]), common.indexOf(complete[complete.length - 1]) + 1)
      : common;
  const found: JobWindow[] = [];
  taken.forEach(({ label, windows }) => {
    const ends = new Int32Array(ranks.length).fill(-1);
    members.forEach((rank, i) => (ends[rank] = job.first[rank] + windows[i].end));
    let endNs = -Infinity;
    for (const rank of members) endNs = Math.max(endNs, toJob(clocks, rank, times.timeNs[ends[rank]]));
    const startNs = found.at(-1)?.endNs ?? beginOf(job, times, members, windows, common, label);
    found.push({
      label,
      startNs,
      endNs: Math.max(startNs, endNs),
      complete: windows.every((each) => each.complete),
      ends,
    });
  });
  if (found.length === 0) return { ok: false, reason: 'the ranks have no step in common' };
  if (complete.length === 0) notes.push('no step is complete on all ranks: all that they have in common are taken');
  return { ok: true, windows: found, notes };
}

/** Of the first window: the latest completion of the step before it, where all ranks have that one; else where the first rank's trace begins. */
function beginOf(
  job: WindowedJob,
  times: Times,
  members: readonly number[],
  windows: readonly SkeletonWindow[],
  common: readonly CommonWindow[],
  label: string,
): number {
  const before = common[common.findIndex((each) => each.label === label) - 1];
  if (before !== undefined) {
    return Math.max(
      ...members.map((rank, i) => toJob(job.clocks, rank, times.timeNs[job.first[rank] + before.windows[i].end])),
    );
  }
  if (windows.every(({ follows }) => follows)) {
    return Math.max(...members.map((rank, i) => toJob(job.clocks, rank, windows[i].startNs)));
  }
  return Math.min(...members.map((rank) => toJob(job.clocks, rank, 0)));
}

interface CommonWindow {
  readonly label: string;
  readonly windows: readonly SkeletonWindow[];
}

/** Windows that all ranks have, in the order of the first one. Where numbers begin again, the nth of a label is that of all. */
function commonWindows(lists: readonly (readonly SkeletonWindow[])[]): CommonWindow[] {
  const [list] = lists;
  // Mostly all ranks have the same.
  if (lists.every((each) => haveSameLabels(each, list))) {
    return namesOf(list).map((label, at) => ({ label, windows: lists.map((each) => each[at]) }));
  }
  const maps = lists.map((each) => new Map(namesOf(each).map((name, at) => [name, each[at]])));
  return [...maps[0].keys()].flatMap((label) => {
    const windows = maps.map((map) => map.get(label));
    return windows.every((window) => window !== undefined) ? [{ label, windows }] : [];
  });
}

const haveSameLabels = (one: readonly SkeletonWindow[], other: readonly SkeletonWindow[]): boolean =>
  one.length === other.length && one.every(({ label }, at) => label === other[at].label);

/** The label of each, the nth of one with its number. */
function namesOf(list: readonly SkeletonWindow[]): string[] {
  const count = new Map<string, number>();
  return list.map(({ label }) => {
    const nth = (count.get(label) ?? 0) + 1;
    count.set(label, nth);
    return nth === 1 ? label : `${label} (${nth})`;
  });
}

function largestComponent(component: Int32Array): { members: number[]; notes: string[] } {
  const parts = new Map<number, number[]>();
  component.forEach((part, rank) => parts.set(part, [...(parts.get(part) ?? []), rank]));
  const members = [...parts.values()].reduce((best, each) => (each.length > best.length ? each : best));
  const left = component.length - members.length;
  return {
    members,
    notes:
      left === 0 ? [] : [`${left} of ${component.length} ranks are tied to the others by no call: they are left out`],
  };
}

function unseenReason({ meetings, ranks }: WindowedJob): string {
  const seen = ranks.length;
  const sizes = ranks.flatMap(({ calls }) => calls.groups.flatMap(({ size }) => (size === undefined ? [] : [size])));
  const of = sizes.length === 0 ? '' : ` (groups of up to ${Math.max(...sizes)}, of which ${seen} ranks are here)`;
  return `each of the ${meetings.length} matched calls has members that are not here${of}: which rank came last cannot be told`;
}
