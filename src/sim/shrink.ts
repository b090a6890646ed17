import type { Action, Costs, Job } from './program.ts';

/** Changes one list of actions. The same list of every rank is changed alike, so that ranks still meet. */
type Edit = (actions: readonly Action[]) => readonly Action[];

/** The way to a list: a thread, then places in lists. */
interface Path {
  readonly thread: number;
  readonly at: readonly number[];
}

/** Smaller jobs than this one, the smallest first. */
export function* smallerJobs(job: Job): Generator<Job> {
  for (let thread = job.ranks[0].threads.length - 1; thread > 0; thread--) {
    if (job.ranks[0].threads[thread].body.length > 0) yield edit(job, { thread, at: [] }, () => []);
  }
  for (const path of listPaths(job)) {
    const { length } = listAt(job, path);
    for (let size = length; size >= 1; size = Math.floor(size / 2)) {
      for (let from = 0; from + size <= length; from += size) {
        yield edit(job, path, (list) => [...list.slice(0, from), ...list.slice(from + size)]);
      }
    }
  }
  for (const path of listPaths(job)) {
    for (const [n, action] of listAt(job, path).entries()) {
      if ('body' in action && action.body !== undefined && action.kind !== 'fork') {
        yield edit(job, path, (list) => [...list.slice(0, n), ...bodyOf(list[n]), ...list.slice(n + 1)]);
      }
      if (action.kind === 'repeat' && action.times > 1) {
        const fewer = action.times > 8 ? action.times >> 1 : action.times - 1;
        yield edit(job, path, (list) =>
          list.map((each, i) => (i === n ? { ...action, ...each, times: fewer } : each) as Action),
        );
      }
    }
  }
  const { hostJitter, deviceJitter, latencyJitter, enqueueNs } = job.costs;
  const calm: Partial<Costs>[] = [];
  if (hostJitter + deviceJitter + latencyJitter > 0) calm.push({ hostJitter: 0, deviceJitter: 0, latencyJitter: 0 });
  if (enqueueNs > 0) calm.push({ enqueueNs: 0 });
  for (const change of calm) yield { ...job, costs: { ...job.costs, ...change } };
}

/** The smallest job found that still fails; `fails` is asked at most `tries` times. A job that cannot run does not count as failing. */
export function shrink(job: Job, fails: (job: Job) => boolean, tries = 2_000): Job {
  let smallest = job;
  let left = tries;
  for (;;) {
    let found: Job | undefined;
    for (const candidate of smallerJobs(smallest)) {
      if (left-- <= 0) return smallest;
      if (!fails(candidate)) continue;
      found = candidate;
      break;
    }
    if (found === undefined) return smallest;
    smallest = found;
  }
}

const bodyOf = (action: Action): readonly Action[] => ('body' in action ? (action.body ?? []) : [action]);

function listPaths(job: Job): Path[] {
  const paths: Path[] = [];
  const visit = (path: Path, list: readonly Action[]): void => {
    paths.push(path);
    list.forEach((action, n) => {
      if ('body' in action && action.body !== undefined) visit({ ...path, at: [...path.at, n] }, action.body);
    });
  };
  job.ranks[0].threads.forEach(({ body }, thread) => visit({ thread, at: [] }, body));
  return paths;
}

function listAt(job: Job, { thread, at }: Path): readonly Action[] {
  let list = job.ranks[0].threads[thread].body;
  for (const n of at) list = bodyOf(list[n]);
  return list;
}

function edit(job: Job, path: Path, change: Edit): Job {
  const ranks = job.ranks.map((program) => {
    const threads = program.threads.map((thread, t) =>
      t === path.thread ? { ...thread, body: editList(thread.body, path.at, change) } : thread,
    );
    return { ...program, threads };
  });
  return { ...job, ranks };
}

function editList(list: readonly Action[], at: readonly number[], change: Edit): readonly Action[] {
  if (at.length === 0) return change(list);
  const [n, ...rest] = at;
  return list.map((action, i) => {
    if (i !== n || !('body' in action) || action.body === undefined) return action;
    return { ...action, body: editList(action.body, rest, change) };
  });
}
