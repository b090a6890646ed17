import { busFactor } from '../graph/collective-op.ts';
import type { Clocks, Meeting, RankCalls } from './model.ts';
import { CallFinder } from './symmetric.ts';

/** Of one meeting: who waited for whom, and what of each call is left. Lists are by member, ns. */
export interface MeetingWaits {
  /** Index in the list of meetings. */
  readonly meeting: number;
  /** When each member's call began, in the job's time. */
  readonly arrivalNs: Float64Array;
  /** The first and the last of them. */
  readonly firstNs: number;
  readonly lastNs: number;
  /** How long each call waited for another member; of a meeting with unseen members, for those that were seen. */
  readonly waitNs: Float64Array;
  /** What is left of each call: the transfer where `isTransfer`, else the transfer or the wait for an unseen rank. */
  readonly restNs: Float64Array;
  readonly isTransfer: boolean;
  /** The member on which the others waited: who came last, or the root. By place in the meeting's members; −1 where nothing tells. */
  readonly last: number;
  /** By how much it came after the next to last of those that count; Infinity where only one counts, as a root. */
  readonly marginNs: number;
  /** How far the two clocks may be off. */
  readonly uncertaintyNs: number;
  /** The margin is below that: nobody is to blame. */
  readonly isTie: boolean;
  /** Bytes of the operation ÷ the time from the last arrival to the last end, GB/s; and that × the operation's factor. */
  readonly algorithmGBps?: number;
  readonly busGBps?: number;
}

/**
 * The waits of all meetings whose members' clocks are tied. Symmetric operations wait for the last member. Of a rooted one only the root's arrival
 * counts. A receive waits for its send; a send for its receive, unless it ended before that came. O(n).
 */
export function waitsOf(ranks: readonly RankCalls[], meetings: readonly Meeting[], clocks: Clocks): MeetingWaits[] {
  const finder = new CallFinder(ranks);
  return meetings.flatMap((meeting, index) => {
    const places = meeting.members.map(({ rank }) => finder.placeOf(rank));
    const isTied = places.every((place) => clocks.component[place] === clocks.component[places[0]]);
    return isTied ? [waitsAt(finder, meeting, index, places, clocks)] : [];
  });
}

function waitsAt(
  finder: CallFinder,
  meeting: Meeting,
  index: number,
  places: readonly number[],
  { offsetNs, driftPpm, uncertaintyNs }: Clocks,
): MeetingWaits {
  const { members, isComplete } = meeting;
  const calls = members.map((member) => finder.callOf(member));
  const inJob = (i: number, ns: number): number => ns + offsetNs[places[i]] + driftPpm[places[i]] * 1e-6 * ns;
  const arrivalNs = new Float64Array(calls.length);
  let [firstNs, lastNs] = [Infinity, -Infinity];
  for (let i = 0; i < calls.length; i++) {
    arrivalNs[i] = inJob(i, calls[i].startNs);
    firstNs = Math.min(firstNs, arrivalNs[i]);
    lastNs = Math.max(lastNs, arrivalNs[i]);
  }
  const { awaited, last, next } = awaitedBy(finder, meeting, arrivalNs, (i) => inJob(i, calls[i].endNs));
  const waitNs = new Float64Array(calls.length);
  const restNs = new Float64Array(calls.length);
  calls.forEach(({ startNs, endNs }, i) => {
    // No call waits longer than it runs: what is more is the clocks' fault.
    waitNs[i] = Math.min(endNs - startNs, Math.max(0, awaited[i] - arrivalNs[i]));
    restNs[i] = endNs - startNs - waitNs[i];
  });
  const isTransfer = isComplete && last !== -1;
  const marginNs = next === -1 ? Infinity : arrivalNs[last] - arrivalNs[next];
  const uncertain = next === -1 ? 0 : uncertaintyNs(places[last], places[next]);
  return {
    meeting: index,
    arrivalNs,
    firstNs,
    lastNs,
    waitNs,
    restNs,
    isTransfer,
    last,
    marginNs,
    uncertaintyNs: uncertain,
    isTie: marginNs < uncertain,
    ...(isTransfer ? bandwidthOf(meeting, calls[0].sizeBytes, restNs) : {}),
  };
}

interface Awaited {
  /** By member: when what it waited for was there, in the job's time; −Infinity where it waits for nothing that is known. */
  readonly awaited: Float64Array;
  readonly last: number;
  /** The next to last of those that count. */
  readonly next: number;
}

function awaitedBy(
  finder: CallFinder,
  meeting: Meeting,
  arrivals: Float64Array,
  endOf: (member: number) => number,
): Awaited {
  const { members } = meeting;
  const awaited = new Float64Array(members.length).fill(-Infinity);
  if (meeting.op === 'send') {
    const send = members.findIndex(({ role }) => role === 'send');
    const receive = members.findIndex(({ role }) => role === 'receive');
    if (send === -1 || receive === -1) return { awaited, last: -1, next: -1 };
    awaited[receive] = arrivals[send];
    const isEager = endOf(send) < arrivals[receive];
    if (!isEager) awaited[send] = arrivals[receive];
    const isLate = !isEager && arrivals[receive] > arrivals[send];
    return { awaited, last: isLate ? receive : send, next: isEager ? -1 : isLate ? send : receive };
  }
  const root = members.findIndex(({ role }) => role === 'root');
  if (root !== -1) {
    awaited.fill(arrivals[root]);
    return { awaited, last: root, next: -1 };
  }
  if (!finder.isSymmetric(meeting)) return { awaited, last: -1, next: -1 };
  let [last, next] = [0, -1];
  for (let i = 1; i < arrivals.length; i++) {
    if (arrivals[i] > arrivals[last]) [last, next] = [i, last];
    else if (next === -1 || arrivals[i] > arrivals[next]) next = i;
  }
  awaited.fill(arrivals[last]);
  return { awaited, last, next };
}

function bandwidthOf(
  { op, members }: Meeting,
  sizeBytes: number | undefined,
  restNs: Float64Array,
): Pick<MeetingWaits, 'algorithmGBps' | 'busGBps'> {
  let longest = 0;
  for (const each of restNs) longest = Math.max(longest, each);
  if (op === 'custom' || op === 'unknown' || sizeBytes === undefined || sizeBytes === 0 || longest === 0) return {};
  // Bytes a nanosecond are 1e9 bytes a second.
  const algorithmGBps = sizeBytes / longest;
  const factor = busFactor(op, members.length);
  return factor === undefined ? { algorithmGBps } : { algorithmGBps, busGBps: algorithmGBps * factor };
}
