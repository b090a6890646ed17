// The programs that the graph is proven on.
import type { Action, Costs, Job } from '../sim/program.ts';
import { EVERYTHING, type RandomOptions, randomCase } from '../sim/random.ts';
import type { ProofCase } from './proof.ts';

/**
 * A trace of a hundred rows holds too few cases to learn a latency from, so that the graph takes its defaults: 6 µs for a launch, 1.5 µs for
 * all else. A machine with other latencies would let it choose wrongly between causes that arrive within a few µs: that is what
 * `ambiguous` is for. To see that it chooses right wherever it can know, the machines of three programs in four have exactly these;
 * the others have random ones, and may be excused by `ambiguous`. So may those that vary.
 */
const DEFAULT_LATENCIES: Partial<Costs> = {
  launchNs: 6_000,
  streamGapNs: 1_500,
  eventWaitNs: 1_500,
  graphGapNs: 1_500,
  syncReturnNs: 1_500,
};
const TRIGGER_NS = 1_500;

const LEVELS: Readonly<Record<string, Partial<RandomOptions>>> = {
  plain: {
    loops: false,
    polls: false,
    graphs: false,
    dependentLaunches: false,
    workers: false,
    manyThreads: false,
    races: false,
    devices: false,
    ranks: false,
    jitter: false,
    fullQueues: false,
    implicitSyncs: false,
    captures: false,
    loss: false,
  },
};

/** A random program and trace, the same for the same seed. */
export function proofCase(seed: number, level = ''): ProofCase {
  const [base, ...features] = level.split('+');
  const options: Record<string, number | boolean> = { ...EVERYTHING, ...LEVELS[base ?? ''] };
  for (const feature of features) options[feature] = true;
  const { job, kineto } = randomCase(seed, options as unknown as RandomOptions);
  const { hostJitter, deviceJitter, latencyJitter } = job.costs;
  const isSteady = hostJitter + deviceJitter + latencyJitter === 0;
  // Launches into a full queue block by a rule of CUDA's.
  const costs: Costs = kineto.vendor === 'hip' ? { ...job.costs, queueLength: Infinity } : job.costs;
  if (seed % 4 === 0) return { job: { ...job, costs }, kineto, isExact: false };
  return { job: withDefaults({ ...job, costs }), kineto, isExact: isSteady };
}

function withDefaults(job: Job): Job {
  const { callNs } = job.costs;
  const costs = {
    ...job.costs,
    ...DEFAULT_LATENCIES,
    callNs: { ...callNs, copy: 1_500, sync: 1_500, allocate: 1_500 },
  };
  const ranks = job.ranks.map((rank) => ({
    ...rank,
    hostScale: 1,
    threads: rank.threads.map((thread) => ({ ...thread, body: thread.body.map(withTrigger) })),
  }));
  return { ...job, costs, ranks };
}

function withTrigger(action: Action): Action {
  if (action.kind === 'launch' && action.dependent !== undefined) {
    return { ...action, dependent: { ...action.dependent, triggerNs: TRIGGER_NS } };
  }
  if (!('body' in action) || action.body === undefined) return action;
  return { ...action, body: action.body.map(withTrigger) };
}
