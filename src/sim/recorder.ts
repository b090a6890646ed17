import { ColBuilder } from '../trace/columns.ts';
import type { Action } from './program.ts';
import type { TrueMeeting, TrueRecord, TrueSync, RankTruth } from './truth.ts';
import { type ItemKind, Kind } from './truth.ts';

const OWN = Kind.own;

/** What is known of an item when it begins. −1 where there is none. */
export interface ItemDraft {
  readonly kind: ItemKind;
  readonly name: string;
  readonly track: number;
  readonly parent: number;
  readonly correlation: number;
  readonly action: Action | undefined;
  readonly place: number;
}

/** Writes down what a machine does. Constraints of one moment are given between `openMoment` and `closeMoment`. */
export class Recorder {
  readonly #names: string[] = [];
  readonly #nameIds = new Map<string, number>();
  readonly #kind = new ColBuilder(Uint8Array);
  readonly #name = new ColBuilder(Int32Array);
  readonly #track = new ColBuilder(Int32Array);
  readonly #start = new ColBuilder(Float64Array);
  readonly #end = new ColBuilder(Float64Array);
  readonly #correlation = new ColBuilder(Int32Array);
  readonly #parent = new ColBuilder(Int32Array);
  readonly #place = new ColBuilder(Uint32Array);
  readonly #sequence = new ColBuilder(Int32Array);
  readonly #meeting = new ColBuilder(Int32Array);
  readonly #actions: (Action | undefined)[] = [];

  readonly #first = new ColBuilder(Int32Array);
  readonly #count = new ColBuilder(Int32Array);
  readonly #binding = new ColBuilder(Int32Array);
  readonly #tied = new ColBuilder(Uint8Array);
  readonly #from = new ColBuilder(Int32Array);
  readonly #constraintKind = new ColBuilder(Uint8Array);
  readonly #lag = new ColBuilder(Float64Array);

  readonly syncs: TrueSync[] = [];
  readonly records: TrueRecord[] = [];
  readonly meetings: TrueMeeting[] = [];

  /** The constraint that holds the open moment so far, when it allows the moment, and when its source was. */
  #best = -1;
  #bestArrival = -Infinity;
  #bestSource = -Infinity;
  #isTied = false;
  #firstOfMoment = 0;

  item({ kind, name, track, parent, correlation, action, place }: ItemDraft): number {
    let id = this.#nameIds.get(name);
    if (id === undefined) {
      id = this.#names.length;
      this.#names.push(name);
      this.#nameIds.set(name, id);
    }
    const item = this.#kind.length;
    this.#kind.push(kind);
    this.#name.push(id);
    this.#track.push(track);
    this.#start.push(NaN);
    this.#end.push(NaN);
    this.#correlation.push(correlation);
    this.#parent.push(parent);
    this.#sequence.push(-1);
    this.#meeting.push(-1);
    this.#place.push(place);
    this.#actions.push(action);
    for (let moment = 0; moment < 2; moment++) {
      this.#first.push(0);
      this.#count.push(0);
      this.#binding.push(-1);
      this.#tied.push(0);
    }
    return item;
  }

  setSequence(item: number, sequence: number): void {
    this.#sequence.set(item, sequence);
  }

  setMeeting(item: number, meeting: TrueMeeting): void {
    this.#meeting.set(item, this.meetings.length);
    this.meetings.push(meeting);
  }

  /** The time of a moment; of a label there is nothing more to say. */
  setTime(moment: number, time: number): void {
    ((moment & 1) === 0 ? this.#start : this.#end).set(moment >> 1, time);
  }

  openMoment(): void {
    this.#firstOfMoment = this.#from.length;
    this.#best = -1;
    this.#bestArrival = -Infinity;
    this.#isTied = false;
  }

  constraint(from: number, kind: number, fromTime: number, lag: number): void {
    const at = this.#from.length;
    this.#from.push(from);
    this.#constraintKind.push(kind);
    this.#lag.push(lag);
    const arrival = fromTime + lag;
    const difference = arrival - this.#bestArrival;
    if (difference < 0) return;
    if (difference === 0) this.#isTied = true;
    else this.#isTied = false;
    if (difference > 0 || this.#comesFirst(at, from, kind, fromTime)) {
      this.#best = at;
      this.#bestArrival = arrival;
      this.#bestSource = fromTime;
    }
  }

  #comesFirst(at: number, from: number, kind: number, fromTime: number): boolean {
    const best = this.#best;
    const byTime = fromTime - this.#bestSource;
    if (byTime !== 0) return byTime > 0;
    const byKind = this.#constraintKind.get(best) - kind;
    return byKind > 0 || (byKind === 0 && from < this.#from.get(best) && at !== best);
  }

  closeMoment(moment: number, time: number): void {
    this.setTime(moment, time);
    this.#first.set(moment, this.#firstOfMoment);
    this.#count.set(moment, this.#from.length - this.#firstOfMoment);
    this.#binding.set(moment, this.#best);
    this.#tied.set(moment, this.#isTied ? 1 : 0);
  }

  /** The end of an op that nothing else holds. */
  ownEnd(item: number, start: number, end: number): void {
    this.openMoment();
    this.constraint(2 * item, OWN, start, end - start);
    this.closeMoment(2 * item + 1, end);
  }

  take(about: Pick<RankTruth, 'rank' | 'threads' | 'lanes'>): RankTruth {
    const length = this.#kind.length;
    return {
      ...about,
      names: this.#names,
      items: {
        length,
        kind: this.#kind.take<ItemKind>(),
        name: this.#name.take(),
        track: this.#track.take(),
        start: this.#start.take(),
        end: this.#end.take(),
        correlation: this.#correlation.take(),
        parent: this.#parent.take(),
        place: this.#place.take(),
      },
      actions: this.#actions,
      sequence: this.#sequence.take(),
      meeting: this.#meeting.take(),
      constraints: {
        first: this.#first.take(),
        count: this.#count.take(),
        from: this.#from.take(),
        kind: this.#constraintKind.take(),
        lag: this.#lag.take(),
        binding: this.#binding.take(),
        tied: this.#tied.take(),
      },
      syncs: this.syncs,
      records: this.records,
      meetings: this.meetings,
    };
  }
}
