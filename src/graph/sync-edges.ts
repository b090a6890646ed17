import type { Trace } from '../trace/trace.ts';
import type { CallIndex } from './calls.ts';
import type { DeviceIndex } from './device.ts';
import type { GraphLaunches } from './graph-launch.ts';
import type { HostIndex } from './host.ts';
import type { LaunchIndex } from './launches.ts';
import { LostLaunches } from './lost-launches.ts';
import { RacingCalls } from './racing.ts';
import { type Fallback, RecordResolver, nextEnqueued } from './sync-resolve.ts';
import { type RecordRow, type WaitRow, readRecords, readWaits } from './sync-rows.ts';
import { type Source, type SyncStream, SyncStreams, leaningOn } from './sync-streams.ts';

export type EdgeKind = 'stream-wait' | 'event-sync' | 'stream-sync' | 'device-sync' | 'copy-sync' | 'inferred-wait';
export type EdgeStatus =
  | 'future'
  | 'unresolved'
  | 'same-stream'
  | 'empty'
  | 'no-sink'
  | `heuristic:${string}`
  | 'resolved';

/** What waited for what: one edge a source; a wait that has none has one edge that says why. −1 where there is none. */
export interface Edge {
  readonly kind: EdgeKind;
  readonly status: EdgeStatus;
  readonly fallback: Fallback | undefined;
  /** Correlation of the waiting call. */
  readonly wait: number;
  /** Correlation of the record. */
  readonly record: number;
  readonly source: Source | undefined;
  /** Device op that waits. */
  readonly sinkOp: number;
  /** Host call that waits. */
  readonly sinkCall: number;
  /** Of an inferred wait: what speaks for it. */
  readonly support?: string;
  /** Of a loop of queries: when it began to wait, in ns. Of other calls that is their start. */
  readonly since?: number;
}

/** What the rows say. Coverage counts rows of stream waits and event synchronisations, not queries. */
export interface SyncIndex {
  readonly records: readonly RecordRow[];
  /** What a record captured, and whether its stream is known. */
  sourcesOfRecord(record: RecordRow): { readonly known: boolean; readonly sources: readonly Source[] };
  readonly edges: Edge[];
  /** The status of each counted row. */
  readonly rowStatus: readonly EdgeStatus[];
  readonly syncRows: number;
  readonly waits: readonly WaitRow[];
  /** By query: what its row says that it asks about, for polling loops. */
  readonly queried: Map<number, { readonly record: number; readonly sources: readonly Source[] }>;
  readonly streams: SyncStreams;
  readonly lost: LostLaunches;
  readonly racing: RacingCalls;
}

