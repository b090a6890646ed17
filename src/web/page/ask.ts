import { type CallName, type Calls, TIMELINE_PATH, callPath } from '../../protocol/calls.ts';
import { type Timeline, decodeTimeline } from '../../protocol/timeline.ts';

/** Asks the server; every URL is relative, so that the page works behind a proxy's path. Rejects with what it said. */
export async function ask<Name extends CallName>(
  name: Name,
  question: Calls[Name]['ask'],
): Promise<Calls[Name]['reply']> {
  const response = await fetch(callPath(name), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(question),
  });
  await ensureAnswer(response);
  return (await response.json()) as Calls[Name]['reply'];
}

export async function loadTimeline(): Promise<Timeline> {
  const response = await fetch(TIMELINE_PATH);
  await ensureAnswer(response);
  return decodeTimeline(await response.arrayBuffer());
}

async function ensureAnswer(response: Response): Promise<void> {
  if (!response.ok) throw new Error((await response.text()).trim() || `the server says ${response.status}`);
}
