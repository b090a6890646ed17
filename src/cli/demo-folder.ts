/** The folder that `demo --ranks` writes: a simulated job as profilers would have left it, a trace a rank. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { kinetoTrace } from '../sim/kineto.ts';
import type { Job } from '../sim/program.ts';
import { JobRun } from '../sim/run.ts';
import { quote } from './args.ts';
import { UsageError } from './exit.ts';
import { ensureTarget, refusalOf, writeTarget } from './target.ts';

/**
 * Makes `folder` where it is not there. Each file is treated as any that `--out` names; a folder that holds something else is refused before
 * anything is written, as what lies beside the ranks would be taken for one.
 */
export async function writeDemoFolder(folder: string, job: Job): Promise<void> {
  const names = job.ranks.map((_, rank) => `rank-${rank}.json.gz`);
  await mkdir(folder, { recursive: true }).catch(refusalOf('--out', folder));
  const other = (await readdir(folder)).find((name) => !names.includes(name));
  if (other !== undefined) {
    throw new UsageError(`--out ${folder} holds other files, such as ${quote(other)}; name a new folder`);
  }
  const paths = names.map((name) => join(folder, name));
  for (const to of paths) await ensureTarget('--out', { from: '', to });
  const run = new JobRun(job);
  for (const [rank, to] of paths.entries()) {
    await writeTarget('--out', to, Readable.from(kinetoTrace(job, run.truthOf(rank)).chunks));
  }
}
