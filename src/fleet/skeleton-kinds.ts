// What the lags of a skeleton are made of, and its columns.
import type { Graph } from '../graph/graph.ts';
import { PathWriter, type Segment } from '../graph/path-rows.ts';
import { type PathContext, segmentsBack, walkBack } from '../graph/path.ts';
import { SEGMENT_KINDS, type SegmentKind } from '../graph/segments.ts';
import { wholeTrace } from '../graph/windows.ts';
import { openBetween } from '../graph/workers.ts';
import type { RankCalls } from './model.ts';
import { ColBuilder } from '../trace/columns.ts';
import { NO_EVENT } from '../trace/ids.ts';
import {
  type EntryParts,
  type KeptEntries,
  type KeptMoments,
  type Skeleton,
  TOP_SEGMENTS,
  keptCode,
} from './skeleton.ts';
import { type Draft, type DraftEntry, ORIGIN, type Swept } from './skeleton-sweep.ts';

/** The columns of a swept graph. Anchors, of which only those that hold something are kept, come first. */
export function explainEntries(context: PathContext, calls: RankCalls, swept: Swept): Skeleton {
  const { graph } = context;
  const { drafts, windows, arrivalOf, endOf } = swept;
  const explainer = new Explainer(context, swept);
  const rows = drafts.map((draft) => draft.entries.map((entry) => explainer.explain(draft, entry)));
  const named = drafts.map((draft, i) => ({
    ...draft,
    moment: draft.moment === -1 ? tailOf(draft, rows[i]) : draft.moment,
  }));
  const anchors = explainer.anchors;
  const shifted = (kept: Int32Array): Int32Array => kept.map((at) => (at === -1 ? -1 : at + anchors.length));
  const { start, end } = wholeTrace(graph);
  return {
    rank: calls.rank,
    startNs: Math.min(start, ...anchors.map(({ timeNs }) => timeNs)),
    endNs: end,
    windows: windows.map(({ window: { label, complete, bounds, start: from }, draft }) => ({
      label,
      startNs: from,
      follows: bounds.kind === 'annotation' && bounds.before !== -1,
      complete,
      end: draft + anchors.length,
    })),
    moments: columnsOf(anchors, named),
    entries: entriesOf(anchors.length, drafts, rows),
    parts: partsOf(rows),
    arrivalOf: shifted(arrivalOf),
    endOf: shifted(endOf),
    callEvent: Int32Array.from(calls.calls, ({ events }) => graph.trace.events.position[events[0]]),
    callOrder: enqueueOrder(graph, calls),
  };
}

/** Calls in the order in which the rank enqueued them: that of the program, however long anything took. */
function enqueueOrder({ device }: Graph, { calls }: RankCalls): Int32Array {
  const keys = calls.map(({ events }) => device.key[device.opOfEvent[events[0]]] ?? Infinity);
  return Int32Array.from(calls, (_, call) => call).sort((a, b) => keys[a] - keys[b] || a - b);
}

/** The moment by which a window's end came. */
const tailOf = ({ entries }: Draft, rows: readonly Explained[]): number =>
  entries[rows.findIndex(({ isTight }) => isTight)]?.tail ?? -1;

type KeptRow = Pick<Draft, 'kind' | 'subject' | 'moment' | 'timeNs'>;

function columnsOf(anchors: readonly KeptRow[], drafts: readonly KeptRow[]): KeptMoments {
  const all = [...anchors, ...drafts];
  return {
    kind: Uint8Array.from(all, ({ kind }) => keptCode(kind)),
    subject: Int32Array.from(all, ({ subject }) => subject),
    timeNs: Float64Array.from(all, ({ timeNs }) => timeNs),
    moment: Int32Array.from(all, ({ moment }) => moment),
  };
}

/** An entry with what it is made of. `from` is a draft's place, or −1 − an anchor's. */
interface Explained {
  readonly from: number;
  readonly lagNs: number;
  readonly isTight: boolean;
  readonly parts: readonly (readonly [kind: number, ns: number])[];
  readonly top: readonly (readonly [event: number, kind: number, ns: number])[];
}

function entriesOf(anchorCount: number, drafts: readonly Draft[], rows: readonly Explained[][]): KeptEntries {
  const count = anchorCount + drafts.length;
  const first = new Int32Array(count + 1);
  const bound = new Int32Array(count).fill(-1);
  const all = rows.flat();
  let at = 0;
  rows.forEach((entries, draft) => {
    const tight = entries.findIndex(({ isTight }) => isTight);
    if (tight !== -1) bound[anchorCount + draft] = at + tight;
    at += entries.length;
    first[anchorCount + draft + 1] = at;
  });
  const from = all.map((entry) => (entry.from < 0 ? -1 - entry.from : entry.from + anchorCount));
  return {
    first,
    from: count <= 1 << 16 ? Uint16Array.from(from) : Int32Array.from(from),
    lagNs: narrowed(
      Float64Array.from(all, ({ lagNs }) => lagNs),
      Int32Array,
    ),
    bound,
  };
}

