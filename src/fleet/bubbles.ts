// Pipeline bubbles: how long the stages of a pipeline wait for their neighbours.
import { type Intervals, intersectionOf, lengthOf, unionOf } from '../graph/intervals.ts';
import { toJob } from './job-clock.ts';
import type { JobWindow } from './job-windows.ts';
import type { JobMember } from './job.ts';
import type { Clocks, CommGroup, Meeting } from './model.ts';
import type { MeetingWaits } from './waits.ts';

/** What one stage waited in one window, or in several together. */
export interface StageBubble {
  readonly rank: number;
  /** While it waited for the other side of a send or receive and its device did nothing else up to that one's end. */
  readonly bubbleNs: number;
  /** Of the window, 0…1. */
  readonly share: number;
  /** Of the window before its trace begins and after it ends: that may be bubble too. */
  readonly unseenNs: number;
  /** How many stretches of waiting that is: each may be off by `PipelineBubbles.uncertaintyNs`. */
  readonly waits: number;
}

export interface BubbleWindow {
  readonly label: string;
  readonly wallNs: number;
  /** It is complete, and the traces of all stages hold 99 % of it. */
  readonly counts: boolean;
  /** In the order of `PipelineBubbles.stages`. */
  readonly stages: readonly StageBubble[];
}

/** One pipeline. */
export interface PipelineBubbles {
  /** The group's name, or its description. */
  readonly name: string;
  /** How many ranks the group has; absent where not told. */
  readonly size?: number;
  /** Mean of the shares of `stages`. */
  readonly share: number;
  /** The same of what is unseen: how much more it may be. */
  readonly unseenShare: number;
  /** The rank of the stage with the largest bubble. `isTie`: another one's may be as large, by what clocks may be off and what is unseen. */
  readonly worst: number;
  readonly isTie: boolean;
  /**
   * Sends and receives that count, and those of the group's ranks that do not, since nothing says whom they met or how clocks stand there: what
   * was waited in them is not known.
   */
  readonly transfers: number;
  readonly uncounted: number;
  /** How far the clocks of two of its ranks that meet may be off, at most. */
  readonly uncertaintyNs: number;
  /** Those that are here, in the order of the group; of the windows that count together, or of all where none does. */
  readonly stages: readonly StageBubble[];
  readonly windows: readonly BubbleWindow[];
}

/** What bubbles are found in. Indices of ranks are places in `members`. */
export interface BubbleSubject {
  readonly members: readonly JobMember[];
  readonly meetings: readonly Meeting[];
  /** Of these meetings. */
  readonly waits: readonly MeetingWaits[];
  readonly clocks: Clocks;
  readonly windows: readonly JobWindow[];
}

/**
 * The bubbles of pipelines, the largest share first. `groups`: those that are pipelines, by their keys; left out are those of which no send was
 * matched with its receive. O(calls + windows × waits of their stages).
 */
export function findBubbles(subject: BubbleSubject, groups: ReadonlyMap<string, CommGroup>): PipelineBubbles[] {
  const calls = transfersIn(subject.members, groups);
  return [...gather(subject, groups)]
    .flatMap(([key, gathered]) => {
      const group = groups.get(key);
      return group === undefined ? [] : bubblesOf(subject, group, gathered, calls.get(key) ?? 0);
    })
    .sort((a, b) => b.share - a.share || a.worst - b.worst);
}

/** Of one group. */
interface Gathered {
  /** By place of a rank: when it waits and does nothing else, in the job's time; ends may lie before begins. */
  readonly idle: Map<number, { readonly start: number[]; readonly end: number[] }>;
  transfers: number;
  uncertaintyNs: number;
}

function gather(
  { members, meetings, waits, clocks }: BubbleSubject,
  groups: ReadonlyMap<string, CommGroup>,
): Map<string, Gathered> {
  const placeOf = new Map(members.map(({ rank }, at) => [rank, at]));
  const byGroup = new Map<string, Gathered>();
  for (const { meeting, arrivalNs, waitNs } of waits) {
    const { op, groupKey, members: sides } = meetings[meeting];
    if (op !== 'send' || !groups.has(groupKey)) continue;
    const group = byGroup.get(groupKey) ?? { idle: new Map(), transfers: 0, uncertaintyNs: 0 };
    byGroup.set(groupKey, group);
    const places = sides.map(({ rank }) => placeOf.get(rank) ?? -1);
    group.transfers += places.length;
    group.uncertaintyNs = Math.max(group.uncertaintyNs, clocks.uncertaintyNs(places[0], places[1]));
    places.forEach((place, i) => {
      const own = group.idle.get(place) ?? { start: [], end: [] };
      group.idle.set(place, own);
      const { idleFromNs } = members[place].calls.calls[sides[i].call];
      const idleFrom = idleFromNs === undefined ? Infinity : toJob(clocks, place, idleFromNs);
      own.start.push(Math.max(arrivalNs[i], idleFrom));
      own.end.push(arrivalNs[i] + waitNs[i]);
    });
  }
  return byGroup;
}

