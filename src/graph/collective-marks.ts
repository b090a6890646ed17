import { NO_STRING, type StringId } from '../trace/ids.ts';
import { type GatheredCall, collectiveRow } from './collective-calls.ts';
import { listOf } from './dtype.ts';
import type { Graph } from './graph.ts';

/** By what a call is known on other ranks too, from the kernel's args, else from those of the `record_param_comms` that launched it. */
export interface CollectiveMarks {
  /** `Comms Id` as text; '' where not told. */
  readonly commsId: string;
  /** `Rank`: of a rooted operation the root's place in the group, of a send or a receive the other side's, else one's own; −1 where not told. */
  readonly place: number;
  /** `Src Rank` or `Dst Rank`: the global rank on the other side; −1 where not told. */
  readonly peerRank: number;
  /** Evenly spaced ranks of the group: the first, and the distance; −1 where not told. */
  readonly rankStart: number;
  readonly rankStride: number;
  /** Some member gets nothing from it, or sends it nothing, as far as the lists are not cut. */
  readonly hasZeroSplit: boolean;
}

/** O(1) beside the search for the rows. */
export function marksOf(graph: Graph, { ops, record, earlier }: GatheredCall): CollectiveMarks {
  const { device, host, trace } = graph;
  const { collectives, strings } = trace;
  // Of several records that one kernel sums up, each has another peer.
  const told = record !== -1 ? [record] : earlier.length === 1 ? earlier : [];
  const events = [device.event[ops[0]], ...told.map((op) => host.event[op])];
  const rows = events.map((event) => collectiveRow(graph, event)).filter((row) => row !== -1);
  const number = (column: ArrayLike<number>): number =>
    rows.map((row) => column[row]).find((value) => value >= 0) ?? -1;
  const text = (column: ArrayLike<StringId>): string => {
    const found = rows.map((row) => column[row]).find((id) => id !== NO_STRING);
    return found === undefined ? '' : strings.text(found);
  };
  return {
    commsId: text(collectives.commsId),
    place: number(collectives.rank),
    peerRank: number(collectives.peerRank),
    rankStart: number(collectives.rankStart),
    rankStride: number(collectives.rankStride),
    hasZeroSplit: namesZero(text(collectives.inSplits)) || namesZero(text(collectives.outSplits)),
  };
}

/** Also of a list that is cut short. */
function namesZero(list: string): boolean {
  const whole = listOf(list);
  if (whole !== undefined) return whole.some((each) => each === 0);
  return /(^|[[\s,])0\s*[\],]/.test(list);
}