export function buildSync(
  trace: Trace,
  host: HostIndex,
  calls: CallIndex,
  device: DeviceIndex,
  launches: LaunchIndex,
  graphLaunches: GraphLaunches,
): SyncIndex {
  const waits = readWaits(trace, calls);
  const records = readRecords(trace, host, calls, waits);
  const lost = new LostLaunches(host, calls, launches);
  const racing = new RacingCalls(host, calls, device, lost.calls);
  const streams = new SyncStreams(device, graphLaunches, lost, racing);
  const resolver = new RecordResolver(records, waits, streams, racing);
  const edges: Edge[] = [];
  const rowStatus: EdgeStatus[] = [];
  const queried = new Map<number, { record: number; sources: readonly Source[] }>();
  const streamCalls: WaitRow[] = [];

  for (const wait of waits) {
    if (wait.kind === 'stream-sync' || wait.kind === 'device-sync') {
      if (!wait.isQuery) streamCalls.push(wait);
      continue;
    }
    const found = resolver.resolve(wait);
    const used = found.record > 0 ? records.get(found.record) : undefined;
    (used ?? records.get(wait.waitOnRecord))?.waiters.push(wait.correlation);
    const sources = found.status === 'found' ? found.sources : [];
    if (wait.isQuery) {
      if (wait.call !== -1) queried.set(wait.call, { record: found.record, sources });
      continue;
    }
    const isStreamWait = wait.kind === 'stream-wait';
    const stream =
      isStreamWait && wait.device >= 0 && wait.stream >= 0 ? streams.at(wait.device, wait.stream) : undefined;
    const sinkOp = stream === undefined ? undefined : nextEnqueued(device, stream.lane, wait.key);
    const ahead = sources.filter((source) => stream === undefined || source.lane !== stream.lane);
    let status: EdgeStatus = 'resolved';
    if (found.status !== 'found') status = found.status;
    else if (isStreamWait && stream === undefined) status = 'unresolved';
    else if (stream !== undefined && (found.stream === stream || (sources.length > 0 && ahead.length === 0))) {
      status = 'same-stream';
    } else if (sources.length === 0) status = 'empty';
    else if (isStreamWait ? sinkOp === undefined : wait.call === -1) status = 'no-sink';
    const rule =
      ruleOfCall(wait, stream, racing) ?? (sinkOp === undefined ? undefined : streams.ruleOfSink(sinkOp, wait.key));
    const tainted = ahead.map((source) => leaningOn(source, rule));
    const draft: Draft = {
      kind: wait.kind,
      fallback: found.status === 'found' ? found.fallback : undefined,
      wait: wait.correlation,
      record: found.record,
      sinkOp: sinkOp ?? -1,
      sinkCall: isStreamWait ? -1 : wait.call,
    };
    if (stream !== undefined && status !== 'unresolved' && status !== 'future') {
      const via = found.record > 0 ? tainted.map((source) => through(source, found.record)) : tainted;
      if (status !== 'same-stream') streams.enqueueWait(stream, wait.key, wait.call, via);
    }
    if (status !== 'resolved' && status !== 'no-sink') {
      edges.push(edgeOf(draft, status, undefined));
      rowStatus.push(status);
      continue;
    }
    const made = tainted.map((source) => edgeOf(draft, statusOf(status, source), source));
    for (const edge of made) edges.push(edge);
    rowStatus.push(made.find((edge) => edge.status.startsWith('heuristic:'))?.status ?? made[0].status);
  }
  // Streams and devices are synchronised after all waits are known, each by its own key: later waits do not reach it.
  for (const wait of streamCalls) edges.push(...edgesOfStreamCall(wait, streams, racing));

  return {
    records: [...records.values()].sort((a, b) => a.key - b.key || a.correlation - b.correlation),
    sourcesOfRecord: (record) => {
      const stream = resolver.streamOf(record);
      return { known: stream !== undefined, sources: stream === undefined ? [] : resolver.sourcesOf(record, stream) };
    },
    edges,
    rowStatus,
    syncRows: waits.length,
    waits,
    queried,
    streams,
    lost,
    racing,
  };
}

type Draft = Pick<Edge, 'kind' | 'fallback' | 'wait' | 'record' | 'sinkOp' | 'sinkCall'>;

/** Written out, as the sources are: there is one a wait and source. */
function edgeOf(draft: Draft, status: EdgeStatus, source: Source | undefined): Edge {
  const { kind, fallback, wait, record, sinkOp, sinkCall } = draft;
  return { kind, fallback, wait, record, sinkOp, sinkCall, status, source };
}

const through = ({ op, launch, lane, key, rule }: Source, record: number): Source => ({
  op,
  launch,
  lane,
  key,
  via: record,
  rule,
});

const statusOf = (status: EdgeStatus, source: Source): EdgeStatus =>
  status === 'resolved' && source.rule !== undefined ? `heuristic:${source.rule}` : status;

function ruleOfCall(wait: WaitRow, stream: SyncStream | undefined, racing: RacingCalls): string | undefined {
  return stream !== undefined && racing.isRacing(wait.call, stream.lane) ? 'racing-call' : undefined;
}

/** Rules 4 and 5: a stream's own tail, or the tails of all streams of the device. */
function edgesOfStreamCall(wait: WaitRow, streams: SyncStreams, racing: RacingCalls): Edge[] {
  const isDevice = wait.kind === 'device-sync';
  const draft = {
    kind: wait.kind,
    fallback: undefined,
    wait: wait.correlation,
    record: -1,
    sinkOp: -1,
    sinkCall: wait.call,
  };
  if (Number.isNaN(wait.key) || wait.device < 0 || (!isDevice && wait.stream < 0)) {
    return [{ ...draft, status: 'unresolved', source: undefined }];
  }
  const synced = isDevice ? streams.ofDevice(wait.device) : [streams.at(wait.device, wait.stream)];
  const sources = new Map<number, Source>();
  for (const stream of synced) {
    const assumed = wait.isDeviceSaid ? undefined : 'assumed-device';
    const rule = racing.isRacing(wait.call, stream.lane) ? 'racing-call' : assumed;
    for (const source of streams.tail(stream, wait.key, wait.call)) {
      if (!sources.has(source.op) || source.via === -1) {
        sources.set(source.op, { ...source, rule: source.rule ?? rule });
      }
    }
  }
  if (sources.size === 0) return [{ ...draft, status: 'empty', source: undefined }];
  const status: EdgeStatus = wait.call === -1 ? 'no-sink' : 'resolved';
  return [...sources.values()].map((source) => ({ ...draft, status: statusOf(status, source), source }));
}
