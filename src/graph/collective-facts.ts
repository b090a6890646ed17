import { lowerBound } from '../base/bisect.ts';
import { Api } from './api-names.ts';
import type { Graph } from './graph.ts';
import { NO_STRING, type StringId } from '../trace/ids.ts';
import { bytesOfDtype, bytesOfInputs, listOf } from './dtype.ts';
import { ANNOTATED, type GatheredCall, collectiveRow } from './collective-calls.ts';
import { type Operation, operationOf, operationOfKernel, sizeOf } from './collective-op.ts';

/**
 * Where something is known from: the row's own args; those of the `record_param_comms` op that launched it; such ops of sends and receives before
 * it on the thread that launched nothing themselves (`heuristic:earlier-records`: they are launched together); the annotation
 * `nccl:all_reduce` around the launch, with its input shapes; the kernel's name, which may lie.
 */
export type KnownFrom = 'args' | 'record' | 'heuristic:earlier-records' | 'annotation' | 'kernel-name';

/**
 * Why a size is not known: its launch call is not in the trace; a graph launch made it, and what it moves was said when the graph was captured;
 * no `record_param_comms` is around its launch; that has no sizes (before PyTorch 2.2, or without shapes); its type is not known; it takes the
 * size of the group, which is not known; the operation is not known; a barrier moves nothing.
 */
export type UnknownSize =
  | 'no-launch'
  | 'graph-launch'
  | 'no-record'
  | 'no-sizes'
  | 'unknown-dtype'
  | 'unknown-group'
  | 'unknown-operation'
  | 'barrier';

/** The ranks that take part. */
export interface Group {
  readonly name?: string;
  readonly description?: string;
  /** As the trace has the list, perhaps cut: `[0, 1, ...]`. */
  readonly ranks?: string;
  /** As the trace tells it, else how many ranks a complete list names. */
  readonly size?: number;
}

/** What a call does, and how much it moves. */
export interface Description {
  readonly operation: Operation | 'unknown';
  /** As the trace calls it. */
  readonly name: string;
  readonly operationFrom: KnownFrom;
  readonly group?: Group;
  /** `Seq`: the number of the call within its group. */
  readonly sequence?: number;
  readonly dtype?: string;
  readonly inBytes?: number;
  readonly outBytes?: number;
  /** Bytes of the operation. */
  readonly sizeBytes?: number;
  readonly sizeFrom?: KnownFrom;
  /** Exactly where `sizeBytes` is absent. */
  readonly sizeUnknown?: UnknownSize;
}

/** What is said of a call, and where. */
interface Said {
  readonly from: KnownFrom;
  readonly name: string;
  readonly group?: Group;
  readonly sequence?: number;
  readonly dtype?: string;
  readonly inBytes?: number;
  readonly outBytes?: number;
  /** Elements are told, but not how large one is. */
  readonly isUnknownType?: boolean;
}

/** What a call does, and how much it moves: from the best place that tells it. */
export function describe(graph: Graph, call: GatheredCall): Description {
  const { trace, host, device } = graph;
  const event = device.event[call.ops[0]];
  const kernel = trace.strings.text(trace.events.name[event]);
  const places = [
    said(graph, event, 'args'),
    call.record === -1 ? undefined : said(graph, host.event[call.record], 'record'),
    summed(graph, call.earlier),
    call.annotation === -1 ? undefined : fromAnnotation(graph, call.annotation),
  ].filter((place) => place !== undefined);
  const named = places.find(({ name }) => name !== '') ?? { from: 'kernel-name' as const, name: kernel };
  const operation =
    (named.from === 'kernel-name' ? operationOfKernel(named.name) : operationOf(named.name)) ?? 'unknown';
  const group = places.find((place) => place.group !== undefined)?.group;
  const sequence = places.find((place) => place.sequence !== undefined)?.sequence;
  const sized = places.find(({ inBytes, outBytes }) => inBytes !== undefined || outBytes !== undefined);
  const sizeBytes =
    operation === 'unknown' || sized === undefined
      ? undefined
      : sizeOf(operation, sized.inBytes, sized.outBytes, group?.size);
  const dtype = sized?.dtype ?? places.find((place) => place.dtype !== undefined)?.dtype;
  return {
    operation,
    name: named.name,
    operationFrom: named.from,
    ...(group === undefined ? {} : { group }),
    ...(sequence === undefined ? {} : { sequence }),
    ...(dtype === undefined ? {} : { dtype }),
    ...(sized?.inBytes === undefined ? {} : { inBytes: sized.inBytes }),
    ...(sized?.outBytes === undefined ? {} : { outBytes: sized.outBytes }),
    ...(sizeBytes === undefined || sized === undefined
      ? { sizeUnknown: whyUnknown(graph, call, operation, places, sized !== undefined) }
      : { sizeBytes, sizeFrom: sized.from }),
  };
}

