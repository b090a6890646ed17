import { NO_STRING } from '../trace/ids.ts';
import { type GatheredCall, collectiveRow } from './collective-calls.ts';
import type { Graph } from './graph.ts';

/** By what a call is known on other ranks too, from the kernel's args, else from those of the `record_param_comms` that launched it. */
export interface CollectiveMarks {
  /** `Comms Id` as text; '' where not told. */
  readonly commsId: string;
  /** `Rank`: of a rooted operation the root's place in the group, of a send or a receive the other side's, else one's own; −1 where not told. */
  readonly place: number;
}

export function marksOf(graph: Graph, { ops, record }: Pick<GatheredCall, 'ops' | 'record'>): CollectiveMarks {
  const { device, host, trace } = graph;
  const { collectives, strings } = trace;
  const events = [device.event[ops[0]], ...(record === -1 ? [] : [host.event[record]])];
  const rows = events.map((event) => collectiveRow(graph, event)).filter((row) => row !== -1);
  const id = rows.map((row) => collectives.commsId[row]).find((text) => text !== NO_STRING);
  return {
    commsId: id === undefined ? '' : strings.text(id),
    place: rows.map((row) => collectives.rank[row]).find((rank) => rank >= 0) ?? -1,
  };
}
