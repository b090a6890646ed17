// Of one event: the call of several ranks that it is part of, and who came last to it.
import type { Outcome } from '../analyses/contract.ts';
import type { Meetings } from './job-analysis.ts';
import type { CommOp, Meeting } from './model.ts';
import { waitsOf } from './waits.ts';

export interface CallMember {
  readonly rank: number;
  /** The handle of its kernel, `r-3/e-24`; absent where not known. */
  readonly event?: number;
  /** Since the first arrival, ns of the job's clock. */
  readonly arrivedNs: number;
  readonly waitNs: number;
  /** What is left of its call: the transfer, or with unseen members also the wait for one of them. */
  readonly restNs: number;
}

/** A call as all of its ranks made it. */
export interface CallAcross {
  readonly op: CommOp;
  readonly how: Meeting['how'];
  readonly isComplete: boolean;
  /** In the order in which they came. */
  readonly members: readonly CallMember[];
  /** Who came last; absent where nothing tells. */
  readonly last?: number;
  readonly marginNs?: number;
  readonly uncertaintyNs: number;
  readonly isTie: boolean;
}

/** The call that an event (its position in the rank's `traceEvents`) is the first kernel of, across ranks. */
export function explainCall(
  { members, meetings, clocks }: Meetings,
  rank: number,
  position: number,
): Outcome<CallAcross> {
  const own = members.find((member) => member.rank === rank);
  const call = own?.skeleton?.callEvent.indexOf(position) ?? -1;
  if (own === undefined || call === -1) {
    return { status: 'not-applicable', reason: 'it is no call in which ranks meet' };
  }
  const meeting = meetings.find((each) => each.members.some((seat) => seat.rank === rank && seat.call === call));
  if (meeting === undefined) return { status: 'not-applicable', reason: 'no call of another rank was matched with it' };
  const calls = members.map((member) => member.calls);
  const [waits] = waitsOf(calls, [meeting], clocks);
  if (waits === undefined) return { status: 'not-applicable', reason: 'the clocks of its ranks cannot be compared' };
  const firstNs = waits.arrivalNs.reduce((first, each) => Math.min(first, each), Infinity);
  const byRank = new Map(members.map((member) => [member.rank, member]));
  const seats = meeting.members.map((seat, i): CallMember => {
    const event = byRank.get(seat.rank)?.skeleton?.callEvent[seat.call];
    return {
      rank: seat.rank,
      ...(event === undefined ? {} : { event }),
      arrivedNs: Math.round(waits.arrivalNs[i] - firstNs),
      waitNs: Math.round(waits.waitNs[i]),
      restNs: Math.round(waits.restNs[i]),
    };
  });
  const { last, marginNs, uncertaintyNs, isTie } = waits;
  return {
    status: 'ok',
    result: {
      op: meeting.op,
      how: meeting.how,
      isComplete: meeting.isComplete,
      members: seats.toSorted((a, b) => a.arrivedNs - b.arrivedNs || a.rank - b.rank),
      ...(last === -1 ? {} : { last: meeting.members[last].rank }),
      ...(Number.isFinite(marginNs) ? { marginNs: Math.round(marginNs) } : {}),
      uncertaintyNs: Math.ceil(uncertaintyNs),
      isTie,
    },
  };
}
