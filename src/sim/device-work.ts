import type { DeviceMoment, DeviceOp, DeviceSide, Lane, OpDraft } from './device-side.ts';
import { mix, Purpose, vary } from './draws.ts';
import type { HostThread } from './host-thread.ts';
import type { Meeting, MeetingAction, Meetings } from './meetings.ts';
import type { Action, Costs, GraphAction, LaunchAction, Place, RankProgram } from './program.ts';
import type { ItemDraft, Recorder } from './recorder.ts';
import { ItemKind, Kind } from './truth.ts';

/** What a rank's calls need to know. */
export interface RankContext {
  readonly rank: number;
  readonly costs: Costs;
  readonly device: DeviceSide;
  readonly meetings: Meetings;
  readonly recorder: Recorder | undefined;
  readonly program: RankProgram;
}

const NONE: readonly DeviceOp[] = [];

/** Puts kernels, copies, fills, graphs and collectives on their streams: what they come after, and how long they take. */
export class DeviceWork {
  readonly #context: RankContext;
  readonly #device: DeviceSide;
  readonly #costs: Costs;
  readonly #recorder: Recorder | undefined;

  constructor(context: RankContext) {
    this.#context = context;
    this.#device = context.device;
    this.#costs = context.costs;
    this.#recorder = context.recorder;
  }

  #latency(ns: number, hash: number, purpose: number): number {
    return vary(ns, this.#costs.latencyJitter, hash, purpose);
  }

