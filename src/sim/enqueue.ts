import { assertNever } from '../base/assert.ts';
import { type CallAction, copyHoldsCall, copyName } from './call-names.ts';
import {
  type DeviceMoment,
  type DeviceOp,
  type DeviceSide,
  type Lane,
  captureLane,
  lastOfLanes,
} from './device-side.ts';
import { DeviceWork, type RankContext } from './device-work.ts';
import { Purpose, vary } from './draws.ts';
import type { HostThread } from './host-thread.ts';
import type { Costs, Place, PollAction, SyncAction } from './program.ts';
import type { Recorder } from './recorder.ts';
import { Kind, type TrueSync } from './truth.ts';

/** The last recording of an event. */
interface Recorded {
  readonly call: number;
  readonly lane: Lane;
  readonly ops: readonly DeviceOp[];
}

const NONE: readonly DeviceOp[] = [];
const CAPTURED: ReadonlySet<CallAction['kind']> = new Set([
  'launch',
  'copy',
  'fill',
  'graph',
  'collective',
  'send',
  'receive',
  'record',
  'wait',
]);

/** What the calls of a rank do: enqueue work, record events, wait. The caller has given the call its id and its start. */
export class Enqueuer {
  readonly #work: DeviceWork;
  readonly #device: DeviceSide;
  readonly #costs: Costs;
  readonly #recorder: Recorder | undefined;
  readonly #events = new Map<number, Recorded>();

  constructor(context: RankContext) {
    this.#work = new DeviceWork(context);
    this.#device = context.device;
    this.#costs = context.costs;
    this.#recorder = context.recorder;
  }

  /** Says what the call's end comes after. False where it has to be made again: a query in a loop that was not done. */
  perform(thread: HostThread, action: CallAction, hash: number): boolean {
    thread.work(thread.callNs);
    if (thread.isCapturing && CAPTURED.has(action.kind)) return true;
    switch (action.kind) {
      case 'launch':
        this.#work.launch(thread, action, hash);
        return true;
      case 'copy': {
        const { direction, memory, isBlocking = false } = action;
        const name = copyName(direction, memory);
        const op = this.#work.work(thread, action, name, hash);
        if (copyHoldsCall(direction, memory, isBlocking)) {
          this.#holdCall(thread, [op], 'copy-sync', hash);
          this.#sync(thread, 'copy-sync', action.on, -1, undefined, [op]);
        }
        return true;
      }
      case 'fill':
        this.#work.work(thread, action, 'Memset (Device)', hash);
        return true;
      case 'graph':
        this.#work.graph(thread, action, hash);
        return true;
      case 'collective':
      case 'send':
      case 'receive':
        this.#work.meet(thread, action, hash);
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
      case 'capture-begin':
      case 'capture-end':
        thread.isCapturing = action.kind === 'capture-begin';
        return true;
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

  #holdCall(
    thread: HostThread,
    ops: readonly DeviceOp[],
    kind: 'event-sync' | 'stream-sync' | 'device-sync' | 'copy-sync',
    hash: number,
  ): void {
    if (ops.length === 0) return;
    const lag = vary(this.#costs.syncReturnNs, this.#costs.latencyJitter, hash, Purpose.syncReturn);
    for (const op of ops) thread.waitForDevice(op.end, lag, Kind[kind]);
  }

  #sync(
    thread: HostThread,
    kind: TrueSync['kind'],
    { device, stream }: Place,
    event: number,
    recorded: Recorded | undefined,
    ops: readonly DeviceOp[],
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
      sources: ops.map((op) => op.item),
      sinks: [],
    });
  }

  /** Rule 1: what is on the stream at this call, waits included. */
  #record(thread: HostThread, event: number, on: Place): void {
    const lane = this.#device.at(on);
    const ops = captureLane(lane);
    this.#events.set(event, { call: thread.openCall, lane, ops });
    if (this.#recorder === undefined) return;
    const sources = ops.map((op) => op.item);
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
    if (ops.length > 0) lane.pending = lastOfLanes([...lane.pending, ...ops]);
  }

  #withoutOwn(ops: readonly DeviceOp[], lane: Lane): readonly DeviceOp[] {
    return ops.some((op) => op.lane === lane) ? ops.filter((op) => op.lane !== lane) : ops;
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
        const ops = captureLane(this.#device.at(action.on));
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
    let last: DeviceMoment | undefined;
    for (const { end } of ops) {
      if (!(end.time <= thread.callStart)) return false;
      if (last === undefined || end.time > last.time) last = end;
    }
    if (last === undefined || last.time <= thread.pollsSince) return true;
    thread.waitForDevice(last, thread.callStart + thread.callNs - last.time, Kind['event-sync']);
    return true;
  }
}

const placeOf = (recorded: Recorded | undefined): Place => ({ device: recorded?.lane.device ?? -1, stream: -1 });
