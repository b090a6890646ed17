import { kindCode } from '../../graph/constraints.ts';
import { momentOfSource, momentsOfSink } from '../../graph/dependencies.ts';
import { type GraphOptions, graphOptionsOf } from '../../graph/graph-options.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Edge } from '../../graph/sync-edges.ts';
import type { RecordRow } from '../../graph/sync-rows.ts';
import type { Source } from '../../graph/sync-streams.ts';
import { coverageNotes } from '../notes.ts';
import type { Outcome, Subject } from '../contract.ts';
import { referTo } from '../refer.ts';
import type { SourceReference, SyncEdge, SyncRecord, SyncResult } from './result.ts';

/** Each record, wait and synchronising call: its stream, its source, its sink, or why it is not resolved. */
export function computeSync(subject: Subject, options: GraphOptions): Outcome<SyncResult> {
  if (subject.trace.eventCount === 0 || subject.trace.events.length === 0) {
    return { status: 'not-applicable', reason: 'the trace has no events' };
  }
  const graph = subject.graph(graphOptionsOf(options));
  return {
    status: 'ok',
    result: {
      records: graph.sync.records.map((record) => recordOf(graph, record)),
      edges: graph.edges.map((edge) => edgeOf(graph, edge)),
      coverage: graph.coverage,
      notes: coverageNotes(graph),
    },
  };
}

function sourceOf(graph: Graph, source: Source): SourceReference {
  const reference = referTo(graph, graph.device.event[source.op]);
  return source.via > 0 ? { ...reference, via: source.via } : reference;
}

function recordOf(graph: Graph, record: RecordRow): SyncRecord {
  const found = graph.sync.sourcesOfRecord(record);
  const sources = (found?.sources ?? []).map((source) => sourceOf(graph, source));
  let status: SyncRecord['status'] = 'unknown-stream';
  if (found?.known === true) status = sources.length > 0 ? 'resolved' : 'empty';
  return {
    correlation: record.correlation,
    ...(found?.known === true && record.device >= 0 ? { device: record.device } : {}),
    ...(found?.known === true && record.stream >= 0 ? { stream: record.stream } : {}),
    ...(record.eventId >= 0 ? { cudaEventId: record.eventId } : {}),
    status,
    sources,
    waiters: record.waiters,
  };
}

function edgeOf(graph: Graph, edge: Edge): SyncEdge {
  const sinkEvent = sinkEventOf(graph, edge);
  return {
    kind: edge.kind,
    status: edge.status,
    ...(edge.fallback === undefined ? {} : { fallback: edge.fallback }),
    binds: binds(graph, edge),
    ...(edge.wait > 0 ? { wait: edge.wait } : {}),
    ...(edge.record > 0 ? { record: edge.record } : {}),
    ...(edge.source === undefined ? {} : { source: sourceOf(graph, edge.source) }),
    ...(sinkEvent === -1 ? {} : { sink: referTo(graph, sinkEvent) }),
    ...(edge.support === undefined ? {} : { support: edge.support }),
  };
}

function sinkEventOf({ host, device }: Graph, { sinkOp, sinkCall }: Edge): number {
  if (sinkOp !== -1) return device.event[sinkOp];
  return sinkCall === -1 ? -1 : host.event[sinkCall];
}

function binds(graph: Graph, edge: Edge): boolean {
  const { moments, binding, constraints, device, graphLaunches } = graph;
  if (edge.source === undefined) return false;
  const from = momentOfSource(moments, edge.source);
  return momentsOfSink(device, graphLaunches, moments, edge).some((to) => {
    const bound = binding[to];
    return bound !== -1 && constraints.from[bound] === from && constraints.kind[bound] === kindCode(edge.kind);
  });
}
