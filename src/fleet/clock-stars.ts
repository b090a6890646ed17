import type { Bounds } from './clock-bounds.ts';
import { type Ends, type Link, type Measured, byInterval, fitLink } from './clock-link.ts';
import type { CommCall, Meeting, MeetingMember } from './model.ts';
import type { CallFinder } from './symmetric.ts';

/** A link from one rank's clock to another's, by places in the job's list. */
export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly link: Link;
  /** Links of one star have their center in common, and with it the sorts of calls: what is off in them does not add up. −1 without one. */
  readonly star: number;
}

/** By sort of calls: how long the transfer takes each rank, where it has come last often enough to tell. */
export type Transfers = ReadonlyMap<number, ReadonlyMap<number, { readonly ns: number; readonly errorNs: number }>>;

/** Groups without names may be many behind one key. */
const MOST_STARS = 64;

interface Growing extends Bounds {
  readonly atLow: number[];
  readonly low: number[];
  readonly atHigh: number[];
  readonly high: number[];
}
const noEnds = (): Ends => ({ at: [], apart: [], sort: [], transfer: [], slack: [] });
const noBounds = (): Growing => ({ atLow: [], low: [], atHigh: [], high: [] });

/**
 * All links that the meetings tell of. Of a group's symmetric calls: from each member to one in its middle, so that a group of thousands is no
 * square of thousands. Of transfers and broadcasts: bounds between the two. O(n log n) in the calls.
 */
export class LinkMaker {
  readonly #finder: CallFinder;
  readonly #resolutionNs: number;
  readonly #sorts = new Map<string, number>();
  readonly #sortOf = new Map<Meeting, number>();

  constructor(finder: CallFinder, resolutionNs: number) {
    this.#finder = finder;
    this.#resolutionNs = resolutionNs;
  }

  /** Number of the operation, type and size of a meeting's calls; of an operation whose sizes differ by rank, about its size. */
  sortOf(meeting: Meeting): number {
    const known = this.#sortOf.get(meeting);
    if (known !== undefined) return known;
    const sort = this.#numberOf(meeting);
    this.#sortOf.set(meeting, sort);
    return sort;
  }

  #numberOf(meeting: Meeting): number {
    const { op, dtype, sizeBytes, bytesIn } = this.#finder.callOf(meeting.members[0]);
    const size = op === 'all-to-all' ? Math.round(Math.log2(1 + (bytesIn ?? 0))) : (sizeBytes ?? bytesIn ?? -1);
    const key = `${meeting.groupKey} ${op} ${dtype} ${size}`;
    const known = this.#sorts.get(key);
    if (known !== undefined) return known;
    this.#sorts.set(key, this.#sorts.size);
    return this.#sorts.size - 1;
  }

  edges(meetings: readonly Meeting[], transfers: Transfers): Edge[] {
    const symmetric = new Map<string, Meeting[]>();
    const bounds = new Map<string, { readonly from: number; readonly to: number; readonly bounds: Growing }>();
    for (const meeting of meetings) {
      if (this.#finder.isSymmetric(meeting)) {
        const known = symmetric.get(meeting.groupKey);
        if (known === undefined) symmetric.set(meeting.groupKey, [meeting]);
        else known.push(meeting);
      } else this.#addOneWay(bounds, meeting);
    }
    const edges: Edge[] = [];
    let stars = 0;
    for (const group of symmetric.values()) {
      let left = group;
      for (let round = 0; round < MOST_STARS && left.length > 0; round++) {
        left = this.#star(left, transfers, stars++, edges);
      }
    }
    for (const { from, to, bounds: between } of bounds.values()) {
      const link = byInterval(noEnds(), between, this.#resolutionNs);
      if (link !== undefined) edges.push({ from, to, link, star: -1 });
    }
    return edges;
  }

  /** Links all that meet the member with most calls to it. Returns the meetings of others. */
  #star(meetings: readonly Meeting[], transfers: Transfers, star: number, edges: Edge[]): Meeting[] {
    const finder = this.#finder;
    const center = centerOf(meetings, (meeting) => transfers.get(this.sortOf(meeting)), finder);
    const left: Meeting[] = [];
    const common: CenterCall[] = [];
    for (const meeting of meetings) {
      const mine = meeting.members.find(({ rank }) => finder.placeOf(rank) === center);
      if (mine === undefined) {
        left.push(meeting);
        continue;
      }
      const transfer = shortest(meeting, finder);
      const slack = slackOf(meeting, transfer);
      common.push({ meeting, mine, sort: this.sortOf(meeting), transfer, slack });
    }
    const rays = raysOf(common, finder);
    for (const [from, ray] of rays) {
      const { ends, bounds } = measure(ray, common, finder);
      const link = fitLink(ends, bounds, measuredBetween(transfers, center, from), this.#resolutionNs);
      if (link !== undefined) edges.push({ from, to: center, link, star });
    }
    // What others did without the center tells of their clocks only where they do not meet it elsewhere.
    return left.filter(({ members }) => !members.every(({ rank }) => rays.has(finder.placeOf(rank))));
  }

  /** A receive ends after its send has begun, and what is broadcast after its root has come. Of reductions to one rank nothing is certain. */
  #addOneWay(
    all: Map<string, { readonly from: number; readonly to: number; readonly bounds: Growing }>,
    { op, members }: Meeting,
  ): void {
    if (op !== 'send' && op !== 'broadcast' && op !== 'scatter') return;
    const source = members.find(({ role }) => role === 'send' || role === 'root');
    if (source === undefined) return;
    const at = this.#finder.placeOf(source.rank);
    const first = this.#finder.callOf(source);
    for (const member of members) {
      if (member === source) continue;
      const place = this.#finder.placeOf(member.rank);
      const call = this.#finder.callOf(member);
      const [to, from] = at < place ? [at, place] : [place, at];
      const pair = all.get(`${to} ${from}`) ?? { from, to, bounds: noBounds() };
      all.set(`${to} ${from}`, pair);
      if (to === at) {
        pair.bounds.atLow.push(call.endNs);
        pair.bounds.low.push(first.startNs - call.endNs);
      } else {
        pair.bounds.atHigh.push(first.startNs);
        pair.bounds.high.push(call.endNs - first.startNs);
      }
    }
  }
}

