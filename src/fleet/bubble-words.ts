// Pipeline bubbles in words, for a terminal and a document.
import type { RenderOptions } from '../analyses/contract.ts';
import { escapeText, fitText, formatCount, formatDur, formatPlural, formatShare } from '../base/format.ts';
import type { PipelineBubbles } from './bubbles.ts';
import type { BubblesAnswer } from './job-bubbles-answer.ts';
import type { JobReport } from './job-report.ts';
import { type ParallelKind, isSurely } from './parallel-groups.ts';

/** Does the job have groups that are surely for this? Else nothing is to be said of them. */
export const hasGroups = ({ groups }: { readonly groups: JobReport['groups'] }, kind: ParallelKind): boolean =>
  groups.status === 'ok' && groups.result.families.some((family) => isSurely(family, kind));

/** Stages of a pipeline that are named. */
const STAGES = 8;

export function bubbleTexts({ pipelines, left }: BubblesAnswer, { limit }: Pick<RenderOptions, 'limit'>): string[] {
  const shown = pipelines.slice(0, Math.max(limit, 1));
  const more = pipelines.length - shown.length;
  return [
    ...shown.flatMap(pipelineTexts),
    ...(more > 0 ? [`${formatPlural(more, 'more pipeline')}: --limit`] : []),
    ...(left > 0 ? [`${formatPlural(left, 'more pipeline')} without a send that was matched`] : []),
  ];
}

/** `pipeline pp, 4 stages: 27.9 % of 2 windows, on average over its stages; most on rank 3, 29.2 % (8.24 ms a window)`. */
function pipelineTexts(pipeline: PipelineBubbles): string[] {
  const { name, size, share, stages, windows } = pipeline;
  const here =
    size === undefined || size === stages.length ? '' : ` (${formatCount(stages.length)} of ${formatCount(size)} here)`;
  const counted = windows.filter(({ counts }) => counts).length || windows.length;
  const shares = stages.slice(0, STAGES).map((stage) => `rank ${stage.rank} ${formatShare(stage.share)}`);
  const rest = stages.length > STAGES ? `, ${formatPlural(stages.length - STAGES, 'more stage')}` : '';
  const of = `${formatShare(share)} of ${formatPlural(counted, 'window')}`;
  return [
    `pipeline ${fitText(escapeText(name), 40)}, ${formatPlural(size ?? stages.length, 'stage')}${here}: ${of}, on average over its stages; ${worstText(pipeline, counted)}`,
    `${shares.join(', ')}${rest}`,
    ...doubtTexts(pipeline),
  ];
}

function worstText({ worst, isTie, stages }: PipelineBubbles, windows: number): string {
  const stage = stages.find(({ rank }) => rank === worst);
  if (stage === undefined || stage.bubbleNs === 0) return 'none waits';
  const most = `${formatShare(stage.share)} (${formatDur(Math.round(stage.bubbleNs / windows))} a window)`;
  return isTie ? `most on rank ${worst} or another (a tie), ${most}` : `most on rank ${worst}, ${most}`;
}

/** What may be otherwise. */
export function doubtTexts({
  unseenShare,
  windows,
  uncounted,
  transfers,
  uncertaintyNs,
}: PipelineBubbles): readonly string[] {
  const left = windows.filter(({ counts }) => !counts).length;
  return [
    ...(left > 0 && left < windows.length
      ? [`${formatPlural(left, 'window')} not counted: incomplete, or not in the traces of all stages`]
      : []),
    ...(unseenShare >= 0.01 ? [`${formatShare(unseenShare)} more is in no trace, and may be bubble too`] : []),
    ...(uncounted > 0
      ? [
          `${formatCount(uncounted)} of ${formatCount(uncounted + transfers)} sends and receives met none that is known: not counted`,
        ]
      : []),
    ...(uncertaintyNs > 0 ? [`each wait to ±${formatDur(uncertaintyNs)} by the clocks`] : []),
  ];
}
