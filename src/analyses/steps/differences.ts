/** What the path of a step holds more or less of than that of the median step. */
import type { Graph } from '../../graph/graph.ts';
import type { Segment } from '../../graph/path.ts';
import { SEGMENT_KINDS, type SegmentKind } from '../../graph/segments.ts';
import { NO_EVENT, NO_STRING } from '../../trace/ids.ts';
import { referTo } from '../refer.ts';
import type { StepDifference, StepRow } from './result.ts';

const MOST = 10;

/** Time on a path by kind and by name. */
export interface PathGroups {
  readonly groups: ReadonlyMap<string, Group>;
}

interface Group {
  readonly kind: SegmentKind;
  readonly name: string | undefined;
  totalNs: number;
  longestNs: number;
  /** Of the longest stretch. */
  event: number;
}

const STEP = /^ProfilerStep\s*#\d+$/;

export function groupPath({ trace }: Graph, segments: readonly Segment[]): PathGroups {
  const groups = new Map<string, Group>();
  /** By name and kind as numbers: a path has far more segments than names. */
  const known = new Map<number, Group>();
  for (let i = 0; i < segments.length; i++) {
    const { kind, start, end, event } = segments[i];
    const name = event === NO_EVENT ? NO_STRING : trace.events.name[event];
    const place = name * SEGMENT_KINDS.length + SEGMENT_KINDS.indexOf(kind);
    let group = known.get(place);
    if (group === undefined) {
      group = groupOf(groups, kind, name === NO_STRING ? undefined : trace.strings.text(name), event);
      known.set(place, group);
    }
    group.totalNs += end - start;
    if (end - start <= group.longestNs) continue;
    group.longestNs = end - start;
    group.event = event;
  }
  return { groups };
}

function groupOf(groups: Map<string, Group>, kind: SegmentKind, name: string | undefined, event: number): Group {
  // Each step's own number tells nothing apart.
  const shown = name !== undefined && STEP.test(name) ? 'ProfilerStep' : name;
  const key = `${kind} ${shown ?? ''}`;
  let group = groups.get(key);
  if (group === undefined) groups.set(key, (group = { kind, name: shown, totalNs: 0, longestNs: -1, event }));
  return group;
}

export function differencesOf(graph: Graph, step: PathGroups, median: PathGroups): NonNullable<StepRow['differs']> {
  const byKind = new Map<SegmentKind, number>();
  const parts: StepDifference[] = [];
  for (const key of new Set([...step.groups.keys(), ...median.groups.keys()])) {
    const own = step.groups.get(key);
    const other = median.groups.get(key);
    const sample = own ?? other;
    const deltaNs = (own?.totalNs ?? 0) - (other?.totalNs ?? 0);
    if (sample === undefined || deltaNs === 0) continue;
    byKind.set(sample.kind, (byKind.get(sample.kind) ?? 0) + deltaNs);
    parts.push({
      kind: sample.kind,
      ...(sample.name === undefined ? {} : { name: sample.name }),
      deltaNs,
      ...(sample.event === NO_EVENT ? {} : { longest: referTo(graph, sample.event) }),
    });
  }
  return {
    byKind: [...byKind].map(([kind, deltaNs]) => ({ kind, deltaNs })).sort(byDelta),
    largest: parts.sort(byDelta).slice(0, MOST),
  };
}

/** The largest first, whatever its sign. */
const byDelta = (a: StepDifference, b: StepDifference): number =>
  Math.abs(b.deltaNs) - Math.abs(a.deltaNs) || compare(a.kind, b.kind) || compare(a.name ?? '', b.name ?? '');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
