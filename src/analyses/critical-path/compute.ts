import { breakdownOf, labelOfWindows } from '../../graph/breakdown.ts';
import { CONSTRAINT_KINDS, type ConstraintKind } from '../../graph/constraints.ts';
import { DataLoading } from '../../graph/data-loading.ts';
import type { Graph } from '../../graph/graph.ts';
import { annotationLabels, pythonLabels } from '../../graph/labels.ts';
import { type PathContext, type Segment, walkPath } from '../../graph/path.ts';
import { replay, replayError, replayInput } from '../../graph/replay.ts';
import { type Window, findWindows } from '../../graph/windows.ts';
import { NO_EVENT } from '../../trace/ids.ts';
import { graphOptionsOf } from '../../graph/graph-options.ts';
import type { Outcome, Subject } from '../contract.ts';
import { coverageNotes } from '../notes.ts';
import { referTo } from '../refer.ts';
import { unknownDeviceRows } from '../unknown-device.ts';
import type { CriticalPathOptions } from './options.ts';
import type { CriticalPathResult, PathSegment } from './result.ts';
import { slackOfWindows } from './slack.ts';

/** What bounds a window, segment by segment: every nanosecond of it once. */
export function computeCriticalPath(subject: Subject, options: CriticalPathOptions): Outcome<CriticalPathResult> {
  const { trace } = subject;
  if (trace.events.length === 0) return { status: 'not-applicable', reason: 'the trace has no events' };
  const graph = subject.graph(graphOptionsOf(options));
  const unknown = unknownDeviceRows(graph);
  if (unknown !== undefined) return { status: 'not-applicable', reason: unknown };
  const found = findWindows(graph, options.window);
  if (!found.ok) return { status: 'not-applicable', reason: found.reason };

  const extra = options.dataLoading === undefined ? undefined : new RegExp(options.dataLoading);
  const context: PathContext = {
    graph,
    loading: new DataLoading(trace, extra),
    annotations: annotationLabels(trace),
    python: pythonLabels(trace),
  };
  const paths = found.windows.map((window) => walkPath(context, window));
  const segments = paths.flat();
  const inferredNs = explainedByInferred(context, found.windows, segments);
  const first = found.windows[0];
  const last = found.windows[found.windows.length - 1];
  const wallNs = last.end - first.start;
  const deviceEnd = Math.max(...found.windows.map((window) => window.deviceEnd));
  return {
    status: 'ok',
    result: {
      traces: [
        {
          file: trace.file,
          rank: trace.rank ?? 0,
          events: trace.eventCount,
          originUnixNs: trace.originUnixNs.toString(),
        },
      ],
      window: {
        label: labelOfWindows(found.windows),
        startNs: first.start,
        endNs: last.end,
        hostEndNs: Math.max(...found.windows.map((window) => window.hostEnd)),
        ...(deviceEnd === -Infinity ? {} : { deviceEndNs: deviceEnd }),
        wallNs,
      },
      windows: found.windows.map((window, i) => ({
        label: window.label,
        startNs: window.start,
        endNs: window.end,
        wallNs: window.end - window.start,
        complete: window.complete,
        breakdown: breakdownOf(paths[i], window.end - window.start),
      })),
      path: {
        totalNs: segments.reduce((total, { start, end }) => total + end - start, 0),
        inferredNs,
        breakdown: breakdownOf(segments, wallNs),
        segments: segments.map((segment) => segmentOf(context, segment)),
      },
      graph: { moments: graph.moments.count, constraints: countKinds(graph) },
      replay: { maxErrorNs: replayError(replay(replayInput(graph)), graph.time) },
      ...(options.slack === true ? slackOfWindows(graph, found.windows) : {}),
      coverage: graph.coverage,
      notes: [...found.notes, ...leanNotes(inferredNs, wallNs), ...coverageNotes(graph)],
    },
  };
}

const unexplained = (segments: readonly Segment[]): number =>
  segments.reduce((total, { kind, start, end }) => total + (kind === 'unexplained' ? end - start : 0), 0);

/** How much more of the windows would be unexplained without inferred waits, in ns. */
function explainedByInferred(context: PathContext, windows: readonly Window[], segments: readonly Segment[]): number {
  const { withoutInferred } = context.graph;
  if (withoutInferred === undefined) return 0;
  const without = windows.flatMap((window) => walkPath({ ...context, graph: withoutInferred }, window));
  return Math.max(0, unexplained(without) - unexplained(segments));
}

function leanNotes(inferredNs: number, wallNs: number): string[] {
  if (inferredNs === 0) return [];
  const share = ((100 * inferredNs) / wallNs).toFixed(1);
  return [`the path leans on inferred waits: without them another ${share} % of it would be unexplained (--exact)`];
}

function segmentOf({ graph, python }: PathContext, segment: Segment): PathSegment {
  const { kind, start, end, event } = segment;
  const { events, strings } = graph.trace;
  const onHost = event !== NO_EVENT && (kind === 'host-gap' || kind === 'host-work' || kind === 'data-loading');
  const frame = onHost ? python.innermostAt(events.track[event], Math.floor((start + end) / 2)) : -1;
  return {
    kind,
    startNs: start,
    endNs: end,
    rank: graph.trace.rank ?? 0,
    ...(event === NO_EVENT ? {} : { event: referTo(graph, event) }),
    boundBy: segment.boundBy,
    ...(segment.ambiguous ? { ambiguous: true as const } : {}),
    ...(segment.cause === undefined ? {} : { cause: segment.cause }),
    ...(frame === -1 ? {} : { python: strings.text(events.name[frame]) }),
  };
}

function countKinds({ constraints }: Graph): Record<ConstraintKind, number> {
  const counts = CONSTRAINT_KINDS.map(() => 0);
  for (const kind of constraints.kind) if (kind < counts.length) counts[kind]++;
  return Object.fromEntries(CONSTRAINT_KINDS.map((kind, code) => [kind, counts[code]])) as Record<
    ConstraintKind,
    number
  >;
}
