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
  dependencies: Dependencies,
  bound: Binding,
  dropped: number,
): Coverage {
  let total = 0;
  let linked = 0;
  const waiting = new Set<number>();
  for (let op = 0; op < host.length; op++) {
    const hasRows = launches.first[op] < launches.first[op + 1];
    if (hasRows) linked++;
    if (hasRows || (calls.api[op] & Api.launch) !== 0) total++;
    if ((calls.api[op] & (Api.streamWait | Api.eventSync)) !== 0) waiting.add(op);
  }
  for (const wait of sync.waits) waiting.delete(wait.call);
  const { rowStatus } = sync;
  const count = (wanted: (status: EdgeStatus) => boolean): number => rowStatus.filter(wanted).length;
  const inferred = (rule: InferredRule): number => edges.filter((edge) => edge.status === `heuristic:${rule}`).length;
  let linkedOps = 0;
  for (let op = 0; op < device.length; op++) if (device.call[op] !== -1) linkedOps++;
  return {
    launches: { total, linked },
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
      callsWithoutRow: waiting.size,
    },
    inferred: {
      'wait-call': inferred('wait-call'),
      c10d: inferred('c10d'),
      'end-start': inferred('end-start'),
    },
    syncRows: { total: sync.syncRows },
    collectives: { total: classOf.filter((kind) => kind === 'collective').length, matched: 0 },
    inversions: bound.inversions,
    orderConflicts: dependencies.orderConflicts + dropped,
    ambiguous: bound.ambiguousCount,
    cutOps: dependencies.cutOps,
    laneOverlaps: dependencies.laneOverlaps,
  };
}
