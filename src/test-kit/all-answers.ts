// What a trace is asked, in a form in which two answers can be held against each other byte by byte.
import { ANALYSES, type AnalysisId, COMPOSITIONS } from '../analyses/registry.ts';
import type { Outcome, RenderOptions } from '../analyses/contract.ts';
import { createSession } from '../session/session.ts';
import type { Trace } from '../trace/trace.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

/** Events that are asked why they began when they did, spread over the trace. */
const EXPLAINED = 12;

/** By question: what is printed, as text and as JSON. All analyses with the options that they have by themselves, but what needs a change. */
export function allAnswers(trace: Trace): Map<string, string> {
  const session = createSession(trace);
  const answers = new Map<string, string>();
  const put = <T>(name: string, outcome: Outcome<T>, toText: (result: T) => string): void => {
    const text = outcome.status === 'ok' ? toText(outcome.result) : '';
    answers.set(name, `${text}\n${JSON.stringify(outcome)}`);
  };
  for (const id of Object.keys(ANALYSES) as AnalysisId[]) {
    if (id === 'explain' || id === 'what-if') continue;
    put(id, session.run(id), (result) =>
      (ANALYSES[id].renderText as (of: unknown, options: RenderOptions) => string)(result, PLAIN),
    );
  }
  for (let i = 0; i < Math.min(EXPLAINED, trace.events.length); i++) {
    const row = Math.floor(((i + 0.5) / EXPLAINED) * trace.events.length);
    const event = trace.events.position[row];
    const outcome = session.run('explain', {
      ...ANALYSES.explain.defaults,
      event: { kind: 'position', position: event },
    });
    put(`explain e-${event}`, outcome, (result) => ANALYSES.explain.renderText(result, PLAIN));
  }
  put('report', session.report().outcome, (result) => COMPOSITIONS.report.renderText(result, PLAIN));
  return answers;
}

/** Questions that are answered otherwise. */
export function otherAnswers(one: Map<string, string>, other: Map<string, string>): string[] {
  const questions = new Set([...one.keys(), ...other.keys()]);
  return [...questions].filter((question) => one.get(question) !== other.get(question));
}
