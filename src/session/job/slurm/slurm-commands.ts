// Slurm's own programs. Everything goes to them as separate arguments: no shell sees a name.
import { spawn } from 'node:child_process';

/** What Slurm refuses, or that it is not there: a line for whoever asked. */
export class SlurmError extends Error {}

/** What a program of Slurm's prints. Rejects with a `SlurmError`. */
function slurm(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [printed, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(new SlurmError(error.code === 'ENOENT' ? `${program} is not installed here` : error.message)),
    );
    child.on('close', (code) => {
      if (code === 0) resolve(printed);
      else reject(new SlurmError(`${program}: ${said.trim().split('\n').at(-1) ?? `ended with ${code}`}`));
    });
  });
}

/** Submits a batch script with its arguments; gives the job's id. `folder`: where it runs. Rejects with a `SlurmError`. */
export async function submit(
  options: readonly string[],
  folder: string,
  script: string,
  args: readonly string[],
): Promise<string> {
  const printed = await slurm('sbatch', ['--parsable', `--chdir=${folder}`, '--ntasks=1', ...options, script, ...args]);
  const id = /^(\d+)(;|$)/m.exec(printed.trim())?.[1];
  if (id === undefined) throw new SlurmError(`sbatch gave no job id but ${JSON.stringify(printed.slice(0, 100))}`);
  return id;
}

/** In these a job or a task does nothing any more. */
const ENDED: ReadonlySet<string> = new Set([
  'BOOT_FAIL',
  'CANCELLED',
  'COMPLETED',
  'DEADLINE',
  'FAILED',
  'NODE_FAIL',
  'OUT_OF_MEMORY',
  'PREEMPTED',
  'REVOKED',
  'TIMEOUT',
]);

export interface JobState {
  /** Nothing of these jobs waits or runs. */
  readonly hasEnded: boolean;
  readonly running: number;
  /** By number of an array's task that ended: how. */
  readonly ends: ReadonlyMap<number, string>;
}

/** How jobs stand. A job that Slurm has forgotten has ended. Rejects with a `SlurmError`. */
export async function stateOf(ids: readonly string[]): Promise<JobState> {
  const args = ['--noheader', '--states=all', '--array', '--format=%K|%T', `--jobs=${ids.join(',')}`];
  const printed = await slurm('squeue', args).catch((error: unknown) => {
    if (error instanceof SlurmError && /invalid job id/i.test(error.message)) return '';
    throw error;
  });
  const rows = printed.split('\n').flatMap((line) => {
    const [task = '', state = ''] = line.trim().split('|');
    return state === '' ? [] : [{ task, state }];
  });
  return {
    hasEnded: rows.every(({ state }) => ENDED.has(state)),
    running: rows.filter(({ state }) => state === 'RUNNING').length,
    ends: new Map(
      rows.flatMap(({ task, state }) => (ENDED.has(state) && /^\d+$/.test(task) ? [[Number(task), state]] : [])),
    ),
  };
}

/** The arguments with which `scancel` ends jobs; it does not mind those that have ended. */
export const cancelArgs = (ids: readonly string[]): readonly string[] => ['--quiet', ...ids];
