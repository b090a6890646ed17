/** How the profiler of a simulated run writes what it saw, and what it loses. */
export interface KinetoOptions {
  /** Whose sync rows: see section 4 of the specification. */
  readonly generation: 'early-2023' | 'late-2023' | '2026';
  readonly vendor: 'cuda' | 'hip';
  /** `us`: starts and ends are cut to whole µs. */
  readonly resolution: 'ns' | 'us';
  /** `base`: times relative to `baseTimeNanoseconds`, as since 2024; `absolute`: since 1970. */
  readonly epoch: 'base' | 'absolute';
  readonly syncRows: boolean;
  /** `zero-time`: rows of records have the timestamp 0, as before CUDA 12.8. */
  readonly recordRows: 'none' | 'zero-time' | 'timed';
  /** Sync rows of event queries. */
  readonly queryRows: boolean;
  readonly flows: boolean;
  /** Ranges of annotations projected on the devices: `gpu_user_annotation`, not work. */
  readonly gpuAnnotations: boolean;
  /** Which rows say what a collective is: its kernel and its `record_param_comms`, that op alone, or none. */
  readonly collectiveArgs: 'all' | 'op' | 'none';
  /** Do collective args have `Seq`? */
  readonly collectiveSequence: boolean;
  /** Do they have `Rank`: of rooted ones the root's place in the group, of transfers the other side's, else one's own? */
  readonly collectiveRank: boolean;
  /** Added to every correlation id; ids begin again at 1 after 2^32 − 1. */
  readonly correlationBase: number;
  readonly loss: Loss;
}

/** Shares are of 0…1; which rows are hit is drawn from the seed. */
export interface Loss {
  readonly seed: number;
  /** Sync rows that are not written. */
  readonly syncRows: number;
  /** Record rows that are not written. */
  readonly recordRows: number;
  /** Device rows that are not written. */
  readonly deviceRows: number;
  /** Sync rows whose stream and record are −1. */
  readonly lostIds: number;
  /** Sync rows of which the event's id is −1 too. */
  readonly lostEventIds: number;
  /** Sync rows that name a later record of their event, where there is one. */
  readonly futureIds: number;
  /** Stream waits of streams that have no op in the trace, or none before the wait, are not written. */
  readonly idleStreamWaits: 'keep' | 'drop-unused' | 'drop-before-first';
  /** Rows that begin earlier or end later are not written; true ns. */
  readonly captureFromNs: number;
  readonly captureToNs: number;
}

export const NO_LOSS: Loss = {
  seed: 1,
  syncRows: 0,
  recordRows: 0,
  deviceRows: 0,
  lostIds: 0,
  lostEventIds: 0,
  futureIds: 0,
  idleStreamWaits: 'keep',
  captureFromNs: -Infinity,
  captureToNs: Infinity,
};

export const PLAIN_KINETO: KinetoOptions = {
  generation: 'late-2023',
  vendor: 'cuda',
  resolution: 'ns',
  epoch: 'base',
  syncRows: true,
  recordRows: 'timed',
  queryRows: true,
  flows: true,
  gpuAnnotations: true,
  collectiveArgs: 'all',
  collectiveSequence: true,
  collectiveRank: false,
  correlationBase: 0,
  loss: NO_LOSS,
};

/** The correlation id that is written of a call or of device work. Ids have 32 bits, and 0 links nothing. */
export function writtenCorrelation(correlation: number, { correlationBase }: KinetoOptions): number {
  const id = correlation + correlationBase;
  return id < 2 ** 32 ? id : id - 2 ** 32 + 1;
}
