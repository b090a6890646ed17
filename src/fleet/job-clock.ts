import type { Clocks } from './model.ts';

/** A time of a rank, by its index, on the job's clock; ns. */
export const toJob = ({ offsetNs, driftPpm }: Clocks, rank: number, timeNs: number): number =>
  offsetNs[rank] + timeNs + driftPpm[rank] * 1e-6 * timeNs;

/** A time of the job on the clock of a rank, by its index; whole ns. */
export const toRank = ({ offsetNs, driftPpm }: Clocks, rank: number, jobNs: number): number =>
  Math.round((jobNs - offsetNs[rank]) / (1 + driftPpm[rank] * 1e-6));

/** When a rank's call may go: it has arrived, and the gate (in job time) is open. In its own clock. */
export function freeAt(clocks: Clocks, rank: number, arrivalNs: number, opensNs: number): number {
  // Not by converting there and back: that could round.
  return toJob(clocks, rank, arrivalNs) >= opensNs ? arrivalNs : Math.max(arrivalNs, toRank(clocks, rank, opensNs));
}
