import { Random } from './draws.ts';
import { type KinetoOptions, NO_LOSS, PLAIN_KINETO } from './kineto-options.ts';
import {
  type Action,
  type Costs,
  EXACT_COSTS,
  type Group,
  type HostThread,
  type Job,
  type RankProgram,
} from './program.ts';
import { ActionMaker } from './random-actions.ts';

/** What a random program may hold. */
export interface RandomOptions {
  /** Rows of a rank, about. */
  readonly size: number;
  readonly loops: boolean;
  readonly polls: boolean;
  readonly graphs: boolean;
  readonly dependentLaunches: boolean;
  readonly workers: boolean;
  readonly manyThreads: boolean;
  /** Two threads may take their places on a stream in another order than that of their ids. */
  readonly races: boolean;
  readonly devices: boolean;
  readonly ranks: boolean;
  readonly jitter: boolean;
  /** Now and then more than 1,024 launches in a row. */
  readonly fullQueues: boolean;
  readonly implicitSyncs: boolean;
  /** Graphs are captured too: calls that enqueue nothing. */
  readonly captures: boolean;
  /** The trace may lose rows and ids. */
  readonly loss: boolean;
}

export const EVERYTHING: RandomOptions = {
  size: 80,
  loops: true,
  polls: true,
  graphs: true,
  dependentLaunches: true,
  workers: true,
  manyThreads: true,
  races: true,
  devices: true,
  ranks: true,
  jitter: true,
  fullQueues: true,
  implicitSyncs: true,
  captures: true,
  loss: true,
};

export interface RandomCase {
  readonly job: Job;
  readonly kineto: KinetoOptions;
}

/** A small job that mixes every feature, and a way to write its traces; the same for the same seed. */
export function randomCase(seed: number, options: RandomOptions = EVERYTHING): RandomCase {
  const random = new Random(seed);
  const kineto = randomKineto(random, options);
  return { job: randomJob(seed, random, options, kineto), kineto };
}

function randomJob(seed: number, random: Random, options: RandomOptions, kineto: KinetoOptions): Job {
  const deviceCount = options.devices && random.chance(0.3) ? 2 : 1;
  const rankCount = options.ranks && random.chance(0.2) ? random.from(2, 3) : 1;
  // Without its own row a record's device is known by its stream's number alone.
  const everyRecordShown = kineto.recordRows !== 'none' && kineto.loss === NO_LOSS;
  const maker = new ActionMaker(random, {
    ...options,
    streams: randomStreams(random, deviceCount, everyRecordShown && random.chance(0.5)),
    group: rankCount > 1 ? 'world' : undefined,
    rankCount,
    worker: options.workers && random.chance(0.4) ? 1 : undefined,
  });
  const threads = randomThreads(random, options, maker, Math.ceil(options.size / (rankCount > 1 ? 1.5 : 1)));
  const ranks = Array.from({ length: rankCount }, (_, rank): RankProgram => {
    const program = { threads: threads.map((thread) => ({ ...thread, body: forRank(thread.body, rank) })) };
    if (rankCount === 1) return program;
    return {
      ...program,
      hostScale: 0.8 + 0.5 * random.next(),
      deviceScale: 0.8 + 0.5 * random.next(),
      clock: { offsetNs: random.from(-2_000_000, 2_000_000), driftPpm: random.chance(0.5) ? random.from(-30, 30) : 0 },
    };
  });
  const world: Group = { name: 'world', description: 'default_pg', ranks: ranks.map((_, rank) => rank) };
  return {
    name: `random ${seed}`,
    story: 'a random mix of everything',
    seed,
    costs: randomCosts(random, options),
    groups: rankCount > 1 ? [world] : [],
    ranks,
  };
}

interface StreamChoice {
  readonly device: number;
  readonly stream: number;
}

function randomStreams(random: Random, deviceCount: number, mayShareNumbers: boolean): StreamChoice[] {
  const first = [7, 20, 24, 28].slice(0, random.from(1, 4));
  const streams = first.map((stream) => ({ device: 0, stream }));
  if (deviceCount === 1) return streams;
  const second = (mayShareNumbers ? [7, 20, 27] : [27, 40, 41]).slice(0, random.from(1, 3));
  return [...streams, ...second.map((stream) => ({ device: 1, stream }))];
}

