import { assert } from '../base/assert.ts';
import { ColBuilder } from '../trace/columns.ts';
import { OWN } from '../graph/constraint-set.ts';
import type { Graph } from '../graph/graph.ts';
import { type Term, instantOf } from '../graph/instants.ts';
import type { Window } from '../graph/windows.ts';
import type { RankCalls } from './model.ts';
import type { KeptKind } from './skeleton.ts';

/** The trace's own clock: base of all moments that nothing holds, which come as they were measured. */
export const ORIGIN = -1;

/** A kept moment before its entries are explained. */
export interface Draft {
  readonly kind: KeptKind;
  readonly subject: number;
  /** −1 for a window's end. */
  readonly moment: number;
  readonly timeNs: number;
  readonly entries: readonly DraftEntry[];
}

export interface DraftEntry {
  /** A draft's place in the list, or `ORIGIN`. */
  readonly base: number;
  readonly lagNs: number;
  /** The moment where the chain begins to be walked back: the kept one; of a window's end that of the term. −1: at the origin itself. */
  readonly tail: number;
  /** The part of the lag that comes after `tail`, ns. */
  readonly afterNs: number;
}

export interface Swept {
  readonly drafts: readonly Draft[];
  readonly windows: readonly { readonly window: Window; readonly draft: number }[];
  readonly arrivalOf: Int32Array;
  readonly endOf: Int32Array;
  readonly chains: Chains;
}

/** The two moments of each call whose kernels the graph has. */
interface CallMoments {
  readonly arrival: Int32Array;
  readonly end: Int32Array;
}

/** Each moment in order of dependence gets the longest lag from every base; a call's end is a new base. */
export function sweepSkeleton(graph: Graph, calls: RankCalls, windows: readonly KeptWindow[]): Swept {
  return new Sweep(graph, momentsOfCalls(graph, calls)).run(windows);
}

/** A window, and what its end is made of. */
export interface KeptWindow {
  readonly window: Window;
  readonly terms: readonly Term[];
}

/** A call arrives when its first kernel begins, and ends when the last of them has ended. */
export function momentsOfCalls({ device, moments }: Graph, { calls }: RankCalls): CallMoments {
  const arrival = new Int32Array(calls.length).fill(-1);
  const end = new Int32Array(calls.length).fill(-1);
  calls.forEach(({ events }, call) => {
    const ops = events.map((event) => device.opOfEvent[event]).filter((op) => op !== -1);
    if (ops.length === 0) return;
    const first = ops.reduce((best, op) => (device.start[op] < device.start[best] ? op : best));
    const last = ops.reduce((best, op) => (device.end[op] >= device.end[best] ? op : best));
    arrival[call] = moments.startOfOp(first);
    end[call] = moments.endOfOp(last);
  });
  return { arrival, end };
}

/** A chain at a moment is an item: where that is the item's `owner`, it came by `by` (−1: it begins there) and goes on as `prior`; else by the moment's `via`. */
export interface ChainRows {
  readonly owner: ArrayLike<number>;
  readonly by: ArrayLike<number>;
  readonly prior: ArrayLike<number>;
  readonly via: Int32Array;
}

/**
 * The longest lags from bases to moments. A moment with one constraint shares its source's list, shifted; only joins have lists of their
 * own. Nothing is forgotten, so that every chain can be walked back.
 */
export class Chains {
  readonly #graph: Graph;
  readonly #isEnd: Uint8Array;
  /** By constraint: the graph's, which computes them when they are asked for. */
  readonly #lagOf: Float64Array;
  /** By moment: its list, what to add to its lags, and the constraint by which it came to share that; −1 where it never did. */
  readonly #list: Int32Array;
  readonly #shift: Float64Array;
  readonly #via: Int32Array;
  /** Of moments that became a base: the list that they had before. */
  readonly #before = new Map<number, number>();
  readonly #first = new ColBuilder(Int32Array);
  readonly #base = new ColBuilder(Int32Array);
  readonly #lag = new ColBuilder(Float64Array);
  /** The constraint by which the chain came, −1 where it begins; the item of the constraint's source; and whose own list it is in. */
  readonly #by = new ColBuilder(Int32Array);
  readonly #prior = new ColBuilder(Int32Array);
  readonly #owner = new ColBuilder(Int32Array);

  constructor(graph: Graph, isEnd: Uint8Array) {
    this.#graph = graph;
    this.#isEnd = isEnd;
    this.#lagOf = graph.lag;
    this.#list = new Int32Array(graph.moments.count);
    this.#shift = new Float64Array(graph.moments.count);
    this.#via = new Int32Array(graph.moments.count).fill(-1);
    this.#first.push(0);
  }

