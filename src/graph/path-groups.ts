import { NO_EVENT, NO_STRING, type StringId } from '../trace/ids.ts';
import type { Graph } from './graph.ts';
import type { PathRows } from './path-rows.ts';
import { SEGMENT_KINDS, segmentCode } from './segments.ts';

/** The rows of a path by kind and name, in columns: a path has far more rows than names. */
export interface PathGroups {
  readonly length: number;
  /** Index in `SEGMENT_KINDS`. */
  readonly kind: Uint8Array;
  /** Of the rows' events; `NO_STRING` where they have none. */
  readonly name: Int32Array;
  readonly totalNs: Float64Array;
  readonly count: Int32Array;
  /** The longest row, the earliest of equals. */
  readonly longest: Int32Array;
  /** Time of device ops of class `other`, which are neither computation nor transfer. */
  readonly otherNs: Float64Array;
}

const KERNEL = segmentCode('kernel');

/** Groups one path after the other. */
export class PathGrouper {
  readonly #graph: Graph;
  /** By name and kind: 1 + the group; all 0 between two paths. */
  readonly #place: Int32Array;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#place = new Int32Array((graph.trace.strings.length + 1) * SEGMENT_KINDS.length);
  }

  /** O(rows). */
  group(rows: PathRows): PathGroups {
    const { trace, device, classOf } = this.#graph;
    const { name: nameOf } = trace.events;
    const { first, last, kind, event, start, end } = rows;
    const groupOf = this.#number(rows);
    const groups = emptyGroups(groupOf.length);
    for (let row = first; row <= last; row++) {
      const group = groupOf.of[row - first];
      const length = end[row] - start[row];
      if (groups.count[group] === 0) {
        groups.kind[group] = kind[row];
        groups.name[group] = event[row] === NO_EVENT ? NO_STRING : nameOf[event[row]];
        groups.longest[group] = row;
      } else if (length > end[groups.longest[group]] - start[groups.longest[group]]) groups.longest[group] = row;
      groups.count[group]++;
      groups.totalNs[group] += length;
      const isOther =
        kind[row] === KERNEL && event[row] !== NO_EVENT && classOf[device.opOfEvent[event[row]]] === 'other';
      if (isOther) groups.otherNs[group] += length;
    }
    this.#forget(groups);
    return groups;
  }

  /** By row: its group. Groups have numbers in the order in which they first come. */
  #number({ first, last, kind, event }: PathRows): { readonly of: Int32Array; readonly length: number } {
    const { name } = this.#graph.trace.events;
    const of = new Int32Array(last - first + 1);
    let length = 0;
    for (let row = first; row <= last; row++) {
      const at = placeOf(event[row] === NO_EVENT ? NO_STRING : name[event[row]], kind[row]);
      if (this.#place[at] === 0) this.#place[at] = ++length;
      of[row - first] = this.#place[at] - 1;
    }
    return { of, length };
  }

  #forget({ length, name, kind }: PathGroups): void {
    for (let group = 0; group < length; group++) this.#place[placeOf(name[group], kind[group])] = 0;
  }
}

/** `NO_STRING` is −1, and has the first places. */
const placeOf = (name: number, kind: number): number => (name + 1) * SEGMENT_KINDS.length + kind;

const emptyGroups = (length: number): PathGroups => ({
  length,
  kind: new Uint8Array(length),
  name: new Int32Array(length),
  totalNs: new Float64Array(length),
  count: new Int32Array(length),
  longest: new Int32Array(length),
  otherNs: new Float64Array(length),
});

/** Is it the name of some event, and not `NO_STRING`? */
export const isNamed = (name: number): name is StringId => name !== NO_STRING;
