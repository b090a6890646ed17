/** Which steps count, what they take in the middle, and which are far from that. */
import type { Graph } from '../../graph/graph.ts';
import type { Step } from '../../graph/steps.ts';
import type { Window } from '../../graph/windows.ts';
import { RowFlag } from '../../trace/tables.ts';
import type { Distrust, StepsSummary } from './result.ts';

/** A first step is warm-up where it takes longer than this times the median of the steps behind it. */
const WARM_UP = 1.25;
/** Steps behind it that there must be. */
const LEAST_BEHIND = 2;
/** Steps that must count before one of them can be an outlier. */
const LEAST_FOR_OUTLIERS = 4;
/** Outliers are farther from the median than so many standard deviations, told from the median distance, and than this share of it. */
const DEVIATIONS = 3;
const PER_MAD = 1.4826;
const LEAST_SHARE = 0.05;

/** By window: why it does not count. `isOpen`: nothing says when the last one was over. */
export function distrustOf(
  graph: Graph,
  allSteps: readonly Step[],
  windows: readonly Window[],
  isOpen: boolean,
): Distrust[][] {
  const steps = new Map(allSteps.map((step) => [step.event, step]));
  const anyDevice = [...steps.values()].some(({ deviceOps }) => deviceOps > 0);
  const reasons = windows.map((window, i): Distrust[] => {
    const event = window.bounds.kind === 'annotation' ? window.bounds.event : -1;
    const isCut = event !== -1 && (graph.trace.events.flags[event] & RowFlag.unfinished) !== 0;
    const why: Distrust[] = isCut ? ['cut-off'] : isOpen && i === windows.length - 1 ? ['open-end'] : [];
    return window.complete ? why : [...why, ...incomplete(steps.get(event), anyDevice)];
  });
  markWarmUp(windows, reasons);
  return reasons;
}

function incomplete(step: Step | undefined, anyDevice: boolean): Distrust[] {
  if (step === undefined) return ['earlier-work'];
  const why: Distrust[] = [];
  if (step.lostLaunches > 0) why.push('lost-launches');
  if (anyDevice && step.deviceOps === 0) why.push('no-device-work');
  return why.length === 0 ? ['earlier-work'] : why;
}

/** Marks the first steps, one after the other, as long as they are much slower than those behind. */
function markWarmUp(windows: readonly Window[], reasons: readonly Distrust[][]): void {
  const wall = (i: number): number => windows[i].end - windows[i].start;
  for (let i = 0; i < windows.length; i++) {
    // The length of a step that does not count anyway says nothing.
    if (reasons[i].length > 0) continue;
    const behind = windows.flatMap((_, j) => (j > i && reasons[j].length === 0 ? [wall(j)] : []));
    if (behind.length < LEAST_BEHIND || wall(i) <= WARM_UP * medianOf(behind)) return;
    reasons[i].push('warm-up');
  }
}

/** Of no values: NaN. The mean of the two in the middle is rounded to whole ns. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : Math.round((sorted[middle - 1] + sorted[middle]) / 2);
}

/** Of the windows that nothing speaks against. */
export function summaryOf(
  windows: readonly Window[],
  distrust: readonly (readonly Distrust[])[],
): StepsSummary | undefined {
  const rows = windows.flatMap((_, i) => (distrust[i].length === 0 ? [i] : []));
  if (rows.length === 0) return undefined;
  const walls = rows.map((i) => windows[i].end - windows[i].start);
  const medianNs = medianOf(walls);
  const distances = walls.map((wall) => Math.abs(wall - medianNs));
  const [minNs, maxNs] = [Math.min(...walls), Math.max(...walls)];
  const medianRow = rows[nearestOf(walls, medianNs)];
  return {
    count: walls.length,
    medianNs,
    minNs,
    maxNs,
    madNs: medianOf(distances),
    spread: medianNs > 0 ? (maxNs - minNs) / medianNs : 0,
    medianStep: windows[medianRow].label,
    medianRow,
  };
}

/**
 * The place of the nearest to the median; of several the shortest, so that what is slower has something to be compared with, then the first.
 * One that took no time has no path to compare with: it is taken only where none took any.
 */
function nearestOf(walls: readonly number[], medianNs: number): number {
  const far = (wall: number): number => Math.abs(wall - medianNs);
  let best = 0;
  for (let i = 1; i < walls.length; i++) {
    const [own, other] = [walls[i], walls[best]];
    if (own === 0) continue;
    if (other === 0 || far(own) < far(other) || (far(own) === far(other) && own < other)) best = i;
  }
  return best;
}

export function outlierLimit({ count, medianNs, madNs }: StepsSummary): number | undefined {
  if (count < LEAST_FOR_OUTLIERS) return undefined;
  return Math.max(Math.round(DEVIATIONS * PER_MAD * madNs), Math.round(LEAST_SHARE * medianNs));
}
