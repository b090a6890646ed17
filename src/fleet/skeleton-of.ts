import { DataLoading } from '../graph/data-loading.ts';
import { changeConstraints } from '../graph/changed-lags.ts';
import type { Change } from '../graph/changes.ts';
import { forecastFrom } from '../graph/forecast.ts';
import type { Graph } from '../graph/graph.ts';
import { termsAfter, termsOfWindows } from '../graph/instants.ts';
import { annotationLabels, pythonLabels } from '../graph/labels.ts';
import type { PathContext } from '../graph/path.ts';
import { type Window, findWindows, wholeTrace } from '../graph/windows.ts';
import type { RankCalls } from './model.ts';
import type { Skeleton } from './skeleton.ts';
import { explainEntries } from './skeleton-kinds.ts';
import { type KeptWindow, sweepSkeleton } from './skeleton-sweep.ts';

/** What of a graph a path needs to be put in words. O(events). */
export function pathContextOf(graph: Graph): PathContext {
  const { trace } = graph;
  return {
    graph,
    loading: new DataLoading(trace, undefined),
    annotations: annotationLabels(trace),
    python: pythonLabels(trace),
  };
}

/** All steps, complete or not, so that each one's begin is known; without steps the whole trace. */
export function skeletonWindows(graph: Graph): readonly Window[] {
  const steps = findWindows(graph, { kind: 'steps', first: -Infinity, last: Infinity });
  return steps.ok ? steps.windows : [wholeTrace(graph)];
}

/**
 * Windows that an annotation bounds and the whole trace are kept, ranges are not. O(moments + constraints), times the few chains that
 * run side by side.
 */
export function skeletonOf(
  graph: Graph,
  calls: RankCalls,
  windows: readonly Window[] = skeletonWindows(graph),
  context: PathContext = pathContextOf(graph),
): Skeleton {
  return explainEntries(context, calls, sweepSkeleton(graph, calls, keptWindows(graph, windows)));
}

/**
 * What the skeleton would be after changes within the rank: exact, where that of the unchanged rank could only be scaled. `contextOf`: how
 * paths of the changed graph are put in words. The time between a call's arrival and its end is no part of it.
 */
export function changedSkeletonOf(
  graph: Graph,
  calls: RankCalls,
  changes: readonly Change[],
  windows: readonly Window[] = skeletonWindows(graph),
  contextOf: (after: Graph) => PathContext = pathContextOf,
): Skeleton {
  const kept = keptWindows(graph, windows);
  const changed = changeConstraints(graph, changes);
  const after = forecastFrom(graph, changed, [], []).graph;
  const moved = kept.map(({ window, terms }) => ({ window, terms: termsAfter(terms, graph.lag, changed.lag) }));
  return explainEntries(contextOf(after), calls, sweepSkeleton(after, calls, moved));
}

function keptWindows(graph: Graph, windows: readonly Window[]): KeptWindow[] {
  const kept = windows.filter(({ bounds }) => bounds.kind === 'annotation' || bounds.kind === 'whole');
  const terms = termsOfWindows(graph, kept) ?? [];
  return kept.map((window, i) => ({ window, terms: terms[i].end }));
}
