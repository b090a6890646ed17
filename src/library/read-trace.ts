import { ok, type Result } from '../base/result.ts';
import { type OpenOptions, type ReadError, TraceReader } from '../ingest/read-trace.ts';
import type { OpenTrace } from './open-trace.ts';
import { openTraceOf } from './open-trace.ts';

/** A stream of bytes as browsers have them: `response.body`, `file.stream()`. */
export interface ByteStream {
  /** Takes the stream, so that nobody else reads it. */
  getReader(): ByteStreamReader;
}

/** The reader of a `ByteStream`. */
export interface ByteStreamReader {
  /** The next bytes. */
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  /** Tells the stream that no more will be read. */
  cancel(reason?: unknown): Promise<void>;
}

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

async function* piecesOfStream(stream: ByteStream): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (value !== undefined) yield value;
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}

/** The bytes as they are, or what is in them where they begin as gzip does. */
async function* inflated(pieces: AsyncGenerator<Uint8Array>, onDamage: () => void): AsyncGenerator<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < 2) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    // A long first piece is passed on as it is, before the next one is asked for.
    head = head.length === 0 && value.length >= 2 ? value : joined(head, value);
  }
  const all = behind(head, pieces);
  if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzip(all, onDamage);
  else yield* all;
}

async function* behind(head: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

/** The writer of a stream, as far as it is needed here. */
interface ByteWriter {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abort(reason: unknown): Promise<void>;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** A stream that fails drops what waits in it: small pieces keep that small. */
const GZIP_PIECE = 1 << 14;

async function* gunzip(pieces: AsyncGenerator<Uint8Array>, onDamage: () => void): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream('gzip');
  const source = { failed: false, error: undefined as unknown };
  const fed = feed(writable.getWriter(), pieces, (error) => Object.assign(source, { failed: true, error }));
  try {
    yield* piecesOfStream(readable);
  } catch {
    // What the stream says of its damage differs from host to host.
    if (!source.failed) onDamage();
  }
  await fed;
  if (source.failed) throw source.error;
}

/** Ends where the pieces do, or where the stream takes no more: its other end says why. */
async function feed(
  writer: ByteWriter,
  pieces: AsyncGenerator<Uint8Array>,
  onSourceError: (error: unknown) => void,
): Promise<void> {
  const tagged = watched(pieces, onSourceError);
  try {
    for await (const piece of tagged) {
      for (let at = 0; at < piece.length; at += GZIP_PIECE) await writer.write(piece.slice(at, at + GZIP_PIECE));
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
  }
}

async function* watched(
  pieces: AsyncGenerator<Uint8Array>,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    onError(error);
    throw error;
  }
}
