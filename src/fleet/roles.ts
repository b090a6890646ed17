import type { JobGraph, JobRank } from './merge.ts';
import type { CommOp } from './model.ts';

const ONE_SIDED: ReadonlySet<string> = new Set(['send', 'recv'] satisfies CommOp[]);

/** Ranks that enqueue the same calls in the same order, so that they should do the same work. */
export interface Role {
  /** Indices of ranks, ascending. */
  readonly members: readonly number[];
}

/**
 * By the class of each call, the size of its group and, of sends and receives, whether the other side is a rank before or after: stages
 * of a pipeline that warm up for longer enqueue the same classes, but not so. Bytes and names may differ.
 */
export function findRoles(ranks: readonly JobRank[]): Role[] {
  const roles = new Map<string, number[]>();
  ranks.forEach(({ calls: { rank: number, calls, groups }, skeleton }, rank) => {
    const shapes = groups.map(({ size, ranks: members }) => size ?? members?.length ?? '?');
    const key = Array.from(skeleton.callOrder, (call) => {
      const { op, group, peer } = calls[call];
      return `${op}${peer === -1 || !ONE_SIDED.has(op) ? '' : peer < number ? '<' : '>'}/${shapes[group]}`;
    }).join(' ');
    roles.set(key, [...(roles.get(key) ?? []), rank]);
  });
  return [...roles.values()].map((members) => ({ members }));
}

/** What a rank does when it never waits for another one: each call ends its transfer after the rank's own arrival. */
export interface Alone {
  /** By kept moment of its skeleton, ns of its own clock. */
  readonly timeNs: Float64Array;
  /** By kept moment: the entry that bound it, or −1: an anchor, or a call's end. */
  readonly by: Int32Array;
}

/** O(kept moments + entries). `transferNs` as the job has them. */
export function runAlone({ ranks, first, transferNs }: JobGraph, rank: number): Alone {
  const { moments, entries, arrivalOf, endOf } = ranks[rank].skeleton;
  const callOf = new Int32Array(moments.kind.length).fill(-1);
  endOf.forEach((end, call) => {
    if (end !== -1) callOf[end] = call;
  });
  const timeNs = moments.timeNs.slice();
  const by = new Int32Array(timeNs.length).fill(-1);
  for (let kept = 0; kept < timeNs.length; kept++) {
    let latest = callOf[kept] === -1 ? -Infinity : timeNs[arrivalOf[callOf[kept]]] + transferNs[first[rank] + kept];
    for (let e = entries.first[kept]; e < entries.first[kept + 1]; e++) {
      const arrival = timeNs[entries.from[e]] + entries.lagNs[e];
      if (arrival > latest) [latest, by[kept]] = [arrival, e];
    }
    if (latest !== -Infinity) timeNs[kept] = latest;
  }
  return { timeNs, by };
}
