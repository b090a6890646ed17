/** `what-if` of several ranks: balance, and what passes between ranks. */
import { JobAnalysis } from '../fleet/job-analysis.ts';
import { type AskedJobChange, forecastJob } from '../fleet/job-what-if.ts';
import { renderForecast } from '../fleet/render-job-what-if.ts';
import { type Flags, limitOf, quote } from './args.ts';
import { changesOf, refuseRange } from './changes.ts';
import { spansOf } from './choose-input.ts';
import { ExitCode, UsageError } from './exit.ts';
import type { JobInput } from './input.ts';
import { openJobInput } from './job-input.ts';
import { jsonChunks, limitList } from './json.ts';
import { type NotApplicable, type Withheld, changeWithin, withheld } from './job-changes-within.ts';
import { LIMITS } from './limits.ts';
import { styleForStdout, writeError, writeOut } from './output.ts';

const SCHEMA = 'longpole.what-if/1';

export async function writeJobForecast(input: JobInput, flags: Flags): Promise<ExitCode> {
  const asked = askedOf(flags);
  refuseRange(flags);
  const analysis = new JobAnalysis(await openJobInput(input, flags));
  ensureRanks(analysis, asked.job);
  const made = asked.within.length === 0 ? undefined : await changeWithin(analysis, input, flags, asked.within);
  if (made !== undefined && made.status !== 'made') return sayWhyNot(made, flags);
  const changes = made === undefined ? asked.job : [made.change, ...asked.job];
  const outcome = forecastJob(analysis, changes, made?.within);
  if (outcome.status !== 'ok') return sayWhyNot(outcome, flags);
  const { holdOut } = outcome.result;
  if (holdOut.verdict === 'poor' && flags.force !== true) return sayWhyNot(withheld('the job', holdOut), flags);
  const result = {
    ...outcome.result,
    changes: [...asked.within, ...asked.job].map(({ text }) => text),
    notes: [...outcome.result.notes, ...(made?.notes ?? [])],
  };
  const limit = limitOf(flags);
  if (flags.json) {
    const { windows, ...rest } = result;
    await writeOut(
      jsonChunks({ schema: SCHEMA, status: 'predicted', ...rest, ...limitList('windows', windows, limit) }),
    );
  } else {
    const options = { limit: limit ?? LIMITS['what-if'], fullNames: false, style: styleForStdout() };
    await writeOut(renderForecast(result, options));
  }
  return ExitCode.answered;
}

async function sayWhyNot(why: NotApplicable | Withheld, flags: Flags): Promise<ExitCode> {
  if (flags.json) await writeOut(jsonChunks({ schema: SCHEMA, ...why }));
  const isWithheld = why.status === 'withheld';
  writeError(
    isWithheld
      ? `the prediction is withheld: ${why.reason}; --force prints it all the same`
      : `what-if does not apply: ${why.reason}`,
  );
  return ExitCode.notApplicable;
}

interface Asked {
  /** What ranks do by themselves, which takes their traces; and what skeletons alone answer. */
  readonly within: ReturnType<typeof changesOf>;
  readonly job: readonly AskedJobChange[];
}

function askedOf(flags: Flags): Asked {
  if (flags.overlay !== undefined) throw new UsageError('--overlay is of one trace; add --rank 0');
  const { balance: _, ...own } = flags;
  const scales = flags.scale ?? [];
  const hasOwn =
    scales.length > 0 ||
    flags.hostGaps === false ||
    [flags.remove, flags.overlap, flags.launchLatency, flags.graphLaunch].some((flag) => flag !== undefined);
  const balance = balanceOf(flags);
  if (!hasOwn && balance.length === 0) {
    throw new UsageError('nothing to change; for example: longpole what-if job --balance');
  }
  const within = hasOwn ? changesOf(own) : [];
  const areTransfers = within.length === scales.length && scales.every((text) => TRANSFERS.test(text));
  if (areTransfers && flags.ranks === undefined) return { within: [], job: [...scales.map(transfersOf), ...balance] };
  if (flags.ranks !== undefined && !hasOwn) {
    throw new UsageError('--ranks says in which ranks to change something; for example --no-host-gaps --ranks 3');
  }
  return { within, job: balance };
}

const TRANSFERS = /^kind:collective=(\d+(?:\.\d+)?)$/;

const transfersOf = (text: string): AskedJobChange => ({
  text: `--scale ${text}`,
  change: { kind: 'transfers', factor: Number(TRANSFERS.exec(text)?.[1]) },
});

function balanceOf({ balance }: Flags): AskedJobChange[] {
  if (balance === undefined) return [];
  if (balance === true) return [{ text: '--balance', change: { kind: 'balance' } }];
  const ranks = ranksOf('--balance', balance);
  return [{ text: `--balance ${balance}`, change: { kind: 'balance', ranks } }];
}

export function ranksOf(flag: string, text: string): number[] {
  return spansOf(flag, text).flatMap(([first, last]) => {
    if (last - first > 1e6) throw new UsageError(`${flag} ${quote(text)} names too many ranks`);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}

function ensureRanks({ job: { members } }: JobAnalysis, changes: readonly AskedJobChange[]): void {
  const known = new Set(members.map(({ rank }) => rank));
  for (const { text, change } of changes) {
    const absent = change.kind === 'balance' ? change.ranks?.find((rank) => !known.has(rank)) : undefined;
    if (absent !== undefined) throw new UsageError(`${text}: no rank ${absent} here`);
  }
}
