// Changes of simulated programs that stand for those of what-if.
import { type Change, KEEP, changeJob } from '../sim/change.ts';
import type { Action, Job } from '../sim/program.ts';

export const isKernel = ({ kind }: Action): boolean => kind === 'launch' || kind === 'graph';
export const isCopy = ({ kind }: Action): boolean => kind === 'copy' || kind === 'fill';

export const scaled =
  (isMeant: (action: Action) => boolean, factor: number) =>
  (job: Job): Job =>
    changeJob(job, (action): Change => (isMeant(action) ? { kind: 'scale', factor } : KEEP));

/** Sleeps inside ops or outside become another length; not those before the first row, which no trace shows. */
export function withSleeps(job: Job, inOps: number, outside: number): Job {
  const ranks = job.ranks.map((rank) => {
    let hasBegun = false;
    const list = (actions: readonly Action[], factor: number): readonly Action[] =>
      actions.map((action): Action => {
        if (action.kind === 'sleep') return hasBegun ? { ...action, ns: action.ns * factor } : action;
        hasBegun ||= action.kind !== 'repeat' && action.kind !== 'annotation' && action.kind !== 'frame';
        if (!('body' in action) || action.body === undefined) return action;
        return { ...action, body: list(action.body, action.kind === 'op' ? inOps : factor) } as Action;
      });
    return { ...rank, threads: rank.threads.map((thread) => ({ ...thread, body: list(thread.body, outside) })) };
  });
  return { ...job, ranks };
}

/** What a loop sleeps before its first row is before the trace in its first pass, and in it in all others. */
export const beginsWithLoop = (job: Job): boolean =>
  job.ranks.some(({ threads }) => threads[0]?.body[0]?.kind === 'repeat');
