/** The wire between the page and what serves it: every question that the page asks, and its reply. */
import type { Outcome } from '../analyses/contract.ts';
import type { PathWin } from '../analyses/critical-path/result.ts';
import type { ExplainResult } from '../analyses/explain/result.ts';
import type { ReportDocument } from '../analyses/report/document.ts';
import type { ReportPart } from '../analyses/report/result.ts';

/** What is said of the whole trace. */
export interface Overview {
  readonly document: ReportDocument;
  /** The largest parts of the path; empty where it has no answer. */
  readonly parts: readonly ReportPart[];
  /** What the windows would win where all ops of one name took less time. */
  readonly wins: readonly PathWin[];
}

/** One row of the file. */
export interface EventDetails {
  /** As written, whole. */
  readonly name: string;
  readonly category: string;
  readonly startNs: number;
  readonly durNs: number;
  /** Its args as they stand in the file, values as JSON; absent where the file cannot be read again. */
  readonly args?: readonly (readonly [name: string, value: string])[];
  /** Why `args` is absent. */
  readonly unread?: string;
}

/** The position of an event in the file's `traceEvents`. */
export interface EventAsk {
  readonly event: number;
}

export interface Calls {
  readonly overview: { readonly ask: Record<never, never>; readonly reply: Overview };
  readonly explain: { readonly ask: EventAsk; readonly reply: Outcome<ExplainResult> };
  readonly event: { readonly ask: EventAsk; readonly reply: EventDetails };
}
export type CallName = keyof Calls;

/** The calls, for those who have to tell one from any other word. */
export const CALL_NAMES = ['overview', 'explain', 'event'] as const satisfies readonly CallName[];

/** Where they are asked, relative to the page. */
export const callPath = (name: CallName): string => `call/${name}`;
/** Where the timeline's columns are, relative to the page. */
export const TIMELINE_PATH = 'data/timeline';
