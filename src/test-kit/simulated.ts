// Simulated jobs as our own reader reads their traces.
import { kinetoText } from '../sim/kineto.ts';
import { type KinetoOptions, PLAIN_KINETO } from '../sim/kineto-options.ts';
import type { Job } from '../sim/program.ts';
import { JobRun } from '../sim/run.ts';
import type { Trace } from '../trace/trace.ts';
import { readJson } from './draw.ts';

export const simulatedTrace = (job: Job, rank = 0, options: KinetoOptions = PLAIN_KINETO): Trace =>
  readJson(kinetoText(job, new JobRun(job).truthOf(rank), options), `${job.name}.json`);
