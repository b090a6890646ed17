import { type Part, disagrees } from './communicators.ts';
import type { CommCall, Meeting, MeetingMember, RankCalls } from './model.ts';

/** Calls with one key that do different things: the ranks went different ways before, or the writer counts otherwise. */
export interface Desynchronised {
  readonly groupKey: string;
  readonly how: Meeting['how'];
  readonly members: readonly {
    readonly rank: number;
    readonly call: number;
    readonly op: CommCall['op'];
    readonly sizeBytes: number | undefined;
  }[];
}

/** Every call of every rank is in exactly one of the four. */
export interface MatchReport {
  /** In a meeting with at least one other rank. */
  matched: number;
  /** Of another kind or size than what has the same key elsewhere. */
  mismatched: number;
  /** Several others fit it about as well. */
  ambiguous: number;
  /** No rank that is here has its like. */
  unmatched: number;
  readonly desynchronised: Desynchronised[];
}

/** A call of a rank: the rank's place in the list, and the call's in its list. */
export interface Found {
  readonly at: number;
  readonly part: Part;
  readonly call: number;
}

/** Meetings as they are found, and what became of each call. */
export class MatchBook {
  readonly ranks: readonly RankCalls[];
  readonly report: MatchReport;
  readonly #meetings: Meeting[] = [];

  constructor(ranks: readonly RankCalls[]) {
    this.ranks = ranks;
    const unmatched = ranks.reduce((sum, { calls }) => sum + calls.length, 0);
    this.report = { matched: 0, mismatched: 0, ambiguous: 0, unmatched, desynchronised: [] };
  }

  callOf({ at, call }: Pick<Found, 'at' | 'call'>): CommCall {
    return this.ranks[at].calls[call];
  }

  /** Calls with one key. `found`: ascending by rank, at most one a rank. */
  meet(groupKey: string, how: Meeting['how'], found: readonly Found[]): void {
    if (found.length < 2) return;
    const calls = found.map((each) => this.callOf(each));
    const known = calls.find(({ op }) => op !== 'unknown') ?? calls[0];
    if (calls.some((call) => disagrees(known, call))) {
      this.#disagree(groupKey, how, found);
      return;
    }
    this.#add(groupKey, known.op, how, found);
  }

  /** A send and its receive. */
  transfer(groupKey: string, how: Meeting['how'], send: Found, receive: Found): void {
    const [a, b] = [this.callOf(send), this.callOf(receive)];
    const members = [send, receive].sort((x, y) => x.at - y.at);
    if (a.sizeBytes !== undefined && b.sizeBytes !== undefined && a.sizeBytes !== b.sizeBytes) {
      this.#disagree(groupKey, how, members);
    } else this.#add(groupKey, 'send', how, members);
  }

  ambiguous(calls: number): void {
    this.report.ambiguous += calls;
    this.report.unmatched -= calls;
  }

  /** In the order of their first member's start on its own clock, which is about that of time. */
  sorted(): Meeting[] {
    const start = ({ members: [{ rank, call }] }: Meeting): number => this.#byRank.get(rank)?.calls[call].startNs ?? 0;
    return [...this.#meetings].sort((a, b) => start(a) - start(b));
  }

  #rankMap: ReadonlyMap<number, RankCalls> | undefined;
  get #byRank(): ReadonlyMap<number, RankCalls> {
    this.#rankMap ??= new Map(this.ranks.map((each) => [each.rank, each]));
    return this.#rankMap;
  }

  #disagree(groupKey: string, how: Meeting['how'], found: readonly Found[]): void {
    this.report.mismatched += found.length;
    this.report.unmatched -= found.length;
    const members = found.map((each) => {
      const { op, sizeBytes } = this.callOf(each);
      return { rank: this.ranks[each.at].rank, call: each.call, op, sizeBytes };
    });
    this.report.desynchronised.push({ groupKey, how, members });
  }

  #add(groupKey: string, op: Meeting['op'], how: Meeting['how'], found: readonly Found[]): void {
    this.report.matched += found.length;
    this.report.unmatched -= found.length;
    const members = found.map((each): MeetingMember => {
      const { rank } = this.ranks[each.at];
      return { rank, call: each.call, role: roleOf(this.callOf(each), rank) };
    });
    this.#meetings.push({ op, groupKey, members, isComplete: this.#isComplete(op, found), how });
  }

  #isComplete(op: Meeting['op'], found: readonly Found[]): boolean {
    if (op === 'send') return found.length === 2;
    const size = found.find(({ part }) => part.group.size !== undefined)?.part.group.size;
    return found.length === (size ?? this.ranks[found[0].at].worldSize);
  }
}

const ROOTED: ReadonlySet<CommCall['op']> = new Set(['broadcast', 'reduce', 'gather', 'scatter'] as const);

function roleOf({ op, peer }: CommCall, rank: number): MeetingMember['role'] {
  if (op === 'send') return 'send';
  if (op === 'recv') return 'receive';
  if (!ROOTED.has(op)) return 'all';
  return peer === rank ? 'root' : 'leaf';
}
