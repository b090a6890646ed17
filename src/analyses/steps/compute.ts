import { lowerBound } from '../../base/bisect.ts';
import { breakdownOf } from '../../graph/breakdown.ts';
import type { DeviceTime } from '../../graph/device-time.ts';
import type { Graph } from '../../graph/graph.ts';
import { termsOfWindows } from '../../graph/instants.ts';
import type { Intervals } from '../../graph/intervals.ts';
import { devicePathTime } from '../../graph/path-time.ts';
import { type PathGroups, PathGrouper } from '../../graph/path-groups.ts';
import type { PathRows } from '../../graph/path-rows.ts';
import { walkPath } from '../../graph/path.ts';
import { type Repetition, findRepetition } from '../../graph/repetition.ts';
import type { Step } from '../../graph/steps.ts';
import type { Window } from '../../graph/windows.ts';
import type { Outcome, Subject } from '../contract.ts';
import { deviceTimesOf } from '../device-times.ts';
import { referTo } from '../refer.ts';
import { openScope, scopeResult, stepsOf, type Scope, type ScopeOptions } from '../scope.ts';
import { Differences } from './differences.ts';
import { stepsNotes } from './notes.ts';
import type { StepRow, StepsResult } from './result.ts';
import { distrustOf, outlierLimit, summaryOf } from './trust.ts';

/** All steps, also those that the default window leaves out: which of them to trust is the question. */
const ALL_STEPS = { kind: 'steps', first: 0, last: Infinity } as const;

interface Found {
  readonly scope: Scope;
  readonly foundBy: StepsResult['foundBy'];
  /** Without what lies between. */
  readonly windows: readonly Window[];
  readonly paths: readonly PathRows[];
  readonly groups: readonly PathGroups[];
  readonly betweenNs: number;
  readonly repetition?: Repetition;
}

export function computeSteps(subject: Subject, options: ScopeOptions): Outcome<StepsResult> {
  const found = findWindowsOfSteps(subject, options);
  if (found.status !== 'ok') return found;
  const { scope, windows, foundBy, repetition, betweenNs } = found.result;
  const { graph } = scope;
  const rows = rowsOf(graph, found.result, {
    devices: deviceTimesOf(subject, options),
    steps: stepsOf(subject, options),
  });
  const summary = summaryOf(
    windows,
    rows.map(({ distrust }) => distrust),
  );
  const limitNs = summary && outlierLimit(summary);
  const result = {
    ...scopeResult(scope),
    foundBy,
    ...(repetition === undefined ? {} : { repetition: shownRepetition(repetition) }),
    ...(summary === undefined ? {} : { summary }),
    ...(summary === undefined || limitNs === undefined ? {} : { outlierRule: { limitNs, steps: summary.count } }),
    rows,
    betweenNs,
  };
  return { status: 'ok', result: { ...result, notes: [...stepsNotes(result, repetition), ...result.notes] } };
}

const shownRepetition = ({ anchor, alike, cover, confidence }: Repetition): NonNullable<StepsResult['repetition']> => ({
  anchor,
  alike,
  cover,
  confidence,
});

function findWindowsOfSteps(subject: Subject, options: ScopeOptions): Outcome<Found> {
  const isDefault = options.window.kind === 'default';
  const opened = openScope(subject, options);
  if (opened.status !== 'ok') return opened;
  const hasSteps = isDefault && stepsOf(subject, options).length > 0;
  if (isDefault && !hasSteps) return findRounds(opened.result);
  const all = hasSteps ? openScope(subject, { ...options, window: ALL_STEPS }) : opened;
  if (all.status !== 'ok') return all;
  const scope = all.result;
  const isStep = (window: Window): boolean => window.bounds.kind !== 'between';
  const isRow = (_: unknown, i: number): boolean => isStep(scope.windows[i]);
  return {
    status: 'ok',
    result: {
      scope,
      foundBy: hasSteps || options.window.kind === 'steps' ? 'profiler-steps' : 'window',
      windows: scope.windows.filter(isStep),
      paths: scope.paths().filter(isRow),
      groups: scope.pathGroups().filter(isRow),
      betweenNs: scope.windows.reduce((sum, each) => sum + (isStep(each) ? 0 : each.end - each.start), 0),
    },
  };
}

function findRounds(whole: Scope): Outcome<Found> {
  const { graph } = whole;
  const found = findRepetition(graph);
  if (!found.ok) {
    const reason = `the trace has no ProfilerStep annotations, and no repetition was found: ${found.reason}`;
    return { status: 'not-applicable', reason };
  }
  return {
    status: 'ok',
    result: { ...within(whole, found.value.windows), foundBy: 'repetition', repetition: found.value },
  };
}

function within(whole: Scope, windows: readonly Window[]): Omit<Found, 'foundBy'> {
  const [start, end] = [windows[0].start, windows[windows.length - 1].end];
  const paths = windows.map((window) => walkPath(whole.context(), window));
  const { graph } = whole;
  const grouper = new PathGrouper(graph);
  const groups = paths.map((rows) => grouper.group(rows));
  const scope: Scope = {
    ...whole,
    windows,
    start,
    end,
    paths: () => paths,
    pathGroups: () => groups,
    devicePathNs: () => devicePathTime(graph, paths),
    terms: () => termsOfWindows(graph, windows),
  };
  return { scope, windows, paths, groups, betweenNs: 0 };
}

function rowsOf(
  graph: Graph,
  { windows, paths, groups, repetition }: Found,
  { devices, steps }: { readonly devices: readonly DeviceTime[]; readonly steps: readonly Step[] },
): StepRow[] {
  const distrust = distrustOf(graph, steps, windows, repetition?.isCut === false);
  const summary = summaryOf(windows, distrust);
  const limitNs = (summary && outlierLimit(summary)) ?? Infinity;
  const median = summary?.medianRow ?? -1;
  const differences = median === -1 ? undefined : new Differences(graph, [paths[median], groups[median]]);
  return windows.map((window, i): StepRow => {
    const { label, start, end, bounds } = window;
    const wallNs = end - start;
    const isCounted = distrust[i].length === 0;
    return {
      label,
      startNs: start,
      endNs: end,
      wallNs,
      ...(summary === undefined || summary.medianNs === 0 ? {} : { fromMedian: wallNs / summary.medianNs - 1 }),
      ...(bounds.kind === 'annotation' ? { event: referTo(graph, bounds.event) } : {}),
      distrust: distrust[i],
      isOutlier: isCounted && summary !== undefined && Math.abs(wallNs - summary.medianNs) > limitNs,
      path: breakdownOf([groups[i]], wallNs).map(({ kind, totalNs, share }) => ({ kind, totalNs, share })),
      devices: devices.map(({ device, busy }) => {
        const busyNs = busyWithin(busy, start, end);
        return { device, busyNs, idleNs: wallNs - busyNs };
      }),
      deviceOps: lowerBound(graph.device.start, end) - lowerBound(graph.device.start, start),
      ...(differences === undefined || median === i ? {} : { differs: differences.of([paths[i], groups[i]]) }),
    };
  });
}

/** Their length within [start, end), without looking at what lies before. */
function busyWithin(runs: Intervals, start: number, end: number): number {
  let low = 0;
  let high = runs.length >> 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (runs[2 * middle + 1] <= start) low = middle + 1;
    else high = middle;
  }
  let total = 0;
  for (let i = 2 * low; i < runs.length && runs[i] < end; i += 2) {
    total += Math.min(end, runs[i + 1]) - Math.max(start, runs[i]);
  }
  return total;
}
