import { lowerBound } from '../base/bisect.ts';
import { Api } from './api-names.ts';
import type { Graph } from './graph.ts';
import { findCollectives } from './inferred-c10d.ts';
import type { Labels } from './labels.ts';
import { NO_STRING } from '../trace/ids.ts';
import { type Operation, operationOf, operationOfKernel } from './collective-op.ts';

/** Kernels of one collective call on one device, by start, and the rows that tell of it. */
export interface GatheredCall {
  readonly ops: readonly number[];
  readonly device: number;
  /** Host op of the `record_param_comms` around its launch, or −1. */
  readonly record: number;
  /** Host op of its launch call, or −1. */
  readonly launch: number;
  /** The innermost `nccl:…` annotation around the launch, as an event, or −1. */
  readonly annotation: number;
  /** Host ops of the records of sends and receives that it sums up, where it has none of its own. */
  readonly earlier: readonly number[];
}

/**
 * The collective calls of the whole trace, by start: what one record launched on one device; without a record, what one annotation did; else
 * each kernel. O(n).
 */
export function gatherCalls(graph: Graph, annotations: Labels): GatheredCall[] {
  const { device, classOf } = graph;
  const { around } = findCollectives(graph);
  const calls: (Omit<GatheredCall, 'earlier' | 'ops'> & { readonly ops: number[] })[] = [];
  /** By device, then by what made it. */
  const madeOn = new Map<number, Map<number, number>>();
  for (let op = 0; op < device.length; op++) {
    if (classOf[op] !== 'collective') continue;
    const launch = device.call[op];
    const record = launch === -1 ? -1 : around[launch];
    const annotation = launch === -1 ? -1 : annotationOf(graph, annotations, launch);
    const on = device.lanes[device.lane[op]].device;
    const maker = record !== -1 ? 3 * record : annotation !== -1 ? 3 * annotation + 1 : 3 * op + 2;
    let made = madeOn.get(on);
    if (made === undefined) madeOn.set(on, (made = new Map<number, number>()));
    const known = made.get(maker);
    if (known !== undefined) {
      calls[known].ops.push(op);
      continue;
    }
    made.set(maker, calls.length);
    calls.push({ ops: [op], device: on, record, launch, annotation });
  }
  const earlier = earlierRecords(graph, around, calls);
  return calls.map((call, i) => ({ ...call, earlier: earlier[i] }));
}

/** What PyTorch names a collective in annotations, after the name of the backend. */
export const ANNOTATED = /^(?:nccl|rccl|xccl|hccl|ucc|mpi):(.+)$/;

function annotationOf({ trace, host }: Graph, annotations: Labels, launch: number): number {
  const { events, strings } = trace;
  const { track } = host.threads[host.thread[launch]];
  const found = annotations.allAt(track, host.start[launch]);
  return found.find((event) => ANNOTATED.test(strings.text(events.name[event]))) ?? -1;
}

/** The row of `trace.collectives` of an event, or −1. */
export function collectiveRow({ trace }: Graph, event: number): number {
  const { event: events } = trace.collectives;
  const row = lowerBound(events, event);
  return row < events.length && events[row] === event ? row : -1;
}

/**
 * Sends and receives that PyTorch launches together (`batch_isend_irecv`) each have a record, in which nothing is launched; the kernel comes
 * behind them, outside of any. So a kernel of that kind without a record sums up such records of its thread since the last collective was
 * launched there. A capture in between says that they were launched into a graph. Of other collectives a record without a kernel ran
 * elsewhere (gloo's on the host) or has lost its row: it tells nothing of a kernel behind it.
 */
function earlierRecords(
  graph: Graph,
  around: Int32Array,
  calls: readonly { readonly record: number; readonly launch: number; readonly ops: readonly number[] }[],
): readonly (readonly number[])[] {
  const { host, launches, calls: api, classOf } = graph;
  const empty: readonly number[] = [];
  const found = calls.map(() => empty);
  const wanted = new Map<number, number>();
  calls.forEach(({ record, launch, ops }, i) => {
    if (record !== -1 || launch === -1 || (api.api[launch] & Api.graphLaunch) !== 0) return;
    if (!wanted.has(launch) && maySendOrReceive(graph, ops[0])) wanted.set(launch, i);
  });
  if (wanted.size === 0) return found;
  for (const { ops } of host.threads) {
    let open: number[] = [];
    for (const op of ops) {
      if (around[op] === op && isSendOrReceive(graph, op)) open.push(op);
      if ((api.api[op] & Api.captureEnd) !== 0) open = [];
      const first = launches.first[op];
      const isLaunch = first < launches.first[op + 1];
      // Also where the rows of what it launched are lost.
      if (around[op] !== -1 && (isLaunch || (api.api[op] & Api.launch) !== 0)) {
        open = open.filter((record) => record !== around[op]);
      }
      if (!isLaunch || classOf[launches.ops[first]] !== 'collective') continue;
      const call = wanted.get(op);
      if (call !== undefined) found[call] = open;
      open = [];
    }
  }
  return found;
}

/** Is its kernel one of sends and receives, as far as its name tells? Some builds have one kernel for everything. */
function maySendOrReceive({ trace, device }: Graph, op: number): boolean {
  const told = operationOfKernel(trace.strings.text(trace.events.name[device.event[op]]));
  return told === undefined || told === 'send-recv';
}

const SENDS_OR_RECEIVES: ReadonlySet<Operation | undefined> = new Set(['send', 'recv', 'send-recv'] as const);

/** A record that tells the size of a send or a receive. */
function isSendOrReceive(graph: Graph, record: number): boolean {
  const row = collectiveRow(graph, graph.host.event[record]);
  if (row === -1) return false;
  const { name, inElements, outElements } = graph.trace.collectives;
  if (name[row] === NO_STRING || (inElements[row] <= 0 && outElements[row] <= 0)) return false;
  return SENDS_OR_RECEIVES.has(operationOf(graph.trace.strings.text(name[row])));
}
