import { ColBuilder } from '../trace/columns.ts';
import { SEGMENT_KINDS } from '../graph/segments.ts';
import { type EntryParts, TOP_SEGMENTS } from './skeleton.ts';

const KINDS = SEGMENT_KINDS.length;

/** Of what a stretch is made: ns by kind, and its longest segments. */
export class StretchSums {
  readonly ns = new Float64Array(KINDS);
  /** The longest first; `topNs` is 0 where there are not so many. */
  readonly topNs = new Float64Array(TOP_SEGMENTS);
  readonly topKind = new Uint8Array(TOP_SEGMENTS);
  /** Rows of `trace.events`, or below 0. */
  readonly topEvent = new Int32Array(TOP_SEGMENTS);

  clear(): void {
    this.ns.fill(0);
    this.topNs.fill(0);
  }

  /** One segment, the last in time first: of equally long ones the earlier is named. */
  add(kind: number, ns: number, event: number): void {
    this.ns[kind] += ns;
    const { topNs, topKind, topEvent } = this;
    let at = TOP_SEGMENTS;
    while (at > 0 && topNs[at - 1] <= ns) at--;
    if (at === TOP_SEGMENTS) return;
    for (let i = TOP_SEGMENTS - 1; i > at; i--) {
      topNs[i] = topNs[i - 1];
      topKind[i] = topKind[i - 1];
      topEvent[i] = topEvent[i - 1];
    }
    topNs[at] = ns;
    topKind[at] = kind;
    topEvent[at] = event;
  }
}

/** What the entries are made of, one after the other. `position`: in `traceEvents`, by event. */
export class EntryWriter {
  readonly #position: ArrayLike<number>;
  readonly #firstPart = new ColBuilder(Int32Array);
  readonly #partKind = new ColBuilder(Uint8Array);
  readonly #partNs = new ColBuilder(Float64Array);
  readonly #topEvent = new ColBuilder(Int32Array);
  readonly #topKind = new ColBuilder(Uint8Array);
  readonly #topNs = new ColBuilder(Float64Array);

  constructor(position: ArrayLike<number>) {
    this.#position = position;
    this.#firstPart.push(0);
  }

  put({ ns, topNs, topKind, topEvent }: StretchSums): void {
    for (let kind = 0; kind < KINDS; kind++) {
      if (!(ns[kind] > 0)) continue;
      this.#partKind.push(kind);
      this.#partNs.push(ns[kind]);
    }
    this.#firstPart.push(this.#partKind.length);
    for (let i = 0; i < TOP_SEGMENTS; i++) {
      const isThere = topNs[i] > 0;
      this.#topEvent.push(isThere && topEvent[i] >= 0 ? this.#position[topEvent[i]] : -1);
      this.#topKind.push(isThere ? topKind[i] : 0);
      this.#topNs.push(isThere ? topNs[i] : 0);
    }
  }

  take(): EntryParts {
    return {
      firstPart: this.#firstPart.take() as unknown as Int32Array,
      partKind: this.#partKind.take() as unknown as Uint8Array,
      partNs: narrowed(this.#partNs.take() as unknown as Float64Array, Uint32Array),
      topEvent: this.#topEvent.take() as unknown as Int32Array,
      topKind: this.#topKind.take() as unknown as Uint8Array,
      topNs: narrowed(this.#topNs.take() as unknown as Float64Array, Uint32Array),
    };
  }
}

/** In half the room where each is whole and no more than some seconds: a job holds those of all its ranks. */
export function narrowed<T extends Int32Array | Uint32Array>(
  ns: Float64Array,
  kind: { from(values: Float64Array): T },
): Float64Array | T {
  const narrow = kind.from(ns);
  return ns.every((each, i) => each === narrow[i]) ? narrow : ns;
}
