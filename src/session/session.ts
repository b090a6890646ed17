/** One open trace, and the answers that were computed of it. */
import { analysisOf, COMPOSITIONS, type AnalysisId, type OptionsOf, type ResultOf } from '../analyses/registry.ts';
import type { Outcome, Subject } from '../analyses/contract.ts';
import type { InfoResult } from '../analyses/info/result.ts';
import type { ReportResult } from '../analyses/report/result.ts';
import { ok, type Result } from '../base/result.ts';
import { graphOptionsOf } from '../graph/graph-options.ts';
import { buildGraph, type Graph } from '../graph/graph.ts';
import type { ReadError } from '../ingest/read-trace.ts';
import type { Trace } from '../trace/trace.ts';
import { openTrace } from './open-node.ts';

export interface Session {
  readonly trace: Trace;
  /** The answer to one question; the same options are computed once. */
  run<Id extends AnalysisId>(id: Id, options?: OptionsOf<Id>): Outcome<ResultOf<Id>>;
  /** The main job: `info` always, the rest where the path has an answer. */
  report(options?: OptionsOf<'critical-path'>): { readonly info: InfoResult; readonly outcome: Outcome<ReportResult> };
}

export function createSession(trace: Trace): Session {
  const graphs = new Map<string, Graph>();
  const subject: Subject = {
    trace,
    graph(options = {}) {
      const key = JSON.stringify(graphOptionsOf(options));
      const graph = graphs.get(key) ?? buildGraph(trace, options);
      graphs.set(key, graph);
      return graph;
    },
  };
  const answers = new Map<string, unknown>();
  const session: Session = {
    trace,
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
      const info = session.run('info', options && graphOptionsOf(options));
      if (info.status !== 'ok') throw new Error(`bug: info has no answer: ${info.reason}`);
      const path = session.run('critical-path', options);
      const outcome: Outcome<ReportResult> =
        path.status === 'ok' ? { status: 'ok', result: COMPOSITIONS.report.compose(info.result, path.result) } : path;
      return { info: info.result, outcome };
    },
  };
  return session;
}

/** Reads the file at `path` (`-`: standard input) as one rank's trace. */
export async function openSession(
  path: string,
  options: Parameters<typeof openTrace>[1],
): Promise<Result<Session, ReadError>> {
  const read = await openTrace(path, options);
  return read.ok ? ok(createSession(read.value)) : read;
}
