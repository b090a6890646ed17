import type { StepSummary } from '../../graph/step-series.ts';
import type { EventReference } from '../reference.ts';
import type { ScopeResult } from '../scope.ts';

/** What lengths are like, rounded to whole ns. Quantiles lie between two neighbours in proportion. */
export interface Spread {
  readonly totalNs: number;
  readonly minNs: number;
  readonly medianNs: number;
  readonly meanNs: number;
  readonly p95Ns: number;
  readonly maxNs: number;
}

/** One launch call. */
export interface Launch {
  readonly call: EventReference;
  /** The first of its device ops to begin; absent where it has none in the trace. */
  readonly op?: EventReference;
  /** Device ops that it made: the nodes of a graph launch. */
  readonly deviceOps: number;
  readonly callNs: number;
  /** A copy or fill that was over before the call came back: it waited for the device. */
  readonly waited?: true;
  /** From the call's end to the start of `op`; 0 where that began before. Absent without a device op. */
  readonly delayNs?: number;
  /** How much of the delay, wherever it lies in it, no earlier op of the stream ran. */
  readonly idleNs?: number;
  /** Durations of its device ops, summed. */
  readonly deviceNs: number;
  /** Device ops that waited on the stream of `op` when the call began; the one that ran does not count. */
  readonly queued?: number;
}

/** All launches by calls of one name. */
export interface LaunchApi {
  readonly name: string;
  readonly calls: number;
  /** Calls with at least one device op in the trace. */
  readonly linked: number;
  readonly deviceOps: number;
  readonly call: Spread;
  /** Of those that are linked; absent without any. */
  readonly delay?: Spread;
  /** Calls that took longer than their device ops together, and did not wait for them. */
  readonly short: number;
}

/** One stream. */
export interface LaunchLane {
  readonly lane: string;
  /** Calls in the windows whose first device op ran here. */
  readonly launches: number;
  /** Those that found nothing waiting on the stream. */
  readonly foundEmpty: number;
  /** Device ops waiting when a call began, over those calls. */
  readonly atLaunch: {
    readonly min: number;
    readonly median: number;
    readonly mean: number;
    readonly p95: number;
    readonly max: number;
  };
  /** Device ops waiting, each value weighted by how long it held in the windows; absent where the windows have no length. */
  readonly overTime?: StepSummary;
  /** How long at least `limits.fullQueue` launches waited. */
  readonly fullNs: number;
}

/** Device ops of one name that took less time than the calls that launched them; those that their calls waited for are left out. */
export interface ShortKernel {
  readonly name: string;
  readonly count: number;
  readonly deviceNs: number;
  readonly callNs: number;
  /** The one that its call exceeds most. */
  readonly example: EventReference;
}

/** The launch calls of the windows. */
export interface LaunchesResult extends ScopeResult {
  /** What the question was asked with. */
  readonly limits: { readonly minCallNs: number; readonly minDelayNs: number; readonly fullQueue: number };
  readonly calls: number;
  /** Those with at least one device op in the trace. */
  readonly linked: number;
  /** Device ops of those calls. */
  readonly deviceOps: number;
  readonly call: Spread;
  /** Of these the copies and fills that were over before their calls came back: calls that waited for the device. */
  readonly waited: { readonly calls: number; readonly callNs: number };
  /** Of linked launches; absent without any. */
  readonly delay?: Spread;
  /** Launches that found nothing waiting on their stream, and their share of the linked ones; absent without any. */
  readonly foundEmpty?: { readonly count: number; readonly share: number };
  /** Device ops that began before their call ended, and before it began: a delay of 0 each. */
  readonly early: { readonly beforeCallEnd: number; readonly beforeCallStart: number };
  /** Time on the path of the windows that launching costs. */
  readonly path: {
    readonly wallNs: number;
    /** From a call's end to its op's start, the device idle. */
    readonly latencyNs: number;
    /** In launch calls on the host. */
    readonly callsNs: number;
    /** Both, of the wall time, 0…1. */
    readonly launchBoundShare: number;
  };
  /** Calls that came back only when the stream's queue had room again, and how long they waited for it. */
  readonly blocked: { readonly calls: number; readonly blockedNs: number };
  /** Most calls first. */
  readonly apis: readonly LaunchApi[];
  /** Most launches first. */
  readonly lanes: readonly LaunchLane[];
  /**
   * How many calls took longer than `limits.minCallNs`, how many launches waited longer than `limits.minDelayNs`, and how many of these with
   * their stream idle for longer than that too.
   */
  readonly outliers: { readonly longCalls: number; readonly longDelays: number; readonly idleDelays: number };
  /** Longest first; with `launches` all of them, else 1,000 at most. */
  readonly longCalls: readonly Launch[];
  /** What left its stream idle longest comes first, then the longest delay; with `launches` all of them, else 1,000 at most. */
  readonly longDelays: readonly Launch[];
  /** Most time in calls first. */
  readonly shortKernels: readonly ShortKernel[];
  /** Launches of graphs, in time order; with `launches` all of them, else 1,000 at most. */
  readonly graphs: readonly Launch[];
  /** Every launch in time order, where it was asked for. */
  readonly launches?: readonly Launch[];
}
