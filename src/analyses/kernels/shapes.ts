import { Api } from '../../graph/api-names.ts';
import type { Graph } from '../../graph/graph.ts';
import { inputsOf, launchingOps } from '../../graph/launching-op.ts';
import { NO_STRING, type StringId } from '../../trace/ids.ts';
import { groupBy, summarize } from './group.ts';
import type { Members } from './members.ts';
import type { KernelClass, ShapeRow } from './result.ts';

/** Numbers pairs of numbers, so that several columns make one key without a text. */
class Pairs {
  readonly #ids = new Map<number, number>();
  readonly #base: number;

  /** `base`: above every first number. */
  constructor(base: number) {
    this.#base = base;
  }

  of(first: number, second: number): number {
    const key = (second + 1) * this.#base + first + 1;
    let id = this.#ids.get(key);
    if (id === undefined) this.#ids.set(key, (id = this.#ids.size));
    return id;
  }
}

export interface OperatorCounts {
  /** Device ops that a known operator launched, and those of them whose operator has its shapes. */
  readonly withOp: number;
  readonly withShapes: number;
  /** Why the operators of the others are not known. */
  readonly withoutCall: number;
  readonly byGraph: number;
  readonly outside: number;
}

/** O(n log n). */
export function countOperators(graph: Graph, members: Members): OperatorCounts {
  const { trace, device, host, calls } = graph;
  const launchedBy = launchingOps(graph);
  const counts = { withOp: 0, withShapes: 0, withoutCall: 0, byGraph: 0, outside: 0 };
  for (let row = 0; row < members.length; row++) {
    const op = members.op[row];
    const call = device.call[op];
    if (launchedBy[op] !== -1) {
      counts.withOp++;
      if (inputsOf(trace, host.event[launchedBy[op]]).dims !== NO_STRING) counts.withShapes++;
    } else if (call === -1) counts.withoutCall++;
    else if ((calls.api[call] & Api.graphLaunch) === 0) counts.outside++;
    else counts.byGraph++;
  }
  return counts;
}

/** The device ops by name, by the operator that launched them and by its inputs. O(n log n). */
export function shapeRows(
  graph: Graph,
  members: Members,
  classOf: (op: number) => KernelClass,
  opTimeNs: number,
): ShapeRow[] {
  const { trace, device, host } = graph;
  const { events, strings } = trace;
  const launchedBy = launchingOps(graph);
  const base = strings.length + 2;
  const [inputs, asked, keys] = [new Pairs(base), new Pairs(base), new Pairs(base)];
  const grouping = groupBy(members.length, (row) => {
    const op = members.op[row];
    const by = launchedBy[op];
    const event = by === -1 ? -1 : host.event[by];
    const { dims, types } = event === -1 ? NO_INPUTS : inputsOf(trace, event);
    const asks = event === -1 ? -1 : asked.of(events.name[event], inputs.of(dims, types));
    return keys.of(events.name[device.event[op]], asks) * CLASSES + CLASS_ORDER.indexOf(classOf(op));
  });
  const rows = Array.from({ length: grouping.count }, (_, group): ShapeRow => {
    const own = grouping.rows.subarray(grouping.first[group], grouping.first[group + 1]);
    const op = members.op[own[0]];
    const event = launchedBy[op] === -1 ? -1 : host.event[launchedBy[op]];
    const { dims, types } = event === -1 ? NO_INPUTS : inputsOf(trace, event);
    return {
      name: strings.text(events.name[device.event[op]]),
      class: classOf(op),
      ...(event === -1 ? {} : { op: strings.text(events.name[event]) }),
      ...(dims === NO_STRING ? {} : { inputDims: strings.text(dims) }),
      ...(types === NO_STRING ? {} : { inputTypes: strings.text(types) }),
      ...summarize(graph, members, own, opTimeNs),
    };
  });
  return rows.sort((a, b) => b.totalNs - a.totalNs || a.largest.event - b.largest.event);
}

const NO_INPUTS: { readonly dims: StringId; readonly types: StringId } = { dims: NO_STRING, types: NO_STRING };
/** A name may have two classes: one row with collective args, one without. */
export const CLASS_ORDER: readonly KernelClass[] = ['computation', 'communication', 'copy', 'other'];
export const CLASSES = CLASS_ORDER.length;
