/** Changes that ranks of a job make by themselves: each rank is read again, and replayed as it would be. */
import type { JobAnalysis } from '../fleet/job-analysis.ts';
import type { ChangedRank } from '../fleet/balance.ts';
import type { AskedJobChange, ChangesWithin } from '../fleet/job-what-if.ts';
import type { HoldOutResult } from '../analyses/what-if/result.ts';
import { changeRanks } from '../session/job/change-ranks.ts';
import { formatCount, formatShare } from '../base/format.ts';
import type { Flags } from './args.ts';
import type { changesOf } from './changes.ts';
import { spansOf } from './choose-input.ts';
import { UsageError } from './exit.ts';
import type { JobInput } from './input.ts';
import { mapOptionsOf } from './job-input.ts';
import { startProgress } from './output.ts';
import { unmatchedText } from './unmatched-change.ts';

type Asked = ReturnType<typeof changesOf>;

/** Notes of ranks that are told, at most. */
const MOST_NOTES = 4;

export type MadeWithin =
  | {
      readonly status: 'made';
      readonly change: AskedJobChange;
      readonly within: ChangesWithin;
      readonly notes: readonly string[];
    }
  | NotApplicable
  | Withheld;

export interface NotApplicable {
  readonly status: 'not-applicable';
  readonly reason: string;
}

/** Forecasts that are so far off that a prediction would mean little. */
export interface Withheld {
  readonly status: 'withheld';
  readonly reason: string;
  readonly holdOut: HoldOutResult;
}

export const withheld = (ofWhat: string, holdOut: HoldOutResult): Withheld => ({
  status: 'withheld',
  reason: `like steps of ${ofWhat} foretell each other only to within ${formatShare(holdOut.share ?? 0)}: more than 15 %, so a prediction would mean little`,
  holdOut,
});

/** Ranks without a path of their own have no part in the job's, and are not read. */
export async function changeWithin(
  { job }: JobAnalysis,
  { files }: JobInput,
  flags: Flags,
  asked: Asked,
): Promise<MadeWithin> {
  const spans = flags.ranks === undefined ? undefined : spansOf('--ranks', flags.ranks);
  const members = job.members.filter(
    ({ rank, skeleton }) =>
      skeleton !== undefined && (spans?.some(([first, last]) => rank >= first && rank <= last) ?? true),
  );
  if (members.length === 0) throw new UsageError(`--ranks ${flags.ranks ?? ''}: no such rank with a path here`);
  const progress = startProgress('changing', `${members.length} ranks`, formatCount);
  const options = await mapOptionsOf(flags);
  const forecasts = await changeRanks(members, files, options, asked, (done) =>
    progress.update(done, done / members.length),
  ).finally(() => progress.done());
  const changed = new Map<number, ChangedRank>();
  const notes = new Map<string, number[]>();
  const holdOuts: ChangesWithin['holdOut'][] = [];
  const about = asked.map(({ text }) => ({ text, ranks: 0, hostOps: 0, deviceOps: 0 }));
  for (const [rank, forecast] of forecasts) {
    if (forecast.status === 'refused') return { status: 'not-applicable', reason: `rank ${rank}: ${forecast.reason}` };
    changed.set(rank, { ...forecast.after, skeleton: { ...forecast.after.skeleton, rank } });
    holdOuts.push({ rank, ...forecast.holdOut });
    for (const note of forecast.notes) notes.set(note, [...(notes.get(note) ?? []), rank]);
    for (const { text, hostOps = 0, deviceOps = 0 } of forecast.changes) {
      const row = about.find((each) => each.text === text);
      if (row === undefined) continue;
      row.ranks++;
      row.hostOps += hostOps;
      row.deviceOps += deviceOps;
    }
  }
  const idle = about.find(({ ranks }) => ranks === 0);
  if (idle !== undefined) {
    const found = [...forecasts.values()].flatMap((each) => (each.status === 'changed' ? each.unmatched : []));
    const why = found.find(({ change }) => change === idle.text);
    throw new UsageError(why === undefined ? `${idle.text}: nothing matches` : unmatchedText(why));
  }
  const holdOut = worstOf(holdOuts);
  if (holdOut.verdict === 'poor' && flags.force !== true) return withheld(`rank ${holdOut.rank}`, holdOut);
  return {
    status: 'made',
    change: { text: asked.map(({ text }) => text).join(' '), change: { kind: 'ranks', changed } },
    within: { ranks: [...changed.keys()], about, holdOut },
    notes: rankNotes(notes),
  };
}

/** The largest error; a rank that nothing tests counts before those that are good. */
function worstOf(holdOuts: readonly ChangesWithin['holdOut'][]): ChangesWithin['holdOut'] {
  const order = ['poor', 'fair', 'one-step', 'untested', 'good'];
  return holdOuts.reduce((worst, each) => {
    const later = order.indexOf(each.verdict) - order.indexOf(worst.verdict);
    return later < 0 || (later === 0 && (each.share ?? 0) > (worst.share ?? 0)) ? each : worst;
  });
}

function rankNotes(notes: ReadonlyMap<string, readonly number[]>): string[] {
  const lines = [...notes].map(([note, [first, ...more]]) =>
    more.length === 0 ? `rank ${first}: ${note}` : `rank ${first} and ${more.length} more: ${note}`,
  );
  const left = lines.length - MOST_NOTES;
  return left > 0 ? [...lines.slice(0, MOST_NOTES), `${left} more such notes of ranks`] : lines;
}
