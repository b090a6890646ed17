import type { Action, Job } from './program.ts';

/** What becomes of an action: scaled by a factor, or taken away (0 keeps its calls). */
export type Change =
  | { readonly kind: 'keep' }
  | { readonly kind: 'remove' }
  /** Its device time, or an op's own host time, times `factor`, rounded to ns after all draws. */
  | { readonly kind: 'scale'; readonly factor: number };

export const KEEP: Change = { kind: 'keep' };

/**
 * A job with some actions changed. What is removed leaves a gap in the program, so that all others keep their places and draw the
 * same numbers as before. An op that is removed takes what is in it along.
 */
export function changeJob(job: Job, decide: (action: Action) => Change): Job {
  const changed = new Map<readonly Action[], readonly Action[]>();
  const list = (actions: readonly Action[]): readonly Action[] => {
    const known = changed.get(actions);
    if (known !== undefined) return known;
    const made = actions.map((action) => changeAction(action, decide, list));
    changed.set(actions, made);
    return made;
  };
  const programs = new Map(
    [...new Set(job.ranks)].map((program) => [
      program,
      { ...program, threads: program.threads.map((thread) => ({ ...thread, body: list(thread.body) })) },
    ]),
  );
  return { ...job, ranks: job.ranks.map((program) => programs.get(program) ?? program) };
}

function changeAction(
  action: Action,
  decide: (action: Action) => Change,
  list: (actions: readonly Action[]) => readonly Action[],
): Action {
  const change = decide(action);
  if (change.kind === 'remove') return { kind: 'skip' };
  const kept = 'body' in action && action.body !== undefined ? { ...action, body: list(action.body) } : action;
  return change.kind === 'scale' && hasScale(kept) ? { ...kept, scale: (kept.scale ?? 1) * change.factor } : kept;
}

type Scaled = Extract<Action, { readonly scale?: number }>;

const SCALED: ReadonlySet<string> = new Set(['op', 'launch', 'copy', 'fill', 'graph', 'collective', 'send', 'receive']);
const hasScale = (action: Action): action is Scaled => SCALED.has(action.kind);
