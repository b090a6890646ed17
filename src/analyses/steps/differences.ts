/** What the path of a step holds more or less of than that of the median step. */
import type { Graph } from '../../graph/graph.ts';
import { type PathGroups, isNamed } from '../../graph/path-groups.ts';
import type { PathRows } from '../../graph/path-rows.ts';
import { SEGMENT_KINDS, type SegmentKind } from '../../graph/segments.ts';
import { NO_EVENT } from '../../trace/ids.ts';
import { referTo } from '../refer.ts';
import type { StepDifference, StepRow } from './result.ts';

const MOST = 10;

/** Each step's own number tells nothing apart. */
const STEP = /^ProfilerStep(\s*#\d+)?$/;
/** Instead of their names. */
const STEPS = -2;

/** A path, and the same by kind and name. */
export type GroupedPath = readonly [rows: PathRows, groups: PathGroups];

interface Difference {
  readonly kind: SegmentKind;
  readonly name: string | undefined;
  deltaNs: number;
  /** The longest stretch of the step; where it has none, of the median one. */
  longestNs: number;
  event: number;
  isOwn: boolean;
}

/** What paths hold more or less of than one of them. */
export class Differences {
  readonly #graph: Graph;
  readonly #median: GroupedPath;
  /** By name: 1 where it is that of a step, 0 where it was not looked at. */
  readonly #isStep: Int8Array;

  constructor(graph: Graph, median: GroupedPath) {
    this.#graph = graph;
    this.#median = median;
    this.#isStep = new Int8Array(graph.trace.strings.length);
  }

  of(step: GroupedPath): NonNullable<StepRow['differs']> {
    const parts = new Map<number, Difference>();
    this.#add(parts, step, true);
    this.#add(parts, this.#median, false);
    const differing = [...parts.values()].filter(({ deltaNs }) => deltaNs !== 0);
    const byKind = new Map<SegmentKind, number>();
    for (const { kind, deltaNs } of differing) byKind.set(kind, (byKind.get(kind) ?? 0) + deltaNs);
    return {
      byKind: [...byKind].map(([kind, deltaNs]) => ({ kind, deltaNs })).sort(byDelta),
      largest: differing
        .sort(byDelta)
        .slice(0, MOST)
        .map((part) => this.#shown(part)),
    };
  }

  #shown({ kind, name, deltaNs, event }: Difference): StepDifference {
    return {
      kind,
      ...(name === undefined ? {} : { name }),
      deltaNs,
      ...(event === NO_EVENT ? {} : { longest: referTo(this.#graph, event) }),
    };
  }

  #add(parts: Map<number, Difference>, [rows, groups]: GroupedPath, isOwn: boolean): void {
    for (let group = 0; group < groups.length; group++) {
      const name = this.#nameOf(groups.name[group]);
      const place = name * SEGMENT_KINDS.length + groups.kind[group];
      let part = parts.get(place);
      if (part === undefined) parts.set(place, (part = this.#partOf(name, groups.kind[group], isOwn)));
      part.deltaNs += isOwn ? groups.totalNs[group] : -groups.totalNs[group];
      const longest = groups.longest[group];
      const length = rows.end[longest] - rows.start[longest];
      if (part.isOwn !== isOwn || length <= part.longestNs) continue;
      part.longestNs = length;
      part.event = rows.event[longest];
    }
  }

  #partOf(name: number, kind: number, isOwn: boolean): Difference {
    const { strings } = this.#graph.trace;
    const shown = name === STEPS ? 'ProfilerStep' : isNamed(name) ? strings.text(name) : undefined;
    return { kind: SEGMENT_KINDS[kind], name: shown, deltaNs: 0, longestNs: -1, event: NO_EVENT, isOwn };
  }

  #nameOf(name: number): number {
    if (!isNamed(name)) return name;
    const known = this.#isStep;
    if (known[name] === 0) known[name] = STEP.test(this.#graph.trace.strings.text(name)) ? 1 : -1;
    return known[name] === 1 ? STEPS : name;
  }
}

type Delta = Pick<Difference, 'kind' | 'deltaNs'> & { readonly name?: string | undefined };

/** The largest first, whatever its sign. */
const byDelta = (a: Delta, b: Delta): number =>
  Math.abs(b.deltaNs) - Math.abs(a.deltaNs) || compare(a.kind, b.kind) || compare(a.name ?? '', b.name ?? '');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
