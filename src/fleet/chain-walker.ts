// Of what the chains of a swept graph are made. They have most of their way in common, so each constraint is taken apart once.
import type { Graph } from '../graph/graph.ts';
import { PathWriter } from '../graph/path-rows.ts';
import { type PathContext, type Span, walkBack } from '../graph/path.ts';
import { StretchSums } from './entry-sums.ts';
import type { ChainRows, Chains } from './skeleton-sweep.ts';

/** A chain from a base to a moment. */
interface Chain {
  readonly tail: number;
  readonly base: number;
  /** The moment is a base itself, and what came before it is meant. */
  readonly isKept: boolean;
}

/**
 * Walks chains back by the same rules as a path. A constraint that did not bind is taken apart as if it had: from its source, which came
 * as it was measured, so long as its lag.
 */
export class ChainWalker {
  /** Of what was walked last. */
  readonly sums = new StretchSums();
  /** Of the chain that was walked last: all of its constraints bound. */
  isMeasured = false;
  /** One of its lags is negative: its stretches overlap, and must be walked one after the other (`walkWhole`). */
  isInverted = false;
  readonly #context: PathContext;
  readonly #chains: Chains;
  readonly #chainRows: ChainRows;
  /** A graph of which the times and bindings of some moments are as if other constraints had bound; all others as measured. */
  readonly #other: PathContext;
  readonly #time: Float64Array;
  readonly #binding: Int32Array;
  readonly #rows = new PathWriter();
  /** By constraint: the kind of its only segment, which is as long as its lag, and the event of that; or that there are `SEVERAL`. */
  readonly #kindOf: Uint8Array;
  readonly #eventOf: Int32Array;
  readonly #several = new Map<number, readonly SegmentOf[]>();

  constructor(context: PathContext, chains: Chains) {
    this.#context = context;
    this.#chains = chains;
    this.#chainRows = chains.rows();
    this.#time = context.graph.time.slice();
    this.#binding = context.graph.binding.slice();
    const graph: Graph = { ...context.graph, time: this.#time, binding: this.#binding };
    this.#other = { ...context, graph };
    this.#kindOf = new Uint8Array(graph.lag.length).fill(UNKNOWN);
    this.#eventOf = new Int32Array(graph.lag.length);
  }

  /** Returns the moment where the chain begins. */
  walk({ tail, base, isKept }: Chain): number {
    const { constraints, lag, binding } = this.#context.graph;
    this.sums.clear();
    this.isMeasured = true;
    this.isInverted = false;
    const { owner, by: byItem, prior, via } = this.#chainRows;
    let moment = tail;
    let item = this.#chains.itemAt(tail, base, isKept);
    for (;;) {
      const isOwn = owner[item] === moment;
      const by = isOwn ? byItem[item] : via[moment];
      if (by === -1) return moment;
      if (by !== binding[moment]) this.isMeasured = false;
      if (lag[by] < 0) this.isInverted = true;
      else if (lag[by] > 0) {
        if (this.#kindOf[by] === UNKNOWN) this.#takeApart(by);
        if (this.#kindOf[by] !== SEVERAL) this.sums.add(this.#kindOf[by], lag[by], this.#eventOf[by]);
        else for (const { kind, ns, event } of this.#several.get(by) ?? []) this.sums.add(kind, ns, event);
      }
      if (isOwn) item = prior[item];
      moment = constraints.from[by];
    }
  }

  /** As if the whole chain had bound, and nothing else: it ends at `span.end`. */
  walkWhole({ tail, base, isKept }: Chain, span: Span): void {
    const { lag, constraints } = this.#context.graph;
    const { owner, by: byItem, prior, via } = this.#chainRows;
    const chain: number[] = [];
    let moment = tail;
    let item = this.#chains.itemAt(tail, base, isKept);
    for (;;) {
      const isOwn = owner[item] === moment;
      const by = isOwn ? byItem[item] : via[moment];
      if (by === -1) break;
      chain.push(by);
      if (isOwn) item = prior[item];
      moment = constraints.from[by];
    }
    let at = span.start;
    for (const by of chain.toReversed()) this.#pretend(by, (at += lag[by]));
    this.#rows.clear();
    walkBack(this.#other, tail, span, this.#rows);
    for (const by of chain) this.#restore(by);
    this.#takeRows();
  }

  /** The measured path from a moment back to an instant. */
  walkMeasured(tail: number, span: Span): void {
    this.#rows.clear();
    walkBack(this.#context, tail, span, this.#rows);
    this.#takeRows();
  }

  #takeRows(): void {
    const { first, last, kind, start, end, event } = this.#rows;
    this.sums.clear();
    for (let row = last; row >= first; row--) this.sums.add(kind[row], end[row] - start[row], event[row]);
  }

  #takeApart(by: number): void {
    const { lag, time, binding, constraints } = this.#context.graph;
    const moment = constraints.to[by];
    const start = time[constraints.from[by]];
    const span = { start, end: start + lag[by], thread: -1, annotated: false };
    this.#rows.clear();
    if (binding[moment] === by && time[moment] === span.end) walkBack(this.#context, moment, span, this.#rows);
    else {
      this.#pretend(by, span.end);
      walkBack(this.#other, moment, span, this.#rows);
      this.#restore(by);
    }
    const { first, last, kind, start: from, end, event } = this.#rows;
    if (first === last) {
      this.#kindOf[by] = kind[first];
      this.#eventOf[by] = event[first];
      return;
    }
    const segments: SegmentOf[] = [];
    for (let row = last; row >= first; row--) {
      segments.push({ kind: kind[row], ns: end[row] - from[row], event: event[row] });
    }
    this.#kindOf[by] = SEVERAL;
    this.#several.set(by, segments);
  }

  #pretend(by: number, timeNs: number): void {
    const moment = this.#context.graph.constraints.to[by];
    this.#time[moment] = timeNs;
    this.#binding[moment] = by;
  }

  #restore(by: number): void {
    const { time, binding, constraints } = this.#context.graph;
    const moment = constraints.to[by];
    this.#time[moment] = time[moment];
    this.#binding[moment] = binding[moment];
  }
}

interface SegmentOf {
  readonly kind: number;
  readonly ns: number;
  readonly event: number;
}

/** Instead of a kind of segment. */
const UNKNOWN = 255;
const SEVERAL = 254;
