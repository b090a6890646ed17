import { toJob } from './job-clock.ts';
import type { Clocks, CommCall, Meeting, RankCalls } from './model.ts';

/** How much of the spread may be left where waiting explains the lengths of sends. */
const EXPLAINED = 0.5;

/**
 * Meetings of a send and a receive where the send waits for its receiver. A small one does not (it is eager), and no trace says which
 * are: of the sends of one pair and size, both lengths are known, from the send's own begin and from the later of both begins; where the
 * second varies clearly less, sends waited. Where nothing tells, a send is not taken to have waited: it blames nobody.
 */
export function sendsThatWait(
  ranks: readonly RankCalls[],
  meetings: readonly Meeting[],
  clocks: Clocks,
): ReadonlySet<number> {
  const indexOf = new Map(ranks.map(({ rank }, i) => [rank, i]));
  const alike = new Map<string, { meeting: number; ownNs: number; bothNs: number; endsEarly: boolean }[]>();
  meetings.forEach(({ members, groupKey }, meeting) => {
    const send = members.find(({ role }) => role === 'send');
    const receive = members.find(({ role }) => role === 'receive');
    if (send === undefined || receive === undefined || members.length !== 2) return;
    const [from, to] = [indexOf.get(send.rank), indexOf.get(receive.rank)];
    if (from === undefined || to === undefined) return;
    const sent: CommCall = ranks[from].calls[send.call];
    const received: CommCall = ranks[to].calls[receive.call];
    const [start, end] = [toJob(clocks, from, sent.startNs), toJob(clocks, from, sent.endNs)];
    const other = toJob(clocks, to, received.startNs);
    const key = `${groupKey}|${send.rank}>${receive.rank}|${sent.bytesIn ?? sent.bytesOut ?? ''}`;
    const sample = { meeting, ownNs: end - start, bothNs: end - Math.max(start, other), endsEarly: end < other };
    alike.set(key, [...(alike.get(key) ?? []), sample]);
  });
  const waiting = new Set<number>();
  for (const samples of alike.values()) {
    if (samples.some(({ endsEarly }) => endsEarly)) continue;
    const [own, both] = [spread(samples.map(({ ownNs }) => ownNs)), spread(samples.map(({ bothNs }) => bothNs))];
    if (both < EXPLAINED * own) for (const { meeting } of samples) waiting.add(meeting);
  }
  return waiting;
}

const spread = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
