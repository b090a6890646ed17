import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { err, ok, type Result } from '../base/result.ts';
import {
  TraceReader,
  type OpenOptions,
  type ReadError,
  type ReadOptions,
  type ScannerChoice,
} from '../ingest/read-trace.ts';
import { formatOf } from '../library/inflate.ts';
import type { Trace } from '../trace/trace.ts';
import { CachedTrace, type CacheOptions } from './cache/cached-trace.ts';
import { findCut } from './cut-file.ts';
import {
  gunzipCarefully,
  gunzipFile,
  NoZstdError,
  unzstd,
  type InflateReport,
  type StreamDamage,
} from './inflate-node.ts';
import { PIECE, readPieces } from './read-pieces.ts';
import { BUILT_WORKER, canShareWork, RestThread } from './rest-thread.ts';

/** JSON that is read where nobody says how much: several times the largest trace. What inflates without end stops there. */
export const DEFAULT_MAX_BYTES = 16 * 2 ** 30;

/** Smaller files are read before a second thread has started. */
const SHARED_FROM = 128 << 20;
/** JSON behind which the rest of a file is taken to be like what was read. */
const ENOUGH_TO_EXPECT = 16 << 20;

export type Compression = ReturnType<typeof formatOf>;

/**
 * The decompressed bytes of a file, or of standard input where `path` is `-`. Chunks may be reused once the next is asked for.
 * What is no regular file (a pipe, a device) is read once, from its beginning to its end.
 * `onRead` is told how many bytes of a regular file are done with.
 * A damaged compressed stream gives what came before the damage and tells `onDamage`. Rejects with Node's error, or `NoZstdError`.
 */
