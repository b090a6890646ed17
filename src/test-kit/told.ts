// Does the trace of a run tell all that decides another run of the same program, in which some lengths are changed?
import { ItemKind, Kind, type RankTruth, endOf, startOf } from '../sim/truth.ts';

/** A gap of the caller that says that it waited for a worker (rule 28). */
const SHORTEST_GAP_NS = 50_000;

/**
 * Why not, or `undefined`. What constraints of a stream cost is taken to be known. Others show only where they bind: how soon a
 * dependent launch may begin, which node a node of a graph follows, that a caller waits for its worker, that an allocation waits. They
 * are told where they bound in the first run, each for itself.
 */
export function untoldPart(before: RankTruth, after: RankTruth): string | undefined {
  const both = new Both(before, after);
  if (both.swapsCalls()) return 'threads enqueue in another order';
  for (let item = 0; item < before.items.length; item++) {
    const why = both.untoldAt(item);
    if (why !== undefined) return why;
  }
  return undefined;
}

class Both {
  readonly #before: RankTruth;
  readonly #after: RankTruth;
  /** By place: the item of the second run. */
  readonly #itemAt: ReadonlyMap<number, number>;
  readonly #implicit: ReadonlySet<number>;

  constructor(before: RankTruth, after: RankTruth) {
    this.#before = before;
    this.#after = after;
    this.#itemAt = new Map(Array.from({ length: after.items.length }, (_, item) => [after.items.place[item], item]));
    this.#implicit = new Set(before.syncs.filter(({ kind }) => kind === 'implicit-sync').map(({ call }) => call));
  }

