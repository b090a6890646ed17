import type { Outcome } from '../analyses/contract.ts';
import type { AnalysisId } from '../analyses/registry.ts';
import type { ReportResult } from '../analyses/report/result.ts';
import type { ScopeOptions } from '../analyses/scope.ts';
import type { Diagnostic } from '../trace/diagnostics.ts';
import type { Trace } from '../trace/trace.ts';
import { type AnswerOf, type AskArguments, type AskOptions, type QuestionId, engineOptions } from './ask-options.ts';
import { createSession } from './session.ts';

/**
 * A trace that was read, and everything that was derived from it so far: the graph of dependencies is built with the first question that
 * needs it, and the same question is answered once. It holds the whole trace in memory, and nothing outside of it.
 */
export interface OpenTrace {
  /** The name of the file, for messages. */
  readonly file: string;
  /** The rank, where the trace or the file's name says it. */
  readonly rank?: number;
  /** Rows of the file. Handles of events are `e-0` to the last of them. */
  readonly eventCount: number;
  /** Damage of the file that was stepped over, counted by its kind; empty where there is none. */
  readonly diagnostics: readonly Diagnostic[];
  /** The answer to a question by its name; `criticalPath(trace)` is `trace.ask('critical-path')`. */
  ask<Id extends QuestionId>(id: Id, ...options: AskArguments<Id>): Outcome<AnswerOf<Id>>;
}

/** The handle of a trace that was read. */
export function openTraceOf(trace: Trace): OpenTrace {
  const session = createSession(trace);
  const { file, rank, eventCount, diagnostics } = trace;
  const reports = new Map<string, Outcome<ReportResult>>();
  const reportOf = (options: ScopeOptions): Outcome<ReportResult> => {
    const key = JSON.stringify(options);
    const known = reports.get(key) ?? session.report(options).outcome;
    reports.set(key, known);
    return known;
  };
  const answer = (id: QuestionId, given: AskOptions<QuestionId> | undefined): Outcome<unknown> =>
    id === 'report'
      ? reportOf(engineOptions(id, given, rank ?? 0))
      : session.run<AnalysisId>(id, engineOptions<AnalysisId>(id, given, rank ?? 0) as never);
  return {
    file,
    ...(rank === undefined ? {} : { rank }),
    eventCount,
    diagnostics,
    ask: <Id extends QuestionId>(id: Id, ...[options]: AskArguments<Id>) =>
      answer(id, options as AskOptions<QuestionId> | undefined) as Outcome<AnswerOf<Id>>,
  };
}
