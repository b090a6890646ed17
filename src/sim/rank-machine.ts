import { type CallAction, apiOf, callCostOf, isCallAction } from './call-names.ts';
import { DeviceSide } from './device-side.ts';
import { mix, Purpose, unit, vary } from './draws.ts';
import { Enqueuer } from './enqueue.ts';
import { type Frame, HostThread, ThreadState } from './host-thread.ts';
import type { Meetings } from './meetings.ts';
import type { Action, Costs, Job, OpAction, RankProgram, RepeatAction } from './program.ts';
import type { Recorder } from './recorder.ts';
import { ItemKind, Kind, type RankTruth } from './truth.ts';

const MOST_POLLS = 1_000_000;
const NOTHING: readonly Action[] = [];

/**
 * Runs the program of one rank. Threads take turns: the one whose next call comes first makes it, so that calls take their ids, and
 * streams their work, in the order of time. Ops and labels between calls touch no other thread and are run through at once.
 */
export class RankMachine {
  readonly rank: number;
  readonly device: DeviceSide;
  readonly #costs: Costs;
  readonly #program: RankProgram;
  readonly #recorder: Recorder | undefined;
  readonly #threads: HostThread[];
  readonly #enqueuer: Enqueuer;
  #correlation = 100;
  readonly #sequences = new Map<number, number>();
  #sequenceCount = 1_000;

