import { deviationOf, distributionOf } from '../../base/distribution.ts';
import { pick } from '../../base/pick.ts';
import type { Graph } from '../../graph/graph.ts';
import { referTo } from '../refer.ts';
import type { Members } from './members.ts';
import type { Durations, KernelsRow } from './result.ts';

/** Rows of `Members` by group, in compressed rows. Groups are numbered by their first member. */
export interface Grouping {
  readonly count: number;
  /** Members of group `g`: `rows[first[g]]` … `rows[first[g + 1] − 1]`. */
  readonly first: Int32Array;
  readonly rows: Int32Array;
}

/** `keyOf` gives a number that is equal for the members of a group. O(n). */
export function groupBy(length: number, keyOf: (row: number) => number): Grouping {
  const groups = new Map<number, number>();
  const groupOf = new Int32Array(length);
  for (let row = 0; row < length; row++) {
    const key = keyOf(row);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = groups.size));
    groupOf[row] = group;
  }
  const first = new Int32Array(groups.size + 1);
  for (let row = 0; row < length; row++) first[groupOf[row] + 1]++;
  for (let group = 0; group < groups.size; group++) first[group + 1] += first[group];
  const next = first.slice();
  const rows = new Int32Array(length);
  for (let row = 0; row < length; row++) rows[next[groupOf[row]]++] = row;
  return { count: groups.size, first, rows };
}

/** What all groups have in common. */
type Shared = Omit<KernelsRow, 'name' | 'class' | 'devices' | 'perWindow'>;

export function summarize(graph: Graph, members: Members, rows: Int32Array, opTimeNs: number): Shared {
  let totalNs = 0;
  let pathNs = 0;
  let slackNs = Infinity;
  let [largest] = rows;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    totalNs += members.insideNs[row];
    pathNs += members.pathNs[row];
    slackNs = Math.min(slackNs, members.slackNs[row]);
    if (members.durNs[row] > members.durNs[largest]) largest = row;
  }
  return {
    count: rows.length,
    totalNs,
    share: opTimeNs > 0 ? totalNs / opTimeNs : 0,
    pathNs,
    ...(slackNs === Infinity ? {} : { slackNs }),
    ...durationsOf(pick(members.durNs, rows)),
    largest: referTo(graph, graph.device.event[members.op[largest]]),
  };
}

export function durationsOf(durNs: Float64Array): Durations {
  const { min, median, mean, p95, max } = distributionOf(durNs) ?? { min: 0, median: 0, mean: 0, p95: 0, max: 0 };
  const stddev = deviationOf(durNs);
  return {
    minNs: min,
    medianNs: Math.round(median),
    meanNs: Math.round(mean),
    p95Ns: Math.round(p95),
    maxNs: max,
    ...(stddev === undefined ? {} : { stddevNs: Math.round(stddev) }),
  };
}
