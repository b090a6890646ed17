// Results as short lines, so that a test compares what a person can read.
import type { CriticalPathResult, PathSegment } from '../analyses/critical-path/result.ts';
import type { EventReference } from '../analyses/reference.ts';
import type { SourceReference, SyncEdge, SyncRecord, SyncResult } from '../analyses/sync/result.ts';
import { ZERO_UNIX_NS } from './kineto.ts';

/**
 * One line an edge, by the call that waits, then by text:
 *   stream-wait 3 on 2: gemm#1 -> relu#4 resolved binds          wait 3 on record 2; op gemm of launch 1 before op relu of launch 4
 *   stream-wait 3 on 2: gemm#1 via 9 -> relu#4 resolved          the wait on record 9 brought it; another constraint bound
 *   event-sync 8 on 2: gemm#1 -> cudaEventSynchronize#8 resolved (event-id) binds
 *   stream-sync: gemm#1 -> cudaStreamSynchronize#8 resolved
 *   stream-wait 3: empty                                         a wait that makes no edge, and why
 */
export function edgesOf({ edges }: SyncResult): string[] {
  return edges
    .map((edge) => ({ call: edge.wait ?? edge.sink?.correlation ?? -1, text: edgeText(edge) }))
    .sort((a, b) => a.call - b.call || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text);
}

const WITHOUT_EDGE: ReadonlySet<string> = new Set(['future', 'unresolved', 'same-stream', 'empty', 'no-sink']);

function edgeText(edge: SyncEdge): string {
  const names = edge.kind === 'stream-wait' || edge.kind === 'event-sync';
  const wait = names && edge.wait !== undefined ? ` ${edge.wait}` : '';
  if (WITHOUT_EDGE.has(edge.status)) return `${edge.kind}${wait}: ${edge.status}`;
  const record = names && edge.record !== undefined ? ` on ${edge.record}` : '';
  const head = `${edge.kind}${wait}${record}:`;
  const fallback = edge.fallback === undefined ? '' : ` (${edge.fallback})`;
  const ends = `${sourceText(edge.source)} -> ${referenceText(edge.sink)}`;
  return `${head} ${ends} ${edge.status}${fallback}${edge.binds ? ' binds' : ''}`;
}

/** One line a record: `2 on 0.7 resolved [gemm#1, conv#4 via 9] for 3 8`: captures two ops, is waited for by the calls 3 and 8. */
export const recordsOf = ({ records }: SyncResult): string[] =>
  [...records].sort((a, b) => a.correlation - b.correlation).map(recordText);

function recordText({ correlation, device, stream, status, sources, waiters }: SyncRecord): string {
  const place = stream === undefined ? '' : ` on ${device ?? '?'}.${stream}`;
  const captured = sources.length === 0 ? '' : ` [${sources.map(sourceText).sort().join(', ')}]`;
  const waiting = waiters.length === 0 ? '' : ` for ${[...waiters].sort((a, b) => a - b).join(' ')}`;
  return `${correlation}${place} ${status}${captured}${waiting}`;
}

/** The parts of the waits that are not 0: `3 = 2 resolved + 1 empty`. */
export function waitsOf({ coverage: { waits } }: Pick<SyncResult, 'coverage'>): string {
  const { total, callsWithoutRow, ...parts } = waits;
  const named = Object.entries(parts).filter(([, count]) => count > 0);
  const sum = named.map(([name, count]) => `${count} ${name}`).join(' + ');
  return `${total} = ${sum || '0'}${callsWithoutRow > 0 ? `, ${callsWithoutRow} calls without a row` : ''}`;
}

export interface PathTextOptions {
  /** When the drawing's time 0 was; as given to `traceOf`. */
  readonly zeroUnixNs?: bigint;
  /** Adds what bound the segment: `0..5 host-work mm < window-start`. */
  readonly bounds?: boolean;
}

/**
 * One line a segment, times in µs of the drawing:
 *   0..5 host-work mm
 *   15..45 kernel gemm#1
 *   45..90 unexplained relu#4 (device-idle)
 */
export function pathTextOf(result: CriticalPathResult, options: PathTextOptions = {}): string[] {
  const us = drawnTime(result, options.zeroUnixNs);
  return result.path.segments.map((segment) => {
    const bound = options.bounds === true ? ` < ${segment.boundBy}` : '';
    return `${us(segment.startNs)}..${us(segment.endNs)} ${segmentText(segment)}${bound}`;
  });
}

/** The kinds alone: neighbours of one kind and one device op are one line; host segments have no names. */
export function kindsOf(result: CriticalPathResult, options: PathTextOptions = {}): string[] {
  const us = drawnTime(result, options.zeroUnixNs);
  const runs: { start: number; end: number; text: string }[] = [];
  for (const segment of result.path.segments) {
    const text = isHostKind(segment.kind) ? segment.kind : segmentText(segment);
    const last = runs.at(-1);
    if (last?.text === text) last.end = segment.endNs;
    else runs.push({ start: segment.startNs, end: segment.endNs, text });
  }
  return runs.map(({ start, end, text }) => `${us(start)}..${us(end)} ${text}`);
}

/** Each window: `ProfilerStep#2 100..200 complete`. */
export function windowsOf(result: CriticalPathResult, options: PathTextOptions = {}): string[] {
  const us = drawnTime(result, options.zeroUnixNs);
  return result.windows.map(
    ({ label, startNs, endNs, complete }) =>
      `${label} ${us(startNs)}..${us(endNs)}${complete ? ' complete' : ' incomplete'}`,
  );
}

/** Time by kind of segment, in µs. */
export const breakdownOf = ({ path }: CriticalPathResult): Record<string, number> =>
  Object.fromEntries(
    path.breakdown.filter(({ totalNs }) => totalNs > 0).map(({ kind, totalNs }) => [kind, totalNs / 1000]),
  );

const isHostKind = (kind: PathSegment['kind']): boolean =>
  kind === 'host-work' || kind === 'host-gap' || kind === 'data-loading' || kind === 'sync-overhead';

function segmentText({ kind, event, cause }: PathSegment): string {
  const name = event === undefined ? '' : ` ${referenceText(event)}`;
  return `${kind}${name}${cause === undefined ? '' : ` (${cause})`}`;
}

function drawnTime({ traces }: CriticalPathResult, zeroUnixNs = ZERO_UNIX_NS): (ns: number) => number {
  const origin = Number(BigInt(traces[0]?.originUnixNs ?? 0) - zeroUnixNs);
  return (ns) => (ns + origin) / 1000;
}

const sourceText = (source: SourceReference | undefined): string =>
  source?.via === undefined ? referenceText(source) : `${referenceText(source)} via ${source.via}`;

function referenceText(reference: EventReference | undefined): string {
  if (reference === undefined) return '-';
  return reference.correlation === undefined ? reference.name : `${reference.name}#${reference.correlation}`;
}
