import { assertNever } from '../base/assert.ts';
import { type CallAction, copyHoldsCall, copyName } from './call-names.ts';
import type { DeviceSide, Lane, OpDraft } from './device-side.ts';
import { mix, Purpose, vary } from './draws.ts';
import type { HostThread } from './host-thread.ts';
import type { Meeting, MeetingAction, Meetings } from './meetings.ts';
import type { Action, Costs, GraphAction, LaunchAction, Place, PollAction, SyncAction } from './program.ts';
import type { ItemDraft, Recorder } from './recorder.ts';
import { ItemKind, Kind, type TrueSync } from './truth.ts';

export interface EnqueuerContext {
  readonly rank: number;
  readonly costs: Costs;
  readonly device: DeviceSide;
  readonly meetings: Meetings;
  readonly recorder: Recorder | undefined;
  readonly deviceScale: number;
}

/** The last recording of an event. */
interface Recorded {
  readonly call: number;
  readonly lane: Lane;
  readonly ops: readonly number[];
}

const NONE: readonly number[] = [];

/** What the calls of a rank do: enqueue work, record events, wait. The caller has given the call its id and its start. */
export class Enqueuer {
  readonly #context: EnqueuerContext;
  readonly #device: DeviceSide;
  readonly #costs: Costs;
  readonly #recorder: Recorder | undefined;
  readonly #events = new Map<number, Recorded>();

  constructor(context: EnqueuerContext) {
    this.#context = context;
    this.#device = context.device;
    this.#costs = context.costs;
    this.#recorder = context.recorder;
  }

  /** Says what the call's end comes after. False where it has to be made again: a query in a loop that was not done. */
  perform(thread: HostThread, action: CallAction, hash: number): boolean {
    thread.work(thread.callNs);
    switch (action.kind) {
      case 'launch':
        this.#launch(thread, action, hash);
        return true;
      case 'copy': {
        const { direction, memory, isBlocking = false } = action;
        const name = copyName(direction, memory);
        const op = this.#work(thread, action, name, hash);
        if (copyHoldsCall(direction, memory, isBlocking)) {
          this.#holdCall(thread, [op], 'copy-sync', hash);
          this.#sync(thread, 'copy-sync', action.on, -1, undefined, [op]);
        }
        return true;
      }
      case 'fill':
        this.#work(thread, action, 'Memset (Device)', hash);
        return true;
      case 'graph':
        this.#graph(thread, action, hash);
        return true;
      case 'collective':
      case 'send':
      case 'receive':
        this.#meet(thread, action, hash);
        return true;
      case 'record':
        this.#record(thread, action.event, action.on);
        return true;
      case 'wait':
        this.#wait(thread, action.event, action.on);
        return true;
      case 'event-sync':
      case 'stream-sync':
      case 'device-sync':
        this.#synchronise(thread, action, hash);
        return true;
      case 'query':
      case 'poll':
        return this.#query(thread, action);
      case 'allocate': {
        if (!action.waits) return true;
        const ops = this.#device.captureDevice(action.device);
        this.#holdCall(thread, ops, 'device-sync', hash);
        this.#sync(thread, 'implicit-sync', { device: action.device, stream: -1 }, -1, undefined, ops);
        return true;
      }
      default:
        return assertNever(action);
    }
  }

  #latency(ns: number, hash: number, purpose: number): number {
    return vary(ns, this.#costs.latencyJitter, hash, purpose);
  }

  #deviceNs(ns: number, scale: number | undefined, hash: number, purpose: number): number {
    const drawn = vary(ns * this.#context.deviceScale, this.#costs.deviceJitter, hash, purpose);
    return Math.max(1, Math.round(drawn * (scale ?? 1)));
  }

