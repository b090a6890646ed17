// What the lags of a skeleton are made of, and its columns.
import type { Graph } from '../graph/graph.ts';
import type { Segment } from '../graph/path-rows.ts';
import { type PathContext, segmentsBack } from '../graph/path.ts';
import { SEGMENT_KINDS, type SegmentKind } from '../graph/segments.ts';
import { wholeTrace } from '../graph/windows.ts';
import { openBetween } from '../graph/workers.ts';
import type { RankCalls } from './model.ts';
import { NO_EVENT } from '../trace/ids.ts';
import { ChainWalker } from './chain-walker.ts';
import { EntryWriter, narrowed } from './entry-sums.ts';
import { type KeptEntries, type KeptMoments, type Skeleton, keptCode } from './skeleton.ts';
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
    entries: entriesOf(anchors.length, rows),
    parts: explainer.parts.take(),
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

/** `from` is a draft's place, or −1 − an anchor's. */
interface Explained {
  readonly from: number;
  readonly lagNs: number;
  readonly isTight: boolean;
}

function entriesOf(anchorCount: number, rows: readonly Explained[][]): KeptEntries {
  const count = anchorCount + rows.length;
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
  const lagNs = Float64Array.from(all, (entry) => entry.lagNs);
  return {
    first,
    from: count <= 1 << 16 ? Uint16Array.from(from) : Int32Array.from(from),
    lagNs: narrowed(lagNs, Int32Array),
    bound,
  };
}

const KIND_CODE = Object.fromEntries(SEGMENT_KINDS.map((kind, code) => [kind, code])) as Readonly<
  Record<SegmentKind, number>
>;

/** Walks the chain of each entry back, and writes what it is made of. */
class Explainer {
  readonly anchors: KeptRow[] = [];
  readonly parts: EntryWriter;
  readonly #anchorOf = new Map<number, number>();
  readonly #context: PathContext;
  readonly #walker: ChainWalker;

  constructor(context: PathContext, { chains }: Swept) {
    this.#context = context;
    this.#walker = new ChainWalker(context, chains);
    this.parts = new EntryWriter(context.graph.trace.events.position);
  }

  explain(draft: Draft, { base, lagNs, tail, afterNs }: DraftEntry): Explained {
    const { time } = this.#context.graph;
    const { sums } = this.#walker;
    if (tail === -1) {
      sums.clear();
      this.parts.put(sums);
      return { from: -1 - this.#anchor(-1, lagNs), lagNs: 0, isTight: lagNs === draft.timeNs };
    }
    const chain = { tail, base, isKept: tail === draft.moment };
    const begin = this.#walker.walk(chain);
    const beginNs = time[begin];
    const lag = base === ORIGIN ? lagNs - beginNs : lagNs;
    const isTight = beginNs + lag === draft.timeNs;
    const span = spanOf(beginNs, beginNs + lag - afterNs);
    const { isMeasured, isInverted } = this.#walker;
    if (isTight && (isInverted || !isMeasured)) this.#walker.walkMeasured(tail, span);
    else if (isInverted) this.#walker.walkWhole(chain, span);
    if (afterNs > 0) {
      const { kind, event } = segmentAfter(this.#context.graph, tail, span.end, span.end + afterNs);
      sums.add(KIND_CODE[kind], afterNs, event);
    }
    const lead = base === ORIGIN ? this.#leadTo(begin) : [];
    for (const { kind, start, end, event } of lead) sums.add(KIND_CODE[kind], end - start, event);
    this.parts.put(sums);
    if (base !== ORIGIN) return { from: base, lagNs: lag, isTight };
    const sinceNs = lead[0]?.start ?? beginNs;
    return { from: -1 - this.#anchor(begin, sinceNs), lagNs: beginNs - sinceNs + lag, isTight };
  }

  /** What a thread was at before its first op, where labels say so. */
  #leadTo(moment: number): readonly Segment[] {
    const { moments, time } = this.#context.graph;
    if (!moments.isHost(moment)) return [];
    return segmentsBack(this.#context, moment, spanOf(0, time[moment])).filter(({ kind }) => kind !== 'unexplained');
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