  /** Makes the list of a moment whose sources have theirs. The length of a call's last kernel is no constraint: its meeting is. */
  reach(moment: number): void {
    const { constraints, time } = this.#graph;
    const end = constraints.first[moment + 1];
    let only = -1;
    let count = 0;
    for (let c = constraints.first[moment]; c < end; c++) {
      if (!this.#holds(moment, c)) continue;
      only = c;
      count++;
    }
    if (count === 1) {
      const source = constraints.from[only];
      this.#list[moment] = this.#list[source];
      this.#shift[moment] = this.#shift[source] + this.#lagOf[only];
      this.#via[moment] = only;
      return;
    }
    const from = this.#base.length;
    if (count === 0) this.#push(moment, ORIGIN, time[moment], -1, -1);
    else {
      for (let c = constraints.first[moment]; c < end; c++) if (this.#holds(moment, c)) this.#merge(moment, from, c);
    }
    this.#list[moment] = this.#close();
  }

  /** A call's end of which nothing but its meeting says when it comes has no list. */
  reachEnd(moment: number): void {
    const { constraints } = this.#graph;
    for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
      if (this.#holds(moment, c)) {
        this.reach(moment);
        return;
      }
    }
    this.#list[moment] = this.#close();
  }

  #holds(moment: number, c: number): boolean {
    return this.#lagOf[c] !== -Infinity && !(this.#graph.constraints.kind[c] === OWN && this.#isEnd[moment] === 1);
  }

