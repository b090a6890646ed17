import { lowerBound } from '../base/bisect.ts';
import { NO_STRING, type StringId } from '../trace/ids.ts';
import { RowKind } from '../trace/kinds.ts';
import { Api } from './api-names.ts';
import type { Graph } from './graph.ts';

/**
 * By device op: the innermost operator around the call that launched it, as a host op; −1 where the call is not in the trace or lies in no
 * operator. A graph launch has none: what lies around it replays, and the ops that recorded the nodes are not told. O(n + depth).
 */
export function launchingOps({ trace, device, host, calls }: Graph): Int32Array {
  const isOperator = trace.categories.map(({ kind }) => kind === RowKind.op);
  const launchedBy = new Int32Array(device.length).fill(-1);
  for (let each = 0; each < launchedBy.length; each++) {
    const call = device.call[each];
    if (call === -1 || (calls.api[call] & Api.graphLaunch) !== 0) continue;
    let op = host.parent[call];
    while (op !== -1 && !isOperator[trace.events.category[host.event[op]]]) op = host.parent[op];
    launchedBy[each] = op;
  }
  return launchedBy;
}

/** What an operator was called with, as the profiler wrote it; `NO_STRING` where it wrote nothing. */
export interface Inputs {
  readonly dims: StringId;
  readonly types: StringId;
}

/** The inputs of an event that is an operator. O(log n). */
export function inputsOf({ ops }: Graph['trace'], event: number): Inputs {
  const row = lowerBound(ops.event, event);
  if (row === ops.event.length || ops.event[row] !== event) return { dims: NO_STRING, types: NO_STRING };
  return { dims: ops.inputDims[row], types: ops.inputTypes[row] };
}
