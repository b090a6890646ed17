// The skeletons of all ranks as one graph, tied together by their meetings.
import { freeAt, toJob } from './job-clock.ts';
import type { Clocks, Meeting, RankCalls } from './model.ts';
import { type Skeleton, keptCode } from './skeleton.ts';
import { sendsThatWait } from './send-rule.ts';

/** What is known of one rank. */
export interface JobRank {
  readonly calls: RankCalls;
  readonly skeleton: Skeleton;
}

/**
 * All kept moments of a job under one numbering: those of the rank with index i are `first[i]` … `first[i + 1] − 1`. Times stay in each
 * rank's own clock; only gates compare ranks.
 */
export interface JobGraph {
  readonly ranks: readonly JobRank[];
  readonly clocks: Clocks;
  readonly meetings: readonly Meeting[];
  readonly first: Int32Array;
  /** By moment: the index of its rank. */
  readonly rankOf: Int32Array;
  /** By call's end: the arrival of that call; −1 for other moments. */
  readonly arrivalOf: Int32Array;
  /** By call's end: its index in `meetings`, or −1. */
  readonly meetingOf: Int32Array;
  /** By call's end: the gate that must be open before it, or −1. */
  readonly gateOf: Int32Array;
  readonly gates: Gates;
  /** By call's end: from when it was free to go (own arrival and open gate) to its end, ns of its own clock; signed. */
  readonly transferNs: Float64Array;
  /** Moments, and gates as −1 − gate, so that every source comes before what it holds. */
  readonly order: Int32Array;
  /** Meetings that cannot be as matched, since each would have to end before itself; their calls count as unmatched. */
  readonly impossible: number;
}

/** A gate opens with the last of its arrivals. In compressed rows. */
export interface Gates {
  readonly meeting: Int32Array;
  readonly first: Int32Array;
  /** Moments. */
  readonly arrival: Int32Array;
}

/** O(moments + entries + calls). `ranks` in the order of the clocks' indices. */
export function mergeJob(ranks: readonly JobRank[], meetings: readonly Meeting[], clocks: Clocks): JobGraph {
  const first = new Int32Array(ranks.length + 1);
  ranks.forEach(({ skeleton }, i) => (first[i + 1] = first[i] + skeleton.moments.kind.length));
  const count = first[ranks.length];
  const rankOf = new Int32Array(count);
  const arrivalOf = new Int32Array(count).fill(-1);
  ranks.forEach(({ skeleton }, i) => {
    rankOf.fill(i, first[i], first[i + 1]);
    skeleton.endOf.forEach((end, call) => {
      if (end !== -1) arrivalOf[first[i] + end] = first[i] + skeleton.arrivalOf[call];
    });
  });
  const opened = openGates(ranks, meetings, clocks, first);
  const sorted = sortJob(ranks, first, rankOf, arrivalOf, opened);
  const { gates, meetingOf } = opened;
  const job = { ranks, clocks, meetings, first, rankOf, arrivalOf, meetingOf, gates, ...sorted };
  return { ...job, transferNs: measureTransfers(job) };
}

interface Opened {
  readonly gates: Gates;
  readonly meetingOf: Int32Array;
  readonly gateOf: Int32Array;
}

function openGates(ranks: readonly JobRank[], meetings: readonly Meeting[], clocks: Clocks, first: Int32Array): Opened {
  const indexOf = new Map(ranks.map(({ calls }, i) => [calls.rank, i]));
  const gateOf = new Int32Array(first[ranks.length]).fill(-1);
  const firstArrival = [0];
  const arrivals: number[] = [];
  const meetingOfGate: number[] = [];
  const meetingOf = new Int32Array(first[ranks.length]).fill(-1);
  const waiting = sendsThatWait(
    ranks.map(({ calls }) => calls),
    meetings,
    clocks,
  );
  meetings.forEach((meeting, m) => {
    const seats = meeting.members.flatMap(({ rank, call, role }) => {
      const i = indexOf.get(rank);
      const skeleton = i === undefined ? undefined : ranks[i].skeleton;
      if (i === undefined || skeleton === undefined || (skeleton.endOf[call] ?? -1) === -1) return [];
      const [arrival, end] = [first[i] + skeleton.arrivalOf[call], first[i] + skeleton.endOf[call]];
      return [{ role, arrival, end }];
    });
    if (seats.length < 2) return;
    for (const { end } of seats) meetingOf[end] = m;
    const leads = seats.filter(({ role }) => role === 'all' || role === 'root' || role === 'send' || waiting.has(m));
    const held = seats.filter(({ role }) => role === 'all' || role === 'leaf' || role === 'receive' || waiting.has(m));
    if (leads.length === 0 || held.length === 0) return;
    for (const { end } of held) gateOf[end] = meetingOfGate.length;
    for (const { arrival } of leads) arrivals.push(arrival);
    meetingOfGate.push(m);
    firstArrival.push(arrivals.length);
  });
  const gates = {
    meeting: Int32Array.from(meetingOfGate),
    first: Int32Array.from(firstArrival),
    arrival: Int32Array.from(arrivals),
  };
  return { gates, gateOf, meetingOf };
}

type Sorted = Pick<JobGraph, 'order' | 'gateOf' | 'impossible'>;