  #merge(moment: number, from: number, c: number): void {
    const source = this.#graph.constraints.from[c];
    const shift = this.#shift[source] + this.#lagOf[c];
    const list = this.#list[source];
    const last = this.#base.length;
    for (let item = this.#first.get(list); item < this.#first.get(list + 1); item++) {
      const base = this.#base.get(item);
      const lag = this.#lag.get(item) + shift;
      const known = this.#find(from, last, base);
      if (known === -1) this.#push(moment, base, lag, c, item);
      else if (lag > this.#lag.get(known)) {
        this.#lag.set(known, lag);
        this.#by.set(known, c);
        this.#prior.set(known, item);
      }
    }
  }

  #push(owner: number, base: number, lag: number, by: number, prior: number): void {
    this.#owner.push(owner);
    this.#base.push(base);
    this.#lag.push(lag);
    this.#by.push(by);
    this.#prior.push(prior);
  }

  #close(): number {
    this.#first.push(this.#base.length);
    return this.#first.length - 2;
  }

  sizeOf(moment: number): number {
    const list = this.#list[moment];
    return this.#first.get(list + 1) - this.#first.get(list);
  }

  eachOf(moment: number, visit: (base: number, lag: number) => void): void {
    const list = this.#list[moment];
    for (let i = this.#first.get(list); i < this.#first.get(list + 1); i++) {
      visit(this.#base.get(i), this.#lag.get(i) + this.#shift[moment]);
    }
  }

  /** From now on, lags are counted from this moment. */
  makeBase(moment: number, base: number): void {
    this.#before.set(moment, this.#list[moment]);
    this.#push(moment, base, 0, -1, -1);
    this.#list[moment] = this.#close();
    this.#shift[moment] = 0;
  }

  /**
   * The end of the longest chain from a base to a moment, to be walked back by `rows`. `isKept`: the moment is a base itself, and what
   * came before it is meant.
   */
  itemAt(moment: number, base: number, isKept: boolean): number {
    const list = isKept ? (this.#before.get(moment) ?? this.#list[moment]) : this.#list[moment];
    const item = this.#find(this.#first.get(list), this.#first.get(list + 1), base);
    assert(item !== -1, 'a chain leads to its moment');
    return item;
  }

  /** For walks, once nothing is added any more. */
  rows(): ChainRows {
    const [owner, by, prior] = [this.#owner, this.#by, this.#prior].map((column) => column.take());
    return { owner, by, prior, via: this.#via };
  }

  #find(first: number, end: number, base: number): number {
    for (let item = first; item < end; item++) if (this.#base.get(item) === base) return item;
    return -1;
  }
}

class Sweep {
  readonly #graph: Graph;
  readonly #calls: CallMoments;
  readonly #chains: Chains;
  readonly #drafts: Draft[] = [];
  /** By moment: the call that arrives, or ends, + 1; 0 for others. */
  readonly #arrives: Int32Array;
  readonly #ends: Int32Array;
  /** By thread, then by stream: the last moment that was reached, or −1. */
  readonly #lastOf: Int32Array;
  /** By moment: constraints from it to what is not reached yet. */
  readonly #open: Int32Array;

  constructor(graph: Graph, calls: CallMoments) {
    const { moments, host, device, constraints } = graph;
    this.#graph = graph;
    this.#calls = calls;
    this.#arrives = new Int32Array(moments.count);
    this.#ends = new Int32Array(moments.count);
    const isEnd = new Uint8Array(moments.count);
    for (let call = calls.end.length - 1; call >= 0; call--) {
      if (calls.end[call] === -1) continue;
      this.#arrives[calls.arrival[call]] = call + 1;
      this.#ends[calls.end[call]] = call + 1;
      isEnd[calls.end[call]] = 1;
    }
    this.#chains = new Chains(graph, isEnd);
    this.#lastOf = new Int32Array(host.threads.length + device.lanes.length).fill(-1);
    this.#open = new Int32Array(moments.count);
    for (let c = 0; c < constraints.from.length; c++) this.#open[constraints.from[c]]++;
  }

  run(windows: readonly KeptWindow[]): Swept {
    const { order, constraints } = this.#graph;
    const arrivalOf = new Int32Array(this.#calls.arrival.length).fill(-1);
    const endOf = new Int32Array(this.#calls.end.length).fill(-1);
    for (let i = 0; i < order.length; i++) {
      const moment = order[i];
      const ends = this.#ends[moment];
      if (ends === 0) this.#chains.reach(moment);
      else this.#chains.reachEnd(moment);
      for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) this.#open[constraints.from[c]]--;
      if (this.#arrives[moment] > 0) {
        const call = this.#arrives[moment] - 1;
        arrivalOf[call] = this.#keep('arrival', call, moment);
      }
      this.#lastOf[this.#laneOf(moment)] = moment;
      if (ends === 0) continue;
      endOf[ends - 1] = this.#keep('call-end', ends - 1, moment);
      this.#chains.makeBase(moment, endOf[ends - 1]);
      this.#keepLanes();
    }
    const kept = this.#keepWindows(windows);
    return { drafts: this.#drafts, windows: kept, arrivalOf, endOf, chains: this.#chains };
  }

  #laneOf(moment: number): number {
    const { moments, host, device } = this.#graph;
    if (moments.isHost(moment)) return host.thread[moments.hostOp(moment)];
    return host.threads.length + device.lane[moments.deviceOp(moment)];
  }

  /** A call has ended: where chains from several bases have joined, one base will do from here on. */
  #keepLanes(): void {
    for (const moment of this.#lastOf) {
      if (moment === -1 || this.#open[moment] === 0 || this.#chains.sizeOf(moment) < 2) continue;
      this.#chains.makeBase(moment, this.#keep('lane', this.#positionOf(moment), moment));
    }
  }

  #positionOf(moment: number): number {
    const { moments, host, device, trace } = this.#graph;
    const event = moments.isHost(moment) ? host.event[moments.hostOp(moment)] : device.event[moments.deviceOp(moment)];
    return trace.events.position[event];
  }

  #keep(kind: KeptKind, subject: number, moment: number): number {
    const entries: DraftEntry[] = [];
    this.#chains.eachOf(moment, (base, lagNs) => entries.push({ base, lagNs, tail: moment, afterNs: 0 }));
    return this.#push({ kind, subject, moment, timeNs: this.#graph.time[moment], entries: this.#needed(entries) });
  }

  #push(draft: Draft): number {
    this.#drafts.push(draft);
    return this.#drafts.length - 1;
  }

  /**
   * Without those that can never come last, since a way of at least the same length leads through other kept moments. O(entries between
   * the earliest and the latest base).
   */
  #needed(entries: readonly DraftEntry[]): DraftEntry[] {
    if (entries.length < 2) return [...entries];
    const own = new Map(entries.map(({ base, lagNs }) => [base, lagNs]));
    const least = Math.min(...own.keys());
    /** The longest way from a kept moment that leads through another one. */
    const around = new Map<number, number>();
    for (let base = Math.max(...own.keys()); base > least; base--) {
      const reach = Math.max(own.get(base) ?? -Infinity, around.get(base) ?? -Infinity);
      if (reach === -Infinity) continue;
      for (const before of this.#drafts[base].entries) {
        if (before.base < least) continue;
        around.set(before.base, Math.max(around.get(before.base) ?? -Infinity, before.lagNs + reach));
      }
    }
    return entries.filter(({ base, lagNs }) => lagNs > (around.get(base) ?? -Infinity));
  }

  #keepWindows(windows: readonly KeptWindow[]): { window: Window; draft: number }[] {
    return windows.map(({ window, terms }, i) => {
      const entries = this.#needed(this.#entriesOf(terms));
      const timeNs = instantOf(terms, this.#graph.time);
      return { window, draft: this.#push({ kind: 'window-end', subject: i, moment: -1, timeNs, entries }) };
    });
  }

  /** The latest of all terms, by base. */
  #entriesOf(terms: readonly Term[]): DraftEntry[] {
    const best = new Map<number, DraftEntry>();
    const offer = (entry: DraftEntry): void => {
      const known = best.get(entry.base);
      if (known === undefined || known.lagNs < entry.lagNs) best.set(entry.base, entry);
    };
    for (const { moment, offset } of terms) {
      if (moment === -1) {
        offer({ base: ORIGIN, lagNs: offset, tail: -1, afterNs: 0 });
        continue;
      }
      this.#chains.eachOf(moment, (base, lag) => {
        offer({ base, lagNs: lag + offset, tail: moment, afterNs: offset });
      });
    }
    return [...best.values()];
  }
}
