// When everything that was kept of a job comes, computed forward.
import { freeAt, toJob } from './job-clock.ts';
import { type JobGraph, measuredNs } from './merge.ts';

/** What a replay makes of a job. Times by moment, each in its rank's own clock, ns. */
export interface JobTimes {
  readonly timeNs: Float64Array;
  /** By moment: the entry (of its rank's skeleton) that bound it, `BY_MEETING`, or `BY_NOTHING`. */
  readonly by: Int32Array;
  /** By gate: when it opened, in job time, and the arrival that opened it. */
  readonly opensNs: Float64Array;
  readonly opener: Int32Array;
}

/** An anchor, or a moment on a circle of damaged constraints. */
export const BY_NOTHING = -1;
/** The end of a call: its own arrival, or its gate, and the transfer. */
export const BY_MEETING = -2;

/**
 * Unchanged, every moment comes exactly as it was measured. O(moments + entries + calls). Of several entries that allow just the same
 * time, the one that was measured to bind does.
 */
export function replayJob(job: JobGraph, transferNs: Float64Array = job.transferNs): JobTimes {
  const { ranks, first, rankOf, order, gates, gateOf, arrivalOf, clocks } = job;
  const timeNs = Float64Array.from(rankOf, (_, moment) => measuredNs(job, moment));
  const by = new Int32Array(rankOf.length).fill(BY_NOTHING);
  const opensNs = new Float64Array(gates.meeting.length).fill(-Infinity);
  const opener = new Int32Array(gates.meeting.length).fill(-1);
  for (const node of order) {
    if (node < 0) openGate(-1 - node);
    else place(node);
  }
  return { timeNs, by, opensNs, opener };

  function openGate(gate: number): void {
    for (let i = gates.first[gate]; i < gates.first[gate + 1]; i++) {
      const arrival = gates.arrival[i];
      const at = toJob(clocks, rankOf[arrival], timeNs[arrival]);
      if (at > opensNs[gate]) {
        opensNs[gate] = at;
        opener[gate] = arrival;
      }
    }
  }

  function place(moment: number): void {
    const rank = rankOf[moment];
    const { entries } = ranks[rank].skeleton;
    const kept = moment - first[rank];
    let latest = -Infinity;
    let best = BY_NOTHING;
    for (let e = entries.first[kept]; e < entries.first[kept + 1]; e++) {
      const arrival = timeNs[first[rank] + entries.from[e]] + entries.lagNs[e];
      if (arrival > latest || (arrival === latest && e === entries.bound[kept])) [latest, best] = [arrival, e];
    }
    const arrival = arrivalOf[moment];
    if (arrival !== -1) {
      const gate = gateOf[moment];
      const free = gate === -1 ? timeNs[arrival] : freeAt(clocks, rank, timeNs[arrival], opensNs[gate]);
      // A tie with an overlap on the own stream is the meeting's, unless that was measured to bind.
      if (
        free + transferNs[moment] > latest ||
        (free + transferNs[moment] === latest && best !== entries.bound[kept])
      ) {
        [latest, best] = [free + transferNs[moment], BY_MEETING];
      }
    }
    if (best === BY_NOTHING) return;
    timeNs[moment] = latest;
    by[moment] = best;
  }
}

/** The largest difference between a replay and what was measured, ns. */
export function jobReplayError(job: JobGraph, { timeNs }: JobTimes): number {
  let worst = 0;
  for (let moment = 0; moment < timeNs.length; moment++) {
    worst = Math.max(worst, Math.abs(timeNs[moment] - measuredNs(job, moment)));
  }
  return worst;
}
