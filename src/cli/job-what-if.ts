/** `what-if` of several ranks: balance, and what passes between ranks. */
import { JobAnalysis } from '../fleet/job-analysis.ts';
import { type AskedJobChange, forecastJob } from '../fleet/job-what-if.ts';
import { renderForecast } from '../fleet/render-job-what-if.ts';
import { limitOf, quote, type Flags } from './args.ts';
import { spansOf } from './choose-input.ts';
import { ExitCode, UsageError } from './exit.ts';
import type { JobInput } from './input.ts';
import { openJobInput } from './job-input.ts';
import { jsonChunks, limitList } from './json.ts';
import { LIMITS } from './limits.ts';
import { styleForStdout, writeError, writeOut } from './output.ts';

const SCHEMA = 'longpole.what-if/1';

export async function writeJobForecast(input: JobInput, flags: Flags): Promise<ExitCode> {
  const changes = changesOf(flags);
  const analysis = new JobAnalysis(await openJobInput(input, flags));
  ensureRanks(analysis, changes);
  const outcome = forecastJob(analysis, changes);
  if (outcome.status !== 'ok') {
    if (flags.json) await writeOut(jsonChunks({ schema: SCHEMA, ...outcome }));
    writeError(`what-if does not apply: ${outcome.reason}`);
    return ExitCode.notApplicable;
  }
  const limit = limitOf(flags);
  if (flags.json) {
    const { windows, ...rest } = outcome.result;
    await writeOut(
      jsonChunks({ schema: SCHEMA, status: 'predicted', ...rest, ...limitList('windows', windows, limit) }),
    );
  } else {
    const options = { limit: limit ?? LIMITS['what-if'], fullNames: false, style: styleForStdout() };
    await writeOut(renderForecast(outcome.result, options));
  }
  return ExitCode.answered;
}

/** Flags that change what a rank does by itself. */
const WITHIN = [
  'remove',
  'overlap',
  'launchLatency',
  'hostGaps',
  'graphLaunch',
  'overlay',
] as const satisfies readonly (keyof Flags)[];

function changesOf(flags: Flags): readonly AskedJobChange[] {
  const within = WITHIN.find((flag) => flags[flag] !== undefined && flags[flag] !== true);
  if (within !== undefined) {
    const flag =
      within === 'hostGaps' ? 'no-host-gaps' : within.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${flag} changes what a rank does by itself; add --rank 0, or change the job: --balance`);
  }
  const changes = [...(flags.scale ?? []).map(transfersOf), ...balanceOf(flags)];
  if (changes.length > 0) return changes;
  throw new UsageError('nothing to change; for example: longpole what-if job --balance');
}

function transfersOf(text: string): AskedJobChange {
  const factor = /^kind:collective=(\d+(?:\.\d+)?)$/.exec(text)?.[1];
  if (factor === undefined) {
    throw new UsageError(
      `--scale ${quote(text)}: of several ranks only transfers can be scaled, --scale kind:collective=0.5; add --rank 0 for ops of one rank`,
    );
  }
  return { text: `--scale ${text}`, change: { kind: 'transfers', factor: Number(factor) } };
}

function balanceOf({ balance }: Flags): AskedJobChange[] {
  if (balance === undefined) return [];
  if (balance === true) return [{ text: '--balance', change: { kind: 'balance' } }];
  const ranks = spansOf('--balance', balance).flatMap(([first, last]) => {
    if (last - first > 1e6) throw new UsageError(`--balance ${quote(balance)} names too many ranks`);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
  return [{ text: `--balance ${balance}`, change: { kind: 'balance', ranks } }];
}

function ensureRanks({ job: { members } }: JobAnalysis, changes: readonly AskedJobChange[]): void {
  const known = new Set(members.map(({ rank }) => rank));
  for (const { text, change } of changes) {
    const absent = change.kind === 'balance' ? change.ranks?.find((rank) => !known.has(rank)) : undefined;
    if (absent !== undefined) throw new UsageError(`${text}: no rank ${absent} here`);
  }
}