/** Kahn's algorithm over entries, calls and gates. Gates on a circle are taken away, the one whose calls ended first at a time. */
function sortJob(
  ranks: readonly JobRank[],
  first: Int32Array,
  rankOf: Int32Array,
  arrivalOf: Int32Array,
  { gates, gateOf }: Opened,
): Sorted {
  const count = rankOf.length;
  const held = heldBy(ranks, first, arrivalOf, gates, gateOf);
  const open = new Int32Array(count + gates.meeting.length);
  for (const to of held.to) open[to]++;
  const order = new Int32Array(open.length);
  let length = 0;
  let impossible = 0;
  // What came free last goes first: a rank goes on as far as it can, so that what lies side by side comes one after the other.
  const free: number[] = [];
  for (let node = open.length - 1; node >= 0; node--) if (open[node] === 0) free.push(node);
  for (;;) {
    for (let node = free.pop(); node !== undefined; node = free.pop()) {
      order[length++] = node;
      for (let i = held.first[node]; i < held.first[node + 1]; i++) {
        // What a gate that is gone held is free already.
        const to = held.to[i];
        if (node >= count && gateOf[to] !== node - count) continue;
        if (--open[to] === 0) free.push(to);
      }
    }
    if (length === open.length) break;
    const gate = firstBlocked(ranks, first, rankOf, gates, gateOf, open);
    if (gate === -1) break;
    impossible++;
    for (let end = 0; end < count; end++) {
      if (gateOf[end] !== gate) continue;
      gateOf[end] = -1;
      if (--open[end] === 0) free.push(end);
    }
  }
  return {
    gateOf,
    impossible,
    order: order.subarray(0, length).map((node) => (node < count ? node : count - 1 - node)),
  };
}

/** What each node comes before: moments, then gates. In compressed rows. */
function heldBy(
  ranks: readonly JobRank[],
  first: Int32Array,
  arrivalOf: Int32Array,
  gates: Gates,
  gateOf: Int32Array,
): { first: Int32Array; to: Int32Array } {
  const nodes = arrivalOf.length + gates.meeting.length;
  const rows = new Int32Array(nodes + 1);
  eachPair(ranks, first, arrivalOf, gates, gateOf, (source) => rows[source]++);
  for (let i = 1; i < rows.length; i++) rows[i] += rows[i - 1];
  // Filled from behind, so that where a row is filled to is in the end where it begins.
  const to = new Int32Array(rows[nodes]);
  eachPair(ranks, first, arrivalOf, gates, gateOf, (source, held) => (to[--rows[source]] = held));
  return { first: rows, to };
}

function eachPair(
  ranks: readonly JobRank[],
  first: Int32Array,
  arrivalOf: Int32Array,
  gates: Gates,
  gateOf: Int32Array,
  visit: (source: number, held: number) => void,
): void {
  const count = arrivalOf.length;
  ranks.forEach(({ skeleton: { entries } }, i) => {
    for (let moment = 0; moment + 1 < entries.first.length; moment++) {
      for (let e = entries.first[moment]; e < entries.first[moment + 1]; e++) {
        visit(first[i] + entries.from[e], first[i] + moment);
      }
    }
  });
  for (let moment = 0; moment < count; moment++) {
    if (arrivalOf[moment] !== -1) visit(arrivalOf[moment], moment);
    if (gateOf[moment] !== -1) visit(count + gateOf[moment], moment);
  }
  for (let gate = 0; gate < gates.meeting.length; gate++) {
    for (let i = gates.first[gate]; i < gates.first[gate + 1]; i++) visit(gates.arrival[i], count + gate);
  }
}

/** Of the gates that nothing opens, the one of the call that ended first by its own clock; −1 without any. */
function firstBlocked(
  ranks: readonly JobRank[],
  first: Int32Array,
  rankOf: Int32Array,
  gates: Gates,
  gateOf: Int32Array,
  open: Int32Array,
): number {
  let best = -1;
  let earliest = Infinity;
  for (let end = 0; end < rankOf.length; end++) {
    const gate = gateOf[end];
    if (gate === -1 || open[rankOf.length + gate] === 0) continue;
    const time = ranks[rankOf[end]].skeleton.moments.timeNs[end - first[rankOf[end]]];
    if (time < earliest) [best, earliest] = [gate, time];
  }
  return best;
}

/** The measured time of a moment, in its rank's clock. */
export const measuredNs = (
  { ranks, first, rankOf }: Pick<JobGraph, 'ranks' | 'first' | 'rankOf'>,
  moment: number,
): number => ranks[rankOf[moment]].skeleton.moments.timeNs[moment - first[rankOf[moment]]];

function measureTransfers(job: Omit<JobGraph, 'transferNs'>): Float64Array {
  const { gates, gateOf, arrivalOf, rankOf, clocks } = job;
  const opens = new Float64Array(gates.meeting.length).fill(-Infinity);
  for (let gate = 0; gate < opens.length; gate++) {
    for (let i = gates.first[gate]; i < gates.first[gate + 1]; i++) {
      const arrival = gates.arrival[i];
      opens[gate] = Math.max(opens[gate], toJob(clocks, rankOf[arrival], measuredNs(job, arrival)));
    }
  }
  return Float64Array.from(arrivalOf, (arrival, end) => {
    if (arrival === -1) return 0;
    const own = measuredNs(job, arrival);
    const gate = gateOf[end];
    return measuredNs(job, end) - (gate === -1 ? own : freeAt(clocks, rankOf[end], own, opens[gate]));
  });
}

export const isCallEnd = ({ ranks, first, rankOf }: JobGraph, moment: number): boolean =>
  ranks[rankOf[moment]].skeleton.moments.kind[moment - first[rankOf[moment]]] === keptCode('call-end');
