import { NO_EVENT, NO_STRING, type StringId } from '../trace/ids.ts';
import type { Graph } from './graph.ts';
import type { PathRows } from './path-rows.ts';
import { SEGMENT_KINDS, type SegmentKind, segmentCode } from './segments.ts';

/** The rows of a path by kind and name, in columns: a path has far more rows than names. */
export interface PathGroups {
  readonly length: number;
  /** Index in `SEGMENT_KINDS`. */
  readonly kind: readonly number[];
  /** Of the rows' events; `NO_STRING` where they have none. */
  readonly name: readonly number[];
  readonly totalNs: readonly number[];
  readonly count: readonly number[];
  /** The longest row, the earliest of equals. */
  readonly longest: readonly number[];
  /** Time of device ops of class `other`, which are neither computation nor transfer. */
  readonly otherNs: readonly number[];
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

  /** O(rows). Groups have numbers in the order in which they first come. */
  group({ first, last, kind, event, start, end }: PathRows): PathGroups {
    const { trace, device, classOf } = this.#graph;
    const { name: nameOf } = trace.events;
    const place = this.#place;
    const groups = new Groups();
    for (let row = first; row <= last; row++) {
      const of = event[row];
      const name = of === NO_EVENT ? NO_STRING : nameOf[of];
      const at = placeOf(name, kind[row]);
      if (place[at] === 0) place[at] = groups.add(kind[row], name, row);
      const group = place[at] - 1;
      const length = end[row] - start[row];
      const longest = groups.longest[group];
      if (length > end[longest] - start[longest]) groups.longest[group] = row;
      groups.count[group]++;
      groups.totalNs[group] += length;
      if (kind[row] === KERNEL && of !== NO_EVENT && classOf[device.opOfEvent[of]] === 'other') {
        groups.otherNs[group] += length;
      }
    }
    for (let group = 0; group < groups.length; group++) place[placeOf(groups.name[group], groups.kind[group])] = 0;
    return groups;
  }
}

class Groups implements PathGroups {
  length = 0;
  readonly kind: number[] = [];
  readonly name: number[] = [];
  readonly totalNs: number[] = [];
  readonly count: number[] = [];
  readonly longest: number[] = [];
  readonly otherNs: number[] = [];

  /** Of no time yet; how many there are now. */
  add(kind: number, name: number, row: number): number {
    this.kind.push(kind);
    this.name.push(name);
    this.totalNs.push(0);
    this.count.push(0);
    this.longest.push(row);
    this.otherNs.push(0);
    return ++this.length;
  }
}

/** `NO_STRING` is −1, and has the first places. */
const placeOf = (name: number, kind: number): number => (name + 1) * SEGMENT_KINDS.length + kind;

/** Time of one kind on paths, in ns. */
export function timeOfKind(paths: readonly PathGroups[], kind: SegmentKind): number {
  const code = segmentCode(kind);
  let total = 0;
  for (const { length, kind: kinds, totalNs } of paths) {
    for (let group = 0; group < length; group++) if (kinds[group] === code) total += totalNs[group];
  }
  return total;
}

/** Is it the name of some event, and not `NO_STRING`? */
export const isNamed = (name: number): name is StringId => name !== NO_STRING;
