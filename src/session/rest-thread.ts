import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { RestOfTrace } from '../ingest/read-rest.ts';
import type { ReadOptions } from '../ingest/read-trace.ts';
import type { RowBegin } from '../ingest/scan.ts';

export interface RestRequest {
  readonly path: string;
  readonly from: RowBegin;
  readonly size: number;
  readonly options: Pick<ReadOptions, 'skip' | 'scanner'>;
}

/** Beside the built program; the sources alone have none, and read with one thread. */
export const BUILT_WORKER = new URL('./rest-worker.js', import.meta.url);

/** Whether a second thread can and may read. `LONGPOLE_WORKERS=1`: no. */
export const canShareWork = (worker: URL): boolean =>
  process.env['LONGPOLE_WORKERS'] !== '1' &&
  availableParallelism() > 1 &&
  worker.protocol === 'file:' &&
  existsSync(fileURLToPath(worker));

/** A thread that reads the rest of a file. */
export class RestThread {
  readonly #worker: Worker;
  /** The rest, or `undefined` where the thread failed: then whoever waits reads it instead, and meets the same failure. */
  readonly rest: Promise<RestOfTrace | undefined>;

  constructor(worker: URL, request: RestRequest) {
    this.#worker = new Worker(worker, { workerData: request });
    this.rest = new Promise((resolve) => {
      this.#worker.once('message', (rest: RestOfTrace) => resolve(rest));
      this.#worker.once('error', () => resolve(undefined));
      this.#worker.once('exit', () => resolve(undefined));
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
