// What bounds a job: from the end of a window back through the ranks, each nanosecond once.
import { SEGMENT_KINDS, type SegmentKind } from '../graph/segments.ts';
import { toJob } from './job-clock.ts';
import { BY_MEETING, BY_NOTHING, type JobTimes } from './job-replay.ts';
import type { JobWindow } from './job-windows.ts';
import type { JobGraph } from './merge.ts';
import { type EntryParts, TOP_SEGMENTS, partsOf } from './skeleton.ts';

interface Stretch {
  /** Global rank. */
  readonly rank: number;
  /** Job time, ns; whole where the clocks' offsets are. */
  readonly startNs: number;
  readonly endNs: number;
}

/** A stretch of the path on one rank. */
export type JobSegment = Stretch &
  (
    | InRank
    /** From the last arrival to the end of a call. */
    | { readonly kind: 'transfer'; readonly call: number; readonly arrival?: Arrival; readonly mayWait?: MayWait }
    /** Of a call that other ranks are in whose traces are not here, or that was not matched. */
    | { readonly kind: 'transfer-or-unseen-rank'; readonly call: number; readonly arrival?: Arrival }
    /** The rank's trace has not begun. */
    | { readonly kind: 'before-window' }
    /** Nothing of the rank's trace says what held it up. `event`: position in `traceEvents` of what begins then, or −1. */
    | { readonly kind: 'unexplained'; readonly event: number }
  );

/** Between two kept moments of a rank. What it is made of is known from the skeleton; its segments, once the rank is opened. */
export interface InRank {
  readonly kind: 'in-rank';
  /** Kept moments of the rank's skeleton. */
  readonly from: number;
  readonly to: number;
  /** In the rank's own clock: where the stretch ends, and how much of it lies in the window. */
  readonly rankEndNs: number;
  readonly lengthNs: number;
  /** By kind; absent where only a part lies in the window: of that the skeleton does not know what it is made of. */
  readonly parts?: readonly { readonly kind: SegmentKind; readonly ns: number }[];
  /** Its longest segments: position in `traceEvents` (−1: none). */
  readonly top: readonly { readonly event: number; readonly kind: SegmentKind; readonly ns: number }[];
}

/** Who opened a call's gate, and how sure that is. */
export interface Arrival {
  /** Index into the job's meetings. */
  readonly meeting: number;
  /** The last to arrive, from where the path goes on, and its call. */
  readonly rank: number;
  readonly call: number;
  /** It came so much later than the next of the arrivals that count, ns; absent where there is none. */
  readonly marginNs?: number;
  /** The rank of that one, and how far the two clocks may be apart, ns. */
  readonly next?: number;
  readonly uncertaintyNs?: number;
  /** The clocks do not tell which of the two came last: nobody is to blame. */
  readonly isTie: boolean;
}

/** A send, whose receiver came later than it: nothing tells whether it waited for that. */
export interface MayWait {
  readonly rank: number;
  /** So long at most. */
  readonly ns: number;
}

export interface JobPath {
  readonly window: JobWindow;
  /** In order of time; they partition the window. */
  readonly segments: readonly JobSegment[];
}

/** O(moments on the way, and the members of the calls on it). */
export function walkJobPath(job: JobGraph, times: JobTimes, window: JobWindow): JobPath {
  return { window, segments: new Walk(job, times, window).run() };
}

class Walk {
  readonly #job: JobGraph;
  readonly #times: JobTimes;
  readonly #window: JobWindow;
  readonly #segments: JobSegment[] = [];
  /** All of the window after this instant is accounted for. It never moves forward. */
  #cursor: number;

  constructor(job: JobGraph, times: JobTimes, window: JobWindow) {
    this.#job = job;
    this.#times = times;
    this.#window = window;
    this.#cursor = window.endNs;
  }

  run(): JobSegment[] {
    let moment = this.#last();
    while (this.#cursor > this.#window.startNs) {
      const by = this.#times.by[moment];
      if (by === BY_NOTHING) {
        this.#breakAt(moment);
        break;
      }
      moment = by === BY_MEETING ? this.#leaveCall(moment) : this.#leaveStretch(moment, by);
    }
    return this.#segments.reverse();
  }

  /** The end of the window on the rank that comes last. */
  #last(): number {
    let best = -1;
    for (const end of this.#window.ends) {
      if (end !== -1 && (best === -1 || this.#at(end) > this.#at(best))) best = end;
    }
    return best;
  }

  #at(moment: number): number {
    return toJob(this.#job.clocks, this.#job.rankOf[moment], this.#times.timeNs[moment]);
  }

  /** The part of a stretch that is left, or undefined. */
  #take(moment: number, startNs: number): Stretch | undefined {
    const from = Math.max(startNs, this.#window.startNs);
    if (from >= this.#cursor) return undefined;
    const endNs = this.#cursor;
    this.#cursor = from;
    return { rank: this.#job.ranks[this.#job.rankOf[moment]].calls.rank, startNs: from, endNs };
  }

  #leaveStretch(moment: number, entry: number): number {
    const { ranks, rankOf, first } = this.#job;
    const rank = rankOf[moment];
    const { skeleton } = ranks[rank];
    const source = first[rank] + skeleton.entries.from[entry];
    const isWhole = this.#cursor === this.#at(moment) && this.#at(source) >= this.#window.startNs;
    const stretch = this.#take(moment, this.#at(source));
    if (stretch === undefined) return source;
    const rankEndNs = this.#times.timeNs[moment] - Math.round(this.#at(moment) - stretch.endNs);
    const parts = isWhole ? partsOf(skeleton) : undefined;
    const lengthNs = isWhole ? rankEndNs - this.#times.timeNs[source] : Math.round(stretch.endNs - stretch.startNs);
    this.#segments.push({
      ...stretch,
      kind: 'in-rank',
      from: source - first[rank],
      to: moment - first[rank],
      rankEndNs,
      lengthNs,
      ...(parts === undefined ? {} : { parts: kindsOf(parts, entry) }),
      top: parts === undefined ? [] : topOf(parts, entry),
    });
    return source;
  }

