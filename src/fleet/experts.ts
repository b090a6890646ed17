// Expert imbalance: how unevenly the ranks of an expert group work between its all-to-alls.
import { toJob } from './job-clock.ts';
import type { JobWindow } from './job-windows.ts';
import type { JobMember } from './job.ts';
import type { Clocks, CommCall, CommGroup, Meeting } from './model.ts';

/** What one rank did in all stretches of one kind. */
export interface ExpertRank {
  readonly rank: number;
  /** From the end of an all-to-all on this rank to the begin of the next: its work there, host delays and other calls included. */
  readonly betweenNs: number;
  /** What it got from the all-to-alls before; absent where one of them does not say. */
  readonly receivedBytes?: number;
}

/** All-to-alls take turns: tokens go to the experts, and come back. So of the stretches between them every second is of one kind. */
export interface StretchKind {
  /** Begins after the first, third, … or the second, fourth, … of a window; `all` where a window has an odd number of them, so that no turns can be told. */
  readonly after: 'odd' | 'even' | 'all';
  readonly stretches: number;
  /** Largest ÷ mean of `betweenNs`; 1 is even. */
  readonly imbalance: number;
  /** The same of what they got; absent where it is not told of all. */
  readonly bytesImbalance?: number;
  /** The rank with the largest. */
  readonly most: number;
  /** Sum of the largest − mean of each stretch: what the others wait for, on average. */
  readonly lostNs: number;
  /** Ascending. */
  readonly ranks: readonly ExpertRank[];
}

/** One expert group. */
export interface ExpertImbalance {
  readonly name: string;
  /** How many ranks the group has; absent where not told. */
  readonly size?: number;
  /** All-to-alls in the windows in which all of its ranks that are here meet, and calls of these ranks that are in none. */
  readonly exchanges: number;
  readonly uncounted: number;
  /** The more uneven first. */
  readonly kinds: readonly StretchKind[];
}

/** What it is found in. Indices of ranks are places in `members`. */
export interface ExpertSubject {
  readonly members: readonly JobMember[];
  readonly meetings: readonly Meeting[];
  readonly clocks: Clocks;
  readonly windows: readonly JobWindow[];
}

/** The most uneven group first. `groups`: those of experts, by their keys; those without two all-to-alls in a row are left out. O(calls). */
export function findImbalance(subject: ExpertSubject, groups: ReadonlyMap<string, CommGroup>): ExpertImbalance[] {
  const byGroup = new Map<string, Meeting[]>();
  for (const meeting of subject.meetings) {
    if (meeting.op !== 'all-to-all' || !groups.has(meeting.groupKey)) continue;
    const known = byGroup.get(meeting.groupKey);
    if (known === undefined) byGroup.set(meeting.groupKey, [meeting]);
    else known.push(meeting);
  }
  const worst = ({ kinds: [kind] }: ExpertImbalance): number => kind?.imbalance ?? 0;
  return [...byGroup]
    .flatMap(([key, meetings]) => {
      const group = groups.get(key);
      return group === undefined ? [] : imbalanceOf(new Exchanges(subject, meetings, key), group);
    })
    .sort((a, b) => worst(b) - worst(a) || (a.kinds[0]?.most ?? 0) - (b.kinds[0]?.most ?? 0));
}

/** From one all-to-all to the next. */
interface Stretch {
  readonly from: readonly CommCall[];
  readonly to: readonly CommCall[];
}

/** The all-to-alls of a group that all of its ranks take part in. */
class Exchanges {
  /** Places of the group's ranks, ascending. */
  readonly places: readonly number[];
  readonly members: readonly JobMember[];
  /** By window, in the order of the program. */
  readonly byWindow: readonly (readonly Meeting[])[];
  readonly #subject: ExpertSubject;
  /** By place: of each all-to-all of the group by its call, the how many-th it is. */
  readonly #ordinals: ReadonlyMap<number, ReadonlyMap<number, number>>;

