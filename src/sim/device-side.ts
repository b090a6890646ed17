import type { Meeting, Meetings } from './meetings.ts';
import type { Place } from './program.ts';
import type { Recorder } from './recorder.ts';
import { Kind } from './truth.ts';

/** A moment of a device op. */
export interface DeviceMoment {
  /** In the recorder's numbering. */
  readonly number: number;
  /** True ns; NaN while it is not known. */
  time: number;
  /** What cannot go on before it is known: ops, and host threads by their number. */
  waiters: (DeviceOp | number)[] | undefined;
}

/** An op on a stream. Ops that nothing refers to any more are forgotten, so that a long run needs no more memory than a short one. */
export interface DeviceOp {
  readonly lane: Lane;
  /** Of the recorder, or −1. */
  readonly item: number;
  /** The number of its launch, ascending in enqueue order. Nodes of a graph share one. */
  readonly launch: number;
  readonly start: DeviceMoment;
  readonly end: DeviceMoment;
  /** Of a graph launch. */
  readonly isNode: boolean;
  /** How many times as long as drawn it takes. */
  readonly scale: number;
  /** What it waits for, until its end is known. */
  draft: OpDraft | undefined;
}

/** A stream of a device, and what is enqueued on it. */
export interface Lane {
  readonly index: number;
  readonly device: number;
  readonly stream: number;
  /** What its next op comes after: its last op, or all leaves of a graph launch. */
  tail: readonly DeviceOp[];
  /** What `tail` came after, where `tail` may begin before that ended. */
  beforeTail: readonly DeviceOp[];
  /** Ops of other lanes that waits before the next op brought here. */
  pending: readonly DeviceOp[];
  /** Stream waits (rows of `Recorder.syncs`) that no op came after yet. */
  openWaits: number[];
  /** The first op of each of the last calls into it, as many as a stream takes. */
  readonly heads: DeviceOp[];
}

/** When the start and the end of an op to come are allowed. */
export interface OpDraft {
  readonly lane: Lane;
  readonly item: number;
  readonly isNode: boolean;
  readonly scale: number;
  /** The start of its call: moment of the recorder, time, lag. */
  readonly calledBy: number;
  readonly calledAt: number;
  readonly launchLag: number;
  /** What else must have come: moment, lag, kind. */
  readonly from: DeviceMoment[];
  readonly lag: number[];
  readonly kind: number[];
  readonly durNs: number;
  /** Ops that it may overlap, and outlasts by `tailNs`. */
  readonly outlasts: readonly DeviceOp[];
  readonly tailNs: number;
  readonly meeting: Meeting | undefined;
}

const moment = (number: number): DeviceMoment => ({ number, time: NaN, waiters: undefined });

/** Of each lane only what was launched last: lanes are in order. */
export function lastOfLanes(ops: readonly DeviceOp[]): readonly DeviceOp[] {
  if (ops.length < 2) return ops;
  const latest = new Map<Lane, number>();
  for (const { lane, launch } of ops) if (launch > (latest.get(lane) ?? -1)) latest.set(lane, launch);
  return [...new Set(ops)].filter(({ lane, launch }) => latest.get(lane) === launch);
}

/** All that must end for a lane to have done what is enqueued on it now. */
export function captureLane(lane: Lane): readonly DeviceOp[] {
  if (lane.pending.length === 0) return lane.tail;
  return lastOfLanes([...lane.tail, ...lane.pending.filter((op) => op.lane !== lane)]);
}

/**
 * The devices of a rank. Since all that an op waits for is enqueued before it, its times are known at once, unless it comes after
 * a meeting that others have not reached.
 */
export class DeviceSide {
  readonly lanes: Lane[] = [];
  readonly #rank: number;
  readonly #meetings: Meetings;
  readonly #recorder: Recorder | undefined;
  readonly #laneOf = new Map<number, Lane>();
  #launches = 0;
  readonly #atMeeting = new Map<Meeting, DeviceOp>();
  /** Called with a host thread when what it waits for became known. */
  wake: (thread: number) => void = () => undefined;

  constructor(rank: number, meetings: Meetings, recorder: Recorder | undefined) {
    this.#rank = rank;
    this.#meetings = meetings;
    this.#recorder = recorder;
  }

  lane(device: number, stream: number): Lane {
    const key = device * 2 ** 24 + stream;
    let lane = this.#laneOf.get(key);
    if (lane === undefined) {
      const index = this.lanes.length;
      lane = { index, device, stream, tail: [], beforeTail: [], pending: [], openWaits: [], heads: [] };
      this.#laneOf.set(key, lane);
      this.lanes.push(lane);
    }
    return lane;
  }

  at({ device, stream }: Place): Lane {
    return this.lane(device, stream);
  }

  captureDevice(device: number): readonly DeviceOp[] {
    return lastOfLanes(this.lanes.filter((lane) => lane.device === device).flatMap(captureLane));
  }

