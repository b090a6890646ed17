import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, type ReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { ZstdFrames } from '../ingest/zstd-frames.ts';

/** What was wrong with a compressed stream whose bytes were used all the same. */
export type StreamDamage = 'truncated-compression' | 'trailing-bytes';

/** Large chunks: inflating at Node's default of 16 KiB takes three times as long. */
const CHUNK = 1 << 20;
/** Lets the thread pool inflate ahead while a chunk is scanned. (A variable, since Node's types do not know `highWaterMark` here.) */
const inflateOptions = { chunkSize: CHUNK, highWaterMark: 16 << 20 };
/** Around damage the input goes in by these sizes, one after the other: all that one piece would have given is lost. */
const CAREFUL_PIECES = [256, 1];

const isZlibError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^(Z_|ZSTD_|ERR_TRAILING_JUNK)/.test(error.code);

const damageOf = (error: Error, delivered: number): StreamDamage =>
  delivered > 0 && /header check|TRAILING_JUNK/.test(`${error.message} ${'code' in error ? String(error.code) : ''}`)
    ? 'trailing-bytes'
    : 'truncated-compression';

/**
 * Inflates a gzip file of one or many members. Where the stream is damaged, the bytes before the damage come all the same and
 * `onDamage` is told. Rejects with Node's error where the file cannot be read.
 */
export async function* gunzipFile(
  path: string,
  onDamage: (damage: StreamDamage) => void,
  onRead: (fileBytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const input = createReadStream(path, { highWaterMark: CHUNK });
  const gunzip = zlib.createGunzip(inflateOptions);
  input.on('error', (error) => gunzip.destroy(error));
  input.pipe(gunzip);
  let delivered = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      delivered += chunk.length;
      onRead(gunzip.bytesWritten);
      yield chunk;
    }
    return;
  } catch (error) {
    if (!isZlibError(error)) throw error;
  } finally {
    input.destroy();
    gunzip.destroy();
  }
  // A stream that fails drops what waits in it. Damage is rare, so that is made again, in smaller and smaller pieces.
  let suspectFrom = Math.max(0, gunzip.bytesWritten - 2 * CHUNK);
  for (const size of CAREFUL_PIECES) {
    const pieces = inPieces(createReadStream(path, { highWaterMark: CHUNK }), suspectFrom, size);
    const report = { damage: undefined as StreamDamage | undefined, taken: 0 };
    for await (const chunk of gunzipCarefully(pieces, delivered, report)) {
      delivered += chunk.length;
      yield chunk;
    }
    suspectFrom = Math.max(0, report.taken - size);
    if (size === 1 && report.damage !== undefined) onDamage(report.damage);
  }
}

/** What an inflation found. */
export interface InflateReport {
  damage: StreamDamage | undefined;
  /** Compressed bytes taken, those of the damaged piece included. */
  taken: number;
}

/** Inflates piece by piece: no byte before the damage is lost but those of one piece. The first `skip` bytes are left out. */
export async function* gunzipCarefully(
  input: AsyncIterable<Uint8Array>,
  skip: number,
  report: InflateReport,
): AsyncGenerator<Uint8Array> {
  const gunzip = zlib.createGunzip({ chunkSize: 1 << 16 });
  const ready: Uint8Array[] = [];
  let failure: Error | undefined;
  let inflated = 0;
  gunzip.on('data', (chunk: Uint8Array) => ready.push(chunk));
  gunzip.on('error', (error) => (failure = error));
  const closed = new Promise<void>((resolve) => gunzip.once('close', () => resolve()));
  const drain = function* (): Generator<Uint8Array> {
    for (const chunk of ready.splice(0)) {
      const from = Math.min(chunk.length, Math.max(0, skip - inflated));
      inflated += chunk.length;
      if (from < chunk.length) yield chunk.subarray(from);
    }
  };
  for await (const piece of input) {
    // A stream that fails closes, and never calls back.
    await Promise.race([closed, new Promise<void>((resolve) => gunzip.write(piece, () => resolve()))]);
    report.taken += piece.length;
    yield* drain();
    if (failure !== undefined) break;
  }
  if (failure === undefined) {
    gunzip.end();
    await closed;
    yield* drain();
  }
  if (failure !== undefined) report.damage = damageOf(failure, inflated);
}

/** The bytes before `smallFrom` as they come, then pieces of `size`. */
async function* inPieces(input: ReadStream, smallFrom: number, size: number): AsyncGenerator<Uint8Array> {
  let offset = 0;
  for await (const chunk of input as AsyncIterable<Uint8Array>) {
    const whole = Math.min(chunk.length, Math.max(0, smallFrom - offset));
    if (whole > 0) yield chunk.subarray(0, whole);
    for (let at = whole; at < chunk.length; at += size) yield chunk.subarray(at, at + size);
    offset += chunk.length;
  }
}

/** No program or runtime at hand that reads zstd. */
export class NoZstdError extends Error {}

/** Inflates zstd with Node where it can, else with the `zstd` program. Damage as in `gunzipFile`. */
export async function* unzstd(input: Readable, onDamage: (damage: StreamDamage) => void): AsyncGenerator<Uint8Array> {
  const create: unknown = 'createZstdDecompress' in zlib ? zlib.createZstdDecompress : undefined;
  const output = typeof create === 'function' ? (input.pipe(create({ chunkSize: CHUNK })) as Readable) : undefined;
  if (output === undefined) {
    yield* unzstdByProgram(input, onDamage);
    return;
  }
  input.on('error', (error) => output.destroy(error));
  const frames = new ZstdFrames();
  input.on('data', (chunk: Uint8Array) => frames.push(chunk));
  try {
    for await (const chunk of output as AsyncIterable<Uint8Array>) yield chunk;
    if (frames.isInside) onDamage('truncated-compression');
  } catch (error) {
    if (!isZlibError(error)) throw error;
    onDamage('truncated-compression');
  }
}

async function* unzstdByProgram(input: Readable, onDamage: (damage: StreamDamage) => void): AsyncGenerator<Uint8Array> {
  const child = spawn('zstd', ['-dc'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exit = once(child, 'close');
  let inputError: Error | undefined;
  input.on('error', (error) => {
    inputError = error;
    child.kill();
  });
  // The program closes its input early where it meets damage; the exit code says so.
  child.stdin.on('error', () => input.unpipe(child.stdin));
  input.pipe(child.stdin);
  try {
    for await (const chunk of child.stdout as AsyncIterable<Uint8Array>) yield chunk;
    const [code] = (await exit) as [number | null];
    if (inputError !== undefined) throw inputError;
    if (code !== 0) onDamage('truncated-compression');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT' && inputError === undefined) {
      throw new NoZstdError('zstd is not installed');
    }
    throw error;
  } finally {
    input.destroy();
    if (child.exitCode === null) child.kill();
  }
}
