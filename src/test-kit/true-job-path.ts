// The path across ranks beside the simulator's own.
import { measuredNs } from '../fleet/merge.ts';
import type { JobPath, JobSegment } from '../fleet/job-path.ts';
import { PLAIN_KINETO } from '../sim/kineto-options.ts';
import type { Job } from '../sim/program.ts';
import { truePath } from '../sim/true-path.ts';
import { endOf, startOf, timeOf } from '../sim/truth.ts';
import { noCounts } from './proof-counts.ts';
import { ToldTruth } from './proof-truth.ts';
import { Proof } from './proof.ts';
import type { TrueJob } from './true-job.ts';

/** One stretch of the true path on a rank, and how it came there: back from a moment to the arrival of another rank. */
interface TrueStretch {
  readonly rank: number;
  /** Moment of the truth: the end of the call, or −1 where the path begins on this rank. */
  readonly end: number;
  /** Another chain of the same length exists on this stretch. */
  readonly isTied: boolean;
  readonly from: number;
  /** It is a send that waited: no trace tells that of one alone. */
  readonly isSend: boolean;
  /** How much later that rank arrived than the next, ns. */
  readonly marginNs: number;
}

/** From a moment of a rank's truth back to the true begin of the job; the last first. */
function trueStretches({ ranks }: TrueJob, startRank: number, startMoment: number): TrueStretch[] {
  let rank = startRank;
  let moment = startMoment;
  const found: TrueStretch[] = [];
  for (;;) {
    const { truth } = ranks[rank];
    const path = truePath(truth, moment);
    if (path.meeting === -1) {
      found.push({ rank, end: -1, isTied: path.isTied, from: -1, isSend: false, marginNs: Infinity });
      return found;
    }
    const { constraints } = truth;
    const meeting = truth.meetings[path.meeting];
    const end = path.moments[path.moments.length - 1];
    const bound = timeOf(truth, end) - constraints.lag[constraints.binding[end]];
    const came = meeting.ranks.map((other, place) => ({ other, at: meeting.arrivals[place] }));
    const from = came.find((each) => each.other !== rank && each.at === bound)?.other ?? -1;
    const others = came.filter((each) => each.other !== from && each.at <= bound).map((each) => each.at);
    const isSend = meeting.op === 'send-receive' && meeting.ranks[0] === rank;
    found.push({ rank, end, isTied: path.isTied, from, isSend, marginNs: bound - Math.max(...others) });
    const next = ranks[from].truth;
    const row = next.meetings.indexOf(meeting);
    let item = 0;
    while (next.meeting[item] !== row) item++;
    moment = startOf(item);
    rank = from;
  }
}

/** Parts of a path that are the truth's, and where it goes wrong, in words; up to where a rank's own graph may part from the truth. */
export function comparePath(
  job: Job,
  known: TrueJob,
  path: JobPath,
  isExact: boolean,
): { readonly same: number; readonly faults: readonly string[] } {
  const crossings = path.segments.filter(isCrossing).reverse();
  const proofs = known.ranks.map(
    ({ sight }) => new Proof(sight, new ToldTruth(sight, job, PLAIN_KINETO), job, PLAIN_KINETO, isExact, noCounts()),
  );
  let same = 0;
  const last = path.segments[path.segments.length - 1];
  const { sight, skeleton } = known.ranks[last.rank];
  const stretches =
    last.kind === 'in-rank' ? trueStretches(known, last.rank, sight.trueMoment(skeleton.moments.moment[last.to])) : [];
  for (const [n, stretch] of stretches.entries()) {
    const crossing = crossings[n];
    const told = crossing === undefined ? 'the begin' : `${crossing.rank} from ${crossing.arrival.rank}`;
    const truth = stretch.end === -1 ? 'the begin' : `${stretch.rank} from ${stretch.from}`;
    const isSame =
      stretch.end === -1
        ? crossing === undefined
        : crossing?.rank === stretch.rank &&
          crossing.arrival.rank === stretch.from &&
          endMoment(known, crossing) === stretch.end;
    if (isSame) {
      same++;
      continue;
    }
    const mayPart =
      isTieUpTo(path, n) ||
      stretch.isTied ||
      stretch.isSend ||
      stretch.marginNs === 0 ||
      partsInside(known, proofs, path, n);
    return { same, faults: mayPart ? [] : [`crossing ${n} is ${told}, in truth ${truth}`] };
  }
  return { same, faults: [] };
}

type Crossing = JobSegment & { readonly arrival: { readonly rank: number }; readonly call: number };
const isCrossing = (segment: JobSegment): segment is Crossing =>
  'arrival' in segment && segment.arrival !== undefined && segment.arrival.rank !== segment.rank;

/** Is a call on the way to the nth crossing from the end one whose last arriver the clocks do not tell? */
function isTieUpTo({ segments }: JobPath, n: number): boolean {
  let crossed = 0;
  for (const segment of segments.toReversed()) {
    if ('arrival' in segment && segment.arrival?.isTie === true) return true;
    if (isCrossing(segment) && crossed++ === n) return false;
  }
  return false;
}

function endMoment({ ranks }: TrueJob, { rank, call }: Crossing): number {
  const { sight, calls } = ranks[rank];
  return endOf(sight.itemOfEvent(calls.calls[call].events[0]));
}

/** May the rank's own graph part from the truth on the nth stretch from the end, as its own proof says? */
function partsInside({ ranks, merged }: TrueJob, proofs: readonly Proof[], path: JobPath, n: number): boolean {
  let crossed = 0;
  for (const segment of path.segments.toReversed()) {
    if (segment.kind === 'in-rank' && crossed === n) {
      const { graph, skeleton } = ranks[segment.rank];
      const until = measuredNs(merged, merged.first[segment.rank] + segment.from);
      let moment = skeleton.moments.moment[segment.to];
      while (moment !== -1 && graph.time[moment] > until && graph.binding[moment] !== -1) {
        const verdict = graph.moments.isJoin(moment) ? 'same' : proofs[segment.rank].verdictOf(moment);
        if (verdict !== 'same') return true;
        moment = graph.constraints.from[graph.binding[moment]];
      }
    }
    if (isCrossing(segment)) crossed++;
  }
  return false;
}
