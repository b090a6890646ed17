import { formatDur } from '../../base/format.ts';
import { lazyFields } from '../../base/lazy.ts';
import { breakdownOf, labelOfWindows } from '../../graph/breakdown.ts';
import { CONSTRAINT_KINDS, type ConstraintKind } from '../../graph/constraints.ts';
import type { Graph } from '../../graph/graph.ts';
import { type PathGroups, timeOfKind } from '../../graph/path-groups.ts';
import { type PathRows, segmentAt } from '../../graph/path-rows.ts';
import { type PathContext, frameAt, unexplainedOnPath } from '../../graph/path.ts';
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
  const groups = scope.pathGroups();
  const context = scope.context();
  const inferredNs = explainedByInferred(context, windows, groups);
  const wallNs = scope.end - scope.start;
  const breakdown = breakdownOf(groups, wallNs);
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
        breakdown: breakdownOf([groups[i]], window.end - window.start),
      })),
      path: lazyFields<CriticalPathResult['path']>(
        { totalNs: breakdown.reduce((total, part) => total + part.totalNs, 0), inferredNs, breakdown, segments: [] },
        { segments: () => segmentsOf(context, paths) },
      ),
      graph: lazyFields<CriticalPathResult['graph']>(
        { moments: graph.moments.count, constraints: NO_COUNTS },
        { constraints: () => countKinds(graph) },
      ),
      replay: lazyFields<CriticalPathResult['replay']>(
        { maxErrorNs: 0 },
        { maxErrorNs: () => new Replayer(graph).errorOf(graph) },
      ),
      ...(options.slack === true ? slackOfWindows(graph, { windows, terms: scope.terms() }) : {}),
      ...(options.wins === undefined
        ? {}
        : {
            wins: winsOnPath(graph, { windows, terms: scope.terms(), groups }, options.wins),
          }),
      coverage: graph.coverage,
      notes: [...notes, ...otherNotes(groups), ...leanNotes(inferredNs, wallNs), ...coverageNotes(graph)],
    },
  };
}

/** Made when they are first looked at: there are as many as moments on the path, and many readers look at none. */
function segmentsOf(context: PathContext, paths: readonly PathRows[]): PathSegment[] {
  const segments: PathSegment[] = [];
  for (const rows of paths) {
    for (let row = rows.first; row <= rows.last; row++) segments.push(segmentOf(context, rows, row));
  }
  return segments;
}

/** How much more of the windows would be unexplained without inferred waits, in ns. */
function explainedByInferred(context: PathContext, windows: readonly Window[], paths: readonly PathGroups[]): number {
  const { withoutInferred } = context.graph;
  if (withoutInferred === undefined) return 0;
  const other = { ...context, graph: withoutInferred() };
  const without = windows.reduce((total, window) => total + unexplainedOnPath(other, window), 0);
  return Math.max(0, without - timeOfKind(paths, 'unexplained'));
}

function leanNotes(inferredNs: number, wallNs: number): string[] {
  if (inferredNs === 0) return [];
  const share = ((100 * inferredNs) / wallNs).toFixed(1);
  return [`the path leans on inferred waits: without them another ${share} % of it would be unexplained (--exact)`];
}

function otherNotes(groups: readonly PathGroups[]): string[] {
  let ns = 0;
  for (const { length, otherNs } of groups) for (let group = 0; group < length; group++) ns += otherNs[group];
  if (ns === 0) return [];
  return [`${formatDur(ns)} of the path's kernel time is other work: ops that are neither computation nor transfer`];
}

function segmentOf(context: PathContext, rows: PathRows, row: number): PathSegment {
  const { graph } = context;
  const { events, strings, rank = 0 } = graph.trace;
  const { kind, start, end, event, boundBy, ambiguous, cause } = segmentAt(rows, row);
  const frame = frameAt(context, rows, row);
  const otherWork = kind === 'kernel' && event !== NO_EVENT && graph.classOf[graph.device.opOfEvent[event]] === 'other';
  // There are as many as moments on the path, and almost all are of this form: a plain literal is made several times faster.
  if (event !== NO_EVENT && !ambiguous && cause === undefined && frame === -1 && !otherWork) {
    return { kind, startNs: start, endNs: end, rank, event: referTo(graph, event), boundBy };
  }
  return {
    kind,
    startNs: start,
    endNs: end,
    rank,
    ...(event === NO_EVENT ? {} : { event: referTo(graph, event) }),
    boundBy,
    ...(ambiguous ? { ambiguous: true as const } : {}),
    ...(otherWork ? { otherWork } : {}),
    ...(cause === undefined ? {} : { cause }),
    ...(frame === -1 ? {} : { python: strings.text(events.name[frame]) }),
  };
}

/** In place of counts that nobody has asked for yet. */
const NO_COUNTS = Object.fromEntries(CONSTRAINT_KINDS.map((kind) => [kind, 0])) as Record<ConstraintKind, number>;

function countKinds({ constraints }: Graph): Record<ConstraintKind, number> {
  const counts = CONSTRAINT_KINDS.map(() => 0);
  const { kind: kinds } = constraints;
  for (let c = 0; c < kinds.length; c++) if (kinds[c] < counts.length) counts[kinds[c]]++;
  return Object.fromEntries(CONSTRAINT_KINDS.map((kind, code) => [kind, counts[code]])) as Record<
    ConstraintKind,
    number
  >;
}
