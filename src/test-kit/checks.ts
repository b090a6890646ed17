// What must hold of every answer, whatever the trace. Each check has a name; the functions return what does not hold.
import type { BreakdownRow, CriticalPathResult } from '../analyses/critical-path/result.ts';
import type { SyncResult } from '../analyses/sync/result.ts';
import type { Coverage } from '../graph/coverage.ts';
import { type RowKind, isDeviceWork } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';

export type Checks<T> = Readonly<Record<string, (answer: T) => boolean>>;

export const failures = <T>(checks: Checks<T>, answer: T): string[] =>
  Object.entries(checks)
    .filter(([, holds]) => !holds(answer))
    .map(([name]) => name);

/** The equations of `coverage`. */
export const COVERAGE_CHECKS: Checks<Coverage> = {
  'every count is a whole number ≥ 0': (coverage) => numbersIn(coverage).every((n) => Number.isInteger(n) && n >= 0),
  'the parts of the waits sum to their total': ({ waits }) =>
    waits.resolved +
      waits.empty +
      waits.sameStream +
      waits.noSink +
      waits.future +
      waits.unresolved +
      waits.heuristic ===
    waits.total,
  'every wait is a sync row': ({ waits, syncRows }) => waits.total <= syncRows.total,
  'linked launches ≤ launches': ({ launches }) => launches.linked <= launches.total,
  'linked device ops ≤ device ops': ({ deviceOps }) => deviceOps.linked <= deviceOps.total,
  'a linked launch has at least one device op': ({ launches, deviceOps }) => launches.linked <= deviceOps.linked,
  'a linked device op has a launch': ({ launches, deviceOps }) => deviceOps.linked === 0 || launches.linked > 0,
  'matched collectives ≤ collectives': ({ collectives }) => collectives.matched <= collectives.total,
  'the largest inversion is 0 exactly where there is none': ({ inversions }) =>
    (inversions.count === 0) === (inversions.maxNs === 0),
};

/** The segments partition the window, the windows partition their span, the breakdowns sum, and the replay is exact. */
export const PATH_CHECKS: Checks<CriticalPathResult> = {
  'path.totalNs = window.wallNs': ({ path, window }) => path.totalNs === window.wallNs,
  'window.wallNs = its end − its start': ({ window }) => window.wallNs === window.endNs - window.startNs,
  'the first segment begins with the window': ({ path, window }) =>
    (path.segments[0]?.startNs ?? window.startNs) === window.startNs,
  'the last segment ends with the window': ({ path, window }) =>
    (path.segments.at(-1)?.endNs ?? window.endNs) === window.endNs,
  'a window that is not empty has segments': ({ path, window }) => window.wallNs === 0 || path.segments.length > 0,
  'each segment begins where the one before ends': ({ path }) =>
    path.segments.every((segment, n) => n === 0 || segment.startNs === path.segments[n - 1]?.endNs),
  'no segment ends before it begins': ({ path }) => path.segments.every(({ startNs, endNs }) => endNs >= startNs),
  'times are whole nanoseconds': ({ path }) => path.segments.every(({ endNs }) => Number.isInteger(endNs)),
  'unexplained segments have a cause, others none': ({ path }) =>
    path.segments.every(({ kind, cause }) => (kind === 'unexplained') === (cause !== undefined)),
  'the breakdown is that of the segments': ({ path }) => isBreakdownOf(path.breakdown, path.segments),
  'the breakdown sums to the wall time': ({ path, window }) => sumsTo(path.breakdown, window.wallNs),
  'the breakdown is descending': ({ path: { breakdown } }) =>
    breakdown.every(({ totalNs }, n) => n === 0 || totalNs <= (breakdown[n - 1]?.totalNs ?? 0)),
  'the windows tile the window': ({ window, windows }) =>
    windows.length > 0 &&
    windows[0]?.startNs === window.startNs &&
    windows.at(-1)?.endNs === window.endNs &&
    windows.every(({ startNs }, n) => n === 0 || startNs === windows[n - 1]?.endNs),
  "each window's breakdown sums to its wall time": ({ windows }) =>
    windows.every(({ startNs, endNs, wallNs, breakdown }) => wallNs === endNs - startNs && sumsTo(breakdown, wallNs)),
  'replay is exact': ({ replay }) => replay.maxErrorNs === 0,
  'the graph counts each kind of constraint': ({ graph }) => numbersIn(graph.constraints).every((n) => n >= 0),
};

