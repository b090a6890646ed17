import { Decompress } from 'fzstd';
import { ZstdFrames } from '../../ingest/zstd-frames.ts';

/** As much as the zstd program keeps without being asked for more. */
const WIDEST_WINDOW = 128 << 20;
/** Few bytes may stand for many: so much goes in at once. */
const PIECE = 4096;

/** Inflates zstd, for which browsers have nothing. Damage ends it, as does a frame that asks for too much memory. */
export async function* unzstd(pieces: AsyncIterable<Uint8Array>, onDamage: () => void): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const frames = new ZstdFrames();
  const decoder = new Decompress((bytes) => ready.push(bytes));
  /** False where the bytes are no zstd, or not all of it. */
  const take = (piece: Uint8Array, isLast: boolean): boolean => {
    frames.push(piece);
    if (frames.widestWindow > WIDEST_WINDOW) return false;
    try {
      decoder.push(piece, isLast);
    } catch {
      return false;
    }
    return true;
  };
  let isSound = true;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length && isSound; at += PIECE) {
      // A copy: what is not yet a whole block is kept.
      isSound = take(piece.slice(at, at + PIECE), false);
      yield* ready.splice(0);
    }
    if (!isSound) break;
  }
  isSound &&= take(new Uint8Array(0), true);
  yield* ready.splice(0);
  if (!isSound) onDamage();
}
