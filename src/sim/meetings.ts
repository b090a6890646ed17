import { mix, Purpose, vary } from './draws.ts';
import type { CollectiveAction, Group, Job, TransferAction } from './program.ts';
import type { TrueMeeting } from './truth.ts';

export type MeetingAction = CollectiveAction | TransferAction;

/** One meeting of ranks, as far as it has come. */
export interface Meeting extends TrueMeeting {
  /** By member: the length of its part, ns; NaN until it has called. */
  readonly transfers: Float64Array;
  readonly rule: 'symmetric' | 'rooted' | 'eager' | 'rendezvous';
  /** Place of the root, or of the sender. */
  readonly root: number;
}

/** Told of ends that became known because another rank arrived. */
export type EndListener = (rank: number, meeting: Meeting, end: number) => void;

const ROOTED: ReadonlySet<string> = new Set(['broadcast', 'reduce', 'scatter', 'gather']);

/**
 * The meetings of a job. The nth call of a rank in a group meets the nth call of its other members; the nth send from a to b meets
 * the nth receive of b from a. Filled in the first pass; in the second every end is known and ranks can run alone.
 */
export class Meetings {
  readonly #job: Job;
  readonly #groups: ReadonlyMap<string, Group>;
  readonly #byKey = new Map<string, Meeting>();
  readonly #calls = new Map<string, number>();
  onEnd: EndListener = () => undefined;

  constructor(job: Job) {
    this.#job = job;
    this.#groups = new Map(job.groups.map((group) => [group.name, group]));
  }

  get list(): readonly Meeting[] {
    return [...this.#byKey.values()];
  }

  /** A rank begins again. */
  restart(rank: number): void {
    for (const key of this.#calls.keys()) if (key.startsWith(`${rank}|`)) this.#calls.delete(key);
  }

  /** The rank's next call in the action's group; the order of calls counts, not that of arrivals. */
  call(action: MeetingAction, rank: number): Meeting {
    const group = this.#groups.get(action.group);
    if (group === undefined) throw new Error(`simulation: no group "${action.group}"`);
    const line = lineOf(action, rank);
    const calls = `${rank}|${line}`;
    const sequence = this.#calls.get(calls) ?? 0;
    this.#calls.set(calls, sequence + 1);
    const key = `${line}#${sequence}`;
    let meeting = this.#byKey.get(key);
    if (meeting === undefined) {
      meeting = newMeeting(action, group, rank, sequence);
      this.#byKey.set(key, meeting);
    }
    const place = meeting.ranks.indexOf(rank);
    if (place === -1) throw new Error(`simulation: rank ${rank} is not in group "${action.group}"`);
    meeting.transfers[place] = this.#transfer(action, group, rank, line, sequence);
    return meeting;
  }

  #transfer(action: MeetingAction, group: Group, rank: number, line: string, sequence: number): number {
    const member = group.ranks.indexOf(rank);
    const ns = typeof action.ns === 'number' ? action.ns : (action.ns[member] ?? 0);
    const tail = action.kind === 'collective' ? (action.tailNs ?? 0) * member : 0;
    let hash = mix(mix(this.#job.seed, rank), sequence);
    for (let i = 0; i < line.length; i++) hash = mix(hash, line.charCodeAt(i));
    const drawn = vary(ns + tail, this.#job.costs.deviceJitter, hash, Purpose.transfer);
    return Math.max(1, Math.round(drawn * (action.scale ?? 1)));
  }

  /** A rank's kernel begins. Returns its end, or NaN while others are awaited. */
  arrive(meeting: Meeting, rank: number, start: number): number {
    const place = meeting.ranks.indexOf(rank);
    const known = meeting.ends[place];
    if (!Number.isNaN(known)) return known;
    meeting.arrivals[place] = start;
    for (let other = 0; other < meeting.ranks.length; other++) {
      if (!Number.isNaN(meeting.ends[other])) continue;
      const end = endOf(meeting, other);
      if (Number.isNaN(end)) continue;
      meeting.ends[other] = end;
      if (other !== place) this.onEnd(meeting.ranks[other], meeting, end);
    }
    return meeting.ends[place];
  }
}

function lineOf(action: MeetingAction, rank: number): string {
  switch (action.kind) {
    case 'collective':
      return action.group;
    case 'send':
      return `${action.group}:${rank}>${action.peer}`;
    case 'receive':
      return `${action.group}:${action.peer}>${rank}`;
  }
}

function newMeeting(action: MeetingAction, group: Group, rank: number, sequence: number): Meeting {
  const ranks =
    action.kind === 'collective' ? group.ranks : action.kind === 'send' ? [rank, action.peer] : [action.peer, rank];
  const unknown = (): Float64Array => new Float64Array(ranks.length).fill(NaN);
  const about = { group: group.name, sequence, ranks, arrivals: unknown(), ends: unknown(), transfers: unknown() };
  if (action.kind !== 'collective') {
    return { ...about, op: 'send-receive', rule: action.isEager === true ? 'eager' : 'rendezvous', root: 0 };
  }
  const isRooted = ROOTED.has(action.op);
  const root = isRooted ? group.ranks.indexOf(action.root ?? group.ranks[0]) : -1;
  return { ...about, op: action.op, rule: isRooted ? 'rooted' : 'symmetric', root };
}

/** Rule 29. Symmetric: after the last arrival. Rooted: after the root's, and one's own. Of a pair: a send may be eager. */
function endOf(meeting: Meeting, place: number): number {
  const { arrivals, transfers, rule, root } = meeting;
  const own = arrivals[place];
  switch (rule) {
    case 'symmetric':
    case 'rendezvous':
      return lastOf(arrivals) + transfers[place];
    case 'rooted':
    case 'eager':
      return place === root ? own + transfers[place] : Math.max(own, arrivals[root]) + transfers[place];
  }
}

/** NaN where one is missing. */
function lastOf(times: Float64Array): number {
  let last = -Infinity;
  for (let i = 0; i < times.length; i++) {
    if (Number.isNaN(times[i])) return NaN;
    last = Math.max(last, times[i]);
  }
  return last;
}
