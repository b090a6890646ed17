import { labelOfWindows } from '../graph/breakdown.ts';
import type { Coverage } from '../graph/coverage.ts';
import { DataLoading } from '../graph/data-loading.ts';
import { type GraphOptions, graphOptionsOf } from '../graph/graph-options.ts';
import type { Graph } from '../graph/graph.ts';
import { type WindowTerms, termsOfWindows } from '../graph/instants.ts';
import { annotationLabels, pythonLabels } from '../graph/labels.ts';
import { devicePathTime } from '../graph/path-time.ts';
import { type PathGroups, PathGrouper } from '../graph/path-groups.ts';
import type { PathRows } from '../graph/path-rows.ts';
import { type PathContext, walkPath } from '../graph/path.ts';
import { type Step, findSteps } from '../graph/steps.ts';
import { type WindowRequest } from '../graph/window-request.ts';
import { type Window, findWindows } from '../graph/windows.ts';
import type { Outcome, Subject } from './contract.ts';
import { coverageNotes } from './notes.ts';
import { unknownDeviceRows } from './unknown-device.ts';

/** What every question about windows can be asked with. */
export interface ScopeOptions extends GraphOptions {
  readonly window: WindowRequest;
  /** A regular expression of further data-loading names. */
  readonly dataLoading?: string;
}

/** The part of a trace that is asked about. */
export interface Scope {
  readonly graph: Graph;
  /** At least one; each begins where the one before it ends. */
  readonly windows: readonly Window[];
  /** From the first window's start to the last one's end, in ns since the trace's origin. */
  readonly start: number;
  readonly end: number;
  /** What a reader should know of the choice of windows. */
  readonly notes: readonly string[];
  /** The path of each window; walked once for all analyses, also where two scopes have a window in common. */
  paths(): readonly PathRows[];
  /** The same by kind and name. */
  pathGroups(): readonly PathGroups[];
  /** By device op: time of those paths that runs in it. */
  devicePathNs(): Float64Array;
  /** What the windows' bounds are made of; `undefined` for a range. */
  terms(): readonly WindowTerms[] | undefined;
  /** What that walk, and the reasons of host time, are told from. */
  context(): PathContext;
}

/** The steps of the trace, found once for all analyses. They are the same however far the graph goes: `options` name a graph that is there. */
export const stepsOf = (subject: Subject, options: GraphOptions): readonly Step[] =>
  subject.once('steps', () => findSteps(subject.graph(graphOptionsOf(options))));

/** The windows of a request, or why there are none. */
export function openScope(subject: Subject, options: ScopeOptions): Outcome<Scope> {
  const { window, dataLoading } = options;
  const key = JSON.stringify({ dataLoading, ...graphOptionsOf(options) });
  return subject.once(`scope ${JSON.stringify(window)} ${key}`, () => makeScope(subject, options, key));
}

/** `key`: of all options but the window. */
function makeScope(subject: Subject, options: ScopeOptions, key: string): Outcome<Scope> {
  const { trace } = subject;
  if (trace.events.length === 0) return { status: 'not-applicable', reason: 'the trace has no events' };
  const graph = subject.graph(graphOptionsOf(options));
  const unknown = unknownDeviceRows(graph);
  if (unknown !== undefined) return { status: 'not-applicable', reason: unknown };
  const found = findWindows(graph, options.window, () => stepsOf(subject, options));
  if (!found.ok) return { status: 'not-applicable', reason: found.reason };
  const { windows, notes } = found;
  let paths: readonly PathRows[] | undefined;
  let groups: readonly PathGroups[] | undefined;
  let devicePathNs: Float64Array | undefined;
  let terms: { readonly found: readonly WindowTerms[] | undefined } | undefined;
  const pathOf = (each: Window): PathRows =>
    subject.once(`path ${walkKey(each, key)}`, () => walkPath(scope.context(), each));
  const grouper = (): PathGrouper => subject.once(`path grouper ${key}`, () => new PathGrouper(graph));
  const groupsOf = (each: Window): PathGroups =>
    subject.once(`path groups ${walkKey(each, key)}`, () => grouper().group(pathOf(each)));
  const scope: Scope = {
    graph,
    windows,
    start: windows[0].start,
    end: windows[windows.length - 1].end,
    notes,
    paths: () => (paths ??= windows.map(pathOf)),
    pathGroups: () => (groups ??= windows.map(groupsOf)),
    devicePathNs: () => (devicePathNs ??= devicePathTime(graph, scope.paths())),
    terms: () => (terms ??= { found: termsOfWindows(graph, windows) }).found,
    context: () => subject.once(`path context ${key}`, () => contextOf(graph, options.dataLoading)),
  };
  return { status: 'ok', result: scope };
}

/** Of windows with one key the walks are one. */
const walkKey = ({ start, end, thread, lastOp, annotated }: Window, key: string): string =>
  `${start} ${end} ${thread} ${lastOp} ${annotated} ${key}`;

function contextOf(graph: Graph, dataLoading: string | undefined): PathContext {
  const { trace } = graph;
  const extra = dataLoading === undefined ? undefined : new RegExp(dataLoading);
  return {
    graph,
    loading: new DataLoading(trace, extra),
    annotations: annotationLabels(trace),
    python: pythonLabels(trace),
  };
}

/** The fields that every result about windows begins with. */
export interface ScopeResult {
  readonly traces: readonly TraceReference[];
  readonly window: {
    readonly label: string;
    readonly startNs: number;
    readonly endNs: number;
    readonly wallNs: number;
  };
  readonly coverage: Coverage;
  readonly notes: readonly string[];
}

/** Which trace an answer is about. */
export interface TraceReference {
  readonly file: string;
  readonly rank: number;
  readonly events: number;
  /** The instant of time 0 since 1970 in ns, as text: too large for a double. */
  readonly originUnixNs: string;
}

export const traceReference = ({ trace }: Graph): TraceReference => ({
  file: trace.file,
  rank: trace.rank ?? 0,
  events: trace.eventCount,
  originUnixNs: trace.originUnixNs.toString(),
});

/** `more`: notes of the analysis itself, which come first. */
export const scopeResult = (
  { graph, windows, start, end, notes }: Scope,
  more: readonly string[] = [],
): ScopeResult => ({
  traces: [traceReference(graph)],
  window: { label: labelOfWindows(windows), startNs: start, endNs: end, wallNs: end - start },
  coverage: graph.coverage,
  notes: [...more, ...notes, ...coverageNotes(graph)],
});
