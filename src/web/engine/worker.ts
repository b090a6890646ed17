/** The engine as a worker of the page: reads a file that was dropped on it, and answers. Nothing leaves the browser. */
import { ANALYSES } from '../../analyses/registry.ts';
import { type Answers, createAnswers } from '../../answers/answers.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { openFile, rowsAt, rowsOfFile } from './open-file.ts';

const tell = (message: FromWorker, transfer: Transferable[] = []): void => postMessage(message, { transfer });
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
/** Messages that wait are taken in between. */
const rest = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve));
/** Progress is not told more often, in ms. */
const TOLD_EVERY = 50;

let answers: Answers | undefined;

async function open(file: File): Promise<void> {
  let told = -TOLD_EVERY;
  const read = await openFile(file, (jsonBytes, share) => {
    if (performance.now() - told < TOLD_EVERY) return;
    told = performance.now();
    tell({ kind: 'reading', jsonBytes, share });
  });
  if (!read.ok) {
    const { message, byteOffset } = read.error;
    const where = byteOffset === undefined || message.includes('at byte') ? '' : `, at byte ${byteOffset}`;
    return tell({ kind: 'refused', why: `${message}${where}` });
  }
  const session = read.value;
  const { length } = session.trace.events;
  if (length === 0) return tell({ kind: 'refused', why: 'there are no events in it' });
  tell({ kind: 'laying-out', events: length });
  answers = createAnswers(session, {
    path: ANALYSES['critical-path'].defaults,
    rows: rowsOfFile(file),
    readRows: (byteOffsets) => rowsAt(file, byteOffsets),
    rest,
  });
  const { buffer } = answers.timeline();
  tell({ kind: 'opened', timeline: buffer }, [buffer]);
}

async function answer({ id, name, question }: Extract<ToWorker, { kind: 'ask' }>): Promise<void> {
  const reply = await answers?.ask(name, question);
  if (reply?.ok === true) tell({ kind: 'answered', id, reply: reply.value });
  else tell({ kind: 'failed', id, why: reply?.error ?? 'no file is open' });
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'open') open(data.file).catch((error: unknown) => tell({ kind: 'refused', why: wordsOf(error) }));
  else answer(data).catch((error: unknown) => tell({ kind: 'failed', id: data.id, why: `bug: ${wordsOf(error)}` }));
});
