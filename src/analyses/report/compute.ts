import { breakdownOf } from '../../graph/breakdown.ts';
import { isNamed } from '../../graph/path-groups.ts';
import { frameAt } from '../../graph/path.ts';
import { SEGMENT_KINDS, segmentCode } from '../../graph/segments.ts';
import type { BreakdownRow, CriticalPathResult, PathWin, PathWindow } from '../critical-path/result.ts';
import type { InfoResult } from '../info/result.ts';
import { referTo } from '../refer.ts';
import type { Scope } from '../scope.ts';
import type { ReportAnswers, ReportName, ReportPart, ReportResult, ReportVerdict } from './result.ts';

/** Parts that are always told, and the share from which all others are. */
const PARTS = 3;
const TOLD_SHARE = 0.05;
const NAMES = 3;
const BETWEEN = 'between';

/**
 * The main job: nothing is computed anew, the answers of the analyses are put side by side and weighed. `scope`: what they were asked of; the
 * windows' paths are read from it by kind and name, since segments of their own are made only for who looks at them.
 */
export function composeReport(
  info: InfoResult,
  criticalPath: CriticalPathResult,
  answers: ReportAnswers,
  scope: Scope,
): ReportResult {
  return { info, criticalPath, verdict: weigh(criticalPath, answers.steps, scope), answers };
}

/** A verdict speaks of the steady state: time between steps is none of it, and neither is a step that warms up or is cut off. */
function weigh(
  { window, windows, wins = [] }: CriticalPathResult,
  steps: ReportAnswers['steps'],
  scope: Scope,
): ReportVerdict {
  const repeated = windows.filter((each) => each.label !== BETWEEN);
  const whyNot = distrustOf(steps);
  const trusted = repeated.filter((each) => whyNot(each) === undefined);
  const counted = trusted.length > 0 ? trusted : repeated.length > 0 ? repeated : windows;
  const walls = counted.map(({ wallNs }) => wallNs).sort((a, b) => a - b);
  const wallNs = walls.reduce((sum, each) => sum + each, 0);
  const places = counted.map((each) => windows.indexOf(each));
  const breakdown = breakdownOf(
    places.map((place) => scope.pathGroups()[place]),
    wallNs,
  );
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
    parts: largestParts(breakdown, { scope, all: namesOn(scope, places) }, wallNs, won),
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

/** Time of one kind and name on the paths that count. */
interface NamedTime {
  readonly kind: number;
  readonly name: number;
  totalNs: number;
  otherNs: number;
  segments: number;
  /** The longest of its segments, the earliest of equals: the window, and the row of its path. */
  window: number;
  row: number;
}

/** `windows`: places of those that count, in order of time. */
function namesOn(scope: Scope, windows: readonly number[]): NamedTime[] {
  const found = new Map<number, NamedTime>();
  for (const window of windows) {
    const groups = scope.pathGroups()[window];
    for (let group = 0; group < groups.length; group++) {
      const [kind, name, row] = [groups.kind[group], groups.name[group], groups.longest[group]];
      const place = name * SEGMENT_KINDS.length + kind;
      let part = found.get(place);
      if (part === undefined) {
        found.set(place, (part = { kind, name, totalNs: 0, otherNs: 0, segments: 0, window, row }));
      } else if (lengthOf(scope, window, row) > lengthOf(scope, part.window, part.row)) {
        part.window = window;
        part.row = row;
      }
      part.totalNs += groups.totalNs[group];
      part.otherNs += groups.otherNs[group];
      part.segments += groups.count[group];
    }
  }
  return [...found.values()];
}

function lengthOf(scope: Scope, window: number, row: number): number {
  const { start, end } = scope.paths()[window];
  return end[row] - start[row];
}

interface NamedParts {
  readonly scope: Scope;
  readonly all: readonly NamedTime[];
}

function largestParts(
  breakdown: readonly BreakdownRow[],
  { scope, all }: NamedParts,
  totalNs: number,
  wins: readonly Won[],
): ReportPart[] {
  const largest = breakdown.filter((row) => row.totalNs > 0);
  const told = largest.filter(({ share }, at) => at < PARTS || share >= TOLD_SHARE);
  return told.map((row) => {
    const own = all.filter(({ kind }) => kind === segmentCode(row.kind));
    const otherNs = own.reduce((sum, each) => sum + each.otherNs, 0);
    const unnamedNs = own.reduce((sum, each) => sum + (isNamed(each.name) ? 0 : each.totalNs), 0);
    const names = largestNames(scope, own, totalNs, wins);
    return { ...row, unnamedNs, ...(otherNs > 0 ? { otherNs } : {}), names };
  });
}

function largestNames(scope: Scope, own: readonly NamedTime[], wholeNs: number, wins: readonly Won[]): ReportName[] {
  const { strings, events } = scope.graph.trace;
  const named = own.flatMap(({ name, ...rest }) => (isNamed(name) ? [{ ...rest, name: strings.text(name) }] : []));
  named.sort((a, b) => b.totalNs - a.totalNs || (a.name < b.name ? -1 : 1));
  return named.slice(0, NAMES).map(({ kind, name, totalNs, segments, window, row }) => {
    const path = scope.paths()[window];
    const frame = frameAt(scope.context(), path, row);
    const win = wins.find((each) => each.name === name && each.kind === SEGMENT_KINDS[kind]);
    return {
      name,
      ...(frame === -1 ? {} : { python: strings.text(events.name[frame]) }),
      totalNs,
      share: wholeNs > 0 ? totalNs / wholeNs : 0,
      segments,
      longest: referTo(scope.graph, path.event[row]),
      ...(win === undefined ? {} : { win: { halfNs: win.halfNs, goneNs: win.goneNs } }),
    };
  });
}
