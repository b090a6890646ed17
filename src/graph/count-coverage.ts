import { Api } from './api-names.ts';
import type { Binding } from './binding.ts';
import type { Coverage } from './coverage.ts';
import type { Dependencies } from './dependencies.ts';
import type { Indices } from './graph.ts';
import type { InferredRule } from './inferred-edge.ts';
import type { Edge, EdgeStatus } from './sync-edges.ts';

/** Counts what was resolved, guessed and lost. */
export function coverageOf(
  { host, calls, device, launches, sync, classOf }: Indices,
  edges: readonly Edge[],
  dependencies: Omit<Dependencies, 'constraints'>,
  bound: Binding,
  dropped: number,
): Coverage {
  let linked = 0;
  const { calls: launching, first } = launches;
  for (let i = 0; i < launching.length; i++) if (first[launching[i]] < first[launching[i] + 1]) linked++;
  const isWaiting = new Uint8Array(host.length);
  for (let op = 0; op < host.length; op++) {
    if ((calls.api[op] & (Api.streamWait | Api.eventSync)) !== 0) isWaiting[op] = 1;
  }
  for (const { call } of sync.waits) if (call !== -1) isWaiting[call] = 0;
  const { rowStatus } = sync;
  const count = (wanted: (status: EdgeStatus) => boolean): number => rowStatus.filter(wanted).length;
  let linkedOps = 0;
  for (let op = 0; op < device.length; op++) if (device.call[op] !== -1) linkedOps++;
  return {
    launches: { total: launching.length, linked },
    deviceOps: { total: device.length, linked: linkedOps },
    waits: {
      total: rowStatus.length,
      resolved: count((status) => status === 'resolved'),
      empty: count((status) => status === 'empty'),
      sameStream: count((status) => status === 'same-stream'),
      noSink: count((status) => status === 'no-sink'),
      future: count((status) => status === 'future'),
      unresolved: count((status) => status === 'unresolved'),
      heuristic: count((status) => status.startsWith('heuristic:')),
      callsWithoutRow: sumOf(isWaiting),
    },
    inferred: countInferred(edges),
    syncRows: { total: sync.syncRows },
    collectives: { total: classOf.filter((kind) => kind === 'collective').length, matched: 0 },
    inversions: bound.inversions,
    orderConflicts: dependencies.orderConflicts + dropped,
    ambiguous: bound.ambiguousCount,
    cutOps: dependencies.cutOps,
    laneOverlaps: dependencies.laneOverlaps,
  };
}

/** The same with edges more, and what they changed. */
export const coverageWith = (before: Coverage, edges: readonly Edge[], bound: Binding): Coverage => ({
  ...before,
  inferred: countInferred(edges),
  inversions: bound.inversions,
  ambiguous: bound.ambiguousCount,
});

function countInferred(edges: readonly Edge[]): Coverage['inferred'] {
  const count = (rule: InferredRule): number => edges.filter(({ status }) => status === `heuristic:${rule}`).length;
  return { 'wait-call': count('wait-call'), c10d: count('c10d'), 'end-start': count('end-start') };
}

function sumOf(flags: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < flags.length; i++) sum += flags[i];
  return sum;
}