  /** The number of the next launch. Ids of calls do not do: two threads may take their places in another order. */
  nextLaunch(): number {
    return this.#launches++;
  }

  /** Puts an op on its lane and gives it its times if they are known. Does not touch the lane's tail. */
  enqueue(draft: OpDraft, launch: number): DeviceOp {
    const { lane, item, isNode, scale } = draft;
    const op = { lane, item, isNode, scale, launch, start: moment(2 * item), end: moment(2 * item + 1), draft };
    this.#tryStart(op, draft);
    return op;
  }

  /** Waits for a moment on behalf of a host thread. */
  awaitMoment(awaited: DeviceMoment, thread: number): void {
    (awaited.waiters ??= []).push(thread);
  }

  /** Others have arrived. */
  meetingEnded(meeting: Meeting, end: number): void {
    const op = this.#atMeeting.get(meeting);
    if (op?.draft === undefined) return;
    this.#atMeeting.delete(meeting);
    this.#finish(op, op.draft, end);
  }

  #tryStart(op: DeviceOp, draft: OpDraft): void {
    const { from, lag } = draft;
    let start = draft.calledAt + draft.launchLag;
    for (let i = 0; i < from.length; i++) {
      const source = from[i];
      if (Number.isNaN(source.time)) {
        (source.waiters ??= []).push(op);
        return;
      }
      start = Math.max(start, source.time + lag[i]);
    }
    op.start.time = start;
    this.#recordStart(draft, start);
    this.#notify(op.start);
    if (draft.meeting === undefined) {
      this.#tryEnd(op, draft);
      return;
    }
    const end = this.#meetings.arrive(draft.meeting, this.#rank, start);
    if (Number.isNaN(end)) this.#atMeeting.set(draft.meeting, op);
    else this.#finish(op, draft, end);
  }

  #tryEnd(op: DeviceOp, draft: OpDraft): void {
    let end = op.start.time + draft.durNs;
    for (const other of draft.outlasts) {
      if (Number.isNaN(other.end.time)) {
        (other.end.waiters ??= []).push(op);
        return;
      }
      end = Math.max(end, other.end.time + draft.tailNs);
    }
    this.#finish(op, draft, end);
  }

  #finish(op: DeviceOp, draft: OpDraft, end: number): void {
    op.draft = undefined;
    op.end.time = end;
    this.#recordEnd(op, draft, end);
    this.#notify(op.end);
  }

  #notify(known: DeviceMoment): void {
    const { waiters } = known;
    if (waiters === undefined) return;
    known.waiters = undefined;
    for (const waiter of waiters) {
      if (typeof waiter === 'number') this.wake(waiter);
      else if (waiter.draft !== undefined) {
        if (Number.isNaN(waiter.start.time)) this.#tryStart(waiter, waiter.draft);
        else this.#tryEnd(waiter, waiter.draft);
      }
    }
  }

  #recordStart(draft: OpDraft, start: number): void {
    const recorder = this.#recorder;
    if (recorder === undefined) return;
    recorder.openMoment();
    if (draft.calledBy !== -1) recorder.constraint(draft.calledBy, Kind.launch, draft.calledAt, draft.launchLag);
    const { from, lag, kind } = draft;
    for (let i = 0; i < from.length; i++) recorder.constraint(from[i].number, kind[i], from[i].time, lag[i]);
    recorder.closeMoment(2 * draft.item, start);
  }

  #recordEnd(op: DeviceOp, draft: OpDraft, end: number): void {
    const recorder = this.#recorder;
    if (recorder === undefined) return;
    const { start } = op;
    recorder.openMoment();
    if (draft.meeting === undefined) recorder.constraint(start.number, Kind.own, start.time, draft.durNs);
    else this.#recordMeeting(op, draft.meeting);
    for (const { end: source } of draft.outlasts) {
      recorder.constraint(source.number, Kind.overlap, source.time, draft.tailNs);
    }
    recorder.closeMoment(op.end.number, end);
  }

  /** Its own part always; of the others it depends on, the one that arrived last. */
  #recordMeeting({ item, start }: DeviceOp, meeting: Meeting): void {
    const recorder = this.#recorder;
    if (recorder === undefined) return;
    const place = meeting.ranks.indexOf(this.#rank);
    const lag = meeting.transfers[place];
    recorder.constraint(start.number, Kind.own, start.time, lag);
    recorder.setMeeting(item, meeting);
    const isMutual = meeting.rule === 'symmetric' || meeting.rule === 'rendezvous';
    if (!isMutual && place === meeting.root) return;
    let last = -Infinity;
    for (let other = 0; other < meeting.ranks.length; other++) {
      if (other === place || !(isMutual || other === meeting.root)) continue;
      last = Math.max(last, meeting.arrivals[other]);
    }
    if (last !== -Infinity) recorder.constraint(-1, Kind.collective, last, lag);
  }
}