function whyUnknown(
  { calls }: Graph,
  { launch, record }: GatheredCall,
  operation: Description['operation'],
  places: readonly Said[],
  isSized: boolean,
): UnknownSize {
  if (operation === 'barrier') return 'barrier';
  if (isSized) return operation === 'unknown' ? 'unknown-operation' : 'unknown-group';
  if (places.some(({ isUnknownType }) => isUnknownType === true)) return 'unknown-dtype';
  if (launch === -1) return 'no-launch';
  if ((calls.api[launch] & Api.graphLaunch) !== 0) return 'graph-launch';
  return record === -1 && places.length === 0 ? 'no-record' : 'no-sizes';
}

/** What a row's own collective args say. */
function said(graph: Graph, event: number, from: KnownFrom): Said | undefined {
  const row = collectiveRow(graph, event);
  if (row === -1) return undefined;
  const { collectives, strings } = graph.trace;
  const text = (id: StringId): string | undefined => (id === NO_STRING ? undefined : strings.text(id));
  const dtype = text(collectives.dtype[row]);
  const size = dtype === undefined ? undefined : bytesOfDtype(dtype);
  const [inElements, outElements] = [collectives.inElements[row], collectives.outElements[row]];
  const isTold = inElements >= 0 || outElements >= 0;
  const group = groupOf(graph, row);
  return {
    from,
    name: text(collectives.name[row]) ?? '',
    ...(group === undefined ? {} : { group }),
    ...(collectives.sequence[row] < 0 ? {} : { sequence: collectives.sequence[row] }),
    ...(dtype === undefined ? {} : { dtype }),
    ...(size === undefined || inElements < 0 ? {} : { inBytes: inElements * size }),
    ...(size === undefined || outElements < 0 ? {} : { outBytes: outElements * size }),
    ...(isTold && size === undefined ? { isUnknownType: true } : {}),
  };
}

function groupOf({ trace }: Graph, row: number): Group | undefined {
  const { collectives, strings } = trace;
  const { groupName, groupDescription, groupRanks, groupSize } = collectives;
  const size = groupSize[row] > 0 ? groupSize[row] : ranksIn(groupRanks[row], strings);
  const field = <Key extends string>(key: Key, id: StringId): { [key: string]: string } =>
    id === NO_STRING || strings.text(id) === '' ? {} : { [key]: strings.text(id) };
  const group: Group = {
    ...field('name', groupName[row]),
    ...field('description', groupDescription[row]),
    ...field('ranks', groupRanks[row]),
    ...(size === undefined ? {} : { size }),
  };
  return Object.keys(group).length === 0 ? undefined : group;
}

/** How many ranks a list names; `undefined` where it is cut short (`[0, 1, ...]`) or is no list of ranks. */
function ranksIn(list: StringId, strings: Graph['trace']['strings']): number | undefined {
  const ranks = list === NO_STRING ? undefined : listOf(strings.text(list));
  if (ranks === undefined || ranks.length === 0) return undefined;
  const known = new Set(ranks.filter((rank) => Number.isSafeInteger(rank) && (rank as number) >= 0));
  return known.size === ranks.length ? known.size : undefined;
}

/** Several records of sends and receives as one. Their sum is told only where each one's size is. */
function summed(graph: Graph, records: readonly number[]): Said | undefined {
  const from = 'heuristic:earlier-records';
  const all = records.map((record) => said(graph, graph.host.event[record], from)).filter((each) => each !== undefined);
  const [first] = all;
  if (first === undefined) return undefined;
  const names = [...new Set(all.map(({ name }) => name))].sort();
  const types = [...new Set(all.flatMap(({ dtype }) => (dtype === undefined ? [] : [dtype])))];
  const isPair = names.length > 1;
  // Sends and receives run against each other: each way counts for itself.
  const inBytes = sumOf(isPair ? all.filter(({ name }) => /^send/i.test(name)) : all, 'inBytes');
  const outBytes = sumOf(isPair ? all.filter(({ name }) => /^recv/i.test(name)) : all, 'outBytes');
  return {
    from,
    name: isPair ? 'send-recv' : first.name,
    ...(first.group === undefined ? {} : { group: first.group }),
    ...(types.length === 0 ? {} : { dtype: types.join(' + ') }),
    ...(inBytes === undefined ? {} : { inBytes }),
    ...(outBytes === undefined ? {} : { outBytes }),
    ...(inBytes === undefined && outBytes === undefined ? { isUnknownType: true } : {}),
  };
}

function sumOf(all: readonly Said[], field: 'inBytes' | 'outBytes'): number | undefined {
  let total = 0;
  for (const { [field]: bytes } of all) {
    if (bytes === undefined) return undefined;
    total += bytes;
  }
  return total;
}

/** The annotation around the launch, with the shapes that it names as inputs. */
function fromAnnotation({ trace }: Graph, event: number): Said | undefined {
  const { events, strings, ops } = trace;
  const [, name] = ANNOTATED.exec(strings.text(events.name[event])) ?? [];
  if (name === undefined) return undefined;
  const row = lowerBound(ops.event, event);
  const has = row < ops.event.length && ops.event[row] === event && ops.inputDims[row] !== NO_STRING;
  const inputs = has ? bytesOfInputs(strings.text(ops.inputDims[row]), strings.text(ops.inputTypes[row])) : undefined;
  return {
    from: 'annotation',
    name,
    ...(inputs === undefined ? {} : { inBytes: inputs.bytes, dtype: inputs.dtype }),
  };
}
