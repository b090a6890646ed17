// Communication calls written down, for what is asked of many ranks without their traces.
import type { CommCall, CommGroup, RankCalls } from '../fleet/model.ts';

export const commGroup = (more: Partial<CommGroup> = {}): CommGroup => ({
  key: 'g|0+1×2',
  name: 'g',
  description: '',
  ranks: [0, 1],
  size: 2,
  signature: '',
  ...more,
});

/** An all-reduce of 40 bytes from `start` to `end`, µs. */
export const commCall = (start: number, end: number, more: Partial<CommCall> = {}): CommCall => ({
  events: [],
  startNs: start * 1_000,
  endNs: end * 1_000,
  op: 'all-reduce',
  name: 'allreduce',
  group: 0,
  sequence: -1,
  commsId: '',
  peer: -1,
  bytesIn: 40,
  bytesOut: 40,
  dtype: 'Float',
  sizeBytes: 40,
  step: -1,
  annotation: '',
  hasZeroSplit: false,
  from: 'args',
  ...more,
});

/** Ranks 0, 1, … with these calls; the job has no others. */
export const commJob = (
  calls: readonly (readonly CommCall[])[],
  groups: readonly CommGroup[] = [commGroup()],
  origins: readonly string[] = [],
): RankCalls[] =>
  calls.map((list, rank) => ({
    rank,
    worldSize: calls.length,
    originUnixNs: origins[rank] ?? '0',
    groups,
    steps: ['ProfilerStep#1', 'ProfilerStep#2'],
    calls: list,
  }));
