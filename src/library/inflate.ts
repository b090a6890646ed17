/** Bytes out of compressed ones, with what every host has. */

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

/** Its pieces; cancels it where its reader stops early. */
export async function* piecesOfStream(stream: ByteStream): AsyncGenerator<Uint8Array> {
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

/** Takes pieces of compressed bytes; damage ends it, and `onDamage` is told. */
export type Inflate = (pieces: AsyncGenerator<Uint8Array>, onDamage: () => void) => AsyncGenerator<Uint8Array>;

/** The bytes as they are, or what is in them where they begin as gzip does, or as zstd does where there is something that reads it. */
export async function* inflated(
  pieces: AsyncGenerator<Uint8Array>,
  onDamage: () => void,
  unzstd?: Inflate,
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < MAGIC) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    // A long first piece is passed on as it is, before the next one is asked for.
    head = head.length === 0 && value.length >= MAGIC ? value : joined(head, value);
  }
  const all = behind(head, pieces);
  const format = formatOf(head);
  if (format === 'gzip') yield* gunzip(all, onDamage);
  else if (format === 'zstd' && unzstd !== undefined) yield* unzstd(all, onDamage);
  else yield* all;
}

/** Bytes by which a format is told. */
const MAGIC = 4;

/** How bytes are compressed, by the first four of them. */
export function formatOf([a, b, c, d]: Uint8Array): 'gzip' | 'zstd' | 'none' {
  if (a === 0x1f && b === 0x8b) return 'gzip';
  return a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd ? 'zstd' : 'none';
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
