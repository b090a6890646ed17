/** The thread that reads a trace and answers for it, so that the server always has time for the next request. */
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { AnswerOptions } from '../answers/answers.ts';
import { type Result, err, ok } from '../base/result.ts';
import type { ReadError } from '../ingest/read-trace.ts';
import type { CallName } from '../protocol/calls.ts';
import { type FileOptions, describeOpenError } from '../session/open-node.ts';
import type { ServedAnswers } from './served-answers.ts';

/** What a thread is started with. */
export interface ThreadRequest {
  /** `-`: standard input. */
  readonly path: string;
  readonly file: Omit<FileOptions, 'onProgress' | 'signal' | 'cache'> & { readonly cacheFolder?: string };
  /** Whose path is shown. */
  readonly scope: AnswerOptions['path'];
}

/** What it is told later: a question, with a number that its answer comes back with. */
export interface ThreadQuestion {
  readonly id: number;
  readonly name: CallName;
  readonly ask: unknown;
}

export type ThreadReply =
  | { readonly kind: 'reading'; readonly jsonBytes: number; readonly share: number | undefined }
  | { readonly kind: 'not-kept'; readonly why: string }
  | { readonly kind: 'refused'; readonly error: ReadError }
  | { readonly kind: 'opened'; readonly events: number; readonly timeline: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'answered'; readonly id: number; readonly answer: Result<string, string> }
  | { readonly kind: 'failed'; readonly id: number; readonly why: string };

/** Beside the built program. */
export const BUILT_WORKER = new URL('./answer-worker.js', import.meta.url);

export interface AnswerThread extends ServedAnswers {
  /** Of the trace: 0 where there is nothing to show, and `timeline` is empty. */
  readonly events: number;
  stop(): Promise<void>;
}

/** Reads `path` in a thread. An error says why it cannot be read; does not reject. */
export function openThread(
  path: string,
  { onProgress, cache, ...rest }: Omit<FileOptions, 'signal'>,
  scope: ThreadRequest['scope'],
  worker = BUILT_WORKER,
): Promise<Result<AnswerThread, ReadError>> {
  const file = { ...rest, ...(cache === undefined ? {} : { cacheFolder: cache.folder }) };
  const workerData: ThreadRequest = { path, file, scope };
  const maxOldGenerationSizeMb = getHeapStatistics().heap_size_limit / 2 ** 20;
  const thread = new Worker(worker, { workerData, stdin: path === '-', resourceLimits: { maxOldGenerationSizeMb } });
  if (path === '-' && thread.stdin !== null) process.stdin.pipe(thread.stdin);
  const questions = new Questions(thread);
  return new Promise((resolve) => {
    thread.on('error', (error) => {
      questions.fail(error);
      resolve(err(describeOpenError(error)));
    });
    thread.on('message', (reply: ThreadReply) => {
      switch (reply.kind) {
        case 'reading':
          return onProgress?.(reply.jsonBytes, reply.share);
        case 'not-kept':
          return cache?.onFailure?.(new Error(reply.why));
        case 'refused':
          return void thread.terminate().then(() => resolve(err(reply.error)));
        case 'opened': {
          const stop = async (): Promise<void> => void (await thread.terminate());
          const { events, timeline } = reply;
          return resolve(ok({ events, timeline, ask: (name, ask) => questions.ask(name, ask), stop }));
        }
        case 'answered':
        case 'failed':
          questions.settle(reply);
      }
    });
  });
}

/** Those that wait for their answer. */
class Questions {
  readonly #thread: Worker;
  readonly #waiting = new Map<number, { resolve(answer: Result<string, string>): void; reject(error: Error): void }>();
  #last = 0;
  #failure: Error | undefined;

  constructor(thread: Worker) {
    this.#thread = thread;
  }

  ask(name: CallName, ask: unknown): Promise<Result<string, string>> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject });
      this.#thread.postMessage({ id, name, ask } satisfies ThreadQuestion);
    });
  }

  settle(reply: Extract<ThreadReply, { kind: 'answered' | 'failed' }>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.kind === 'answered') waiting?.resolve(reply.answer);
    else waiting?.reject(new Error(reply.why));
  }

  /** The thread is gone: nothing is answered any more. */
  fail(error: Error): void {
    this.#failure = error;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
