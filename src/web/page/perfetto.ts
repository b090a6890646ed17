/**
 * Hands a trace to Perfetto's page by the messages that it publishes: it is opened in a window of its own and asked `PING` until it says `PONG`;
 * then it gets the trace. https://perfetto.dev/docs/visualization/deep-linking-to-perfetto-ui
 */
export const PERFETTO = 'https://ui.perfetto.dev';

const ASK_MS = 100;
const PATIENCE_MS = 60_000;

/** Resolves when the trace was handed over; rejects with why it was not. */
export function openInPerfetto(json: string, title: string): Promise<void> {
  const target = window.open(PERFETTO);
  if (target === null) return Promise.reject(new Error('the browser did not let a window open'));
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearInterval(asking);
      clearTimeout(patience);
      removeEventListener('message', onMessage);
    };
    const onMessage = ({ origin, data }: MessageEvent<unknown>): void => {
      if (origin !== PERFETTO || data !== 'PONG') return;
      stop();
      const { buffer } = new TextEncoder().encode(json);
      target.postMessage({ perfetto: { buffer, title } }, PERFETTO, [buffer]);
      resolve();
    };
    addEventListener('message', onMessage);
    const asking = setInterval(() => target.postMessage('PING', PERFETTO), ASK_MS);
    const patience = setTimeout(() => {
      stop();
      reject(new Error('Perfetto’s page does not answer: is there a network?'));
    }, PATIENCE_MS);
  });
}
