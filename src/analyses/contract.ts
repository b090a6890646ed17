import type { GraphOptions } from '../graph/graph-options.ts';
import type { Graph } from '../graph/graph.ts';
import type { Trace } from '../trace/trace.ts';

/** What an analysis says: its result, or why the question does not apply to this trace. */
export type Outcome<T> =
  | { readonly status: 'ok'; readonly result: T }
  | { readonly status: 'not-applicable'; readonly reason: string };

/** What an analysis is asked about. Derived indices are built on first use and kept by the session, not by a module. */
export interface Subject {
  readonly trace: Trace;
  graph(options?: GraphOptions): Graph;
  /** What `make` makes, made once for each key: so that analyses that need the same walk share it. */
  once<T>(key: string, make: () => T): T;
}

export interface Analysis<Id extends string, Options, Result> {
  readonly id: Id;
  /** The question it answers, as a person would ask it. */
  readonly question: string;
  readonly defaults: Options;
  /** Pure: the same subject and options give the same result. */
  readonly compute: (subject: Subject, options: Options) => Outcome<Result>;
  /** Words and rounding happen here; 100 columns at most. */
  readonly renderText: (result: Result, options: RenderOptions) => string;
}

export interface RenderOptions {
  /** Rows of a list at most. */
  readonly limit: number;
  /** Kernel names as written, not shortened. */
  readonly fullNames: boolean;
  /** Marks text for a terminal; the identity where there are no colours. */
  readonly style: (format: 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan', text: string) => string;
}

export function defineAnalysis<const Id extends string, Options, Result>(
  analysis: Analysis<Id, Options, Result>,
): Analysis<Id, Options, Result> {
  return analysis;
}
