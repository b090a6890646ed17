/** `critical-path` of several ranks: what bounds the job, from rank to rank and down to events. */
import type { Outcome, RenderOptions } from '../analyses/contract.ts';
import { JobAnalysis, type JobPaths } from '../fleet/job-analysis.ts';
import { type JobPathAnswer, pathAnswer, withSegments } from '../fleet/job-path-answer.ts';
import { renderJobPath } from '../fleet/render-job-path.ts';
import { type NamedSegment, openPaths } from '../session/job/open-path.ts';
import { limitOf, type Flags } from './args.ts';
import { ExitCode, UsageError } from './exit.ts';
import type { JobInput } from './input.ts';
import { mapOptionsOf, openJobInput } from './job-input.ts';
import { jsonChunks, limitList } from './json.ts';
import { LIMITS } from './limits.ts';
import { styleForStdout, writeError, writeOut } from './output.ts';

const SCHEMA = 'longpole.critical-path/1';

export async function writeJobPath(input: JobInput, flags: Flags): Promise<ExitCode> {
  for (const flag of ['overlay', 'slack'] as const) {
    if (flags[flag] !== undefined) throw new UsageError(`--${flag} is of one rank's path; add --rank 0`);
  }
  const analysis = new JobAnalysis(await openJobInput(input, flags));
  const { paths } = analysis;
  if (paths.status !== 'ok') return withoutPath(paths.reason, flags);
  const opened = await openPaths(paths.result, analysis.job.members, input.files, await mapOptionsOf(flags));
  const segments = relativeTo(paths.result, opened.segments);
  const answer = withSegments(pathAnswer(paths.result), segments);
  if (flags.json) {
    await writeOut(jsonChunks(documentOf(analysis, answer, segments, limitOf(flags))));
  } else {
    const options: RenderOptions = {
      limit: limitOf(flags) ?? LIMITS['critical-path'],
      fullNames: flags.fullNames === true,
      style: styleForStdout(),
    };
    await writeOut(renderJobPath(answer, { ...opened, segments }, options));
  }
  return ExitCode.answered;
}

async function withoutPath(reason: string, flags: Flags): Promise<ExitCode> {
  const outcome: Outcome<never> = { status: 'not-applicable', reason };
  if (flags.json) await writeOut(jsonChunks({ schema: SCHEMA, ...outcome }));
  writeError(`critical-path does not apply: ${reason}`);
  return ExitCode.notApplicable;
}

/** Since the first window's start, whole ns: no clock's zero shows. */
function relativeTo({ windows }: JobPaths, segments: readonly NamedSegment[]): NamedSegment[] {
  const zeroNs = Math.round(windows[0]?.startNs ?? 0);
  return segments.map((each) => ({
    ...each,
    startNs: Math.round(each.startNs) - zeroNs,
    endNs: Math.round(each.endNs) - zeroNs,
  }));
}

function documentOf(
  { job, meetings }: JobAnalysis,
  answer: JobPathAnswer,
  segments: readonly NamedSegment[],
  limit: number | undefined,
): object {
  const { legs, breakdown, byRank, totalNs, notes } = answer;
  const matching = meetings.status === 'ok' ? meetings.result.matching : undefined;
  return {
    schema: SCHEMA,
    traces: job.members.map(({ file, rank, summary: { info } }) => ({
      file,
      rank,
      events: info.events,
      originUnixNs: info.originUnixNs,
    })),
    window: {
      label: answer.windows.length === 1 ? answer.windows[0]?.label : `${answer.windows.length} windows`,
      startNs: 0,
      endNs: totalNs,
      wallNs: totalNs,
    },
    windows: answer.windows,
    path: { totalNs, breakdown, byRank, ...limitList('legs', legs, limit), ...limitList('segments', segments, limit) },
    coverage: {
      collectives: {
        total: job.members.reduce((sum, { calls }) => sum + calls.calls.length, 0),
        matched: matching?.matched ?? 0,
      },
    },
    notes,
  };
}
