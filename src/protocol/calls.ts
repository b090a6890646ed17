/** The wire between the page and who answers it: every question that the page asks, and its reply. */
import type { Outcome } from '../analyses/contract.ts';
import type { BreakdownResult } from '../analyses/breakdown/result.ts';
import type { PathWin } from '../analyses/critical-path/result.ts';
import type { ExplainResult } from '../analyses/explain/result.ts';
import type { IdleResult } from '../analyses/idle/result.ts';
import type { InfoResult } from '../analyses/info/result.ts';
import type { ClassRow, KernelsRow } from '../analyses/kernels/result.ts';
import type { ReportDocument } from '../analyses/report/document.ts';
import type { ReportPart } from '../analyses/report/result.ts';
import type { Timeline } from './timeline.ts';
import type { Coverage } from '../graph/coverage.ts';

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

/** Idle time of the devices: their gaps, the longest first. */
export interface IdlePanel extends Pick<IdleResult, 'devices' | 'notes'> {
  readonly gaps: IdleResult['gaps'];
  /** Where `gaps` is cut: how many there are. */
  readonly total: number;
}

/** Device ops by name, most time first. */
export interface KernelsPanel {
  readonly classes: readonly ClassRow[];
  readonly rows: readonly Omit<KernelsRow, 'perWindow'>[];
  readonly total: number;
  readonly opTimeNs: number;
  readonly notes: readonly string[];
}

/** How each device's time divides, by window. */
export type BreakdownPanel = Pick<BreakdownResult, 'windows' | 'notes'>;

/** How far the answers can be trusted. */
export interface HealthPanel {
  readonly info: InfoResult;
  /** What each kind of damage means: by the kind of `info.diagnostics`. */
  readonly meaning: Readonly<Record<string, string>>;
  /** How much of the dependencies is known, or why there is no path. */
  readonly coverage: Outcome<Coverage>;
  readonly notes: readonly string[];
}

/** Memory that was allocated on a device, or by the host: each amount holds until the next one. */
export interface MemorySeries {
  /** `device 0`, `host`. */
  readonly device: string;
  /** Each so many of the trace's rows is in it: 1 is all of them. */
  readonly nth: number;
  /** Ascending. */
  readonly timeNs: readonly number[];
  readonly bytes: readonly number[];
}

/** Memory over time, as far as its rows could be read again. */
export interface Memory {
  /** Empty where the trace says nothing of it. */
  readonly series: readonly MemorySeries[];
  /** What of it is not there, and why; absent where nothing is missing. */
  readonly problem?: string;
}

/** Words on a span of time, or on an event. */
export interface Note {
  readonly text: string;
  readonly startNs: number;
  readonly endNs: number;
  /** Position of the event in the file; absent for a span. */
  readonly event?: number;
}

/** Notes of a trace, as they lie beside it. */
export interface Notes {
  readonly notes: readonly Note[];
  /** The name of the file beside the trace that holds them; absent where there can be none. */
  readonly file?: string;
  /** Why they cannot be kept, or could not be read. */
  readonly problem?: string;
}

/** In characters. */
export const LONGEST_NOTE = 4_000;
export const MOST_NOTES = 1_000;

/** The position of an event in the file's `traceEvents`. */
export interface EventAsk {
  readonly event: number;
}

type Nothing = Record<never, never>;

export interface Calls {
  readonly overview: { readonly ask: Nothing; readonly reply: Overview };
  readonly explain: { readonly ask: EventAsk; readonly reply: Outcome<ExplainResult> };
  readonly event: { readonly ask: EventAsk; readonly reply: EventDetails };
  readonly breakdown: { readonly ask: Nothing; readonly reply: Outcome<BreakdownPanel> };
  readonly idle: { readonly ask: Nothing; readonly reply: Outcome<IdlePanel> };
  readonly kernels: { readonly ask: Nothing; readonly reply: Outcome<KernelsPanel> };
  readonly health: { readonly ask: Nothing; readonly reply: HealthPanel };
  readonly memory: { readonly ask: Nothing; readonly reply: Memory };
  readonly notes: { readonly ask: Nothing; readonly reply: Notes };
  /** Replaces all notes. */
  readonly 'keep-notes': { readonly ask: Pick<Notes, 'notes'>; readonly reply: Notes };
}
export type CallName = keyof Calls;

/** The calls, for those who have to tell one from any other word. */
export const CALL_NAMES = [
  'overview',
  'explain',
  'event',
  'breakdown',
  'idle',
  'kernels',
  'health',
  'memory',
  'notes',
  'keep-notes',
] as const satisfies readonly CallName[];

/** Who answers the page: a server, a worker beside it, or what lies in the page itself. */
export interface Engine {
  timeline(): Promise<Timeline>;
  /** Rejects with what is wrong, in words for whoever looks at the page. */
  ask<Name extends CallName>(name: Name, question: Calls[Name]['ask']): Promise<Calls[Name]['reply']>;
  /** Ends what it runs. It is asked nothing more. */
  close(): void;
}

/** Where they are asked, relative to the page. */
export const callPath = (name: CallName): string => `call/${name}`;
/** Where the timeline's columns are, relative to the page. */
export const TIMELINE_PATH = 'data/timeline';
