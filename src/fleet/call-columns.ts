// The calls of a rank in columns: some 50 bytes a call, where a job of thousands of ranks has millions of them.
import type { EventId } from '../trace/ids.ts';
import type { CommCall } from './model.ts';

/** What many calls have in common. */
type CallShape = Omit<CommCall, 'events' | 'startNs' | 'endNs' | 'idleFromNs' | 'sequence' | 'commsId' | 'step'>;

/** Plain data. By call, but for `shapes`, to which `shape` refers. */
export interface CallColumns {
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** NaN where it is absent. */
  readonly idleFromNs: Float64Array;
  readonly sequence: Float64Array;
  readonly step: Int32Array;
  readonly shape: Int32Array;
  readonly commsId: readonly string[];
  /** In compressed rows: the kernels of call c are `event[firstEvent[c]]` … `event[firstEvent[c + 1] − 1]`. */
  readonly firstEvent: Int32Array;
  readonly event: Int32Array;
  readonly shapes: readonly CallShape[];
}

export function toCallColumns(calls: readonly CommCall[]): CallColumns {
  const shapes = new Map<string, { readonly at: number; readonly shape: CallShape }>();
  const firstEvent = new Int32Array(calls.length + 1);
  calls.forEach(({ events }, call) => (firstEvent[call + 1] = firstEvent[call] + events.length));
  return {
    startNs: Float64Array.from(calls, ({ startNs }) => startNs),
    endNs: Float64Array.from(calls, ({ endNs }) => endNs),
    idleFromNs: Float64Array.from(calls, ({ idleFromNs = Number.NaN }) => idleFromNs),
    sequence: Float64Array.from(calls, ({ sequence }) => sequence),
    step: Int32Array.from(calls, ({ step }) => step),
    shape: Int32Array.from(calls, (call) => {
      const shape = shapeOf(call);
      const key = JSON.stringify(shape);
      const known = shapes.get(key) ?? { at: shapes.size, shape };
      shapes.set(key, known);
      return known.at;
    }),
    commsId: calls.map(({ commsId }) => commsId),
    firstEvent,
    event: Int32Array.from(calls.flatMap(({ events }) => events)),
    shapes: [...shapes.values()].map(({ shape }) => shape),
  };
}

function shapeOf({
  op,
  name,
  group,
  peer,
  bytesIn,
  bytesOut,
  dtype,
  sizeBytes,
  annotation,
  ...rest
}: CommCall): CallShape {
  const { hasZeroSplit, from } = rest;
  return { op, name, group, peer, bytesIn, bytesOut, dtype, sizeBytes, annotation, hasZeroSplit, from };
}

/** The same calls again: each is a row of the columns. */
export const callsOf = (columns: CallColumns): CommCall[] =>
  Array.from(columns.startNs, (_, call) => new CallRow(columns, call));

class CallRow implements CommCall {
  readonly columns: CallColumns;
  readonly row: number;

  constructor(columns: CallColumns, row: number) {
    this.columns = columns;
    this.row = row;
  }

  get events(): readonly EventId[] {
    const { event, firstEvent } = this.columns;
    return [...event.subarray(firstEvent[this.row], firstEvent[this.row + 1])] as EventId[];
  }
  get startNs(): number {
    return this.columns.startNs[this.row];
  }
  get endNs(): number {
    return this.columns.endNs[this.row];
  }
  get idleFromNs(): number | undefined {
    const ns = this.columns.idleFromNs[this.row];
    return Number.isNaN(ns) ? undefined : ns;
  }
  get sequence(): number {
    return this.columns.sequence[this.row];
  }
  get step(): number {
    return this.columns.step[this.row];
  }
  get commsId(): string {
    return this.columns.commsId[this.row];
  }
  get op(): CommCall['op'] {
    return this.#shape.op;
  }
  get name(): string {
    return this.#shape.name;
  }
  get group(): number {
    return this.#shape.group;
  }
  get peer(): number {
    return this.#shape.peer;
  }
  get bytesIn(): number | undefined {
    return this.#shape.bytesIn;
  }
  get bytesOut(): number | undefined {
    return this.#shape.bytesOut;
  }
  get dtype(): string {
    return this.#shape.dtype;
  }
  get sizeBytes(): number | undefined {
    return this.#shape.sizeBytes;
  }
  get annotation(): string {
    return this.#shape.annotation;
  }
  get hasZeroSplit(): boolean {
    return this.#shape.hasZeroSplit;
  }
  get from(): CommCall['from'] {
    return this.#shape.from;
  }

  get #shape(): CallShape {
    return this.columns.shapes[this.columns.shape[this.row]];
  }
}
