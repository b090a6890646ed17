import { changeConstraints } from '../../graph/changed-lags.ts';
import { breakdownOf, labelOfWindows } from '../../graph/breakdown.ts';
import { DataLoading } from '../../graph/data-loading.ts';
import { type Forecast, forecastFrom } from '../../graph/forecast.ts';
import { graphOptionsOf } from '../../graph/graph-options.ts';
import type { Graph } from '../../graph/graph.ts';
import { summarizeHoldOut } from '../../graph/hold-out.ts';
import { termsOfWindows } from '../../graph/instants.ts';
import { annotationLabels, pythonLabels } from '../../graph/labels.ts';
import type { PathRows } from '../../graph/path-rows.ts';
import { walkPath } from '../../graph/path.ts';
import { Selectors } from '../../graph/selectors.ts';
import { type Window, findWindows } from '../../graph/windows.ts';
import type { Outcome, Subject } from '../contract.ts';
import { coverageNotes } from '../notes.ts';
import { traceReference } from '../scope.ts';
import { unknownDeviceRows } from '../unknown-device.ts';
import { changeNotes, describeChanges } from './asked.ts';
import { assumedLags } from './assumed.ts';
import { holdOutOfTrace } from './hold-out-windows.ts';
import { movedEvents, timelineOf } from './moved.ts';
import type { WhatIfOptions } from './options.ts';
import type { WhatIfPrediction, WhatIfResult } from './result.ts';
import { untoldNotes } from './untold.ts';
import { warpedContext } from './warp.ts';

/** What a window would take if something in it were different. */
export function computeWhatIf(subject: Subject, options: WhatIfOptions): Outcome<WhatIfResult> {
  const { trace } = subject;
  if (trace.events.length === 0) return { status: 'not-applicable', reason: 'the trace has no events' };
  const graph = subject.graph(graphOptionsOf(options));
  const unknown = unknownDeviceRows(graph);
  if (unknown !== undefined) return { status: 'not-applicable', reason: unknown };
  const found = findWindows(graph, options.window);
  if (!found.ok) return { status: 'not-applicable', reason: found.reason };
  const terms = termsOfWindows(graph, found.windows);
  if (terms === undefined) {
    return { status: 'not-applicable', reason: 'a --range has fixed borders, so nothing can make it shorter' };
  }
  const selectors = new Selectors(graph);
  const changes = describeChanges(graph, selectors, options.changes);
  if ('status' in changes) return { status: 'ok', result: changes };
  const holdOut = summarizeHoldOut(holdOutOfTrace(graph, found.windows));
  if (holdOut.verdict === 'poor' && options.force !== true) {
    const share = ((holdOut.share ?? 0) * 100).toFixed(0);
    const reason = `like steps of this trace foretell each other only to within ${share} %: more than 15 %, so a prediction would mean little`;
    return { status: 'ok', result: { status: 'withheld', reason, holdOut } };
  }
  const changed = changeConstraints(
    graph,
    options.changes.map(({ change }) => change),
    selectors,
  );
  const after = forecastFrom(graph, changed, found.windows, terms);
  const paths = pathsOf(graph, after, found.windows, options.dataLoading);
  const measuredNs = wallOf(found.windows);
  const predictedNs = wallOf(after.windows);
  const result: WhatIfPrediction = {
    status: 'predicted',
    traces: [traceReference(graph)],
    changes,
    window: {
      label: labelOfWindows(found.windows),
      measuredNs,
      predictedNs,
      winNs: measuredNs - predictedNs,
      winShare: measuredNs > 0 ? (measuredNs - predictedNs) / measuredNs : 0,
    },
    windows: found.windows.map((window, i) => winOf(window, after.windows[i])),
    holdOut,
    measured: { breakdown: breakdownOf(paths.measured, measuredNs) },
    predicted: { breakdown: breakdownOf(paths.predicted, predictedNs) },
    moved: movedEvents(graph, after, found.windows),
    assumed: assumedLags(graph, after),
    ...(options.timeline === true ? { timeline: timelineOf(graph, after) } : {}),
    coverage: graph.coverage,
    notes: [...found.notes, ...changeNotes(graph, options.changes), ...untoldNotes(graph), ...coverageNotes(graph)],
  };
  return { status: 'ok', result };
}

const wallOf = (windows: readonly Window[]): number => windows[windows.length - 1].end - windows[0].start;

const winOf = (before: Window, after: Window): WhatIfPrediction['windows'][number] => ({
  label: before.label,
  measuredNs: before.end - before.start,
  predictedNs: after.end - after.start,
  winNs: before.end - before.start - (after.end - after.start),
});

function pathsOf(
  graph: Graph,
  after: Forecast,
  windows: readonly Window[],
  dataLoading: string | undefined,
): { measured: PathRows[]; predicted: PathRows[] } {
  const { trace } = graph;
  const extra = dataLoading === undefined ? undefined : new RegExp(dataLoading);
  const loading = new DataLoading(trace, extra);
  const labels = { annotations: annotationLabels(trace), python: pythonLabels(trace) };
  const before = { graph, loading, ...labels };
  const warped = warpedContext(before, after.graph, extra);
  return {
    measured: windows.map((window) => walkPath(before, window)),
    predicted: after.windows.map((window) => walkPath(warped, window)),
  };
}
