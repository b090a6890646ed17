import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { kinetoTrace } from '../sim/kineto.ts';
import type { Job } from '../sim/program.ts';
import { JobRun } from '../sim/run.ts';

/** Writes what the profiler would have of a simulated job: a file a rank, `rank-3.json.gz`. Gives their paths, by rank. */
export async function writeJobFolder(folder: string, job: Job): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const run = new JobRun(job);
  const paths: string[] = [];
  for (let rank = 0; rank < run.rankCount; rank++) {
    const path = join(folder, `rank-${rank}.json.gz`);
    const { chunks } = kinetoTrace(job, run.truthOf(rank));
    await pipeline(Readable.from(chunks), createGzip({ level: 1 }), createWriteStream(path));
    paths.push(path);
  }
  return paths;
}
