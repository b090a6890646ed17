/** The program of an answer thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { createAnswers } from '../answers/answers.ts';
import { assert } from '../base/assert.ts';
import { notesBeside } from '../session/notes-file.ts';
import { readRows } from '../session/read-rows.ts';
import { rowSourceOf } from '../session/row-source.ts';
import { openSession } from '../session/session.ts';
import type { ThreadQuestion, ThreadReply, ThreadRequest } from './answer-thread.ts';
import { type ServedAnswers, servedAnswers } from './served-answers.ts';

assert(parentPort !== null, 'runs as a thread');
const port = parentPort;
const tell = (reply: ThreadReply, transfer: ArrayBuffer[] = []): void => port.postMessage(reply, transfer);
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function open({ path, file: { cacheFolder, ...options }, scope }: ThreadRequest): Promise<void> {
  const onFailure = (error: unknown): void => tell({ kind: 'not-kept', why: wordsOf(error) });
  const read = await openSession(path, {
    ...options,
    ...(cacheFolder === undefined ? {} : { cache: { folder: cacheFolder, onFailure } }),
    onProgress: (jsonBytes: number, share?: number) => tell({ kind: 'reading', jsonBytes, share }),
  });
  if (!read.ok) return tell({ kind: 'refused', error: read.error });
  const session = read.value;
  const { length } = session.trace.events;
  if (length === 0) return tell({ kind: 'opened', events: 0, timeline: new Uint8Array(0) });
  const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const answers = createAnswers(session, {
    path: scope,
    rows: rowSourceOf(path),
    readRows: (byteOffsets) => readRows(path, byteOffsets),
    notes: notesBeside(path),
    rest,
  });
  const served = servedAnswers(answers);
  const { timeline } = served;
  port.on('message', (question: ThreadQuestion) => void answer(served, question));
  tell({ kind: 'opened', events: length, timeline }, [timeline.buffer]);
}

async function answer(served: ServedAnswers, question: ThreadQuestion): Promise<void> {
  const { id } = question;
  try {
    tell({ kind: 'answered', id, answer: await served.ask(question.name, question.ask) });
  } catch (error) {
    tell({ kind: 'failed', id, why: wordsOf(error) });
  }
}

await open(workerData as ThreadRequest);
