import { formatDur } from '../../base/format.ts';
import { breakdownOf, labelOfWindows } from '../../graph/breakdown.ts';
import { CONSTRAINT_KINDS, type ConstraintKind } from '../../graph/constraints.ts';
import type { Graph } from '../../graph/graph.ts';
import { type PathContext, type Segment, unexplainedOnPath } from '../../graph/path.ts';
import { Replayer } from '../../graph/replayer.ts';
import type { Window } from '../../graph/windows.ts';
import { NO_EVENT } from '../../trace/ids.ts';
import type { Outcome, Subject } from '../contract.ts';
import { coverageNotes } from '../notes.ts';
import { referTo } from '../refer.ts';
import { openScope, traceReference } from '../scope.ts';
import type { CriticalPathOptions } from './options.ts';
import type { CriticalPathResult, PathSegment } from './result.ts';
import { slackOfWindows } from './slack.ts';
import { winsOnPath } from './wins.ts';

/** What bounds a window, segment by segment: every nanosecond of it once. */
export function computeCriticalPath(subject: Subject, options: CriticalPathOptions): Outcome<CriticalPathResult> {
  const opened = openScope(subject, options);
  if (opened.status !== 'ok') return opened;
  const { graph, windows, notes, ...scope } = opened.result;
  const paths = scope.paths();
  const segments = paths.flat();
  const context = scope.context();
  const inferredNs = explainedByInferred(context, windows, segments);
  const wallNs = scope.end - scope.start;
  const replayer = new Replayer(graph);
  const deviceEnd = Math.max(...windows.map((window) => window.deviceEnd));
  return {
    status: 'ok',
    result: {
      traces: [traceReference(graph)],
      window: {
        label: labelOfWindows(windows),
        startNs: scope.start,
        endNs: scope.end,
        hostEndNs: Math.max(...windows.map((window) => window.hostEnd)),
        ...(deviceEnd === -Infinity ? {} : { deviceEndNs: deviceEnd }),
        wallNs,
      },
      windows: windows.map((window, i) => ({
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
      replay: { maxErrorNs: replayer.errorOf(graph) },
      ...(options.slack === true ? slackOfWindows(graph, { windows, terms: scope.terms() }) : {}),
      ...(options.wins === undefined
        ? {}
        : { wins: winsOnPath(graph, { windows, terms: scope.terms() }, segments, replayer, options.wins) }),
      coverage: graph.coverage,
      notes: [...notes, ...otherNotes(graph, segments), ...leanNotes(inferredNs, wallNs), ...coverageNotes(graph)],
    },
  };
}

const unexplained = (segments: readonly Segment[]): number =>
  segments.reduce((total, { kind, start, end }) => total + (kind === 'unexplained' ? end - start : 0), 0);

/** How much more of the windows would be unexplained without inferred waits, in ns. */
function explainedByInferred(context: PathContext, windows: readonly Window[], segments: readonly Segment[]): number {
  const { withoutInferred } = context.graph;
  if (withoutInferred === undefined) return 0;
  const other = { ...context, graph: withoutInferred() };
  const without = windows.reduce((total, window) => total + unexplainedOnPath(other, window), 0);
  return Math.max(0, without - unexplained(segments));
}

function leanNotes(inferredNs: number, wallNs: number): string[] {
  if (inferredNs === 0) return [];
  const share = ((100 * inferredNs) / wallNs).toFixed(1);
  return [`the path leans on inferred waits: without them another ${share} % of it would be unexplained (--exact)`];
}

const isOtherWork = ({ classOf, device }: Graph, { kind, event }: Segment): boolean =>
  kind === 'kernel' && event !== NO_EVENT && classOf[device.opOfEvent[event]] === 'other';

function otherNotes(graph: Graph, segments: readonly Segment[]): string[] {
  const ns = segments.reduce((sum, each) => sum + (isOtherWork(graph, each) ? each.end - each.start : 0), 0);
  if (ns === 0) return [];
  return [`${formatDur(ns)} of the path's kernel time is other work: ops that are neither computation nor transfer`];
}

function segmentOf({ graph, python }: PathContext, segment: Segment): PathSegment {
  const { kind, start, end, event, boundBy } = segment;
  const { events, strings } = graph.trace;
  const rank = graph.trace.rank ?? 0;
  const onHost = event !== NO_EVENT && (kind === 'host-gap' || kind === 'host-work' || kind === 'data-loading');
  const frame = onHost ? python.innermostAt(events.track[event], Math.floor((start + end) / 2)) : -1;
  // There are as many as moments on the path, and almost all are of this form: a plain literal is made several times faster.
  const otherWork = event !== NO_EVENT && isOtherWork(graph, segment);
  if (event !== NO_EVENT && !segment.ambiguous && segment.cause === undefined && frame === -1 && !otherWork) {
    return { kind, startNs: start, endNs: end, rank, event: referTo(graph, event), boundBy };
  }
  return {
    kind,
    startNs: start,
    endNs: end,
    rank,
    ...(event === NO_EVENT ? {} : { event: referTo(graph, event) }),
    boundBy,
    ...(segment.ambiguous ? { ambiguous: true as const } : {}),
    ...(otherWork ? { otherWork } : {}),
    ...(segment.cause === undefined ? {} : { cause: segment.cause }),
    ...(frame === -1 ? {} : { python: strings.text(events.name[frame]) }),
  };
}

function countKinds({ constraints }: Graph): Record<ConstraintKind, number> {
  const counts = CONSTRAINT_KINDS.map(() => 0);
  const { kind: kinds } = constraints;
  for (let c = 0; c < kinds.length; c++) if (kinds[c] < counts.length) counts[kinds[c]]++;
  return Object.fromEntries(CONSTRAINT_KINDS.map((kind, code) => [kind, counts[code]])) as Record<
    ConstraintKind,
    number
  >;
}
