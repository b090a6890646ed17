import { ColBuilder } from '../trace/columns.ts';
import type { Meeting, Meetings } from './meetings.ts';
import type { Place } from './program.ts';
import type { Recorder } from './recorder.ts';
import { Kind } from './truth.ts';

/** A stream of a device, and what is enqueued on it. */
export interface Lane {
  readonly index: number;
  readonly device: number;
  readonly stream: number;
  /** What its next op comes after: its last op, or all leaves of a graph launch. */
  tail: readonly number[];
  /** What `tail` came after, where `tail` may begin before that ended. */
  beforeTail: readonly number[];
  /** Ops of other lanes that waits before the next op brought here. */
  pending: readonly number[];
  /** Stream waits (rows of `Recorder.syncs`) that no op came after yet. */
  openWaits: number[];
  /** The first op of each call into it. */
  readonly heads: number[];
}

/** An op to come: when its start and its end are allowed. Moments are 2 × op for its start, 2 × op + 1 for its end. */
export interface OpDraft {
  readonly lane: Lane;
  /** Of the recorder, or −1. */
  readonly item: number;
  /** The start of its call: moment of the recorder, time, lag. */
  readonly calledBy: number;
  readonly calledAt: number;
  readonly launchLag: number;
  /** What else must have come: moment, lag, kind. */
  readonly from: number[];
  readonly lag: number[];
  readonly kind: number[];
  readonly durNs: number;
  /** Ops that it may overlap, and outlasts by `tailNs`. */
  readonly outlasts: readonly number[];
  readonly tailNs: number;
  readonly meeting: Meeting | undefined;
}

/** What waits for a moment that is not known yet: an op by its number, a host thread as −1 − thread. */
type Waiter = number;

