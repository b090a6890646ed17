import type { Answers } from '../answers/answers.ts';
import { type Result, ok } from '../base/result.ts';
import type { CallName } from '../protocol/calls.ts';

/** Answers as they are sent. */
export interface ServedAnswers {
  /** Encoded. */
  readonly timeline: Uint8Array<ArrayBuffer>;
  /** The reply as JSON. `ask` comes from outside; an error says what is wrong with it. Rejects for a bug. */
  ask(name: CallName, ask: unknown): Promise<Result<string, string>>;
}

export const servedAnswers = (answers: Answers): ServedAnswers => ({
  timeline: answers.timeline(),
  async ask(name, ask) {
    const reply = await answers.ask(name, ask);
    return reply.ok ? ok(JSON.stringify(reply.value)) : reply;
  },
});
