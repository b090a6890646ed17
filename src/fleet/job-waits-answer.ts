// Who waited for whom, as plain data: by rank, by call, and as a picture.
import type { Meetings } from './job-analysis.ts';
import type { CommOp, Meeting } from './model.ts';
import { type RankWaits, type StepLast, lastBySteps, waitHeat, waitsByRank } from './wait-totals.ts';
import { type WaitHeatMap, heatMapOf } from './wait-heat-map.ts';
import { type MeetingWaits, waitsOf } from './waits.ts';

/** One matched call, and who came last to it. */
export interface WaitRow {
  readonly op: CommOp;
  /** The group's name or description; '' where the trace has neither. */
  readonly group: string;
  readonly members: number;
  readonly isComplete: boolean;
  readonly how: Meeting['how'];
  /** When the last of its members arrived, since the first arrival of all calls, ns of the job's clock. */
  readonly arrivedNs: number;
  /** Of all members together, and of the one that waited longest. */
  readonly waitNs: number;
  readonly longestWaitNs: number;
  /** The longest of what is left of its calls; `isTransfer`: surely the transfer, else that or the wait for an unseen rank. */
  readonly restNs: number;
  readonly isTransfer: boolean;
  /** The rank that came last; absent where nothing tells. */
  readonly last?: number;
  /** The event by which it came, `e-24`. */
  readonly event?: number;
  /** By how much it came after the one before it; absent where only one counts. */
  readonly marginNs?: number;
  readonly uncertaintyNs: number;
  /** The margin is within what the clocks may be off: nobody is to blame. */
  readonly isTie: boolean;
  readonly busGBps?: number;
}

/** How long each rank waited in each of some calls; −1 where it is not in one. */
export interface WaitPicture {
  readonly ranks: readonly number[];
  /** Index into `rows`, in order of time. */
  readonly calls: readonly number[];
  /** By rank, then by call. */
  readonly waitNs: readonly (readonly number[])[];
}

export interface WaitsAnswer {
  /** Ascending by rank. */
  readonly ranks: readonly RankWaits[];
  /** In order of time. */
  readonly rows: readonly WaitRow[];
  readonly steps: readonly StepLast[];
  /** Calls in which nobody can be blamed. */
  readonly ties: number;
  /** The ranks and calls with most waiting, at most `PICTURE` of each. */
  readonly picture: WaitPicture;
  /** All ranks and calls; neighbours merged where they are many. */
  readonly heatMap: WaitHeatMap;
}

const PICTURE = 64;

export function waitsAnswer({ members, meetings, clocks }: Meetings): WaitsAnswer {
  const calls = members.map((member) => member.calls);
  const waits = waitsOf(calls, meetings, clocks);
  const ordered = waits.toSorted((a, b) => a.lastNs - b.lastNs || a.meeting - b.meeting);
  const firstNs = ordered.reduce((first, each) => Math.min(first, each.firstNs), Infinity);
  const handleOf = handles(members);
  const rows = ordered.map((each) => rowOf(meetings[each.meeting], each, firstNs, handleOf));
  const heat = waitHeat(calls, meetings, waits);
  return {
    ranks: waitsByRank(calls, meetings, waits).map(rounded),
    rows,
    steps: lastBySteps(calls, meetings, waits),
    ties: rows.filter(({ isTie, isTransfer }) => isTie && isTransfer).length,
    picture: pictureOf(heat.ranks, heat.waitNs, rows),
    heatMap: heatMapOf(heat),
  };
}

function rounded({ waitNs, transferNs, unknownNs, causedNs, ...rest }: RankWaits): RankWaits {
  const [wait, transfer, unknown, caused] = [waitNs, transferNs, unknownNs, causedNs].map(Math.round);
  return { ...rest, waitNs: wait, transferNs: transfer, unknownNs: unknown, causedNs: caused };
}

type Handles = (rank: number, call: number) => { readonly group: string; readonly event?: number };

function handles(members: Meetings['members']): Handles {
  const byRank = new Map(members.map((member) => [member.rank, member]));
  return (rank, call) => {
    const member = byRank.get(rank);
    if (member === undefined) return { group: '' };
    const { calls, skeleton } = member;
    const { name, description } = calls.groups[calls.calls[call].group];
    return {
      group: name === '' ? description : name,
      ...(skeleton === undefined ? {} : { event: skeleton.callEvent[call] }),
    };
  };
}

function rowOf(meeting: Meeting, waits: MeetingWaits, firstNs: number, handleOf: Handles): WaitRow {
  const { op, members, isComplete, how } = meeting;
  const { waitNs, restNs, isTransfer, last, marginNs, uncertaintyNs, isTie, busGBps } = waits;
  const who = members[last === -1 ? 0 : last];
  const { group, event } = handleOf(who.rank, who.call);
  const most = (list: Float64Array): number => Math.round(list.reduce((longest, each) => Math.max(longest, each), 0));
  return {
    op,
    group,
    members: members.length,
    isComplete,
    how,
    arrivedNs: Math.round(waits.lastNs - firstNs),
    waitNs: Math.round(waitNs.reduce((sum, each) => sum + each, 0)),
    longestWaitNs: most(waitNs),
    restNs: most(restNs),
    isTransfer,
    ...(last === -1 ? {} : { last: who.rank, ...(event === undefined ? {} : { event }) }),
    ...(Number.isFinite(marginNs) ? { marginNs: Math.round(marginNs) } : {}),
    uncertaintyNs: Math.ceil(uncertaintyNs),
    isTie,
    ...(busGBps === undefined ? {} : { busGBps }),
  };
}

/** `rows` are the columns of `waitNs`. */
function pictureOf(ranks: readonly number[], waitNs: Float32Array, rows: readonly WaitRow[]): WaitPicture {
  const at = (rank: number, call: number): number => waitNs[rank * rows.length + call];
  const totals = ranks.map((_, rank) => rows.reduce((sum, __, call) => sum + (at(rank, call) || 0), 0));
  const chosenRanks = most(totals);
  const chosenCalls = most(rows.map((row) => row.waitNs));
  return {
    ranks: chosenRanks.map((rank) => ranks[rank]),
    calls: chosenCalls,
    waitNs: chosenRanks.map((rank) =>
      chosenCalls.map((call) => (Number.isNaN(at(rank, call)) ? -1 : Math.round(at(rank, call)))),
    ),
  };
}

/** The places of the largest values, ascending. */
const most = (values: readonly number[]): number[] =>
  values
    .map((value, at) => ({ value, at }))
    .sort((a, b) => b.value - a.value || a.at - b.at)
    .slice(0, PICTURE)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