  #deviceNs(ns: number, scale: number | undefined, hash: number, purpose: number): number {
    const drawn = vary(ns * (this.#context.program.deviceScale ?? 1), this.#costs.deviceJitter, hash, purpose);
    return Math.max(1, Math.round(drawn * (scale ?? 1)));
  }

  /** The draft of an op after all that is on its lane. */
  #draft(thread: HostThread, lane: Lane, name: string, action: Action, hash: number, reportedOn: Lane = lane): OpDraft {
    const from: DeviceMoment[] = [];
    const lag: number[] = [];
    const kind: number[] = [];
    if (lane.tail.length > 0) {
      const gap = this.#latency(this.#costs.streamGapNs, hash, Purpose.streamGap);
      for (const op of lane.tail) {
        from.push(op.end);
        lag.push(gap);
        kind.push(op.lane === lane ? Kind['stream-order'] : Kind.graph);
      }
    }
    const others = this.#acrossDefaultStream(lane);
    if (others.length > 0) {
      const gap = this.#latency(this.#costs.streamGapNs, hash, Purpose.legacy);
      for (const op of others) {
        from.push(op.end);
        lag.push(gap);
        kind.push(Kind['stream-wait']);
      }
    }
    if (lane.pending.length > 0) {
      const wait = this.#latency(this.#costs.eventWaitNs, hash, Purpose.eventWait);
      for (const op of lane.pending) {
        from.push(op.end);
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
      isNode: action.kind === 'graph',
      scale: ('scale' in action ? action.scale : undefined) ?? 1,
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

  /** Rule 6: of the legacy default stream all other streams of its device, of those the default stream. */
  #acrossDefaultStream(lane: Lane): readonly DeviceOp[] {
    const { legacyStream } = this.#context.program;
    if (legacyStream === undefined) return NONE;
    if (lane.stream !== legacyStream) return this.#device.lane(lane.device, legacyStream).tail;
    return this.#device.captureDevice(lane.device).filter((op) => op.lane !== lane);
  }

  /** The lane goes on after `ops`: they are what came after its waits. */
  #takeLane(lane: Lane, sinks: readonly DeviceOp[], tail: readonly DeviceOp[], thread: HostThread, hash: number): void {
    if (lane.openWaits.length > 0 && this.#recorder !== undefined) {
      const items = sinks.map((op) => op.item);
      for (const wait of lane.openWaits) this.#recorder.syncs[wait].sinks = items;
      lane.openWaits = [];
    }
    lane.beforeTail = lane.tail;
    lane.tail = tail;
    lane.pending = NONE;
    this.#holdWhereFull(thread, lane, sinks[0], hash);
  }

  /** Rule 31: the call returns once the op `queueLength` calls before has begun. */
  #holdWhereFull(thread: HostThread, lane: Lane, op: DeviceOp, hash: number): void {
    const { heads } = lane;
    heads.push(op);
    if (heads.length <= this.#costs.queueLength) return;
    const head = heads.shift();
    if (head === undefined || head.start.time <= thread.callStart) return;
    const lag = this.#latency(this.#costs.syncReturnNs, hash, Purpose.syncReturn);
    thread.waitForDevice(head.start, lag, Kind['queue-full']);
  }

  work(
    thread: HostThread,
    action: Extract<Action, { readonly on: Place; readonly ns: number; readonly scale?: number }>,
    name: string,
    hash: number,
  ): DeviceOp {
    const lane = this.#device.at(action.on);
    const durNs = this.#deviceNs(action.ns, action.scale, hash, Purpose.device);
    const op = this.#device.enqueue(
      { ...this.#draft(thread, lane, name, action, hash), durNs },
      this.#device.nextLaunch(),
    );
    this.#takeLane(lane, [op], [op], thread, hash);
    return op;
  }

  launch(thread: HostThread, action: LaunchAction, hash: number): void {
    const lane = this.#device.at(action.on);
    const { dependent } = action;
    const [before] = lane.tail;
    // Nothing overlaps a graph: it is over with all its nodes.
    if (dependent === undefined || before === undefined || before.isNode) {
      this.work(thread, action, action.name, hash);
      return;
    }
    // Rule 25: after the start of the op before; what that one may overlap must be over.
    const draft = this.#draft(thread, lane, action.name, action, hash);
    const durNs = this.#deviceNs(action.ns, action.scale, hash, Purpose.device);
    draft.from[0] = before.start;
    draft.lag[0] = Math.round(dependent.triggerNs * before.scale);
    draft.kind[0] = Kind.overlap;
    for (const op of lane.beforeTail) {
      draft.from.push(op.end);
      draft.lag.push(this.#latency(this.#costs.streamGapNs, hash, Purpose.streamGap));
      draft.kind.push(Kind['stream-order']);
    }
    const outlasts = { outlasts: lane.tail, tailNs: Math.round(dependent.tailNs * draft.scale) };
    const op = this.#device.enqueue({ ...draft, durNs, ...outlasts }, this.#device.nextLaunch());
    this.#takeLane(lane, [op], [op], thread, hash);
  }

  meet(thread: HostThread, action: MeetingAction, hash: number): void {
    const lane = this.#device.at(action.on);
    const meeting: Meeting = this.#context.meetings.call(action, this.#context.rank);
    const draft = this.#draft(thread, lane, action.name, action, hash);
    const op = this.#device.enqueue({ ...draft, meeting }, this.#device.nextLaunch());
    this.#takeLane(lane, [op], [op], thread, hash);
  }

  /** Rule 8. Roots come after all that is on the launch stream; nodes of a lane of their own also after what ran there before. */
  graph(thread: HostThread, action: GraphAction, hash: number): void {
    const { nodes } = action;
    const launchLane = this.#device.at(action.on);
    const laneAt = (n: number): Lane => this.#device.lane(action.on.device, nodes[n].stream ?? action.on.stream);
    const isOneLane = nodes.every((_, n) => laneAt(n) === launchLane);
    const ops: DeviceOp[] = [];
    const launch = this.#device.nextLaunch();
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
        draft.from.push(ops[other].end);
        draft.lag.push(gap);
        draft.kind.push(kind);
        isFollowed[other] = 1;
      };
      for (const other of node.after) follow(other, Kind.graph);
      if (before !== undefined && !node.after.includes(before)) follow(before, Kind['stream-order']);
      if (before === undefined && lane !== launchLane) {
        for (const op of lane.tail) {
          draft.from.push(op.end);
          draft.lag.push(this.#latency(this.#costs.streamGapNs, nodeHash, Purpose.streamGap));
          draft.kind.push(Kind['stream-order']);
        }
      }
      lastOn.set(lane, n);
      const durNs = this.#deviceNs(node.ns, action.scale, nodeHash, Purpose.device);
      const isRoot = node.after.length === 0;
      const called = isRoot ? {} : { calledBy: -1, launchLag: 0 };
      ops.push(this.#device.enqueue({ ...draft, lane, durNs, ...called }, launch));
    });
    for (const [lane, n] of lastOn) if (lane !== launchLane) lane.tail = [ops[n]];
    const leaves = ops.filter((_, n) => isFollowed[n] === 0);
    const sinks = roots.map((n) => ops[n]);
    this.#takeLane(launchLane, sinks, leaves, thread, hash);
  }
}
