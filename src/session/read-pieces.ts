import { open } from 'node:fs/promises';

/** A plain file is read in pieces of this size. */
export const PIECE = 1 << 20;

/**
 * Reads the bytes `[from, to)` of a file into two buffers in turn: the next piece comes in while the last one is used. A piece is only valid
 * until the next is asked for. `onRead`: up to which byte. Rejects with Node's error.
 */
export async function* readPieces(
  path: string,
  from: number,
  to: number,
  onRead: (fileBytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  let next: Promise<{ readonly bytesRead: number }> | undefined;
  try {
    let [buffer, other] = [new Uint8Array(PIECE), new Uint8Array(PIECE)];
    let done = from;
    const read = (): Promise<{ readonly bytesRead: number }> =>
      file.read(buffer, 0, Math.max(0, Math.min(PIECE, to - done)), done);
    next = read();
    for (;;) {
      const { bytesRead } = await next;
      if (bytesRead === 0) return;
      const piece = buffer.subarray(0, bytesRead);
      done += bytesRead;
      [buffer, other] = [other, buffer];
      next = read();
      onRead(done);
      yield piece;
    }
  } finally {
    // Whoever stops early does not care how the read ends that is under way.
    await next?.catch(() => undefined);
    await file.close();
  }
}