  /** The draft of an op after all that is on its lane. */
  #draft(thread: HostThread, lane: Lane, name: string, action: Action, hash: number, reportedOn: Lane = lane): OpDraft {
    const from: number[] = [];
    const lag: number[] = [];
    const kind: number[] = [];
    if (lane.tail.length > 0) {
      const gap = this.#latency(this.#costs.streamGapNs, hash, Purpose.streamGap);
      for (const op of lane.tail) {
        from.push(2 * op + 1);
        lag.push(gap);
        kind.push(this.#device.laneOf(op) === lane ? Kind['stream-order'] : Kind.graph);
      }
    }
    if (lane.pending.length > 0) {
      const wait = this.#latency(this.#costs.eventWaitNs, hash, Purpose.eventWait);
      for (const op of lane.pending) {
        from.push(2 * op + 1);
        lag.push(wait);
        kind.push(Kind['stream-wait']);
      }
    }
    const about: ItemDraft = {
      kind: ItemKind.device,
      name,
      track: reportedOn.index,
      parent: thread.openCall,
      correlation: thread.correlation,
      action,
      place: mix(hash, Purpose.device),
    };
    return {
      lane,
      item: this.#recorder?.item(about) ?? -1,
      calledBy: 2 * thread.openCall,
      calledAt: thread.callStart,
      launchLag: this.#latency(this.#costs.launchNs, hash, Purpose.launch),
      from,
      lag,
      kind,
      durNs: 0,
      outlasts: NONE,
      tailNs: 0,
      meeting: undefined,
    };
  }

  /** The lane goes on after `ops`: they are what came after its waits. */
  #takeLane(lane: Lane, sinks: readonly number[], tail: readonly number[], thread: HostThread, hash: number): void {
    if (lane.openWaits.length > 0 && this.#recorder !== undefined) {
      const items = sinks.map((op) => this.#device.itemOf(op));
      for (const wait of lane.openWaits) this.#recorder.syncs[wait].sinks = items;
      lane.openWaits = [];
    }
    lane.beforeTail = lane.tail;
    lane.tail = tail;
    lane.pending = NONE;
    this.#holdWhereFull(thread, lane, sinks[0], hash);
  }

  /** Rule 31: the call returns once the op `queueLength` calls before has begun. */
  #holdWhereFull(thread: HostThread, lane: Lane, op: number, hash: number): void {
    const { heads } = lane;
    heads.push(op);
    const head = heads[heads.length - 1 - this.#costs.queueLength];
    if (head === undefined) return;
    const began = this.#device.time(2 * head);
    if (began <= thread.callStart) return;
    thread.waitForDevice(
      2 * head,
      this.#latency(this.#costs.syncReturnNs, hash, Purpose.syncReturn),
      Kind['queue-full'],
    );
  }

