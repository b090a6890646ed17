/** A job as commands open it: its options, its progress on a terminal, and where it is mapped. */
import { formatCount } from '../base/format.ts';
import { analysisOf } from '../analyses/registry.ts';
import type { Job } from '../fleet/job.ts';
import type { MapFileOptions } from '../session/job/map-rank-file.ts';
import { openJob, type Executor } from '../session/job/open-job.ts';
import { maxBytesOf, scopeOptionsOf, type Flags } from './args.ts';
import type { JobInput } from './input.ts';
import { startProgress } from './output.ts';

/** How each rank is read and looked at. */
export async function mapOptionsOf(flags: Flags): Promise<MapFileOptions> {
  const maxBytes = maxBytesOf(flags);
  return {
    ...analysisOf('critical-path').defaults,
    ...(await scopeOptionsOf(flags)),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(flags.skip === undefined ? {} : { skip: flags.skip }),
  };
}

/** Maps the files of a job; here, in as many threads as there are cores, unless `executor` does it elsewhere. */
export async function openJobInput({ files }: JobInput, flags: Flags, executor?: Executor): Promise<Job> {
  const options = await mapOptionsOf(flags);
  const progress = startProgress('mapping', `${files.length} ranks`, formatCount);
  try {
    return await openJob(files, options, (done, total) => progress.update(done, done / total), executor);
  } finally {
    progress.done();
  }
}
