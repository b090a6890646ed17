import type { CriticalPathResult, PathSegment, PathWin, PathWindow } from '../critical-path/result.ts';
import type { InfoResult } from '../info/result.ts';
import type { EventReference } from '../reference.ts';
import type { ReportAnswers, ReportName, ReportPart, ReportResult, ReportVerdict } from './result.ts';

/** Parts that are always told, and the share from which all others are. */
const PARTS = 3;
const TOLD_SHARE = 0.05;
const NAMES = 3;

/** The main job: nothing is computed anew, the answers of the analyses are put side by side and weighed. */
export function composeReport(
  info: InfoResult,
  criticalPath: CriticalPathResult,
  answers: ReportAnswers,
): ReportResult {
  return { info, criticalPath, verdict: weigh(criticalPath), answers };
}

function weigh({ windows, window, path, wins = [] }: CriticalPathResult): ReportVerdict {
  const repeated = windows.filter(({ label }) => label !== 'between');
  const walls = repeated.map(({ wallNs }) => wallNs).sort((a, b) => a - b);
  const isSingle = walls.length < 2;
  return {
    unit: isSingle ? 'window' : areSteps(repeated) ? 'step' : 'instance',
    count: isSingle ? 1 : walls.length,
    medianNs: isSingle ? window.wallNs : median(walls),
    minNs: isSingle ? window.wallNs : walls[0],
    maxNs: isSingle ? window.wallNs : walls[walls.length - 1],
    parts: largestParts(path, wins),
    ...(wins.length > 0 && wins[0].halfNs > 0 ? { largestWin: wins[0] } : {}),
  };
}

const areSteps = (windows: readonly PathWindow[]): boolean =>
  windows.every(({ label }) => /^ProfilerStep\b/.test(label));

/** Of sorted numbers; between two middle ones the lower, so that it is a step that was. */
const median = (sorted: readonly number[]): number => sorted[(sorted.length - 1) >> 1];

function largestParts(
  { breakdown, segments, totalNs }: CriticalPathResult['path'],
  wins: readonly PathWin[],
): ReportPart[] {
  const largest = breakdown.filter((row) => row.totalNs > 0).toSorted((a, b) => b.totalNs - a.totalNs);
  const told = largest.filter(({ share }, at) => at < PARTS || share >= TOLD_SHARE);
  return told.map((row) => ({
    ...row,
    names: largestNames(
      segments.filter(({ kind }) => kind === row.kind),
      totalNs,
      wins,
    ),
  }));
}

function largestNames(segments: readonly PathSegment[], wholeNs: number, wins: readonly PathWin[]): ReportName[] {
  const byName = new Map<string, { totalNs: number; segments: number; longest: PathSegment; event: EventReference }>();
  for (const segment of segments) {
    const { event } = segment;
    if (event === undefined) continue;
    const length = segment.endNs - segment.startNs;
    const known = byName.get(event.name);
    if (known === undefined) {
      byName.set(event.name, { totalNs: length, segments: 1, longest: segment, event });
      continue;
    }
    known.totalNs += length;
    known.segments++;
    if (length > known.longest.endNs - known.longest.startNs) Object.assign(known, { longest: segment, event });
  }
  const sorted = [...byName].sort(([a, m], [b, n]) => n.totalNs - m.totalNs || (a < b ? -1 : 1));
  return sorted.slice(0, NAMES).map(([name, { totalNs, segments: count, longest, event }]) => {
    const win = wins.find((each) => each.name === name && each.kind === longest.kind);
    return {
      name,
      ...(longest.python === undefined ? {} : { python: longest.python }),
      totalNs,
      share: wholeNs > 0 ? totalNs / wholeNs : 0,
      segments: count,
      longest: event,
      ...(win === undefined ? {} : { win: { halfNs: win.halfNs, goneNs: win.goneNs } }),
    };
  });
}
