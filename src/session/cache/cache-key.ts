import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';

/** Goes up when what is kept, or how a trace is read, changes: older folders are not found any more then. */
const READER = 3;
/** So many places of a file are looked at, the first and the last bytes among them. */
const SAMPLES = 16;
const SAMPLE_BYTES = 1 << 16;

/** What else a trace depends on, beside the file's bytes. */
export interface KeyParts {
  readonly file: string;
  readonly fallbackRank: number | undefined;
  readonly skip: readonly string[];
}

/** The name of the folder that keeps the trace of the file at `path`: by its size, its time, samples of its bytes and how it is read. */
export async function cacheKeyOf(path: string, { file, fallbackRank, skip }: KeyParts): Promise<string> {
  const handle = await open(path);
  try {
    const { size, mtimeNs } = await handle.stat({ bigint: true });
    const hash = createHash('sha256');
    hash.update(JSON.stringify([READER, String(size), String(mtimeNs), file, fallbackRank ?? null, skip.toSorted()]));
    await addSamples(hash, handle, Number(size));
    return hash.digest('hex').slice(0, 40);
  } finally {
    await handle.close();
  }
}

async function addSamples(hash: ReturnType<typeof createHash>, handle: FileHandle, size: number): Promise<void> {
  const buffer = new Uint8Array(SAMPLE_BYTES);
  const last = Math.max(0, size - SAMPLE_BYTES);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const at = Math.floor((last * sample) / (SAMPLES - 1));
    const { bytesRead } = await handle.read(buffer, 0, SAMPLE_BYTES, at);
    hash.update(buffer.subarray(0, bytesRead));
    if (last === 0) return;
  }
}
