/** One open trace, and the answers that were computed of it. */
import { analysisOf, COMPOSITIONS, type AnalysisId, type OptionsOf, type ResultOf } from '../analyses/registry.ts';
import type { Outcome, Subject } from '../analyses/contract.ts';
import type { InfoResult } from '../analyses/info/result.ts';
import { openScope } from '../analyses/scope.ts';
import { createSubject } from '../analyses/subject.ts';
import type { ReportAnswers, ReportResult } from '../analyses/report/result.ts';
import { graphOptionsOf } from '../graph/graph-options.ts';
import type { Trace } from '../trace/trace.ts';

/** Names on the path of which the report says what they can win. */
const WINS = 8;

/** The main job's answer: `info` always, the rest where the path has an answer. */
export interface Report {
  readonly info: InfoResult;
  readonly outcome: Outcome<ReportResult>;
}

export interface Session {
  readonly trace: Trace;
  /** What the answers are computed of: for what shows the trace itself. */
  readonly subject: Subject;
  /** The answer to one question; the same options are computed once. */
  run<Id extends AnalysisId>(id: Id, options?: OptionsOf<Id>): Outcome<ResultOf<Id>>;
  /** The main job. */
  report(options?: OptionsOf<'critical-path'>): Report;
  /** The same, one question after the other: whoever takes the steps may do something else in between. */
  reportSteps(options?: OptionsOf<'critical-path'>): Generator<undefined, Report>;
}

export function createSession(trace: Trace): Session {
  const subject = createSubject(trace);
  const answers = new Map<string, unknown>();
  const session: Session = {
    trace,
    subject,
    run(id, options) {
      const analysis = analysisOf(id);
      const chosen = options ?? analysis.defaults;
      const key = `${id} ${JSON.stringify(chosen)}`;
      const known = answers.get(key) as Outcome<ResultOf<typeof id>> | undefined;
      if (known !== undefined) return known;
      const isEmpty = trace.events.length === 0 && id !== 'info';
      const answer: Outcome<ResultOf<typeof id>> = isEmpty
        ? { status: 'not-applicable', reason: 'no events' }
        : analysis.compute(subject, chosen);
      answers.set(key, answer);
      return answer;
    },
    report(options) {
      const steps = session.reportSteps(options);
      for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
    },
    *reportSteps(options) {
      const info = session.run('info', options && graphOptionsOf(options));
      if (info.status !== 'ok') throw new Error(`bug: info has no answer: ${info.reason}`);
      const scope = options ?? analysisOf('critical-path').defaults;
      yield;
      const path = session.run('critical-path', { ...scope, wins: WINS });
      if (path.status !== 'ok') return { info: info.result, outcome: path };
      const opened = openScope(subject, scope);
      if (opened.status !== 'ok') throw new Error(`bug: the path has windows, and they have none: ${opened.reason}`);
      yield;
      const breakdown = session.run('breakdown', scope);
      yield;
      const idle = session.run('idle', scope);
      yield;
      const steps = session.run('steps', scope);
      yield;
      const kernels = session.run('kernels', scope);
      yield;
      const ops = session.run('ops', { ...analysisOf('ops').defaults, ...scope });
      yield;
      const communication = session.run('communication', scope);
      yield;
      const launches = session.run('launches', { ...analysisOf('launches').defaults, ...scope });
      yield;
      const annotations = session.run('annotations', scope);
      const answers: ReportAnswers = { breakdown, idle, steps, kernels, ops, communication, launches, annotations };
      const result = COMPOSITIONS.report.compose(info.result, path.result, answers, opened.result);
      return { info: info.result, outcome: { status: 'ok', result } };
    },
  };
  return session;
}