const UNKNOWN = NaN;

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
  readonly #start = new ColBuilder(Float64Array);
  readonly #end = new ColBuilder(Float64Array);
  readonly #lane = new ColBuilder(Int32Array);
  readonly #item = new ColBuilder(Int32Array);
  /** By op: the number of its launch, ascending in enqueue order. Nodes of a graph share one. */
  readonly #launch = new ColBuilder(Int32Array);
  readonly #drafts = new Map<number, OpDraft>();
  readonly #waiters = new Map<number, Waiter[]>();
  readonly #atMeeting = new Map<Meeting, number>();
  /** Called with a host thread when what it waits for became known. */
  wake: (thread: number) => void = () => undefined;

  constructor(rank: number, meetings: Meetings, recorder: Recorder | undefined) {
    this.#rank = rank;
    this.#meetings = meetings;
    this.#recorder = recorder;
  }

  get opCount(): number {
    return this.#start.length;
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

  /** NaN while it is not known. */
  time(moment: number): number {
    return (moment & 1) === 0 ? this.#start.get(moment >> 1) : this.#end.get(moment >> 1);
  }

  itemOf(op: number): number {
    return this.#item.get(op);
  }

  laneOf(op: number): Lane {
    return this.lanes[this.#lane.get(op)];
  }

  /** The moment in the recorder's numbering. */
  momentOf(moment: number): number {
    return 2 * this.#item.get(moment >> 1) + (moment & 1);
  }

  /** All that must end for a lane to have done what is enqueued on it now. */
  capture(lane: Lane): readonly number[] {
    if (lane.pending.length === 0) return lane.tail;
    return this.merge([...lane.tail, ...lane.pending.filter((op) => this.#lane.get(op) !== lane.index)]);
  }

  captureDevice(device: number): readonly number[] {
    const all: number[] = [];
    for (const lane of this.lanes) if (lane.device === device) all.push(...this.capture(lane));
    return this.merge(all);
  }

  /** Of each lane only what was launched last: lanes are in order. */
  merge(ops: readonly number[]): readonly number[] {
    if (ops.length < 2) return ops;
    const latest = new Map<number, number>();
    for (const op of ops) {
      const launch = this.#launch.get(op);
      if (launch > (latest.get(this.#lane.get(op)) ?? -1)) latest.set(this.#lane.get(op), launch);
    }
    return [...new Set(ops)].filter((op) => latest.get(this.#lane.get(op)) === this.#launch.get(op));
  }

  /** Puts an op on its lane, with its `from` complete, and gives it its times if they are known. Does not touch the lane's tail. */
  enqueue(draft: OpDraft, launch: number): number {
    const op = this.#start.length;
    this.#start.push(UNKNOWN);
    this.#end.push(UNKNOWN);
    this.#lane.push(draft.lane.index);
    this.#item.push(draft.item);
    this.#launch.push(launch);
    this.#tryStart(op, draft);
    return op;
  }

  /** Waits for the moment on behalf of a host thread. */
  awaitMoment(moment: number, thread: number): void {
    this.#await(moment, -1 - thread);
  }

  /** Others have arrived. */
  meetingEnded(meeting: Meeting, end: number): void {
    const op = this.#atMeeting.get(meeting);
    if (op === undefined) return;
    const draft = this.#drafts.get(op);
    if (draft === undefined) return;
    this.#atMeeting.delete(meeting);
    this.#finish(op, draft, end);
  }

  #await(moment: number, waiter: Waiter): void {
    const known = this.#waiters.get(moment);
    if (known === undefined) this.#waiters.set(moment, [waiter]);
    else known.push(waiter);
  }

  #tryStart(op: number, draft: OpDraft): void {
    const { from, lag } = draft;
    let start = draft.calledAt + draft.launchLag;
    for (let i = 0; i < from.length; i++) {
      const source = this.time(from[i]);
      if (Number.isNaN(source)) {
        this.#drafts.set(op, draft);
        this.#await(from[i], op);
        return;
      }
      start = Math.max(start, source + lag[i]);
    }
    this.#start.set(op, start);
    this.#recordStart(draft, start);
    this.#notify(2 * op);
    if (draft.meeting === undefined) {
      this.#tryEnd(op, draft, start);
      return;
    }
    const end = this.#meetings.arrive(draft.meeting, this.#rank, start);
    if (!Number.isNaN(end)) {
      this.#finish(op, draft, end);
      return;
    }
    this.#drafts.set(op, draft);
    this.#atMeeting.set(draft.meeting, op);
  }

  #tryEnd(op: number, draft: OpDraft, start: number): void {
    let end = start + draft.durNs;
    for (const other of draft.outlasts) {
      const source = this.time(2 * other + 1);
      if (Number.isNaN(source)) {
        this.#drafts.set(op, draft);
        this.#await(2 * other + 1, op);
        return;
      }
      end = Math.max(end, source + draft.tailNs);
    }
    this.#finish(op, draft, end);
  }

  #finish(op: number, draft: OpDraft, end: number): void {
    this.#drafts.delete(op);
    this.#end.set(op, end);
    this.#recordEnd(op, draft, end);
    this.#notify(2 * op + 1);
  }

  #notify(moment: number): void {
    const waiters = this.#waiters.get(moment);
    if (waiters === undefined) return;
    this.#waiters.delete(moment);
    for (const waiter of waiters) {
      if (waiter < 0) {
        this.wake(-1 - waiter);
        continue;
      }
      const draft = this.#drafts.get(waiter);
      if (draft === undefined) continue;
      this.#drafts.delete(waiter);
      const start = this.#start.get(waiter);
      if (Number.isNaN(start)) this.#tryStart(waiter, draft);
      else this.#tryEnd(waiter, draft, start);
    }
  }

  #recordStart(draft: OpDraft, start: number): void {
    const recorder = this.#recorder;
    if (recorder === undefined) return;
    recorder.openMoment();
    if (draft.calledBy !== -1) recorder.constraint(draft.calledBy, Kind.launch, draft.calledAt, draft.launchLag);
    const { from, lag, kind } = draft;
    for (let i = 0; i < from.length; i++) {
      recorder.constraint(this.momentOf(from[i]), kind[i], this.time(from[i]), lag[i]);
    }
    recorder.closeMoment(2 * draft.item, start);
  }

  #recordEnd(op: number, draft: OpDraft, end: number): void {
    const recorder = this.#recorder;
    if (recorder === undefined) return;
    const start = this.#start.get(op);
    recorder.openMoment();
    if (draft.meeting === undefined) recorder.constraint(2 * draft.item, Kind.own, start, draft.durNs);
    else this.#recordMeeting(draft.item, draft.meeting, start);
    for (const other of draft.outlasts) {
      const source = 2 * other + 1;
      recorder.constraint(this.momentOf(source), Kind.overlap, this.time(source), draft.tailNs);
    }
    recorder.closeMoment(2 * draft.item + 1, end);
  }

  /** Its own part always; of the others it depends on, the one that arrived last. */
  #recordMeeting(item: number, meeting: Meeting, start: number): void {
    const recorder = this.#recorder;
    if (recorder === undefined) return;
    const place = meeting.ranks.indexOf(this.#rank);
    const lag = meeting.transfers[place];
    recorder.constraint(2 * item, Kind.own, start, lag);
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
