// Files of a job, each mapped by one of a few threads.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { err, type Result } from '../../base/result.ts';
import { mapRankFile, type MapFileOptions } from './map-rank-file.ts';
import type { RankFile } from './rank-files.ts';

export interface MapRequest {
  readonly file: RankFile;
  readonly options: MapFileOptions;
}
export type MapReply = Result<string, string>;

export interface PoolOptions {
  /** Threads at most. */
  readonly threads: number;
  /** The program of a thread. */
  readonly worker: URL;
}

/** Beside the built program; the sources alone have none, and map in this thread. */
const BUILT_WORKER = new URL('./map-worker.js', import.meta.url);

/** As many threads as cores; one, this one, under `LONGPOLE_WORKERS=1`. */
export const defaultPool = (): PoolOptions => ({
  threads: process.env['LONGPOLE_WORKERS'] === '1' ? 1 : availableParallelism(),
  worker: BUILT_WORKER,
});

/**
 * Maps each file and tells `onReply`, in the order in which they are done. A file whose thread dies (of memory, mostly) has that as its
 * reason, and the others go on. Rejects where `onReply` does.
 */
export async function mapInPool(
  files: readonly RankFile[],
  options: MapFileOptions,
  onReply: (file: RankFile, reply: MapReply) => Promise<void> | void,
  { threads, worker }: PoolOptions = defaultPool(),
): Promise<void> {
  const waiting = files[Symbol.iterator]();
  const isAlone =
    Math.min(threads, files.length) < 2 || worker.protocol !== 'file:' || !existsSync(fileURLToPath(worker));
  if (isAlone) {
    for (const file of waiting) {
      await onReply(file, await mapRankFile(file, options).catch((error) => err(wordsOf(error))));
    }
    return;
  }
  const work = async (): Promise<void> => {
    const thread = new MapThread(worker);
    try {
      // All of them take from one list.
      for (const file of { [Symbol.iterator]: () => waiting }) await onReply(file, await thread.map({ file, options }));
    } finally {
      await thread.stop();
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, files.length) }, work));
}

/** A thread that is started when there is something to map, and again after it died. */
class MapThread {
  readonly #program: URL;
  #worker: Worker | undefined;
  #reply: (reply: MapReply) => void = () => undefined;

  constructor(program: URL) {
    this.#program = program;
  }

  map(request: MapRequest): Promise<MapReply> {
    return new Promise((resolve) => {
      this.#reply = resolve;
      this.#worker ??= this.#start();
      this.#worker.postMessage(request);
    });
  }

  #start(): Worker {
    // Files are shared out already: no thread takes another one to help.
    const worker = new Worker(this.#program, { env: { ...process.env, LONGPOLE_WORKERS: '1' } });
    const died = (why: string): void => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#reply(err(why));
    };
    worker.on('message', (reply: MapReply) => this.#reply(reply));
    worker.on('error', (error) => died(wordsOf(error)));
    worker.on('exit', () => died('the thread that read it ended'));
    return worker;
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'not enough memory for its events'
    : error instanceof Error
      ? error.message
      : String(error);
