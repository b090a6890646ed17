/** `explain r-3/e-123` of several ranks: which file that is, and what other ranks have to do with it. */
import type { Outcome } from '../analyses/contract.ts';
import { type CallAcross, explainCall } from '../fleet/explain-call.ts';
import { JobAnalysis } from '../fleet/job-analysis.ts';
import type { RankFile } from '../session/job/rank-files.ts';
import type { Flags } from './args.ts';
import { UsageError } from './exit.ts';
import type { JobInput } from './input.ts';
import { openJobInput } from './job-input.ts';

type Event =
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'correlation'; readonly correlation: number };

export async function explainAcross(
  input: JobInput,
  flags: Flags,
  rank: number,
  event: Event,
): Promise<{ readonly file: RankFile; readonly across: Outcome<CallAcross> }> {
  const analysis = new JobAnalysis(await openJobInput(input, flags));
  const { members } = analysis.job;
  const member = members.find((each) => each.rank === rank);
  const file = input.files.find(({ name, folder }) => name === member?.name && folder === member.folder);
  if (file === undefined) {
    const ranks = members.map((each) => each.rank);
    throw new UsageError(`no rank ${rank} here; there are ${members.length}, from ${ranks[0]} to ${ranks.at(-1)}`);
  }
  const { meetings } = analysis;
  if (event.kind === 'correlation') {
    return {
      file,
      across: { status: 'not-applicable', reason: 'a correlation is asked about; name a kernel by its handle e-123' },
    };
  }
  return { file, across: meetings.status === 'ok' ? explainCall(meetings.result, rank, event.position) : meetings };
}