  /** Ids are given in the order of calls, and streams are in the order of ids. */
  swapsCalls(): boolean {
    const placesOf = ({ items }: RankTruth): number[] =>
      Array.from({ length: items.length }, (_, item) => item)
        .filter((item) => items.kind[item] === ItemKind.call)
        .sort((a, b) => items.start[a] - items.start[b] || items.correlation[a] - items.correlation[b])
        .map((item) => items.place[item]);
    const first = placesOf(this.#before);
    const second = placesOf(this.#after);
    const [isInFirst, isInSecond] = [new Set(first), new Set(second)];
    const kept = second.filter((place) => isInFirst.has(place));
    return first.filter((place) => isInSecond.has(place)).some((place, at) => place !== kept[at]);
  }

  untoldAt(item: number): string | undefined {
    const other = this.#itemAt.get(this.#before.items.place[item]);
    if (other === undefined) return undefined;
    if (this.#has(startOf(item), Kind.overlap) && !this.#isDependentTold(item, other)) return 'a dependent launch';
    if (this.#isNode(item) && !this.#isNodeTold(item, other)) return 'the order of a graph';
    if (!this.#isAllocationTold(item, other)) return 'an allocation that waits';
    for (const end of [0, 1]) {
      const moment = 2 * item + end;
      if (this.#has(moment, Kind.thread) && !this.#isHandOverTold(moment, 2 * other + end)) return 'a worker';
    }
    return undefined;
  }

  /** One that waits did so in both runs. One that does not looks as if it did where the device's work happens to end in it. */
  #isAllocationTold(item: number, other: number): boolean {
    if (this.#before.actions[item]?.kind !== 'allocate') return true;
    if (this.#implicit.has(item)) return this.#isSame(endOf(item), endOf(other));
    const { items } = this.#before;
    for (let op = 0; op < items.length; op++) {
      if (items.kind[op] !== ItemKind.device) continue;
      if (items.end[op] > items.start[item] && items.end[op] <= items.end[item]) return false;
    }
    return true;
  }

  #has(moment: number, kind: number): boolean {
    const { constraints } = this.#before;
    const first = constraints.first[moment];
    for (let c = first; c < first + constraints.count[moment]; c++) if (constraints.kind[c] === kind) return true;
    return false;
  }

  /** What bound a moment, by the place of its source. */
  #bound({ constraints, items }: RankTruth, moment: number): { kind: number; from: number } {
    const c = constraints.binding[moment];
    if (c === -1) return { kind: -1, from: -1 };
    const source = constraints.from[c];
    return { kind: constraints.kind[c], from: source === -1 ? -1 : items.place[source >> 1] * 2 + (source & 1) };
  }

  /** Did the same constraint bind in both runs, alone? */
  #isSame(moment: number, other: number): boolean {
    const [a, b] = [this.#bound(this.#before, moment), this.#bound(this.#after, other)];
    const isAlone = this.#before.constraints.tied[moment] === 0 && this.#after.constraints.tied[other] === 0;
    return isAlone && a.kind === b.kind && a.from === b.from;
  }

  /** It began by its trigger and ended by the end of the op before it; or it never met that op. */
  #isDependentTold(item: number, other: number): boolean {
    const bound = this.#bound(this.#before, startOf(item));
    const isByTrigger = bound.kind === Kind.overlap && this.#isSame(startOf(item), startOf(other));
    const isByTail =
      this.#bound(this.#before, endOf(item)).kind === Kind.overlap && this.#isSame(endOf(item), endOf(other));
    const isLate = [bound, this.#bound(this.#after, startOf(other))].every(({ kind }) => kind !== Kind.overlap);
    const isClear = !this.#overlaps(this.#before, item) && !this.#overlaps(this.#after, other);
    return (isByTrigger && isByTail) || (isLate && isClear);
  }

  /** Does a dependent op begin before the op before it has ended and the next would follow? */
  #overlaps({ items, constraints }: RankTruth, item: number): boolean {
    const first = constraints.first[startOf(item)];
    for (let c = first; c < first + constraints.count[startOf(item)]; c++) {
      if (constraints.kind[c] !== Kind.overlap) continue;
      if (items.end[constraints.from[c] >> 1] + 2_000 > items.start[item]) return true;
    }
    return false;
  }

  #isNode(item: number): boolean {
    return this.#before.items.kind[item] === ItemKind.device && this.#before.actions[item]?.kind === 'graph';
  }

  /** The trace shows which node ended last before it began, but not on which stream a graph of several was launched. */
  #isNodeTold(item: number, other: number): boolean {
    const action = this.#before.actions[item];
    if (action?.kind !== 'graph' || action.nodes.some(({ stream = action.on.stream }) => stream !== action.on.stream)) {
      return false;
    }
    if (!this.#isSame(startOf(item), startOf(other))) return false;
    const { items, constraints } = this.#before;
    const c = constraints.binding[startOf(item)];
    if (c === -1 || constraints.kind[c] === Kind.launch) return true;
    const source = constraints.from[c] >> 1;
    for (let each = 0; each < items.length; each++) {
      if (!this.#isNode(each) || items.parent[each] !== items.parent[item] || each === source) continue;
      if (items.end[each] >= items.end[source] && items.end[each] <= items.start[item]) return false;
    }
    return true;
  }

  /** A hand-over shows where it bound and its caller then rested long, for the most part of which the worker worked. */
  #isHandOverTold(moment: number, other: number): boolean {
    if (!this.#isSame(moment, other)) return false;
    const { constraints, items } = this.#before;
    const c = constraints.binding[moment];
    if (constraints.kind[c] !== Kind.thread) return false;
    // What the caller does in Python before it hands over is no row.
    if (constraints.lag[c] !== this.#after.constraints.lag[this.#after.constraints.binding[other]]) return false;
    const source = constraints.from[c];
    const [from, to] = [momentTime(items, source), momentTime(items, moment)];
    const isFork = items.track[moment >> 1] !== 0;
    const caller = items.track[(isFork ? source : moment) >> 1];
    const worker = items.track[(isFork ? moment : source) >> 1];
    const times = this.#timesOf(worker);
    const gapStart = isFork ? from : Math.max(-Infinity, ...this.#timesOf(caller).filter((time) => time < to));
    const gapEnd = isFork ? Math.min(...this.#timesOf(caller).filter((time) => time > from), Infinity) : to;
    const run = times.filter((time) => time >= gapStart && time <= gapEnd);
    const gap = Math.min(gapEnd, Math.max(...run)) - gapStart;
    const worked = Math.max(...run) - Math.min(...run);
    return (gapEnd === Infinity ? gap : gapEnd - gapStart) > SHORTEST_GAP_NS && worked * 2 > gap;
  }

  #timesOf(thread: number): number[] {
    const { items } = this.#before;
    const found: number[] = [];
    for (let item = 0; item < items.length; item++) {
      if (items.track[item] === thread && items.kind[item] <= ItemKind.call) {
        found.push(items.start[item], items.end[item]);
      }
    }
    return found;
  }
}

const momentTime = (items: RankTruth['items'], moment: number): number =>
  (moment & 1) === 0 ? items.start[moment >> 1] : items.end[moment >> 1];
