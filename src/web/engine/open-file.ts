/** A file of the browser's machine, read where it lies. */
import { type Result, err, ok } from '../../base/result.ts';
import { readRow, readRows } from '../../ingest/read-rows.ts';
import { type ReadError, TraceReader } from '../../ingest/read-trace.ts';
import { formatOf, inflated, piecesOfStream } from '../../library/inflate.ts';
import { type Session, createSession } from '../../library/session.ts';
import type { RowSource } from '../../answers/event-details.ts';
import { unzstd } from './unzstd.ts';

/** A tab has no more memory than for this: `longpole serve` reads what is larger. */
const MOST_JSON = 4 * 2 ** 30;
/** JSON behind which the rest of a file is taken to be like what was read. */
const ENOUGH_TO_EXPECT = 16 << 20;

/** Reads the trace of one rank. `onProgress`: bytes of JSON, and which share of the file's bytes that is. */
export async function openFile(
  file: File,
  onProgress: (jsonBytes: number, share: number) => void,
): Promise<Result<Session, ReadError>> {
  const reader = new TraceReader({ file: file.name, maxBytes: MOST_JSON });
  const done = { bytes: 0 };
  const onDamage = (): void => reader.damage('truncated-compression', reader.byteLength);
  let isExpected = false;
  for await (const chunk of inflated(counted(file, done), onDamage, unzstd)) {
    reader.push(chunk);
    if (reader.error !== undefined) break;
    const share = Math.min(1, done.bytes / Math.max(1, file.size));
    if (!isExpected && reader.byteLength > ENOUGH_TO_EXPECT) {
      isExpected = true;
      reader.expect(share);
    }
    onProgress(reader.byteLength, share);
  }
  const read = reader.finish();
  return read.ok ? ok(createSession(read.value)) : err(read.error);
}

/** Its rows, read again from the file: a plain one at the row, a compressed one from its beginning. */
export function rowsOfFile(file: File): RowSource {
  const read = async (byteOffset: number): Promise<Record<string, unknown> | undefined> => {
    try {
      return await readRow(await bytesFrom(file, byteOffset));
    } catch {
      // It was changed or removed since: who asks is told that there is no row.
      return undefined;
    }
  };
  return { kind: 'file', read };
}

/** Many of its rows, in one pass; or why there are none. */
export async function rowsAt(file: File, byteOffsets: readonly number[]): Promise<RowSource> {
  try {
    const rows = await readRows(skipped(file, 0), byteOffsets);
    return { kind: 'file', read: (byteOffset) => Promise.resolve(rows.get(byteOffset)) };
  } catch (error) {
    // It was changed or removed since.
    return {
      kind: 'none',
      why: `the file cannot be read again (${error instanceof Error ? error.message : String(error)})`,
    };
  }
}

async function* counted(file: File, done: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const piece of piecesOfStream(file.stream())) {
    done.bytes += piece.length;
    yield piece;
  }
}

async function bytesFrom(file: File, byteOffset: number): Promise<AsyncGenerator<Uint8Array>> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  return formatOf(head) === 'none' ? piecesOfStream(file.slice(byteOffset).stream()) : skipped(file, byteOffset);
}

async function* skipped(file: File, bytes: number): AsyncGenerator<Uint8Array> {
  let before = bytes;
  for await (const chunk of inflated(piecesOfStream(file.stream()), () => {}, unzstd)) {
    if (before < chunk.length) yield chunk.subarray(before);
    before = Math.max(0, before - chunk.length);
  }
}