/** Sends and receives by group, whatever became of them. */
function transfersIn(members: readonly JobMember[], groups: ReadonlyMap<string, CommGroup>): Map<string, number> {
  const count = new Map<string, number>();
  for (const { calls } of members) {
    for (const { op, group } of calls.calls) {
      const { key } = calls.groups[group];
      if (groups.has(key) && (op === 'send-recv' || op === 'send' || op === 'recv')) {
        count.set(key, (count.get(key) ?? 0) + 1);
      }
    }
  }
  return count;
}

function bubblesOf(
  subject: BubbleSubject,
  group: CommGroup,
  { idle, transfers, uncertaintyNs }: Gathered,
  calls: number,
): PipelineBubbles[] {
  const stages = stagesOf(subject, group, idle);
  if (stages.length === 0) return [];
  const windows = subject.windows.map((window) => windowOf(window, stages));
  const anyCounts = windows.some(({ counts }) => counts);
  const taken = subject.windows.filter((_, i) => !anyCounts || windows[i].counts);
  const walls = Float64Array.from(taken.flatMap(({ startNs, endNs }) => [startNs, endNs]));
  const totals = stages.map((stage) => bubbleIn(stage, walls));
  const mean = (of: (stage: StageBubble) => number): number =>
    totals.reduce((sum, each) => sum + of(each), 0) / totals.length;
  return [
    {
      name: group.name === '' ? group.description : group.name,
      ...(group.size === undefined ? {} : { size: group.size }),
      share: mean(({ share }) => share),
      unseenShare: mean(({ unseenNs }) => unseenNs) / (lengthOf(walls) || 1),
      ...worstOf(totals, uncertaintyNs),
      transfers,
      uncounted: calls - transfers,
      uncertaintyNs: Math.ceil(uncertaintyNs),
      stages: totals,
      windows,
    },
  ];
}

function worstOf(stages: readonly StageBubble[], uncertaintyNs: number): Pick<PipelineBubbles, 'worst' | 'isTie'> {
  const worst = stages.reduce((most, each) => (each.bubbleNs > most.bubbleNs ? each : most));
  const isTie = stages.some(
    ({ rank, bubbleNs, unseenNs, waits }) =>
      rank !== worst.rank && bubbleNs + unseenNs + (waits + worst.waits) * uncertaintyNs >= worst.bubbleNs,
  );
  return { worst: worst.rank, isTie };
}

/** What a trace may lack of a window that counts: clocks scatter, and a rank begins a step a little after the others. */
const MAY_LACK = 0.01;

function windowOf({ label, startNs, endNs, complete }: JobWindow, all: readonly Stage[]): BubbleWindow {
  const stages = all.map((stage) => bubbleIn(stage, Float64Array.of(startNs, endNs)));
  const wallNs = Math.round(endNs - startNs);
  return { label, wallNs, counts: complete && stages.every((each) => each.unseenNs <= MAY_LACK * wallNs), stages };
}

interface Stage {
  readonly rank: number;
  readonly idle: Intervals;
  /** From the first to the last that its trace has, in the job's time. */
  readonly seen: Intervals;
}

/** Ranks that are looked at, in the order of the group. */
function stagesOf({ members, clocks, windows }: BubbleSubject, group: CommGroup, idle: Gathered['idle']): Stage[] {
  const order = new Map((group.ranks ?? []).map((rank, at) => [rank, at]));
  const stageOf = (place: number): number => order.get(members[place].rank) ?? group.ranks?.length ?? 0;
  return [...idle]
    .filter(([place]) => (windows[0]?.ends[place] ?? -1) !== -1)
    .sort(([a], [b]) => stageOf(a) - stageOf(b) || a - b)
    .map(([place, { start, end }]) => {
      const { rank, skeleton } = members[place];
      const { startNs, endNs } = skeleton ?? { startNs: -Infinity, endNs: Infinity };
      const seen = Float64Array.of(toJob(clocks, place, startNs), toJob(clocks, place, endNs));
      return { rank, idle: unionOf(start, end), seen };
    });
}

/** `walls`: disjoint. */
function bubbleIn({ rank, idle, seen }: Stage, walls: Intervals): StageBubble {
  const wallNs = lengthOf(walls);
  const inside = intersectionOf(idle, walls);
  const bubbleNs = lengthOf(inside);
  return {
    rank,
    bubbleNs: Math.round(bubbleNs),
    share: wallNs > 0 ? bubbleNs / wallNs : 0,
    unseenNs: Math.round(wallNs - lengthOf(intersectionOf(seen, walls))),
    waits: inside.length / 2,
  };
}
