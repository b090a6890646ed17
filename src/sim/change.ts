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
  const kept = withLists(action, list);
  return change.kind === 'scale' && hasScale(kept) ? { ...kept, scale: (kept.scale ?? 1) * change.factor } : kept;
}

/** The action with each of its lists changed. */
function withLists(action: Action, list: (actions: readonly Action[]) => readonly Action[]): Action {
  if (!('body' in action) || action.body === undefined) return action;
  if (action.kind !== 'repeat' || action.otherPasses === undefined) return { ...action, body: list(action.body) };
  const otherPasses = action.otherPasses.map(({ pass, body }) => ({ pass, body: list(body) }));
  return { ...action, body: list(action.body), otherPasses };
}

/** A job of which one step, the pass of each thread's first repetition, is changed, and nothing before or after it. */
export function changeStep(job: Job, step: number, decide: (action: Action) => Change): Job {
  const changed = changeJob(job, decide);
  const ranks = job.ranks.map((program, rank) => ({
    ...program,
    threads: program.threads.map((thread, t) => {
      const at = thread.body.findIndex(({ kind }) => kind === 'repeat');
      const other = changed.ranks[rank].threads[t].body[at];
      const body = thread.body.map((action, n) => (n === at ? withPass(action, step, other) : action));
      return { ...thread, body };
    }),
  }));
  return { ...job, ranks };
}

function withPass(action: Action, pass: number, other: Action): Action {
  if (action.kind !== 'repeat' || other.kind !== 'repeat') return action;
  const kept = (action.otherPasses ?? []).filter((each) => each.pass !== pass);
  const changed = other.otherPasses?.find((each) => each.pass === pass)?.body ?? other.body;
  return { ...action, otherPasses: [...kept, { pass, body: changed }] };
}

type Scaled = Extract<Action, { readonly scale?: number }>;

const SCALED: ReadonlySet<string> = new Set(['op', 'launch', 'copy', 'fill', 'graph', 'collective', 'send', 'receive']);
const hasScale = (action: Action): action is Scaled => SCALED.has(action.kind);
