import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Trace } from '../../trace/trace.ts';
import { cacheKeyOf, type KeyParts } from './cache-key.ts';

/** Reading less JSON again is faster than a person notices. */
const WORTH_KEEPING = 64 << 20;

export interface CacheOptions {
  /** Made where it does not exist. */
  readonly folder: string;
  /** Told why a trace could not be kept; it was read all the same. */
  readonly onFailure?: (error: unknown) => void;
  /** Traces of less JSON are not kept. */
  readonly fromBytes?: number;
  readonly mostBytes?: number;
  /** Given what is still being written when the trace is there. It never rejects. */
  readonly onWriting?: (done: Promise<void>) => void;
}

/** `$XDG_CACHE_HOME/longpole`, by default `~/.cache/longpole`. */
export function defaultCacheFolder(): string {
  const home = process.env['XDG_CACHE_HOME'];
  // A relative path there is to be ignored, says the specification of these folders.
  return join(home?.startsWith('/') === true ? home : join(homedir(), '.cache'), 'longpole');
}

/** Where the trace of one file is kept. */
export class CachedTrace {
  readonly #path: string;
  readonly #options: CacheOptions;
  readonly #parts: KeyParts;
  readonly #key: string;

  private constructor(path: string, options: CacheOptions, parts: KeyParts, key: string) {
    this.#path = path;
    this.#options = options;
    this.#parts = parts;
    this.#key = key;
  }

  /** Of the regular file at `path`. Rejects with Node's error. */
  static async of(path: string, options: CacheOptions, parts: KeyParts): Promise<CachedTrace> {
    return new CachedTrace(path, options, parts, await cacheKeyOf(path, parts));
  }

  async read(): Promise<Trace | undefined> {
    const { folder } = this.#options;
    // What reads a kept trace is a large program: it is loaded where there is one.
    if (!existsSync(join(folder, this.#key))) return undefined;
    const { readKept } = await import('./cache-folder.ts');
    return readKept(folder, this.#key, this.#parts.file);
  }

  /** Begins to keep a trace. The answer does not wait for it. */
  keep(trace: Trace): void {
    const { fromBytes = WORTH_KEEPING, onWriting, onFailure } = this.#options;
    if (trace.jsonBytes < fromBytes) return;
    const done = this.#write(trace).catch((error: unknown) => onFailure?.(error));
    onWriting?.(done);
  }

  async #write(trace: Trace): Promise<void> {
    // A file that was written to while it was read is not what its key says.
    if ((await cacheKeyOf(this.#path, this.#parts)) !== this.#key) return;
    const { MOST_BYTES, tidy, writeTrace } = await import('./cache-folder.ts');
    const { folder, mostBytes = MOST_BYTES } = this.#options;
    await writeTrace(folder, this.#key, trace);
    await tidy(folder, mostBytes);
  }
}