function randomThreads(random: Random, options: RandomOptions, maker: ActionMaker, size: number): HostThread[] {
  const body = maker.list(size, 0);
  const isLoop = options.loops && random.chance(0.4);
  const planned = isLoop ? steps(random, maker, size) : body;
  const main = options.fullQueues && random.chance(0.003) ? [...planned, maker.flood(), maker.deviceSync()] : planned;
  const threads: HostThread[] = [
    { name: 'python', body: main },
    { name: 'pt_autograd_0', body: [] },
  ];
  if (options.manyThreads && random.chance(0.35)) {
    threads.push({ name: 'launcher', body: maker.threadList(Math.ceil(size / 4)), startNs: random.from(0, 60_000) });
  }
  if (options.manyThreads && options.polls && random.chance(0.2)) {
    threads.push({ name: 'pt_nccl_watchdg', body: maker.watchdog(random.from(2, 6)), startNs: random.from(0, 40_000) });
  }
  return threads;
}

function steps(random: Random, maker: ActionMaker, size: number): readonly Action[] {
  const times = random.from(2, 4);
  const body = maker.list(Math.ceil(size / times), 0);
  const step: Action = { kind: 'annotation', name: 'ProfilerStep#{i}', body };
  const last = random.chance(0.6) ? [maker.deviceSync()] : [];
  return [{ kind: 'repeat', times, body: [step, ...(random.chance(0.3) ? [maker.sleep()] : [])] }, ...last];
}

/** Of a pair of ranks one sends and the other receives; a third does neither. */
function forRank(actions: readonly Action[], rank: number): readonly Action[] {
  return actions.map((action): Action => {
    if (action.kind === 'send') {
      if (rank === 0) return action;
      return rank === 1 ? { ...action, kind: 'receive', peer: 0 } : { kind: 'skip' };
    }
    return 'body' in action && action.body !== undefined ? { ...action, body: forRank(action.body, rank) } : action;
  });
}

function randomCosts(random: Random, { jitter, races }: RandomOptions): Costs {
  const isNoisy = jitter && random.chance(0.5);
  const about = (ns: number): number => Math.round(ns * (0.5 + random.next()));
  return {
    ...EXACT_COSTS,
    launchNs: about(6_000),
    streamGapNs: about(1_000),
    eventWaitNs: about(1_500),
    graphGapNs: about(800),
    syncReturnNs: about(2_000),
    enqueueNs: races && random.chance(0.1) ? 800 : 0,
    hostJitter: isNoisy ? 0.3 : 0,
    deviceJitter: isNoisy ? 0.05 : 0,
    latencyJitter: isNoisy ? 0.25 : 0,
  };
}

function randomKineto(random: Random, options: RandomOptions): KinetoOptions {
  const isHip = random.chance(0.1);
  const generation = random.pick(['early-2023', 'late-2023', '2026'] as const);
  const hasRecords = !isHip && generation !== 'early-2023' && random.chance(0.7);
  return {
    ...PLAIN_KINETO,
    generation,
    vendor: isHip ? 'hip' : 'cuda',
    resolution: random.chance(0.15) ? 'us' : 'ns',
    epoch: random.chance(0.5) ? 'base' : 'absolute',
    syncRows: isHip ? random.chance(0.3) : !options.loss || random.chance(0.95),
    recordRows: hasRecords ? random.pick(['zero-time', 'timed'] as const) : 'none',
    flows: random.chance(0.7),
    gpuAnnotations: random.chance(0.5),
    collectiveArgs: random.pick(['all', 'all', 'op', 'none'] as const),
    collectiveSequence: random.chance(0.7),
    correlationBase: random.chance(0.05) ? 2 ** 32 - random.from(101, 140) : 0,
    loss: options.loss && random.chance(0.35) ? randomLoss(random) : NO_LOSS,
  };
}

/** Each kind of loss at times, so that most traces show only one or two. */
function randomLoss(random: Random): KinetoOptions['loss'] {
  const share = (chance: number): number => (random.chance(chance) ? random.pick([0.1, 0.3, 1]) : 0);
  return {
    seed: random.below(1e6),
    syncRows: share(0.25),
    recordRows: share(0.25),
    deviceRows: random.chance(0.2) ? 0.1 : 0,
    lostIds: share(0.3),
    lostEventIds: share(0.2),
    futureIds: share(0.3),
    idleStreamWaits: random.pick(['keep', 'keep', 'drop-unused', 'drop-before-first'] as const),
    captureFromNs: random.chance(0.15) ? random.from(5_000, 150_000) : -Infinity,
    captureToNs: random.chance(0.15) ? random.from(150_000, 500_000) : Infinity,
  };
}
