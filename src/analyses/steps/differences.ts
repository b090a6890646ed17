/** What the path of a step holds more or less of than that of the median step. */
import type { Graph } from '../../graph/graph.ts';
import type { Segment } from '../../graph/path.ts';
import type { SegmentKind } from '../../graph/segments.ts';
import { NO_EVENT } from '../../trace/ids.ts';
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
  for (const { kind, start, end, event } of segments) {
    const name = event === NO_EVENT ? undefined : trace.strings.text(trace.events.name[event]);
    // Each step's own number tells nothing apart.
    const shown = name !== undefined && STEP.test(name) ? 'ProfilerStep' : name;
    const key = `${kind} ${shown ?? ''}`;
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { kind, name: shown, totalNs: 0, longestNs: -1, event }));
    group.totalNs += end - start;
    if (end - start <= group.longestNs) continue;
    group.longestNs = end - start;
    group.event = event;
  }
  return { groups };
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
