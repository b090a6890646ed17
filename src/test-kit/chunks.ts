/** The bytes in chunks of `size`, all in one buffer that is overwritten for the next: a reader that keeps a view is found out. */
export function* reusedChunks(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(Math.max(1, Math.min(size, bytes.length)));
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size);
    buffer.set(chunk);
    yield buffer.subarray(0, chunk.length);
    buffer.fill(0x7e);
  }
}

/** The sizes at which every fixture must give the same trace. */
export const CHUNK_SIZES: readonly number[] = [1, 2, 3, 7, 64, Infinity];

/** What `readTrace` takes, of bytes at hand. */
export async function* asyncChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield* reusedChunks(bytes, size);
}