function partsOf(rows: readonly Explained[][]): EntryParts {
  const all = rows.flat();
  const firstPart = new Int32Array(all.length + 1);
  const partKind = new ColBuilder(Uint8Array);
  const partNs = new ColBuilder(Float64Array);
  const top = {
    event: new Int32Array(all.length * TOP_SEGMENTS).fill(-1),
    kind: new Uint8Array(all.length * TOP_SEGMENTS),
    ns: new Float64Array(all.length * TOP_SEGMENTS),
  };
  all.forEach((entry, i) => {
    for (const [kind, ns] of entry.parts) {
      partKind.push(kind);
      partNs.push(ns);
    }
    firstPart[i + 1] = partKind.length;
    entry.top.forEach(([event, kind, ns], n) => {
      top.event[i * TOP_SEGMENTS + n] = event;
      top.kind[i * TOP_SEGMENTS + n] = kind;
      top.ns[i * TOP_SEGMENTS + n] = ns;
    });
  });
  return {
    firstPart,
    partKind: partKind.take() as unknown as Uint8Array,
    partNs: narrowed(partNs.take() as unknown as Float64Array, Uint32Array),
    topEvent: top.event,
    topKind: top.kind,
    topNs: narrowed(top.ns, Uint32Array),
  };
}

/** In half the room where each is whole and no more than some seconds: a job holds those of all its ranks. */
function narrowed<T extends Int32Array | Uint32Array>(
  ns: Float64Array,
  kind: { from(values: Float64Array): T },
): Float64Array | T {
  const narrow = kind.from(ns);
  return ns.every((each, i) => each === narrow[i]) ? narrow : ns;
}

const KIND_CODE = Object.fromEntries(SEGMENT_KINDS.map((kind, code) => [kind, code])) as Readonly<
  Record<SegmentKind, number>
>;

/** Walks chains back by the same rules as a path, so that their parts are the path's segments. */
class Explainer {
  readonly anchors: KeptRow[] = [];
  readonly #anchorOf = new Map<number, number>();
  readonly #context: PathContext;
  readonly #swept: Swept;
  /** A graph of which the times and bindings of one chain are as if that one had bound; all others as measured. */
  readonly #other: PathContext;
  readonly #time: Float64Array;
  readonly #binding: Int32Array;
  /** The chain at hand, the last constraint first; and its segments. */
  readonly #constraints: number[] = [];
  readonly #rows = new PathWriter();