export async function* openBytes(
  path: string,
  onDamage: (damage: StreamDamage) => void = () => {},
  onRead: (fileBytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  if (path === '-') {
    yield* openOnce(process.stdin, onDamage);
    return;
  }
  if (!(await isRegularFile(path))) {
    yield* openOnce(createReadStream(path, { highWaterMark: PIECE }), onDamage);
    return;
  }
  switch (await sniffCompression(path)) {
    case 'gzip':
      yield* gunzipFile(path, onDamage, onRead);
      return;
    case 'zstd':
      yield* unzstd(createReadStream(path, { highWaterMark: PIECE }), onDamage);
      return;
    case 'none':
      yield* readPieces(path, 0, Infinity, onRead);
  }
}

/** Only such a file can be read twice, or from a place in it. Rejects with Node's error. */
export const isRegularFile = async (path: string): Promise<boolean> => (await stat(path)).isFile();

/** How a regular file is compressed, by its first bytes. Rejects with Node's error. */
export async function sniffCompression(path: string): Promise<Compression> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(4), 0, 4, 0);
    return formatOf(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** What cannot be read twice: its first bytes are put in front again. */
async function* openOnce(
  input: AsyncIterable<unknown>,
  onDamage: (damage: StreamDamage) => void,
): AsyncGenerator<Uint8Array> {
  const chunks = (input as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < 4) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const all = (async function* () {
    yield head;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  })();
  switch (formatOf(head)) {
    case 'gzip': {
      const report: InflateReport = { damage: undefined, taken: 0 };
      yield* gunzipCarefully(all, 0, report);
      if (report.damage !== undefined) onDamage(report.damage);
      return;
    }
    case 'zstd':
      yield* unzstd(Readable.from(all), onDamage);
      return;
    case 'none':
      yield* all;
  }
}

/** How a file is read. */
export interface FileOptions extends OpenOptions {
  readonly scanner?: ScannerChoice;
  /** Where traces are kept that were read once; nothing is kept without it. */
  readonly cache?: CacheOptions;
  /** How large a plain file is read by two threads, and the program of the second. */
  readonly shared?: { readonly fromBytes: number; readonly worker: URL };
}

/** 0 for what has no size, or is not there: that is told when it is opened. */
const sizeOf = async (path: string): Promise<number> =>
  path === '-'
    ? 0
    : stat(path).then(
        (stats) => (stats.isFile() ? stats.size : 0),
        () => 0,
      );

function finishReading(reader: TraceReader): Result<Trace, ReadError> {
  try {
    return reader.finish();
  } catch (error) {
    if (isOutOfMemory(error)) return err(describeOpenError(error));
    throw error;
  }
}

/** What Node says where a column or the scanner's memory cannot grow. */
const isOutOfMemory = (error: unknown): boolean =>
  (error instanceof RangeError && /allocation failed|Invalid (typed )?array (buffer )?length/i.test(error.message)) ||
  (error instanceof Error && error.name === 'RuntimeError' && error.message === 'unreachable');

/** Reads the trace in a file or a pipe (`-` for standard input). What cannot be read at all is an error of one line. */
export async function openTrace(
  path: string,
  { cache, ...options }: FileOptions = {},
): Promise<Result<Trace, ReadError>> {
  if (cache === undefined || (await sizeOf(path)) === 0) return readFile(path, options);
  const { file = path, fallbackRank, skip = [] } = options;
  let kept: CachedTrace;
  try {
    kept = await CachedTrace.of(path, cache, { file, fallbackRank, skip });
  } catch (error) {
    return err(describeOpenError(error));
  }
  const known = await kept.read();
  if (known !== undefined) return ok(known);
  const read = await readFile(path, options);
  if (read.ok) kept.keep(read.value);
  return read;
}

async function readFile(
  path: string,
  { onProgress, shared = { fromBytes: SHARED_FROM, worker: BUILT_WORKER }, ...given }: Omit<FileOptions, 'cache'>,
): Promise<Result<Trace, ReadError>> {
  const size = await sizeOf(path);
  const options = { file: path, maxBytes: DEFAULT_MAX_BYTES, ...scannerOfEnvironment(), ...given };
  const reader = new TraceReader(options);
  // (As a whole type: it is set in a function.)
  let inside = 'none' as Compression;
  let isExpected = size === 0;
  const take = (chunk: Uint8Array, fileBytes: number): boolean => {
    if (reader.byteLength === 0) inside = formatOf(chunk);
    reader.push(chunk);
    const share = size === 0 ? undefined : Math.min(1, fileBytes / size);
    if (!isExpected && share !== undefined && reader.byteLength > ENOUGH_TO_EXPECT) {
      isExpected = true;
      reader.expect(share);
    }
    onProgress?.(reader.byteLength, share);
    return reader.error === undefined;
  };
  try {
    const mayShare = size >= shared.fromBytes && size <= options.maxBytes && canShareWork(shared.worker);
    if (mayShare && (await sniffCompression(path)) === 'none') {
      await readShared(path, size, reader, { ...options, worker: shared.worker }, take);
    } else {
      let fileBytes = 0;
      const onDamage = (damage: StreamDamage): void => reader.damage(damage, reader.byteLength);
      for await (const chunk of openBytes(path, onDamage, (bytes) => (fileBytes = bytes))) {
        if (!take(chunk, fileBytes)) break;
      }
    }
  } catch (error) {
    return err(describeOpenError(error));
  }
  const read = finishReading(reader);
  if (read.ok || read.error.code !== 'not-json' || inside === 'none') return read;
  return err({
    ...read.error,
    message: `no JSON but ${inside} inside: the file is compressed twice`,
    hint: 'decompress it once and give the result',
  });
}

/**
 * Reads a plain file with a second thread, which reads from a place near the middle on. Where that was no begin of a row after all, or its
 * half is of a kind that only the whole can judge, this thread reads on: the trace is the same. `take`: a chunk, and how much of the file is done.
 */
async function readShared(
  path: string,
  size: number,
  reader: TraceReader,
  options: Pick<ReadOptions, 'skip' | 'scanner'> & { readonly worker: URL },
  take: (chunk: Uint8Array, fileBytes: number) => boolean,
): Promise<void> {
  const from = await findCut(path, size);
  const { skip, scanner } = options;
  const picked = { ...(skip !== undefined && { skip }), ...(scanner !== undefined && { scanner }) };
  const thread = from === undefined ? undefined : new RestThread(options.worker, { path, from, size, options: picked });
  const cut = from?.byteOffset ?? 0;
  try {
    // Both halves go on at the same time.
    for await (const piece of readPieces(path, 0, cut)) {
      if (!take(piece, (reader.byteLength + piece.length) * (size / Math.max(cut, 1)))) return;
    }
    const rest = await thread?.rest;
    if (rest !== undefined && reader.addRest(rest)) return;
    for await (const piece of readPieces(path, cut, Infinity)) {
      if (!take(piece, reader.byteLength + piece.length)) return;
    }
  } finally {
    await thread?.stop();
  }
}

/** `LONGPOLE_SCANNER=ts`: rows are read in TypeScript alone, should WebAssembly ever be in doubt. The answers are the same. */
function scannerOfEnvironment(): { readonly scanner?: ScannerChoice } {
  const scanner = process.env['LONGPOLE_SCANNER'];
  return scanner === 'ts' || scanner === 'wasm' ? { scanner } : {};
}

/** Words what Node says when a file cannot be opened or read. */
export function describeOpenError(error: unknown): ReadError {
  if (error instanceof NoZstdError) {
    return {
      code: 'no-zstd',
      message: 'the file is compressed with zstd, which this Node cannot read',
      hint: 'install the zstd program, or use Node 22.15 or later',
    };
  }
  if (isOutOfMemory(error)) {
    return {
      code: 'too-large',
      message: 'not enough memory for its events',
      hint: 'leave rows out that only label, with --skip python_function, or cut the trace to a window first',
    };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return { code: 'not-found', message: 'no such file' };
    case 'EACCES':
    case 'EPERM':
      return { code: 'no-access', message: 'the file may not be read' };
    case 'EISDIR':
      return { code: 'is-directory', message: 'this is a directory, not a file', hint: 'name the files in it' };
    default:
      return { code: 'read-failed', message: error instanceof Error ? error.message : String(error) };
  }
}
