import type { CallName, Calls, Engine } from '../../protocol/calls.ts';
import { decodeTimeline } from '../../protocol/timeline.ts';
import type { FromWorker, ToWorker } from '../engine/messages.ts';

/** How far opening a file is. */
export type Opening = Extract<FromWorker, { kind: 'reading' | 'laying-out' }>;

interface Asked {
  readonly resolve: (reply: never) => void;
  readonly reject: (error: Error) => void;
}

/** Opens a file in a worker of its own, which answers from then on. Rejects with what is wrong with the file, or once `signal` says stop. */
export function openInWorker(
  worker: Worker,
  file: File,
  onProgress: (opening: Opening) => void,
  signal: AbortSignal,
): Promise<Engine> {
  const asked = new Map<number, Asked>();
  let last = 0;
  const ask = <Name extends CallName>(name: Name, question: Calls[Name]['ask']): Promise<Calls[Name]['reply']> =>
    new Promise((resolve, reject) => {
      asked.set(++last, { resolve, reject });
      tell(worker, { kind: 'ask', id: last, name, question });
    });
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      worker.terminate();
      reject(new Error(why));
      for (const each of asked.values()) each.reject(new Error(why));
      asked.clear();
    };
    signal.addEventListener('abort', () => fail('stopped'));
    worker.addEventListener('error', ({ message }) => fail(message || 'the worker was stopped: too little memory?'));
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      switch (data.kind) {
        case 'reading':
        case 'laying-out':
          return onProgress(data);
        case 'opened': {
          const timeline = decodeTimeline(data.timeline);
          return resolve({ timeline: () => Promise.resolve(timeline), ask, close: () => worker.terminate() });
        }
        case 'refused':
          return fail(data.why);
        case 'answered':
          asked.get(data.id)?.resolve(data.reply as never);
          break;
        case 'failed':
          asked.get(data.id)?.reject(new Error(data.why));
      }
      asked.delete(data.id);
    });
    tell(worker, { kind: 'open', file });
  });
}

const tell = (worker: Worker, message: ToWorker): void => worker.postMessage(message);
