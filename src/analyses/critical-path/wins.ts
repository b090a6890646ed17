import { boundsAfter } from '../../graph/forecast.ts';
import type { Graph } from '../../graph/graph.ts';
import { type WindowTerms, partsOf } from '../../graph/instants.ts';
import { type PathGroups, isNamed } from '../../graph/path-groups.ts';
import { ScaledReplay } from '../../graph/scaled-replay.ts';
import { SEGMENT_KINDS, type SegmentKind, segmentCode } from '../../graph/segments.ts';
import { thinTerms } from '../../graph/thin-terms.ts';
import type { Window } from '../../graph/windows.ts';
import type { StringId } from '../../trace/ids.ts';
import { rowsOfNames } from './name-rows.ts';
import type { PathWin } from './result.ts';

/** Time on the path that is an op's own, so that it goes where that op goes faster: by code of a kind. */
const OF_AN_OP = new Uint8Array(SEGMENT_KINDS.length);
for (const kind of ['kernel', 'collective', 'copy', 'host-work', 'data-loading'] as const) {
  OF_AN_OP[segmentCode(kind)] = 1;
}

interface Windows {
  readonly windows: readonly Window[];
  /** `undefined` of a range, whose end is fixed. */
  readonly terms: readonly WindowTerms[] | undefined;
  /** The paths of the windows, by kind and name. */
  readonly groups: readonly PathGroups[];
}

/**
 * What windows win where the ops with the most time on their path take half of their time, or none, replayed so that another chain may
 * take over. What wins most comes first. Nothing for a range, whose end is fixed. O(moments + constraints + joints × names).
 */
export function winsOnPath(graph: Graph, { windows, terms, groups }: Windows, most: number): readonly PathWin[] {
  if (terms === undefined) return [];
  const { strings } = graph.trace;
  const largest = largestNames(groups, most);
  const rows = rowsOfNames(
    graph,
    largest.map(({ name }) => name),
  );
  const thin = thinTerms(graph, terms);
  const replay = new ScaledReplay(graph, [0.5, 0], partsOf(thin));
  const won = replay.each(rows, (_, lag, time) => winsOf(graph, windows, thin, lag, time));
  return largest
    .map(({ kind, name, pathNs }, at): PathWin => {
      const [half, gone] = won[at];
      const byWindow = half.map((halfNs, i) => ({ halfNs, goneNs: gone[i] }));
      return { kind, name: strings.text(name), pathNs, halfNs: sumOf(half), goneNs: sumOf(gone), byWindow };
    })
    .sort((a, b) => b.halfNs - a.halfNs || b.goneNs - a.goneNs || b.pathNs - a.pathNs || (a.name < b.name ? -1 : 1));
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0);

/** The names with the most time on the path, with the kind of most of it. */
function largestNames(
  windows: readonly PathGroups[],
  most: number,
): { kind: SegmentKind; name: StringId; pathNs: number }[] {
  const byName = new Map<StringId, Map<SegmentKind, number>>();
  for (const { length, kind: kinds, name: names, totalNs } of windows) {
    for (let group = 0; group < length; group++) {
      const name = names[group];
      if (!isNamed(name) || OF_AN_OP[kinds[group]] === 0) continue;
      let known = byName.get(name);
      if (known === undefined) byName.set(name, (known = new Map<SegmentKind, number>()));
      const kind = SEGMENT_KINDS[kinds[group]];
      known.set(kind, (known.get(kind) ?? 0) + totalNs[group]);
    }
  }
  return [...byName]
    .map(([name, kinds]) => {
      const [[kind]] = [...kinds].sort((a, b) => b[1] - a[1]);
      return { kind, name, pathNs: sumOf([...kinds.values()]) };
    })
    .sort((a, b) => b.pathNs - a.pathNs || a.name - b.name)
    .slice(0, most);
}

/** What each window wins under other lags, and the moments that they make; windows go on tiling the run. */
function winsOf(
  graph: Graph,
  windows: readonly Window[],
  terms: readonly WindowTerms[],
  lag: Float64Array,
  time: Float64Array,
): number[] {
  let before = -Infinity;
  return terms.map((each, i) => {
    const { start, end } = boundsAfter(graph, each, { lag }, time);
    const from = before === -Infinity ? start : before;
    before = Math.max(from, end);
    return windows[i].end - windows[i].start - (before - from);
  });
}
