import { type Engine, TIMELINE_PATH, callPath } from '../../protocol/calls.ts';
import { decodeTimeline } from '../../protocol/timeline.ts';

/** The server that the page came from; every URL is relative, so that the page works behind a proxy's path. */
export const serverEngine: Engine = {
  async timeline() {
    const response = await fetch(TIMELINE_PATH);
    await ensureAnswer(response);
    return decodeTimeline(await response.arrayBuffer());
  },
  async ask(name, question) {
    const response = await fetch(callPath(name), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(question),
    });
    await ensureAnswer(response);
    return (await response.json()) as never;
  },
  close() {},
};

async function ensureAnswer(response: Response): Promise<void> {
  if (!response.ok) throw new Error((await response.text()).trim() || `the server says ${response.status}`);
}
