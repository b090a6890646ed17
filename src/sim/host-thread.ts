import type { Action, RepeatAction } from './program.ts';
import type { DeviceMoment } from './device-side.ts';
import type { Recorder } from './recorder.ts';
import { Kind } from './truth.ts';

/** A list of actions under way: the body of a thread, an op, a label, a repetition or a fork. */
export interface Frame {
  readonly owner: 'thread' | 'op' | 'label' | 'repeat' | 'fork';
  list: readonly Action[];
  at: number;
  /** Of a repetition. */
  readonly repeat: RepeatAction | undefined;
  /** The place in the program, passes included. */
  hash: number;
  readonly baseHash: number;
  /** Of the recorder: the op or label, or −1. */
  readonly item: number;
  readonly betweenNs: number;
  readonly afterNs: number;
  /** Passes left after this one. */
  passesLeft: number;
  pass: number;
}

/** Work that a fork gave to a thread that was busy. */
export interface Handed {
  readonly list: readonly Action[];
  readonly hash: number;
  readonly pass: number;
  readonly from: number[];
  readonly at: number[];
  readonly lag: number[];
}

export const ThreadState = { ready: 0, waitsForDevice: 1, joins: 2, idle: 3 } as const;
export type ThreadState = (typeof ThreadState)[keyof typeof ThreadState];

/** A host thread: where it is in its program, and what its next moment comes after. */
export class HostThread {
  readonly index: number;
  readonly stack: Frame[] = [];
  readonly handed: Handed[] = [];
  /** Threads that wait until this one is idle. */
  readonly joiners: HostThread[] = [];
  state: ThreadState = ThreadState.idle;
  /** When its next call or fork happens; only while `ready`. */
  clock = 0;
  /** The call that is open, or −1; without a recorder, any number tells that one is. */
  openCall = -1;
  isInCall = false;
  /** The call has its id, and takes its place on the stream at `clock`. */
  isEnqueueing = false;
  callStart = 0;
  callNs = 0;
  correlation = -1;
  /** Its calls draw a graph and have no effect. */
  isCapturing = false;
  /** Queries of the loop under way so far, and when it began. */
  polls = 0;
  pollsSince = 0;
  /** Of the recorder: the op that is open, or −1. */
  op = -1;

  /** What the next moment comes after. A device moment gives its time once it is known. */
  readonly #from: number[] = [];
  readonly #at: number[] = [];
  readonly #device: (DeviceMoment | undefined)[] = [];
  readonly #lag: number[] = [];
  readonly #kind: number[] = [];
  #work = 0;

  constructor(index: number, startNs: number) {
    this.index = index;
    // A thread that begins has no moment yet: −1 stands for the beginning.
    this.#push(-1, startNs, undefined, 0, Kind['host-order']);
  }

  #push(from: number, at: number, device: DeviceMoment | undefined, lag: number, kind: number): void {
    this.#from.push(from);
    this.#at.push(at);
    this.#device.push(device);
    this.#lag.push(lag);
    this.#kind.push(kind);
  }

  /** Host work: the next moment comes so much later after all that it waits for so far. */
  work(ns: number): void {
    this.#work += ns;
  }

  #flush(): void {
    if (this.#work === 0) return;
    for (let i = 0; i < this.#lag.length; i++) this.#lag[i] += this.#work;
    this.#work = 0;
  }

  waitForHost(from: number, at: number, lag: number, kind: number): void {
    this.#flush();
    this.#push(from, at, undefined, lag, kind);
  }

  waitForDevice(moment: DeviceMoment, lag: number, kind: number): void {
    this.#flush();
    this.#push(-1, NaN, moment, lag, kind);
  }

  /** Copies all that this thread's next moment comes after to another's. */
  passOn(lag: number, to: (from: number, at: number, lag: number) => void): void {
    this.#flush();
    for (let i = 0; i < this.#from.length; i++) to(this.#from[i], this.#at[i], this.#lag[i] + lag);
  }

  /** A device moment that is waited for and not known yet. */
  unknown(): DeviceMoment | undefined {
    for (let i = 0; i < this.#device.length; i++) {
      const awaited = this.#device[i];
      if (awaited === undefined) continue;
      if (Number.isNaN(awaited.time)) return awaited;
      this.#from[i] = awaited.number;
      this.#at[i] = awaited.time;
    }
    return undefined;
  }

  /** When the next moment may come at the earliest; all must be known. */
  arrival(): number {
    let time = 0;
    for (let i = 0; i < this.#at.length; i++) time = Math.max(time, this.#at[i] + this.#lag[i]);
    return time + this.#work;
  }

  /** The next moment happens. Afterwards only it is waited for. */
  happen(moment: number, recorder: Recorder | undefined): number {
    this.#flush();
    const time = this.arrival();
    if (recorder !== undefined) {
      recorder.openMoment();
      for (let i = 0; i < this.#from.length; i++) {
        const from = this.#from[i];
        if (from !== -1) recorder.constraint(from, this.#kind[i], this.#at[i], this.#lag[i]);
      }
      recorder.closeMoment(moment, time);
    }
    if (this.#from.length > 1) {
      this.#from.length = this.#at.length = this.#device.length = this.#lag.length = this.#kind.length = 1;
    }
    this.#from[0] = moment;
    this.#at[0] = time;
    this.#device[0] = undefined;
    this.#lag[0] = 0;
    this.#kind[0] = Kind['host-order'];
    return time;
  }
}
