import { upperBound } from '../base/bisect.ts';
import { pick } from '../base/pick.ts';
import { linkId } from './calls.ts';
import { RowKind } from '../trace/kinds.ts';
import { Api } from './api-names.ts';
import type { Indices } from './graph.ts';
import { implicitSyncEdges } from './implicit-sync.ts';
import type { Edge, EdgeKind } from './sync-edges.ts';
import type { Source } from './sync-streams.ts';

const COPY_TOLERANCE_NS = 1_000;
/** A `*Synchronize` call without a row returns this soon after what it waited for. */
const CALL_SPAN_NS = 100_000;
/** In a trace with sync rows: a synchronising call without one that took less than this waited for nothing. */
const SHORTEST_WAIT_NS = 10_000;
const POLLS_OF_A_LOOP = 3;

/** What host calls waited for where no sync row says it: rules 5, 7, 20 and 21. */
export function buildHostWaits(indices: Indices): Edge[] {
  return [...copyEdges(indices), ...pollingEdges(indices), ...callSpanEdges(indices), ...implicitSyncEdges(indices)];
}

const correlationOf = ({ trace, host }: Indices, call: number): number =>
  linkId(trace.events.correlation[host.event[call]]);

function hostEdge(indices: Indices, kind: EdgeKind, call: number, op: number, rule?: string): Edge {
  const { device } = indices;
  const source: Source = { op, launch: -1, lane: device.lane[op], key: device.key[op], via: -1, rule };
  return {
    kind,
    status: rule === undefined ? 'resolved' : `heuristic:${rule}`,
    fallback: undefined,
    wait: correlationOf(indices, call),
    record: -1,
    source,
    sinkOp: -1,
    sinkCall: call,
  };
}

/**
 * Rule 7. A copy to pageable memory is over when its call returns. A blocking call that returned after its copy waited for it;
 * an asynchronous one from or to pageable memory may have. Pinned asynchronous copies and copies on the device never block.
 */
function copyEdges(indices: Indices): Edge[] {
  const { trace, host, calls, device, launches } = indices;
  const { events, categories, strings } = trace;
  const edges: Edge[] = [];
  for (let at = 0; at < launches.calls.length; at++) {
    const call = launches.calls[at];
    if ((calls.api[call] & Api.copy) === 0) continue;
    const isAsync = /Async/.test(strings.text(events.name[host.event[call]]));
    for (let i = launches.first[call]; i < launches.first[call + 1]; i++) {
      const op = launches.ops[i];
      const e = device.event[op];
      if (categories[events.category[e]].kind !== RowKind.copy) continue;
      const name = strings.text(events.name[e]);
      const returnedAfter = host.end[call] >= device.end[op] - COPY_TOLERANCE_NS;
      if (/DtoD|DeviceToDevice|PtoP/i.test(name)) continue;
      if (/DtoH|DeviceToHost/i.test(name) && /Pageable/i.test(name)) {
        edges.push(hostEdge(indices, 'copy-sync', call, op));
      } else if (!returnedAfter || (isAsync && /Pinned/i.test(name))) continue;
      else if (!isAsync && returnsWhenDone(name)) edges.push(hostEdge(indices, 'copy-sync', call, op));
      else edges.push(hostEdge(indices, 'copy-sync', call, op, 'copy-return'));
    }
  }
  return edges;
}

/** Of a copy to or from the host by a blocking call: one from pageable memory, or from memory that is not known, may only be staged. */
const returnsWhenDone = (name: string): boolean => /DtoH|DeviceToHost|Pinned/i.test(name);

/** Rule 20. One query never blocks; three or more in a row that ask about the same record are a loop that waits for it. */
function pollingEdges(indices: Indices): Edge[] {
  const { host, calls, device, sync } = indices;
  const edges: Edge[] = [];
  if (sync.queried.size === 0) return edges;
  for (const { ops } of host.threads) {
    let run: number[] = [];
    const close = (): void => {
      const last = run.at(-1);
      if (last !== undefined && run.length >= POLLS_OF_A_LOOP) {
        for (const source of sync.queried.get(last)?.sources ?? []) {
          const ended = device.end[source.op];
          if (ended <= host.start[run[0]] || ended > host.end[last]) continue;
          const record = sync.queried.get(last)?.record ?? -1;
          edges.push({
            ...hostEdge(indices, 'event-sync', last, source.op, 'polling'),
            record,
            since: host.start[run[0]],
          });
        }
      }
      run = [];
    };
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i];
      if (Number.isNaN(calls.key[op])) continue;
      const asked = sync.queried.get(op)?.record ?? -1;
      const first = run[0];
      if (first !== undefined && (asked <= 0 || sync.queried.get(first)?.record !== asked)) close();
      if (asked > 0) run.push(op);
    }
    close();
  }
  return edges;
}

/**
 * Rule 21. A synchronising call without a usable row: the op enqueued before the call that ended last inside it, just before it returned.
 * Where the trace has sync rows, writers leave them out for calls that find nothing to wait for, so a short call is left alone.
 */
function callSpanEdges(indices: Indices): Edge[] {
  const { host, calls, device, sync } = indices;
  const shortest = sync.syncRows === 0 ? 0 : SHORTEST_WAIT_NS;
  const known = new Set(
    sync.edges.filter(({ status }) => status !== 'unresolved' && status !== 'future').map(({ sinkCall }) => sinkCall),
  );
  const byEnd = new Int32Array(device.length);
  for (let op = 0; op < byEnd.length; op++) byEnd[op] = op;
  byEnd.sort((a, b) => device.end[a] - device.end[b] || a - b);
  const ends = pick(device.end, byEnd);
  const edges: Edge[] = [];
  for (let call = 0; call < host.length; call++) {
    const kind = kindOfSync(calls.api[call]);
    if (kind === undefined || known.has(call) || host.end[call] - host.start[call] < shortest) continue;
    const earliest = Math.max(host.start[call], host.end[call] - CALL_SPAN_NS);
    for (let i = upperBound(ends, host.end[call]) - 1; i >= 0 && ends[i] > earliest; i--) {
      const op = byEnd[i];
      if (!(device.key[op] < calls.key[call])) continue;
      edges.push(hostEdge(indices, kind, call, op, 'call-span'));
      break;
    }
  }
  return edges;
}

function kindOfSync(api: number): EdgeKind | undefined {
  if ((api & Api.eventSync) !== 0) return 'event-sync';
  if ((api & Api.streamSync) !== 0) return 'stream-sync';
  return (api & Api.deviceSync) !== 0 ? 'device-sync' : undefined;
}
