import type { Meeting, RankCalls } from './model.ts';
import type { MeetingWaits } from './waits.ts';

/** What one rank waited, and what others waited for it. */
export interface RankWaits {
  readonly rank: number;
  /** Its calls in meetings whose waits are known. */
  readonly calls: number;
  readonly waitNs: number;
  /** Of its calls what is surely transfer. */
  readonly transferNs: number;
  /** Of calls with unseen members: transfer or the wait for an unseen rank. */
  readonly unknownNs: number;
  /** How often it came last by more than the clocks may be off, and what all other members waited then. */
  readonly timesLast: number;
  readonly causedNs: number;
}

/** Of one step: who came last how often, most often first; ties blame nobody. */
export interface StepLast {
  /** As the first member's trace labels it; '' outside of steps. */
  readonly step: string;
  readonly calls: number;
  readonly ties: number;
  readonly last: readonly { readonly rank: number; readonly times: number }[];
}

/** Rank × call, for a picture: row by row, NaN where a rank is not in the call. */
export interface WaitHeat {
  readonly ranks: readonly number[];
  /** Indices in the list of meetings, in the order of their last arrival. */
  readonly meetings: readonly number[];
  /** `waitNs[row × meetings.length + column]`. */
  readonly waitNs: Float32Array;
}

/** By rank, in the order of `ranks`. O(members). */
export function waitsByRank(
  ranks: readonly RankCalls[],
  meetings: readonly Meeting[],
  waits: readonly MeetingWaits[],
): RankWaits[] {
  const place = new Map(ranks.map(({ rank }, at) => [rank, at]));
  const totals = ranks.map(({ rank }) => ({
    rank,
    calls: 0,
    waitNs: 0,
    transferNs: 0,
    unknownNs: 0,
    timesLast: 0,
    causedNs: 0,
  }));
  for (const { meeting, waitNs, restNs, isTransfer, last, isTie } of waits) {
    let all = 0;
    meetings[meeting].members.forEach(({ rank }, i) => {
      const total = totals[place.get(rank) ?? -1];
      total.calls++;
      total.waitNs += waitNs[i];
      if (isTransfer) total.transferNs += restNs[i];
      else total.unknownNs += restNs[i];
      all += waitNs[i];
    });
    // With unseen members the last one that was seen need not be the last.
    if (last === -1 || isTie || !isTransfer) continue;
    const blamed = totals[place.get(meetings[meeting].members[last].rank) ?? -1];
    blamed.timesLast++;
    blamed.causedNs += all - waitNs[last];
  }
  return totals;
}

/** Does the same rank come last again and again? By step, in the order of their first meeting. O(members). */
export function lastBySteps(
  ranks: readonly RankCalls[],
  meetings: readonly Meeting[],
  waits: readonly MeetingWaits[],
): StepLast[] {
  const byRank = new Map(ranks.map((each) => [each.rank, each]));
  const steps = new Map<string, { calls: number; ties: number; times: Map<number, number> }>();
  for (const { meeting, last, isTie, isTransfer } of waits) {
    if (!isTransfer) continue;
    const [{ rank, call }] = meetings[meeting].members;
    const from = byRank.get(rank);
    const label = from?.steps[from.calls[call].step] ?? '';
    const step = steps.get(label) ?? { calls: 0, ties: 0, times: new Map<number, number>() };
    steps.set(label, step);
    step.calls++;
    if (isTie) step.ties++;
    else {
      const who = meetings[meeting].members[last].rank;
      step.times.set(who, (step.times.get(who) ?? 0) + 1);
    }
  }
  return [...steps].map(([step, { calls, ties, times }]) => ({
    step,
    calls,
    ties,
    last: [...times]
      .map(([rank, count]) => ({ rank, times: count }))
      .sort((a, b) => b.times - a.times || a.rank - b.rank),
  }));
}

export function waitHeat(
  ranks: readonly RankCalls[],
  meetings: readonly Meeting[],
  waits: readonly MeetingWaits[],
): WaitHeat {
  const place = new Map(ranks.map(({ rank }, at) => [rank, at]));
  const ordered = [...waits].sort((a, b) => a.lastNs - b.lastNs || a.meeting - b.meeting);
  const waitNs = new Float32Array(ranks.length * ordered.length).fill(Number.NaN);
  ordered.forEach((each, column) => {
    meetings[each.meeting].members.forEach(({ rank }, i) => {
      waitNs[(place.get(rank) ?? 0) * ordered.length + column] = each.waitNs[i];
    });
  });
  return { ranks: ranks.map(({ rank }) => rank), meetings: ordered.map(({ meeting }) => meeting), waitNs };
}
