// How well steps of a job foretell each other: what a forecast of the job can be checked by without making its change.
import { lowerBound } from '../base/bisect.ts';
import { type HoldOutSummary, summarizeHoldOut, thinned } from '../graph/hold-out.ts';
import type { Replayed } from './job-analysis.ts';
import { toJob } from './job-clock.ts';
import { walkJobPath } from './job-path.ts';
import { replayJob } from './job-replay.ts';
import { type JobWindow, findJobWindows } from './job-windows.ts';
import { type JobGraph, measuredNs } from './merge.ts';

/** One step of a job foretold with what another one of the same calls says of transfers. Shares are of what the step took. */
export interface JobHoldOutPair {
  /** The step whose transfers were used. */
  readonly from: string;
  /** The step that was foretold, from its ranks' own work. */
  readonly to: string;
  readonly forecastNs: number;
  readonly measuredNs: number;
  /** |forecast − measured| / measured. */
  readonly error: number;
  /** What doing nothing would score: the two steps' difference. */
  readonly null: number;
  /** Share of the forecast's path that was the ranks' own work in the step, so that nothing was foretold there. */
  readonly copied: number;
}

/** As many steps as one trace's hold-out takes. */
const MOST_STEPS = 8;
/** Moments that all replays together go over, about: some seconds. A job with more takes fewer steps, at least two. */
const MOST_MOMENTS = 10e6;

/**
 * The windows that are asked about foretell each other; where no two of them make the same calls on every rank, all complete ones of the job
 * do. Each forecast is a replay of the job. O(steps² × (moments + entries)).
 */
export function holdOutJob(job: Replayed, asked: readonly JobWindow[]): JobHoldOutPair[] {
  const found = findJobWindows(job.graph, job.times);
  if (!found.ok) return [];
  const steps = stepsOf(job.graph, found.windows);
  const labels = new Set(asked.map(({ label }) => label));
  const own = pairsOf(
    job,
    steps.filter(({ window }) => labels.has(window.label)),
  );
  return own.length > 0 ? own : pairsOf(job, steps);
}

export const summarizeJobHoldOut = (job: Replayed, asked: readonly JobWindow[]): HoldOutSummary =>
  summarizeHoldOut(holdOutJob(job, asked));

interface Step {
  readonly window: JobWindow;
  /** Its place among all windows of the job. */
  readonly at: number;
  /** By index of rank: its calls in the order in which they were enqueued. */
  readonly calls: readonly (readonly number[])[];
}

/** The complete windows that take time and have calls. A rank's call is of the window in which it ends there. O(calls). */
function stepsOf(job: JobGraph, windows: readonly JobWindow[]): Step[] {
  const { ranks, first, clocks } = job;
  const calls = windows.map(() => ranks.map((): number[] => []));
  ranks.forEach(({ skeleton: { callOrder, endOf } }, rank) => {
    if (windows[0].ends[rank] === -1) return;
    const ends = Float64Array.from(windows, (window) => measuredNs(job, window.ends[rank]));
    for (const call of callOrder) {
      if (endOf[call] === -1) continue;
      const ended = measuredNs(job, first[rank] + endOf[call]);
      const at = lowerBound(ends, ended);
      if (at < ends.length && toJob(clocks, rank, ended) > windows[0].startNs) calls[at][rank].push(call);
    }
  });
  return windows
    .map((window, at): Step => ({ window, at, calls: calls[at] }))
    .filter((step) => step.window.complete && lengthOf(step.window) > 0 && step.calls.some((list) => list.length > 0));
}

function pairsOf(job: Replayed, steps: readonly Step[]): JobHoldOutPair[] {
  const most = Math.floor(Math.sqrt(MOST_MOMENTS / job.graph.rankOf.length));
  const taken = thinned(steps, Math.min(MOST_STEPS, Math.max(2, most)));
  return taken.flatMap((to) =>
    taken.filter((from) => from !== to && areAlike(job.graph, from, to)).map((from) => foretell(job.graph, from, to)),
  );
}

/** The same operations in the same groups, on every rank in the same order. Bytes may differ. */
const areAlike = ({ ranks }: JobGraph, one: Step, other: Step): boolean =>
  ranks.every(({ calls: { calls } }, rank) => {
    const [own, others] = [one.calls[rank], other.calls[rank]];
    return (
      own.length === others.length &&
      own.every((call, n) => {
        const [a, b] = [calls[call], calls[others[n]]];
        return a.op === b.op && a.group === b.group && a.peer === b.peer;
      })
    );
  });

/** The step with each rank's own work, the meetings, and the other step's transfers. What comes before it is as it was. */
function foretell(job: JobGraph, from: Step, to: Step): JobHoldOutPair {
  const { ranks, first } = job;
  const transferNs = job.transferNs.slice();
  ranks.forEach(({ skeleton: { endOf } }, rank) => {
    const end = (call: number): number => first[rank] + endOf[call];
    to.calls[rank].forEach((call, n) => (transferNs[end(call)] = job.transferNs[end(from.calls[rank][n])]));
  });
  const times = replayJob(job, transferNs);
  const found = findJobWindows(job, times);
  if (!found.ok) throw new Error(`bug: a job has no windows after its transfers changed: ${found.reason}`);
  const window = found.windows[to.at];
  const [forecastNs, toNs] = [lengthOf(window), lengthOf(to.window)];
  const transfers = walkJobPath({ ...job, transferNs }, times, window).segments.filter(
    ({ kind }) => kind === 'transfer' || kind === 'transfer-or-unseen-rank',
  );
  const foretoldNs = transfers.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
  return {
    from: from.window.label,
    to: to.window.label,
    forecastNs,
    measuredNs: toNs,
    error: Math.abs(forecastNs - toNs) / toNs,
    null: Math.abs(lengthOf(from.window) - toNs) / toNs,
    copied: forecastNs > 0 ? 1 - foretoldNs / forecastNs : 0,
  };
}

const lengthOf = ({ startNs, endNs }: JobWindow): number => endNs - startNs;