  constructor(context: PathContext, swept: Swept) {
    this.#context = context;
    this.#swept = swept;
    this.#time = context.graph.time.slice();
    this.#binding = context.graph.binding.slice();
    const graph: Graph = { ...context.graph, time: this.#time, binding: this.#binding };
    this.#other = { ...context, graph };
  }

  explain(draft: Draft, entry: DraftEntry): Explained {
    const { time } = this.#context.graph;
    const { base, lagNs, tail, afterNs } = entry;
    if (tail === -1) {
      const from = -1 - this.#anchor(-1, lagNs);
      return { from, lagNs: 0, isTight: lagNs === draft.timeNs, parts: [], top: [] };
    }
    const begin = this.#chain(draft, entry);
    const beginNs = time[begin];
    const lag = base === ORIGIN ? lagNs - beginNs : lagNs;
    const isTight = beginNs + lag === draft.timeNs;
    const tailNs = beginNs + lag - afterNs;
    this.#rows.clear();
    if (isTight) walkBack(this.#context, tail, spanOf(beginNs, tailNs), this.#rows);
    else this.#walkOther(tail, beginNs, tailNs);
    if (base !== ORIGIN) return { from: base, lagNs: lag, isTight, ...this.#partsOf([], tail, tailNs, afterNs) };
    const lead = this.#leadTo(begin);
    const parts = this.#partsOf(lead, tail, tailNs, afterNs);
    const sinceNs = lead[0]?.start ?? beginNs;
    return { from: -1 - this.#anchor(begin, sinceNs), lagNs: beginNs - sinceNs + lag, isTight, ...parts };
  }

  /** What a thread was at before its first op, where labels say so. */
  #leadTo(moment: number): readonly Segment[] {
    const { moments, time } = this.#context.graph;
    if (!moments.isHost(moment)) return [];
    return segmentsBack(this.#context, moment, spanOf(0, time[moment])).filter(({ kind }) => kind !== 'unexplained');
  }

  /** Notes the constraints from the kept moment back to where the chain begins, and returns that moment. */
  #chain(draft: Draft, { base, tail }: DraftEntry): number {
    const { from } = this.#context.graph.constraints;
    const { chains } = this.#swept;
    const chain = this.#constraints;
    chain.length = 0;
    let moment = tail;
    let by = chains.stepBack(moment, base, moment === draft.moment);
    while (by !== -1) {
      chain.push(by);
      moment = from[by];
      by = chains.stepBack(moment, base, false);
    }
    return moment;
  }

  /** As if the noted chain had bound all of its moments. */
  #walkOther(tail: number, start: number, end: number): void {
    const { lag, time, binding, constraints } = this.#context.graph;
    const chain = this.#constraints;
    let at = start;
    for (let i = chain.length - 1; i >= 0; i--) {
      const moment = constraints.to[chain[i]];
      at += lag[chain[i]];
      this.#time[moment] = at;
      this.#binding[moment] = chain[i];
    }
    walkBack(this.#other, tail, spanOf(start, end), this.#rows);
    for (const by of chain) {
      const moment = constraints.to[by];
      this.#time[moment] = time[moment];
      this.#binding[moment] = binding[moment];
    }
  }

  #anchor(moment: number, timeNs: number): number {
    const key = moment === -1 ? -1 - timeNs : moment;
    const known = this.#anchorOf.get(key);
    if (known !== undefined) return known;
    const { moments, host, device, trace } = this.#context.graph;
    let subject = -1;
    if (moment !== -1) {
      const event = moments.isHost(moment)
        ? host.event[moments.hostOp(moment)]
        : device.event[moments.deviceOp(moment)];
      subject = trace.events.position[event];
    }
    this.anchors.push({ kind: 'anchor', subject, moment, timeNs });
    this.#anchorOf.set(key, this.anchors.length - 1);
    return this.anchors.length - 1;
  }

  /**
   * Of what leads to the chain, its segments, and what comes after the last moment of a thread (host time up to an annotation's end):
   * sums by kind, and the longest.
   */
  #partsOf(lead: readonly Segment[], tail: number, tailNs: number, afterNs: number): Pick<Explained, 'parts' | 'top'> {
    const sums = new Parts(this.#context.graph.trace.events.position);
    const rows = this.#rows;
    for (const each of lead) sums.add(KIND_CODE[each.kind], each.end - each.start, each.event);
    for (let row = rows.first; row <= rows.last; row++) {
      sums.add(rows.kind[row], rows.end[row] - rows.start[row], rows.event[row]);
    }
    if (afterNs > 0) {
      const { kind, event } = segmentAfter(this.#context.graph, tail, tailNs, tailNs + afterNs);
      sums.add(KIND_CODE[kind], afterNs, event);
    }
    return { parts: sums.parts(), top: sums.top };
  }
}

class Parts {
  readonly top: (readonly [event: number, kind: number, ns: number])[] = [];
  readonly #sums = new Float64Array(SEGMENT_KINDS.length);
  readonly #position: ArrayLike<number>;
  /** What a segment must exceed to be among the longest. */
  #leastNs = -Infinity;

  constructor(position: ArrayLike<number>) {
    this.#position = position;
  }

  add(kind: number, ns: number, event: number): void {
    this.#sums[kind] += ns;
    if (ns <= this.#leastNs) return;
    const { top } = this;
    let at = top.length;
    while (at > 0 && top[at - 1][2] < ns) at--;
    top.splice(at, 0, [event < 0 ? -1 : this.#position[event], kind, ns]);
    if (top.length > TOP_SEGMENTS) top.pop();
    if (top.length === TOP_SEGMENTS) this.#leastNs = top[TOP_SEGMENTS - 1][2];
  }

  parts(): [kind: number, ns: number][] {
    const parts: [number, number][] = [];
    for (let kind = 0; kind < this.#sums.length; kind++) if (this.#sums[kind] > 0) parts.push([kind, this.#sums[kind]]);
    return parts;
  }
}

/** Host time after the last moment of a thread up to an annotation's end: inside an op that goes on, or in a gap. */
export function segmentAfter({ host }: Graph, moment: number, start: number, end: number): Segment {
  const open = openBetween(host, moment);
  const about = { start, end, boundBy: 'host-order', ambiguous: false } as const;
  return open === -1
    ? { ...about, kind: 'host-gap', event: NO_EVENT }
    : { ...about, kind: 'host-work', event: host.event[open] };
}

const spanOf = (start: number, end: number): Parameters<typeof segmentsBack>[2] => ({
  start,
  end,
  thread: -1,
  annotated: false,
});