/** A meeting of a star's center. */
interface CenterCall {
  readonly meeting: Meeting;
  readonly mine: MeetingMember;
  readonly sort: number;
  readonly transfer: number;
  readonly slack: number;
}

/** The calls that a rank has with the center: index of the meeting, then of the member, and so on. */
type Ray = number[];

/** By place. Measured one after the other: those of thousands of ranks are millions of numbers. */
function raysOf(common: readonly CenterCall[], finder: CallFinder): Map<number, Ray> {
  const rays = new Map<number, Ray>();
  common.forEach(({ meeting: { members }, mine }, at) => {
    members.forEach((member, i) => {
      if (member === mine) return;
      const place = finder.placeOf(member.rank);
      const ray = rays.get(place);
      if (ray === undefined) rays.set(place, [at, i]);
      else ray.push(at, i);
    });
  });
  return rays;
}

function measure(
  ray: Ray,
  common: readonly CenterCall[],
  finder: CallFinder,
): { readonly ends: Ends; readonly bounds: Growing } {
  const [ends, bounds] = [noEnds(), noBounds()];
  for (let i = 0; i < ray.length; i += 2) {
    const { meeting, mine, sort, transfer, slack } = common[ray[i]];
    const call = finder.callOf(mine);
    const other = finder.callOf(meeting.members[ray[i + 1]]);
    ends.at.push(other.endNs);
    ends.apart.push(call.endNs - other.endNs);
    ends.sort.push(sort);
    ends.transfer.push(transfer);
    ends.slack.push(slack);
    addBounds(bounds, other, call);
  }
  return { ends, bounds };
}

/** Neither call ends before the other has begun. */
function addBounds(bounds: Growing, mine: CommCall, other: CommCall): void {
  bounds.atLow.push(mine.endNs);
  bounds.low.push(other.startNs - mine.endNs);
  bounds.atHigh.push(mine.startNs);
  bounds.high.push(other.endNs - mine.startNs);
}

/** The member of which most is known: it came last in most sorts, and was in most calls. */
function centerOf(
  meetings: readonly Meeting[],
  transfersOf: (meeting: Meeting) => ReadonlyMap<number, unknown> | undefined,
  finder: CallFinder,
): number {
  const count = new Map<number, number>();
  for (const meeting of meetings) {
    const known = transfersOf(meeting);
    for (const { rank } of meeting.members) {
      const place = finder.placeOf(rank);
      count.set(place, (count.get(place) ?? 0) + (known?.has(place) === true ? 2 : 1));
    }
  }
  let best = -1;
  for (const [place, calls] of count) {
    const most = count.get(best) ?? 0;
    if (calls > most || (calls === most && place < best)) best = place;
  }
  return best;
}

/**
 * How far ends may be apart in all calls alike: of an all-to-all by a transfer, since what members send and get may differ. What all members have
 * the same of ends nearly at once: a ring passes the end on from one to the next, and links are not all equally fast.
 */
function slackOf({ op, members }: Meeting, transferNs: number): number {
  return op === 'all-to-all' ? transferNs : Math.min(transferNs, 0.1 * transferNs + 1_000 * (members.length - 1));
}

function shortest({ members }: Meeting, finder: CallFinder): number {
  let least = Infinity;
  for (const member of members) {
    const { startNs, endNs } = finder.callOf(member);
    least = Math.min(least, endNs - startNs);
  }
  return least;
}

function measuredBetween(transfers: Transfers, to: number, from: number): Measured {
  return (sort) => {
    const known = transfers.get(sort);
    const [there, here] = [known?.get(to), known?.get(from)];
    if (there === undefined || here === undefined) return undefined;
    return { differenceNs: there.ns - here.ns, errorNs: Math.hypot(there.errorNs, here.errorNs) };
  };
}