  #work(
    thread: HostThread,
    action: Extract<Action, { readonly on: Place; readonly ns: number; readonly scale?: number }>,
    name: string,
    hash: number,
  ): number {
    const lane = this.#device.at(action.on);
    const durNs = this.#deviceNs(action.ns, action.scale, hash, Purpose.device);
    const op = this.#device.enqueue({ ...this.#draft(thread, lane, name, action, hash), durNs }, thread.correlation);
    this.#takeLane(lane, [op], [op], thread, hash);
    return op;
  }

  #launch(thread: HostThread, action: LaunchAction, hash: number): void {
    const lane = this.#device.at(action.on);
    const { dependent } = action;
    if (dependent === undefined || lane.tail.length !== 1) {
      this.#work(thread, action, action.name, hash);
      return;
    }
    // Rule 25: after the start of the op before; what that one may overlap must be over.
    const draft = this.#draft(thread, lane, action.name, action, hash);
    const durNs = this.#deviceNs(action.ns, action.scale, hash, Purpose.device);
    draft.from[0] = 2 * lane.tail[0];
    draft.lag[0] = dependent.triggerNs;
    draft.kind[0] = Kind.overlap;
    for (const op of lane.beforeTail) {
      draft.from.push(2 * op + 1);
      draft.lag.push(this.#latency(this.#costs.streamGapNs, hash, Purpose.streamGap));
      draft.kind.push(Kind['stream-order']);
    }
    const outlasts = { outlasts: lane.tail, tailNs: dependent.tailNs };
    const op = this.#device.enqueue({ ...draft, durNs, ...outlasts }, thread.correlation);
    this.#takeLane(lane, [op], [op], thread, hash);
  }

  #meet(thread: HostThread, action: MeetingAction, hash: number): void {
    const lane = this.#device.at(action.on);
    const meeting: Meeting = this.#context.meetings.call(action, this.#context.rank);
    const draft = this.#draft(thread, lane, action.name, action, hash);
    const op = this.#device.enqueue({ ...draft, meeting }, thread.correlation);
    this.#takeLane(lane, [op], [op], thread, hash);
  }

  /** Rule 8. Roots come after all that is on the launch stream; nodes of a lane of their own also after what ran there before. */
  #graph(thread: HostThread, action: GraphAction, hash: number): void {
    const { nodes } = action;
    const launchLane = this.#device.at(action.on);
    const laneAt = (n: number): Lane => this.#device.lane(action.on.device, nodes[n].stream ?? action.on.stream);
    const isOneLane = nodes.every((_, n) => laneAt(n) === launchLane);
    const ops: number[] = [];
    const isFollowed = new Uint8Array(nodes.length);
    const lastOn = new Map<Lane, number>();
    const roots: number[] = [];
    nodes.forEach((node, n) => {
      const lane = laneAt(n);
      const nodeHash = mix(hash, Purpose.node + n);
      const draft = this.#draft(thread, launchLane, node.name, action, n === 0 ? hash : nodeHash, lane);
      const before = isOneLane ? undefined : lastOn.get(lane);
      if (node.after.length > 0 || before !== undefined) draft.from.length = draft.lag.length = draft.kind.length = 0;
      else roots.push(n);
      const gap = this.#latency(this.#costs.graphGapNs, nodeHash, Purpose.streamGap);
      const follow = (other: number, kind: number): void => {
        draft.from.push(2 * ops[other] + 1);
        draft.lag.push(gap);
        draft.kind.push(kind);
        isFollowed[other] = 1;
      };
      for (const other of node.after) follow(other, Kind.graph);
      if (before !== undefined && !node.after.includes(before)) follow(before, Kind['stream-order']);
      if (before === undefined && lane !== launchLane) {
        for (const op of lane.tail) {
          draft.from.push(2 * op + 1);
          draft.lag.push(this.#latency(this.#costs.streamGapNs, nodeHash, Purpose.streamGap));
          draft.kind.push(Kind['stream-order']);
        }
      }
      lastOn.set(lane, n);
      const durNs = this.#deviceNs(node.ns, action.scale, nodeHash, Purpose.device);
      const isRoot = node.after.length === 0;
      const called = isRoot ? {} : { calledBy: -1, launchLag: 0 };
      ops.push(this.#device.enqueue({ ...draft, lane, durNs, ...called }, thread.correlation));
    });
    for (const [lane, n] of lastOn) if (lane !== launchLane) lane.tail = [ops[n]];
    const leaves = ops.filter((_, n) => isFollowed[n] === 0);
    const sinks = roots.map((n) => ops[n]);
    this.#takeLane(launchLane, sinks, leaves, thread, hash);
  }

  #holdCall(
    thread: HostThread,
    ops: readonly number[],
    kind: 'event-sync' | 'stream-sync' | 'device-sync' | 'copy-sync',
    hash: number,
  ): void {
    if (ops.length === 0) return;
    const lag = this.#latency(this.#costs.syncReturnNs, hash, Purpose.syncReturn);
    for (const op of ops) thread.waitForDevice(2 * op + 1, lag, Kind[kind]);
  }

  #sync(
    thread: HostThread,
    kind: TrueSync['kind'],
    { device, stream }: Place,
    event: number,
    recorded: Recorded | undefined,
    ops: readonly number[],
  ): void {
    this.#recorder?.syncs.push({
      kind,
      call: thread.openCall,
      device,
      stream,
      event,
      record: recorded?.call ?? -1,
      recordDevice: recorded?.lane.device ?? -1,
      recordStream: recorded?.lane.stream ?? -1,
      sources: ops.map((op) => this.#device.itemOf(op)),
      sinks: [],
    });
  }

  /** Rule 1: what is on the stream at this call, waits included. */
  #record(thread: HostThread, event: number, on: Place): void {
    const lane = this.#device.at(on);
    const ops = this.#device.capture(lane);
    this.#events.set(event, { call: thread.openCall, lane, ops });
    if (this.#recorder === undefined) return;
    const sources = ops.map((op) => this.#device.itemOf(op));
    this.#recorder.records.push({ call: thread.openCall, event, ...on, sources });
  }

  /** Rule 2: all later work on the stream comes after what the latest record captured; nothing where there was none. */
  #wait(thread: HostThread, event: number, on: Place): void {
    const lane = this.#device.at(on);
    const recorded = this.#events.get(event);
    // What runs on the waiting stream itself is before all later work on it anyway.
    const ops = recorded === undefined || recorded.lane === lane ? NONE : this.#withoutOwn(recorded.ops, lane);
    if (this.#recorder !== undefined) {
      lane.openWaits.push(this.#recorder.syncs.length);
      this.#sync(thread, 'stream-wait', on, event, recorded, ops);
    }
    if (ops.length > 0) lane.pending = this.#device.merge([...lane.pending, ...ops]);
  }

  #withoutOwn(ops: readonly number[], lane: Lane): readonly number[] {
    return ops.some((op) => this.#device.laneOf(op) === lane)
      ? ops.filter((op) => this.#device.laneOf(op) !== lane)
      : ops;
  }

  #synchronise(thread: HostThread, action: SyncAction, hash: number): void {
    switch (action.kind) {
      case 'event-sync': {
        const recorded = this.#events.get(action.event);
        const ops = recorded?.ops ?? NONE;
        this.#holdCall(thread, ops, 'event-sync', hash);
        this.#sync(thread, 'event-sync', placeOf(recorded), action.event, recorded, ops);
        return;
      }
      case 'stream-sync': {
        const ops = this.#device.capture(this.#device.at(action.on));
        this.#holdCall(thread, ops, 'stream-sync', hash);
        this.#sync(thread, 'stream-sync', action.on, -1, undefined, ops);
        return;
      }
      case 'device-sync': {
        const ops = this.#device.captureDevice(action.device);
        this.#holdCall(thread, ops, 'device-sync', hash);
        this.#sync(thread, 'device-sync', { device: action.device, stream: -1 }, -1, undefined, ops);
      }
    }
  }

  /** Rule 20. Done where all that the event captured had ended when the query began. */
  #query(thread: HostThread, action: PollAction): boolean {
    const recorded = this.#events.get(action.event);
    const ops = recorded?.ops ?? NONE;
    this.#sync(thread, 'query', placeOf(recorded), action.event, recorded, ops);
    if (action.kind === 'query') return true;
    if (thread.polls === 0) thread.pollsSince = thread.callStart;
    let last = -1;
    for (const op of ops) {
      const ended = this.#device.time(2 * op + 1);
      if (!(ended <= thread.callStart)) return false;
      if (last === -1 || ended > this.#device.time(2 * last + 1)) last = op;
    }
    if (last === -1) return true;
    const ended = this.#device.time(2 * last + 1);
    const held = thread.callStart + thread.callNs - ended;
    if (ended > thread.pollsSince) thread.waitForDevice(2 * last + 1, held, Kind['event-sync']);
    return true;
  }
}

const placeOf = (recorded: Recorded | undefined): Place => ({ device: recorded?.lane.device ?? -1, stream: -1 });