  constructor(subject: ExpertSubject, meetings: readonly Meeting[], key: string) {
    const { members, windows } = subject;
    this.#subject = subject;
    const ranks = new Set(meetings.flatMap((meeting) => meeting.members.map(({ rank }) => rank)));
    this.places = members.flatMap(({ rank }, place) => (ranks.has(rank) ? [place] : []));
    this.members = this.places.map((place) => members[place]);
    this.#ordinals = new Map(this.members.map(({ rank, calls }) => [rank, ordinalsOf(calls, key)]));
    const whole = meetings.filter((meeting) => meeting.members.length === ranks.size);
    whole.sort((a, b) => a.members[0].call - b.members[0].call);
    const windowOf = whole.map(({ members: [first] }) => this.#windowOf(0, first.call));
    this.byWindow = windows.map((_, window) => whole.filter((__, i) => windowOf[i] === window));
  }

  /** Calls of the group in the windows that are in no exchange. */
  get uncounted(): number {
    const calls = this.members.reduce((sum, { rank }, i) => {
      const own = [...(this.#ordinals.get(rank)?.keys() ?? [])];
      return sum + own.filter((call) => this.#windowOf(i, call) !== -1).length;
    }, 0);
    return Math.max(0, calls - this.byWindow.reduce((sum, each) => sum + each.length, 0) * this.members.length);
  }

  callsOf({ members }: Meeting): CommCall[] {
    return members.map(({ call }, i) => this.members[i].calls.calls[call]);
  }

  /** Does the second follow the first on every rank? */
  follows(one: Meeting, next: Meeting): boolean {
    return one.members.every(({ rank, call }, i) => {
      const ordinals = this.#ordinals.get(rank);
      return (ordinals?.get(next.members[i].call) ?? 0) - (ordinals?.get(call) ?? 0) === 1;
    });
  }

  /** The window of a member's call: its step, though that may begin before the job's window does; without a step by its time. −1: none. */
  #windowOf(member: number, call: number): number {
    const { clocks, windows } = this.#subject;
    const { calls, steps } = this.members[member].calls;
    const { step, startNs } = calls[call];
    if (step !== -1) return windows.findIndex(({ label }) => label === steps[step]);
    const ns = toJob(clocks, this.places[member], startNs);
    return windows.findIndex((window) => window.startNs <= ns && ns < window.endNs);
  }
}

function ordinalsOf({ calls, groups }: JobMember['calls'], key: string): Map<number, number> {
  const ordinals = new Map<number, number>();
  calls.forEach(({ op, group }, call) => {
    if (op === 'all-to-all' && groups[group].key === key) ordinals.set(call, ordinals.size);
  });
  return ordinals;
}

function imbalanceOf(exchanges: Exchanges, { name, description, size }: CommGroup): ExpertImbalance[] {
  const { byWindow } = exchanges;
  const takesTurns = byWindow.every(({ length }) => length % 2 === 0);
  const stretches = new Map<StretchKind['after'], Stretch[]>();
  for (const window of byWindow) {
    for (let i = 0; i + 1 < window.length; i++) {
      if (!exchanges.follows(window[i], window[i + 1])) continue;
      const after = !takesTurns ? 'all' : i % 2 === 0 ? 'odd' : 'even';
      const stretch = { from: exchanges.callsOf(window[i]), to: exchanges.callsOf(window[i + 1]) };
      const known = stretches.get(after);
      if (known === undefined) stretches.set(after, [stretch]);
      else known.push(stretch);
    }
  }
  if (stretches.size === 0) return [];
  const kinds = [...stretches].map(([after, list]) => kindOf(exchanges.members, after, list));
  return [
    {
      name: name === '' ? description : name,
      ...(size === undefined ? {} : { size }),
      exchanges: byWindow.reduce((sum, each) => sum + each.length, 0),
      uncounted: exchanges.uncounted,
      kinds: kinds.sort((a, b) => b.imbalance - a.imbalance || (a.after < b.after ? 1 : -1)),
    },
  ];
}

function kindOf(
  members: readonly JobMember[],
  after: StretchKind['after'],
  stretches: readonly Stretch[],
): StretchKind {
  const lengths = stretches.map(({ from, to }) => to.map(({ startNs }, i) => Math.max(0, startNs - from[i].endNs)));
  const ranks = members.map(({ rank }, i): ExpertRank => {
    const bytes = stretches.map(({ from }) => from[i].bytesOut);
    const received = bytes.every((each) => each !== undefined) ? bytes.reduce((sum, each) => sum + each, 0) : undefined;
    return {
      rank,
      betweenNs: lengths.reduce((sum, each) => sum + each[i], 0),
      ...(received === undefined ? {} : { receivedBytes: received }),
    };
  });
  const received = ranks.flatMap(({ receivedBytes }) => (receivedBytes === undefined ? [] : [receivedBytes]));
  return {
    after,
    stretches: stretches.length,
    imbalance: unevenness(ranks.map(({ betweenNs }) => betweenNs)),
    ...(received.length === ranks.length ? { bytesImbalance: unevenness(received) } : {}),
    most: ranks.reduce((most, each) => (each.betweenNs > most.betweenNs ? each : most)).rank,
    lostNs: Math.round(lengths.reduce((sum, each) => sum + Math.max(...each) - meanOf(each), 0)),
    ranks,
  };
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;

/** Largest ÷ mean; of nothing but zeros 1. */
function unevenness(values: readonly number[]): number {
  const mean = meanOf(values);
  return mean === 0 ? 1 : Math.max(...values) / mean;
}