  constructor(job: Job, rank: number, meetings: Meetings, recorder: Recorder | undefined) {
    const program = job.ranks[rank];
    this.rank = rank;
    this.#program = program;
    this.#costs = job.costs;
    this.#recorder = recorder;
    this.device = new DeviceSide(rank, meetings, recorder);
    this.device.wake = (thread) => {
      this.#threads[thread].state = ThreadState.ready;
      this.#advance(this.#threads[thread]);
    };
    this.#enqueuer = new Enqueuer({ rank, program, costs: job.costs, device: this.device, meetings, recorder });
    const seed = mix(job.seed, rank);
    this.#threads = program.threads.map(({ startNs = 0 }, index) => new HostThread(index, startNs));
    program.threads.forEach(({ body }, index) => {
      const thread = this.#threads[index];
      if (body.length === 0) return;
      const hash = mix(seed, index);
      thread.stack.push(frame('thread', body, hash));
      thread.state = ThreadState.ready;
    });
    for (const thread of this.#threads) if (thread.state === ThreadState.ready) this.#advance(thread);
  }

  /** When its next call happens; Infinity where it is done, or held by other ranks. */
  get nextTime(): number {
    let least = Infinity;
    for (const thread of this.#threads) {
      if (thread.state === ThreadState.ready && thread.clock < least) least = thread.clock;
    }
    return least;
  }

  get isDone(): boolean {
    return this.#threads.every(({ state, stack }) => state === ThreadState.idle && stack.length === 0);
  }

  /** Makes the next call. */
  step(): void {
    let next: HostThread | undefined;
    for (const thread of this.#threads) {
      if (thread.state !== ThreadState.ready) continue;
      if (next === undefined || thread.clock < next.clock) next = thread;
    }
    if (next !== undefined) this.#act(next);
  }

  take(recorder: Recorder): RankTruth {
    const threads = this.#program.threads.map(({ name }) => name);
    const lanes = this.device.lanes.map(({ device, stream }) => ({ device, stream }));
    return recorder.take({ rank: this.rank, threads, lanes });
  }

  /** The thread's next action is a call, a fork or a join: does it. */
  #act(thread: HostThread): void {
    const top = thread.stack[thread.stack.length - 1];
    const action = top.list[top.at];
    const hash = mix(top.hash, top.at);
    if (action.kind === 'fork') this.#fork(thread, action.thread, action.body, hash);
    else if (action.kind === 'join') {
      if (!this.#join(thread, action.thread, hash)) return;
    } else if (isCallAction(action)) {
      const callHash = action.kind === 'poll' ? mix(hash, thread.polls) : hash;
      if (!thread.isEnqueueing && this.#beginCall(thread, action, callHash)) return;
      thread.isEnqueueing = false;
      const isOver = this.#enqueuer.perform(thread, action, callHash);
      thread.isInCall = true;
      if (!isOver) {
        if (++thread.polls > MOST_POLLS) throw new Error(`simulation: rank ${this.rank} polls for ever`);
        this.#advance(thread);
        return;
      }
      thread.polls = 0;
    }
    top.at++;
    this.#advance(thread);
  }

  /** Gives the call its id. True where it takes its place on the stream only later. */
  #beginCall(thread: HostThread, action: CallAction, hash: number): boolean {
    const { hostJitter, enqueueNs } = this.#costs;
    const scale = this.#program.hostScale ?? 1;
    const callNs = vary((action.callNs ?? callCostOf(action, this.#costs)) * scale, hostJitter, hash, Purpose.call);
    const delay = enqueueNs === 0 ? 0 : Math.round(enqueueNs * unit(hash, Purpose.enqueue));
    thread.correlation = ++this.#correlation;
    const item = this.#item(thread, ItemKind.call, apiOf(action), action, hash);
    thread.openCall = item;
    thread.callStart = thread.happen(2 * item, this.#recorder);
    thread.callNs = Math.max(callNs, delay);
    if (delay === 0) return false;
    thread.isEnqueueing = true;
    thread.clock = thread.callStart + delay;
    return true;
  }

  #fork(thread: HostThread, index: number, body: readonly Action[], hash: number): void {
    const worker = this.#threads[index];
    const handed = { list: body, hash: mix(hash, 1), pass: passOf(thread), from: [], at: [], lag: [] };
    const { from, at, lag } = handed as { from: number[]; at: number[]; lag: number[] };
    const forkNs = vary(this.#costs.forkNs, this.#costs.latencyJitter, hash, Purpose.fork);
    thread.passOn(forkNs, (moment, time, length) => {
      from.push(moment);
      at.push(time);
      lag.push(length);
    });
    worker.handed.push(handed);
    if (worker.state === ThreadState.idle) this.#takeHanded(worker);
  }

  #takeHanded(worker: HostThread): void {
    const handed = worker.handed.shift();
    if (handed === undefined) return;
    handed.from.forEach((moment, i) => worker.waitForHost(moment, handed.at[i], handed.lag[i], Kind.thread));
    const body = frame('fork', handed.list, handed.hash);
    body.pass = handed.pass;
    worker.stack.push(body);
    worker.state = ThreadState.ready;
    this.#advance(worker);
  }

  /** True where the worker was idle; else the thread goes on when it is. */
  #join(thread: HostThread, index: number, hash: number): boolean {
    const worker = this.#threads[index];
    if (worker.state !== ThreadState.idle) {
      worker.joiners.push(thread);
      thread.state = ThreadState.joins;
      return false;
    }
    const joinNs = vary(this.#costs.joinNs, this.#costs.latencyJitter, hash, Purpose.join);
    worker.passOn(joinNs, (moment, time, lag) => thread.waitForHost(moment, time, lag, Kind.thread));
    return true;
  }

  /** Runs a thread up to its next call, fork or join, or until it is held or done. */
  #advance(thread: HostThread): void {
    const { stack } = thread;
    for (;;) {
      if (thread.isInCall && !this.#endCall(thread)) return;
      const top = stack[stack.length - 1];
      if (top === undefined) {
        this.#goIdle(thread);
        return;
      }
      if (top.at >= top.list.length) {
        this.#endFrame(thread, top);
        continue;
      }
      const action = top.list[top.at];
      if (top.at > 0 && top.betweenNs > 0 && thread.polls === 0) {
        thread.work(this.#hostNs(top.betweenNs, mix(top.hash, top.at), Purpose.between));
      }
      switch (action.kind) {
        case 'op':
          top.at++;
          this.#beginOp(thread, action, mix(top.hash, top.at - 1));
          break;
        case 'annotation':
        case 'frame': {
          const hash = mix(top.hash, top.at++);
          const kind = action.kind === 'frame' ? ItemKind.frame : ItemKind.annotation;
          const name = action.name.includes('{i}')
            ? action.name.replaceAll('{i}', String(passOf(thread)))
            : action.name;
          const item = this.#item(thread, kind, name, action, hash);
          this.#recorder?.setTime(2 * item, thread.arrival());
          stack.push(frame('label', action.body, hash, item));
          break;
        }
        case 'sleep':
          thread.work(this.#hostNs(action.ns, mix(top.hash, top.at++), Purpose.sleep));
          break;
        case 'skip':
          top.at++;
          break;
        case 'repeat': {
          const hash = mix(top.hash, top.at++);
          if (action.times <= 0) break;
          const body = { ...frame('repeat', bodyOfPass(action, 0), hash), repeat: action };
          body.passesLeft = action.times - 1;
          stack.push(body);
          break;
        }
        default:
          thread.clock = thread.arrival();
          return;
      }
    }
  }

  /** False where the call is held by what is not known yet. */
  #endCall(thread: HostThread): boolean {
    const unknown = thread.unknown();
    if (unknown !== undefined) {
      thread.state = ThreadState.waitsForDevice;
      this.device.awaitMoment(unknown, thread.index);
      return false;
    }
    thread.happen(2 * thread.openCall + 1, this.#recorder);
    thread.isInCall = false;
    thread.openCall = -1;
    if (thread.polls > 0) {
      const top = thread.stack[thread.stack.length - 1];
      const action = top.list[top.at];
      const everyNs = action.kind === 'poll' ? (action.everyNs ?? 0) : 0;
      thread.work(this.#hostNs(everyNs, mix(mix(top.hash, top.at), thread.polls), Purpose.poll));
    }
    return true;
  }

  #goIdle(thread: HostThread): void {
    thread.state = ThreadState.idle;
    if (thread.handed.length > 0) {
      this.#takeHanded(thread);
      return;
    }
    for (const joiner of thread.joiners.splice(0)) {
      joiner.state = ThreadState.ready;
      this.#act(joiner);
    }
  }

  #endFrame(thread: HostThread, top: Frame): void {
    switch (top.owner) {
      case 'repeat':
        if (top.passesLeft > 0 && top.repeat !== undefined) {
          top.passesLeft--;
          top.pass++;
          top.at = 0;
          top.list = bodyOfPass(top.repeat, top.pass);
          top.hash = mix(top.baseHash, top.pass);
          return;
        }
        break;
      case 'op':
        thread.work(top.afterNs);
        thread.happen(2 * top.item + 1, this.#recorder);
        break;
      case 'label':
        this.#recorder?.setTime(2 * top.item + 1, thread.arrival());
        break;
      case 'thread':
      case 'fork':
        break;
    }
    thread.stack.pop();
    if (top.owner === 'op') thread.op = openOp(thread);
  }

  #beginOp(thread: HostThread, action: OpAction, hash: number): void {
    const item = this.#item(thread, ItemKind.op, action.name, action, hash);
    if (action.sequence !== undefined) this.#recorder?.setSequence(item, this.#sequenceOf(action));
    thread.happen(2 * item, this.#recorder);
    const scale = action.scale ?? 1;
    const own = (ns: number, purpose: number): number => Math.round(this.#hostNs(ns, hash, purpose) * scale);
    thread.work(own(action.beforeNs, Purpose.before));
    const afterNs = own(action.afterNs ?? 0, Purpose.after);
    thread.stack.push(frame('op', action.body ?? NOTHING, hash, item, (action.betweenNs ?? 0) * scale, afterNs));
    thread.op = item;
  }

  /** A forward op takes a new number, the backward op of the same place in the program the one given last. */
  #sequenceOf({ sequence = 0, isBackward }: OpAction): number {
    const known = this.#sequences.get(sequence);
    if (isBackward === true && known !== undefined) return known;
    const made = this.#sequenceCount++;
    this.#sequences.set(sequence, made);
    return made;
  }

  #item(thread: HostThread, kind: ItemKind, name: string, action: Action, place: number): number {
    const correlation = kind === ItemKind.call ? thread.correlation : -1;
    const about = { kind, name, track: thread.index, parent: thread.op, correlation, action, place };
    return this.#recorder?.item(about) ?? -1;
  }

  #hostNs(ns: number, hash: number, purpose: number): number {
    return vary(ns * (this.#program.hostScale ?? 1), this.#costs.hostJitter, hash, purpose);
  }
}

function frame(
  owner: Frame['owner'],
  list: readonly Action[],
  hash: number,
  item = -1,
  betweenNs = 0,
  afterNs = 0,
): Frame {
  return {
    owner,
    list,
    repeat: undefined,
    at: 0,
    hash,
    baseHash: hash,
    item,
    betweenNs,
    afterNs,
    passesLeft: 0,
    pass: 0,
  };
}

const bodyOfPass = ({ body, otherPasses }: RepeatAction, pass: number): readonly Action[] =>
  otherPasses?.find((other) => other.pass === pass)?.body ?? body;

/** The pass of the outermost repetition, or what a fork brought along. */
function passOf({ stack }: HostThread): number {
  for (const { owner, pass } of stack) if (owner === 'repeat' || owner === 'fork') return pass;
  return 0;
}

function openOp({ stack }: HostThread): number {
  for (let i = stack.length - 1; i >= 0; i--) if (stack[i].owner === 'op') return stack[i].item;
  return -1;
}
