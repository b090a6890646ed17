// Simulated jobs as our own reader reads their traces.
import { kinetoText } from '../sim/kineto.ts';
import { type KinetoOptions, PLAIN_KINETO } from '../sim/kineto-options.ts';
import { type Costs, EXACT_COSTS, type Job } from '../sim/program.ts';
import { EVERYTHING } from '../sim/random.ts';
import { JobRun } from '../sim/run.ts';
import type { Trace } from '../trace/trace.ts';
import { readJson } from './draw.ts';

export const simulatedTrace = (job: Job, rank = 0, options: KinetoOptions = PLAIN_KINETO): Trace =>
  readJson(kinetoText(job, new JobRun(job).truthOf(rank), options), `${job.name}.json`);

/** Too few rows to learn a latency from, so that the graph takes its defaults: the machine has exactly these. */
export const KNOWN_COSTS: Costs = {
  ...EXACT_COSTS,
  streamGapNs: 1_500,
  eventWaitNs: 1_500,
  graphGapNs: 1_500,
  syncReturnNs: 1_500,
  callNs: { ...EXACT_COSTS.callNs, copy: 1_500, sync: 1_500, allocate: 1_500 },
};

/** Programs of one rank with everything mixed but what changes by itself when times change: loops that poll, races, full queues. */
export const MIXED = {
  ...EVERYTHING,
  size: 80,
  polls: false,
  jitter: false,
  loss: false,
  races: false,
  ranks: false,
  fullQueues: false,
  captures: false,
} as const;

/**
 * All that a trace tells of itself. It does not tell the order of a graph's nodes, after how long a dependent launch may begin, or in
 * which order two threads would have enqueued; a drawn graph's calls have no op by whose name they could be removed.
 */
export const TOLD = {
  ...MIXED,
  workers: false,
  implicitSyncs: false,
  graphs: false,
  dependentLaunches: false,
  manyThreads: false,
} as const;