  /** From a call's end to the arrival that let it go, which may be another rank's. */
  #leaveCall(end: number): number {
    const { gateOf, arrivalOf, gates, meetings, ranks, rankOf, first } = this.#job;
    const gate = gateOf[end];
    const own = arrivalOf[end];
    const call = ranks[rankOf[end]].skeleton.moments.subject[end - first[rankOf[end]]];
    if (gate === -1) {
      const stretch = this.#take(end, this.#at(own));
      if (stretch !== undefined) this.#segments.push({ ...stretch, ...this.#alone(end), call });
      return own;
    }
    const opener = this.#times.opener[gate];
    const source = this.#at(own) >= this.#times.opensNs[gate] ? own : opener;
    const stretch = this.#take(end, this.#at(source));
    const { isComplete } = meetings[gates.meeting[gate]];
    if (stretch !== undefined) {
      const kind = isComplete ? 'transfer' : 'transfer-or-unseen-rank';
      this.#segments.push({ ...stretch, kind, call, arrival: this.#arrivalAt(gate, source, own) });
    }
    return source;
  }

  /** A call that had to wait for nobody, as far as is known. */
  #alone(end: number): { kind: 'transfer'; mayWait?: MayWait } | { kind: 'transfer-or-unseen-rank' } {
    const { meetingOf, meetings, ranks, rankOf, arrivalOf, first } = this.#job;
    const meeting = meetings[meetingOf[end]];
    if (meeting?.isComplete !== true) return { kind: 'transfer-or-unseen-rank' };
    const { rank } = ranks[rankOf[end]].calls;
    const receiver = meeting.members.find(({ role }) => role === 'receive');
    if (receiver === undefined || receiver.rank === rank) return { kind: 'transfer' };
    const other = ranks.findIndex(({ calls }) => calls.rank === receiver.rank);
    const arrived = this.#at(first[other] + ranks[other].skeleton.arrivalOf[receiver.call]);
    const ns = Math.min(arrived, this.#at(end)) - this.#at(arrivalOf[end]);
    return ns > 0 ? { kind: 'transfer', mayWait: { rank: receiver.rank, ns } } : { kind: 'transfer' };
  }

  /** The opener of a call's gate, beside the latest of the other arrivals that the call had to wait for. */
  #arrivalAt(gate: number, source: number, own: number): Arrival {
    const { gates, ranks, rankOf, first, clocks } = this.#job;
    let next = -1;
    const consider = (arrival: number): void => {
      if (rankOf[arrival] !== rankOf[source] && (next === -1 || this.#at(arrival) > this.#at(next))) next = arrival;
    };
    for (let i = gates.first[gate]; i < gates.first[gate + 1]; i++) consider(gates.arrival[i]);
    consider(own);
    const { skeleton, calls } = ranks[rankOf[source]];
    const about = {
      meeting: gates.meeting[gate],
      rank: calls.rank,
      call: skeleton.moments.subject[source - first[rankOf[source]]],
    };
    if (next === -1) return { ...about, isTie: false };
    const marginNs = this.#at(source) - this.#at(next);
    const uncertaintyNs = clocks.uncertaintyNs(rankOf[source], rankOf[next]);
    return { ...about, marginNs, next: ranks[rankOf[next]].calls.rank, uncertaintyNs, isTie: marginNs < uncertaintyNs };
  }

  /** Nothing holds this moment: its trace begins here, or does not say. */
  #breakAt(moment: number): void {
    const { ranks, rankOf, first, clocks } = this.#job;
    const rank = rankOf[moment];
    const { skeleton } = ranks[rank];
    // An anchor may hold something before the window's end only: then the end itself is where the chain breaks.
    const began = Math.min(toJob(clocks, rank, skeleton.startNs), this.#at(moment));
    const silent = this.#take(moment, began);
    if (silent !== undefined) {
      this.#segments.push({ ...silent, kind: 'unexplained', event: skeleton.moments.subject[moment - first[rank]] });
    }
    const before = this.#take(moment, -Infinity);
    if (before !== undefined) this.#segments.push({ ...before, kind: 'before-window' });
  }
}

function kindsOf({ firstPart, partKind, partNs }: EntryParts, entry: number): NonNullable<InRank['parts']> {
  const parts: { kind: SegmentKind; ns: number }[] = [];
  for (let p = firstPart[entry]; p < firstPart[entry + 1]; p++) {
    parts.push({ kind: SEGMENT_KINDS[partKind[p]], ns: partNs[p] });
  }
  return parts;
}

function topOf({ topEvent, topKind, topNs }: EntryParts, entry: number): InRank['top'] {
  const top: { event: number; kind: SegmentKind; ns: number }[] = [];
  for (let i = entry * TOP_SEGMENTS; i < (entry + 1) * TOP_SEGMENTS; i++) {
    if (topNs[i] > 0) top.push({ event: topEvent[i], kind: SEGMENT_KINDS[topKind[i]], ns: topNs[i] });
  }
  return top;
}
