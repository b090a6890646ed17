import { ok, type Result } from '../base/result.ts';
import { type OpenOptions, type ReadError, TraceReader } from '../ingest/read-trace.ts';
import { type ByteStream, inflated, piecesOfStream } from './inflate.ts';
import type { OpenTrace } from './open-trace.ts';
import { openTraceOf } from './open-trace.ts';

/** Where bytes come from: all of them at once, or piece by piece. Pieces are copied, so their owner may reuse them. */
export type ByteSource = Uint8Array | AsyncIterable<Uint8Array> | ByteStream;

/**
 * Reads the trace of one rank from bytes of JSON, or of JSON in gzip. Damage is stepped over and counted; an error means that there is
 * nothing to analyse. Rejects only if `source` does.
 */
export async function readTrace(source: ByteSource, options: OpenOptions = {}): Promise<Result<OpenTrace, ReadError>> {
  const reader = new TraceReader({ file: 'trace', ...options });
  const onDamage = (): void => reader.damage('truncated-compression', reader.byteLength);
  for await (const chunk of inflated(piecesOf(source), onDamage)) {
    reader.push(chunk);
    if (reader.error !== undefined) break;
  }
  const read = reader.finish();
  return read.ok ? ok(openTraceOf(read.value)) : read;
}

async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) yield* slicesOf(source);
  else if (Symbol.asyncIterator in source) yield* source;
  else yield* piecesOfStream(source);
}

/** So that progress is told, and reading can be cancelled, on the way. */
const SLICE = 1 << 20;

function* slicesOf(whole: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < whole.length; at += SLICE) yield whole.subarray(at, at + SLICE);
}
