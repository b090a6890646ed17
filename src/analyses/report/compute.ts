import type { CriticalPathResult, PathSegment, PathWindow } from '../critical-path/result.ts';
import type { InfoResult } from '../info/result.ts';
import type { ReportName, ReportPart, ReportResult, ReportVerdict } from './result.ts';

const PARTS = 3;
const NAMES = 3;

/** The main job: nothing is computed anew, the answers of the analyses are put side by side and weighed. */
export function composeReport(info: InfoResult, criticalPath: CriticalPathResult): ReportResult {
  return { info, criticalPath, verdict: weigh(criticalPath) };
}

function weigh({ windows, window, path }: CriticalPathResult): ReportVerdict {
  const repeated = windows.filter(({ label }) => label !== 'between');
  const walls = repeated.map(({ wallNs }) => wallNs).sort((a, b) => a - b);
  const isSingle = walls.length < 2;
  return {
    unit: isSingle ? 'window' : areSteps(repeated) ? 'step' : 'instance',
    count: isSingle ? 1 : walls.length,
    medianNs: isSingle ? window.wallNs : median(walls),
    minNs: isSingle ? window.wallNs : walls[0],
    maxNs: isSingle ? window.wallNs : walls[walls.length - 1],
    parts: largestParts(path),
  };
}

const areSteps = (windows: readonly PathWindow[]): boolean =>
  windows.every(({ label }) => /^ProfilerStep\b/.test(label));

/** Of sorted numbers; between two middle ones the lower, so that it is a step that was. */
const median = (sorted: readonly number[]): number => sorted[(sorted.length - 1) >> 1];

function largestParts({ breakdown, segments, totalNs }: CriticalPathResult['path']): ReportPart[] {
  const largest = breakdown.filter((row) => row.totalNs > 0).toSorted((a, b) => b.totalNs - a.totalNs);
  return largest.slice(0, PARTS).map((row) => ({
    ...row,
    names: largestNames(
      segments.filter(({ kind }) => kind === row.kind),
      totalNs,
    ),
  }));
}

function largestNames(segments: readonly PathSegment[], wholeNs: number): ReportName[] {
  const byName = new Map<string, { totalNs: number; segments: number; longest: PathSegment }>();
  for (const segment of segments) {
    const name = segment.event?.name;
    if (name === undefined) continue;
    const length = segment.endNs - segment.startNs;
    const known = byName.get(name);
    if (known === undefined) {
      byName.set(name, { totalNs: length, segments: 1, longest: segment });
      continue;
    }
    known.totalNs += length;
    known.segments++;
    if (length > known.longest.endNs - known.longest.startNs) known.longest = segment;
  }
  const sorted = [...byName].sort(([a, m], [b, n]) => n.totalNs - m.totalNs || (a < b ? -1 : 1));
  return sorted.slice(0, NAMES).map(([name, { totalNs, segments: count, longest }]) => ({
    name,
    ...(longest.python === undefined ? {} : { python: longest.python }),
    totalNs,
    share: wholeNs > 0 ? totalNs / wholeNs : 0,
    segments: count,
  }));
}
