import { isHeldByCall } from '../../graph/changed-lags.ts';
import { OWN } from '../../graph/constraint-set.ts';
import { kindCode } from '../../graph/constraints.ts';
import type { Graph } from '../../graph/graph.ts';
import { openBetween } from '../../graph/workers.ts';
import { ColBuilder } from '../../trace/columns.ts';

const HOST_ORDER = kindCode('host-order');
const OVERLAP = kindCode('overlap');

/**
 * By name: the constraints whose lags are the lengths of the ops that have it. A host op that is named is taken with all that is nested in it,
 * as `lengthRows` has it of one selection; here one pass answers for all of them, 31 names at most. O(ops + constraints).
 */
export function rowsOfNames(graph: Graph, names: readonly number[]): Int32Array[] {
  const rows = names.map(() => new ColBuilder(Int32Array, 256));
  const put = (mask: number, c: number): void => {
    for (let at = 0; at < rows.length; at++) if (((mask >> at) & 1) === 1) rows[at].push(c);
  };
  const bits = bitsOfNames(graph, names);
  const masks = masksOfHostOps(graph, bits);
  eachHostPiece(graph, masks, put);
  eachDeviceLength(graph, bits, masks, put);
  return rows.map((each) => each.take<number>() as Int32Array);
}

type Put = (mask: number, constraint: number) => void;

/** By name: its bit, or 0. */
function bitsOfNames({ trace }: Graph, names: readonly number[]): Int32Array {
  const bits = new Int32Array(trace.strings.length);
  names.forEach((name, at) => {
    bits[name] = 1 << at;
  });
  return bits;
}

/** By host op: the bits of all names under which it runs. */
function masksOfHostOps({ trace, host }: Graph, bits: Int32Array): Int32Array {
  const { name } = trace.events;
  const masks = new Int32Array(host.length);
  for (let op = 0; op < masks.length; op++) {
    const around = host.parent[op];
    masks[op] = bits[name[host.event[op]]] | (around === -1 ? 0 : masks[around]);
  }
  return masks;
}

function eachHostPiece({ host, moments, constraints }: Graph, masks: Int32Array, put: Put): void {
  const { first, kind, from } = constraints;
  for (let c = 0, end = first[moments.host]; c < end; c++) {
    if (kind[c] !== HOST_ORDER) continue;
    const open = openBetween(host, from[c]);
    if (open !== -1 && masks[open] !== 0) put(masks[open], c);
  }
}

/**
 * What overlaps an op may begin once that has come so far (rule 25): a length of that op too. What a launch call held back is a length of the
 * call.
 */
function eachDeviceLength(graph: Graph, bits: Int32Array, masks: Int32Array, put: Put): void {
  const { trace, device, moments, constraints } = graph;
  const { name } = trace.events;
  const { first, kind, from } = constraints;
  for (let op = 0; op < device.length; op++) {
    const [start, end] = [moments.startOfOp(op), moments.endOfOp(op)];
    for (let c = first[start]; c < first[start + 1]; c++) {
      let mask = 0;
      if (kind[c] === OVERLAP) mask = bits[name[device.event[moments.deviceOp(from[c])]]];
      else if (isHeldByCall(graph, c)) mask = masks[moments.hostOp(from[c])];
      if (mask !== 0) put(mask, c);
    }
    const own = bits[name[device.event[op]]];
    if (own === 0) continue;
    for (let c = first[end]; c < first[end + 1]; c++) if (kind[c] === OWN || kind[c] === OVERLAP) put(own, c);
  }
}