/** Rows and edges of `sync` agree with what its coverage counts. */
export const SYNC_CHECKS: Checks<SyncResult> = {
  'each part of the waits is the number of waits with that status': ({ edges, coverage: { waits } }) => {
    const counts = countWaits(edges);
    return Object.entries(counts).every(([part, count]) => count === waits[part as keyof typeof counts]);
  },
  'an edge that binds has a source and a sink': ({ edges }) =>
    edges.every(({ binds, source, sink }) => !binds || (source !== undefined && sink !== undefined)),
  'a resolved edge has a source and a sink': ({ edges }) =>
    edges.every(({ status, source, sink }) => status !== 'resolved' || (source !== undefined && sink !== undefined)),
  'a record has sources exactly where it is resolved': ({ records }) =>
    records.every(({ status, sources }) => (status === 'resolved') === sources.length > 0),
  'no edge goes back to a later record': ({ edges }) =>
    edges.every(({ status, wait, record }) => status !== 'resolved' || wait === undefined || (record ?? -1) < wait),
};

const PART_OF = {
  future: 'future',
  unresolved: 'unresolved',
  'same-stream': 'sameStream',
  empty: 'empty',
  'no-sink': 'noSink',
  heuristic: 'heuristic',
  resolved: 'resolved',
} as const;
type Part = (typeof PART_OF)[keyof typeof PART_OF];
const PARTS = Object.values(PART_OF);

/** Waits by status. Where the sources of one wait differ in status, the one that comes first in the list counts: doubt wins. */
function countWaits(edges: SyncResult['edges']): Record<Part, number> {
  const partOf = new Map<string, Part>();
  for (const { kind, wait, status } of edges) {
    const isRow = kind === 'stream-wait' || kind === 'event-sync';
    // These say what a call without a row of its own waited for.
    if (!isRow || status === 'heuristic:polling' || status === 'heuristic:call-span') continue;
    const part = PART_OF[status.replace(/:.*/, '') as keyof typeof PART_OF];
    const other = partOf.get(`${kind} ${wait}`) ?? 'resolved';
    partOf.set(`${kind} ${wait}`, PARTS.indexOf(part) < PARTS.indexOf(other) ? part : other);
  }
  const counts = { future: 0, unresolved: 0, sameStream: 0, empty: 0, noSink: 0, heuristic: 0, resolved: 0 };
  for (const part of partOf.values()) counts[part]++;
  return counts;
}

export const brokenCoverage = (coverage: Coverage): string[] => failures(COVERAGE_CHECKS, coverage);
export const brokenPath = (result: CriticalPathResult): string[] => [
  ...failures(PATH_CHECKS, result),
  ...brokenCoverage(result.coverage),
];
export const brokenSync = (result: SyncResult): string[] => [
  ...failures(SYNC_CHECKS, result),
  ...brokenCoverage(result.coverage),
];

/** What the trace says of its device rows is what coverage counts. */
export function brokenTotals(trace: Trace, { deviceOps, syncRows }: Coverage): string[] {
  const rows = (wanted: (kind: RowKind) => boolean): number => {
    let count = 0;
    for (let e = 0; e < trace.events.length; e++) {
      const category = trace.categories[trace.events.category[e] as number];
      if (category !== undefined && trace.events.phase[e] === 0 && wanted(category.kind)) count++;
    }
    return count;
  };
  return [
    ...(rows(isDeviceWork) === deviceOps.total ? [] : ['deviceOps.total is the number of device rows']),
    ...(trace.sync.event.length === syncRows.total ? [] : ['syncRows.total is the number of sync rows']),
  ];
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function sumsTo(breakdown: readonly BreakdownRow[], wallNs: number): boolean {
  const total = breakdown.reduce((sum, row) => sum + row.totalNs, 0);
  const share = breakdown.reduce((sum, row) => sum + row.share, 0);
  return total === wallNs && (wallNs === 0 || Math.abs(share - 1) < 1e-9);
}

function isBreakdownOf(breakdown: readonly BreakdownRow[], segments: CriticalPathResult['path']['segments']): boolean {
  return breakdown.every((row) => {
    const own = segments.filter(({ kind }) => kind === row.kind);
    const total = own.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
    return total === row.totalNs && own.length === row.segments;
  });
}
