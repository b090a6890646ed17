import { createReadStream } from 'node:fs';
import { RawCutter, type RawPart } from '../ingest/raw-cutter.ts';
import { readRow } from '../ingest/read-rows.ts';
import { isRegularFile, openBytes, sniffCompression } from './open-node.ts';

/**
 * The parts of a file (`-`: standard input) in bounded memory. `bytes` are only valid until the next part is asked for.
 * `position` is the event's index in `traceEvents`. Rejects with Node's error.
 */
export async function* streamRawEvents(path: string): AsyncGenerator<RawPart> {
  const cutter = new RawCutter();
  for await (const chunk of openBytes(path)) yield* cutter.push(chunk);
  yield* cutter.finish();
}

/**
 * The event whose `{` stands at `byteOffset` of the decompressed file, with all its args: a trace keeps only those that have columns.
 * `undefined` where no whole event stands there, and for standard input and pipes, which cannot be read again. Rejects with Node's error.
 * Takes as long as inflating up to there.
 */
export async function readRawEvent(path: string, byteOffset: number): Promise<Record<string, unknown> | undefined> {
  if (path === '-' || !(await isRegularFile(path))) return undefined;
  return readRow(bytesFrom(path, byteOffset));
}

async function* bytesFrom(path: string, byteOffset: number): AsyncGenerator<Uint8Array> {
  if ((await sniffCompression(path)) === 'none') {
    yield* createReadStream(path, { start: byteOffset, highWaterMark: 1 << 16 }) as AsyncIterable<Uint8Array>;
    return;
  }
  let before = byteOffset;
  for await (const chunk of openBytes(path)) {
    if (before < chunk.length) yield chunk.subarray(before);
    before = Math.max(0, before - chunk.length);
  }
}
