import { breakdownOf } from '../../graph/breakdown.ts';
import type { BreakdownRow, CriticalPathResult, PathSegment, PathWin, PathWindow } from '../critical-path/result.ts';
import type { InfoResult } from '../info/result.ts';
import type { EventReference } from '../reference.ts';
import type { ReportAnswers, ReportName, ReportPart, ReportResult, ReportVerdict } from './result.ts';

/** Parts that are always told, and the share from which all others are. */
const PARTS = 3;
const TOLD_SHARE = 0.05;
const NAMES = 3;
const BETWEEN = 'between';

/** The main job: nothing is computed anew, the answers of the analyses are put side by side and weighed. */
export function composeReport(
  info: InfoResult,
  criticalPath: CriticalPathResult,
  answers: ReportAnswers,
): ReportResult {
  return { info, criticalPath, verdict: weigh(criticalPath, answers.steps), answers };
}

/** A verdict speaks of the steady state: time between steps is none of it, and neither is a step that warms up or is cut off. */
function weigh({ window, windows, path, wins = [] }: CriticalPathResult, steps: ReportAnswers['steps']): ReportVerdict {
  const repeated = windows.filter((each) => each.label !== BETWEEN);
  const whyNot = distrustOf(steps);
  const trusted = repeated.filter((each) => whyNot(each) === undefined);
  const counted = trusted.length > 0 ? trusted : repeated.length > 0 ? repeated : windows;
  const walls = counted.map(({ wallNs }) => wallNs).sort((a, b) => a - b);
  const wallNs = walls.reduce((sum, each) => sum + each, 0);
  const segments = segmentsIn(path.segments, counted);
  const spans = segments.map(({ kind, startNs, endNs }) => ({ kind, start: startNs, end: endNs }));
  const breakdown = breakdownOf(spans, wallNs);
  const won = winsIn(wins, windows, counted);
  return {
    unit: counted.length < 2 ? 'window' : areSteps(counted) ? 'step' : 'instance',
    label: counted.length === 1 ? counted[0].label : window.label,
    count: counted.length,
    windows: counted.map(({ startNs, endNs }) => ({ startNs, endNs })),
    wallNs,
    leftOut: {
      steps: repeated.flatMap((each) =>
        counted.includes(each) ? [] : [{ label: each.label, why: whyNot(each) ?? '' }],
      ),
      betweenNs: windows.reduce(
        (sum, each) => sum + (each.label === BETWEEN && !counted.includes(each) ? each.wallNs : 0),
        0,
      ),
    },
    medianNs: median(walls),
    minNs: walls[0],
    maxNs: walls[walls.length - 1],
    breakdown,
    parts: largestParts(breakdown, segments, wallNs, won),
    ...(won.length > 0 && won[0].halfNs > 0 ? { largestWin: won[0] } : {}),
  };
}

/** Why a window does not count, if so. */
function distrustOf(steps: ReportAnswers['steps']): (window: PathWindow) => string | undefined {
  const rows = steps.status === 'ok' ? steps.result.rows : [];
  return ({ startNs, endNs }) => {
    const row = rows.find((each) => each.startNs === startNs && each.endNs === endNs);
    return row === undefined || row.distrust.length === 0 ? undefined : row.distrust.join(', ');
  };
}

/** Both in order of time; no segment crosses the border of a window. */
function segmentsIn(segments: readonly PathSegment[], windows: readonly PathWindow[]): PathSegment[] {
  const found: PathSegment[] = [];
  let at = 0;
  for (const segment of segments) {
    while (at < windows.length && windows[at].endNs <= segment.startNs) at++;
    if (at < windows.length && segment.startNs >= windows[at].startNs) found.push(segment);
  }
  return found;
}

type Won = Omit<PathWin, 'byWindow'>;

/** What the windows that count would win; most first. */
function winsIn(wins: readonly PathWin[], all: readonly PathWindow[], counted: readonly PathWindow[]): Won[] {
  const isCounted = all.map((window) => counted.includes(window));
  return wins
    .map(({ byWindow, ...win }) => {
      const sum = (field: 'halfNs' | 'goneNs'): number =>
        byWindow.reduce((total, each, i) => total + (isCounted[i] ? each[field] : 0), 0);
      return { ...win, halfNs: sum('halfNs'), goneNs: sum('goneNs') };
    })
    .sort((a, b) => b.halfNs - a.halfNs || b.goneNs - a.goneNs || (a.name < b.name ? -1 : 1));
}

const areSteps = (windows: readonly PathWindow[]): boolean =>
  windows.every(({ label }) => /^ProfilerStep\b/.test(label));

/** Of sorted numbers; of two middle ones their mean, as in `steps`. */
const median = (sorted: readonly number[]): number =>
  Math.round((sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2);

function largestParts(
  breakdown: readonly BreakdownRow[],
  segments: readonly PathSegment[],
  totalNs: number,
  wins: readonly Won[],
): ReportPart[] {
  const largest = breakdown.filter((row) => row.totalNs > 0);
  const told = largest.filter(({ share }, at) => at < PARTS || share >= TOLD_SHARE);
  const byKind = new Map(told.map(({ kind }) => [kind, [] as PathSegment[]]));
  for (let i = 0; i < segments.length; i++) byKind.get(segments[i].kind)?.push(segments[i]);
  return told.map((row) => {
    const own = byKind.get(row.kind) ?? [];
    const sumOf = (isMeant: (segment: PathSegment) => boolean): number =>
      own.reduce((sum, each) => sum + (isMeant(each) ? each.endNs - each.startNs : 0), 0);
    const otherNs = sumOf(({ otherWork }) => otherWork === true);
    const unnamedNs = sumOf(({ event }) => event === undefined);
    return { ...row, unnamedNs, ...(otherNs > 0 ? { otherNs } : {}), names: largestNames(own, totalNs, wins) };
  });
}

function largestNames(segments: readonly PathSegment[], wholeNs: number, wins: readonly Won[]): ReportName[] {
  const byName = new Map<string, { totalNs: number; segments: number; longest: PathSegment; event: EventReference }>();
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i];
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
    if (length <= known.longest.endNs - known.longest.startNs) continue;
    known.longest = segment;
    known.event = event;
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
